// The dialog for a job of any kind: what is to be done, where, by whom, how urgently.

import { h } from "../core/dom.js";
import { number, openDialog } from "./dialogs.js";

const KINDS = [["transport", "transport"], ["go_to", "go to a station"], ["go_home", "go home"], ["follow_path", "follow a path"]];
const ANY = "any";
const USUAL_PRIORITY = 5;

/** Describe a job, and submit it; the fleet chooses the robot, unless one is named. */
export function openJob(app) {
  const stations = app.store.all("stations").map(({ name }) => name).sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  const choice = {
    kind: stations.length < 2 ? "go_home" : "transport", from: stations[0], to: stations[1], place: stations[0],
    path: app.store.words.shapes[0], size_m: 0.3, laps: 1, robot: ANY, priority: USUAL_PRIORITY,
  };
  openDialog(app, "New job", (close, draw, onSend) => {
    const pick = (name, text, options) => h("label", { key: name }, `${text} `,
      h("select", { name, value: String(choice[name] ?? ""), onchange: (event) => { choice[name] = event.target.value; draw(); } },
        options.map(([value, shown]) => h("option", { key: value, value }, shown))));
    const places = stations.map((name) => [name, name]);
    const robots = [[ANY, "any"], ...app.store.robots().map(({ id }) => [String(id), `only robot ${id}`])];
    const fields = {
      transport: () => [pick("from", "from", places), pick("to", "to", places)],
      go_to: () => [pick("place", "station", places)],
      go_home: () => [],
      follow_path: () => [pick("path", "path", app.store.words.shapes.map((shape) => [shape, shape])),
        number("size in m", choice, "size_m", 0.1, 2, 0.05), number("laps", choice, "laps", 1, 20, 1)],
    };
    const problem = missing(choice, stations);
    onSend(async () => {
      if (await app.send("submit", job(choice))) close();
    });
    return [
      pick("kind", "what", KINDS), ...fields[choice.kind](), pick("robot", "robot", robots),
      number("priority, 9 is the highest", choice, "priority", 0, 9, 1),
      problem && h("p", { key: "problem", class: "problem" }, problem),
      h("button", { key: "send", type: "submit", class: "send", disabled: problem !== "" }, "Submit"),
    ];
  });
}

function missing({ kind, from, to }, stations) {
  if (kind === "transport" && stations.length < 2) return "a transport needs two stations; add them with Stations …";
  if (kind === "go_to" && stations.length < 1) return "there is no station; add one with Stations …";
  return kind === "transport" && from === to ? "from and to are the same station" : "";
}

function job(choice) {
  const places = { transport: [choice.from, choice.to], go_to: [choice.place] }[choice.kind];
  return {
    kind: choice.kind,
    priority: choice.priority,
    ...(places && { places: places.map((station) => ({ station })) }),
    ...(choice.kind === "follow_path" && { path: choice.path, size_m: choice.size_m, laps: choice.laps }),
    ...(choice.robot !== ANY && { robots: [Number(choice.robot)] }),
  };
}
