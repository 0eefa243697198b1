// Stations: those of the configuration stay; operators add others where they aim, and remove them.

import { h } from "../core/dom.js";
import { place } from "../core/format.js";
import { openDialog } from "./dialogs.js";

const ROLES = ["load", "unload", "charge", "park"];

/** Lists the stations, and makes one of the place where the draft aims. */
export function openStations(app) {
  const station = { name: "", role: "load" };
  openDialog(app, "Stations", (close, _, onSend) => [newStation(app, station, close, onSend), h("ul", { class: "stations" }, byName(app.store.all("stations")).map((one) => row(app, one, close)))]);
}

function byName(stations) {
  return stations.sort((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }));
}

function newStation(app, station, close, onSend) {
  const [goal] = app.draft.goals;
  if (goal === undefined) return h("p", { class: "hint" }, app.text("aim"));
  onSend(async () => {
    if (!(await app.send("station", { ...station, x_m: goal.x, y_m: goal.y, heading_rad: goal.heading ?? 0 }))) return;
    app.draft.clear();
    close();
  });
  return [
    h("label", {}, `name of a station at ${place([goal.x, goal.y])} `,
      h("input", { type: "text", maxlength: "40", oninput: (event) => (station.name = event.target.value.trim()) })),
    h("label", {}, "role ", h("select", { value: station.role, onchange: (event) => (station.role = event.target.value) },
      ROLES.map((role) => h("option", { value: role }, role)))),
    h("button", { type: "submit", class: "send" }, "Add"),
  ];
}

function row(app, station, close) {
  const remove = () => {
    app.send("remove_station", { name: station.name });
    close();
  };
  return h("li", { key: station.name },
    h("span", {}, `${station.name}, ${station.role}, at ${place(station.pose)} `),
    !station.is_configured && h("button", { type: "button", onclick: remove, "aria-label": `remove station ${station.name}` }, "Remove"));
}
