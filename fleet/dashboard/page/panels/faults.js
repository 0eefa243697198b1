// Faults for teaching, in simulation only: link, push, battery, another place.

import { h } from "../core/dom.js";
import { fold } from "./fold.js";

/** The faults of one robot, for the role that may. */
export function faults(app, robot) {
  if (!app.seen.may("push")) return null;
  const link = (state, text) => h("button", { onclick: () => app.send("link", { robots: [robot.id], link: state }) }, text);
  return fold(app, "faults", "Faults (simulation)",
    h("div", { class: "actions" },
      link("silent", "Out of reach"),
      link("disconnected", "Unplug"),
      link("connected", "Reconnect"),
      h("button", { onclick: () => app.send("push", { robot: robot.id, distance_m: 0.1, heading_rad: Math.PI / 2 }) }, "Push left 10 cm"),
      h("button", { onclick: () => app.send("push", { robot: robot.id, distance_m: 0.1, heading_rad: -Math.PI / 2 }) }, "Push right 10 cm"),
      h("button", { onclick: () => app.send("battery", { robots: [robot.id], charge: 0.05 }) }, "Battery 5 %"),
      h("button", { onclick: () => app.send("battery", { robots: [robot.id], charge: 1 }) }, "Battery full"),
      h("button", { onclick: () => app.teleport(robot.id), disabled: app.draft.goals.length === 0 }, "Teleport to the draft")),
    h("p", { class: "hint" }, "The fleet learns of another battery by its voltage: the level within seconds, the counted charge within minutes."));
}
