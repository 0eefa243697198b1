// The dialog for a job of any kind: what is to be done, where, by whom, how urgently.

import { h } from "../core/dom.js";
import { legs, number, openDialog, proposedPlaces, rememberPlaces, stationsFor, stationsForPlace } from "./dialogs.js";

const ANY = "any";
const USUAL_PRIORITY = 5;

/** Describe a job, and submit it; the fleet chooses the robot, unless one is named. */
export function openJob(app) {
  const kinds = new Map(app.store.words.kinds.map((kind) => [kind.name, kind]));
  const sites = Object.assign({}, ...app.store.words.kinds.map((kind) => proposedPlaces(app, kind)));
  const choice = {
    ...sites, kind: sites.to === undefined ? "go_home" : "transport",
    path: app.store.words.shapes[0], size_m: 0.3, laps: 1, route: "", robot: ANY, priority: USUAL_PRIORITY,
  };
  openDialog(app, "New job", (close, draw, onSend) => {
    const pick = (name, text, options) => h("label", { key: name }, `${text} `,
      h("select", { name, value: String(choice[name] ?? ""), onchange: (event) => { choice[name] = event.target.value; draw(); } },
        options.map(([value, shown]) => h("option", { key: value, value }, shown))));
    const kind = kinds.get(choice.kind);
    const stations = stationsFor(app, kind);
    const robots = [[ANY, "any"], ...app.store.robots().map(({ id }) => [String(id), `only robot ${id}`])];
    const fields = kind.places.map((place) => pick(place, place, stationsForPlace(app, kind, place).map((name) => [name, name])));
    if (kind.has_path) {
      fields.push(pick("path", "path", app.store.words.shapes.map((shape) => [shape, shape])),
        number("size in m", choice, "size_m", 0.1, 2, 0.05), number("laps", choice, "laps", 1, 20, 1));
    }
    if (kind.has_route) fields.push(legs(choice, draw));
    const problem = missing(kind, choice, stations);
    onSend(async () => {
      rememberPlaces(kind, choice);
      if (await app.send("submit", job(kind, choice))) close();
    });
    return [
      pick("kind", "what", [...kinds.values()].map(({ name, words }) => [name, words])), ...fields, pick("robot", "robot", robots),
      number("priority, 9 is the highest", choice, "priority", 0, 9, 1),
      problem && h("p", { key: "problem", class: "problem" }, problem),
      h("button", { key: "send", type: "submit", class: "send", disabled: problem !== "" }, "Submit"),
    ];
  });
}

function missing(kind, choice, stations) {
  const count = kind.places.length;
  if (stations.length < count) {
    const what = `${count === 1 ? "a station" : "two stations"}${kind.role && ` with the role ${kind.role}`}`;
    return `${kind.words} needs ${what}; add ${count === 1 ? "it" : "them"} with Stations …`;
  }
  if (kind.has_route && choice.route.trim() === "") return `${kind.words} needs legs`;
  const isTwice = new Set(kind.places.map((place) => choice[place])).size < count;
  return isTwice ? `${kind.places.join(" and ")} are the same station` : "";
}

function job(kind, choice) {
  return {
    kind: kind.name,
    priority: choice.priority,
    ...(kind.places.length && { places: kind.places.map((place) => ({ station: choice[place] })) }),
    ...(kind.has_route && { route: choice.route.trim() }),
    ...(kind.has_path && { path: choice.path, size_m: choice.size_m, laps: choice.laps }),
    ...(choice.robot !== ANY && { robots: [Number(choice.robot)] }),
  };
}
