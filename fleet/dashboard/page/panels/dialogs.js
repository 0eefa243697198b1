// Dialogs: tasks with places, follow, keys of the page, session.

import { post } from "../core/api.js";
import { h, render } from "../core/dom.js";
import { areJobsServed } from "./jobs.js";

const JOB = "job"; // instead of a robot: the fleet chooses one

const KEYS = [
  ["Shift+Space", "stop all robots, from anywhere"],
  ["1, 2, 3 …", "select the robot of that number"],
  ["↑ ↓ Enter", "move in the list of robots, select one (with Shift: several)"],
  ["g", "aim the selected robots with the arrow keys"],
  ["arrows, , .", "while aiming: move by 5 cm (with Shift 1 cm), turn by 15°"],
  ["Enter, Esc", "send what is drafted, or discard it"],
  ["t", "transport from station to station"],
  ["j", "a new job for the fleet"],
  ["s", "stations: add one where you aim, remove one"],
  ["h", "send the selected robots home"],
  ["c", "cancel the tasks of the selected robots"],
  ["+ − f l", "zoom in, out, to fit; keep the selected robot in the centre"],
  ["m", "map or table"],
  ["/", "filter the robots"],
  ["?", "this list"],
];

/**
 * Opens a dialog with a title; `content` gets functions that close and draw it, and `onSend`, which sets what its
 * submit button and Enter do once all inputs are valid.
 *
 * It is not modal: STOP ALL stays reachable.
 */
export function openDialog(app, title, content) {
  const dialog = document.getElementById("dialog");
  const opener = document.activeElement;
  const close = () => {
    dialog.close();
    opener?.focus();
  };
  dialog.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation(); // the selection stays
    close();
  };
  let send = () => {};
  const onSend = (action) => { send = action; };
  const submit = (event) => {
    event.preventDefault();
    send();
  };
  const draw = () => render(dialog,
    h("form", { method: "dialog", onsubmit: submit },
      h("div", { class: "title" }, h("h2", { id: "dialog-title" }, title), h("button", { type: "button", onclick: close, "aria-label": "close" }, "✕")),
      content(close, draw, onSend)));
  dialog.replaceChildren(); // what was typed into another dialog
  draw();
  if (!dialog.open) dialog.show();
  (dialog.querySelector("input, select, button.send") ?? dialog.querySelector("button")).focus();
}

export function openHelp(app) {
  openDialog(app, "Keys", () => h("dl", { class: "keys" }, KEYS.map(([keys, text]) => [h("dt", { key: keys }, keys), h("dd", { key: text }, text)])));
}

/** The names of the stations at which tasks of a kind can be done, sorted. */
export function stationsFor(app, kind) {
  const stations = app.store.all("stations").filter(({ role }) => kind.role === "" || role === kind.role);
  return stations.map(({ name }) => name).sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

const ROLES = { from: "load", to: "unload" }; // the stations that are offered first for these places
const lastPlaces = new Map(); // chosen, by kind and place

/** The stations for a place of a kind of task, likely ones first. */
export function stationsForPlace(app, kind, place) {
  const isLikely = (name) => app.store.get("stations", name)?.role === ROLES[place];
  const names = stationsFor(app, kind);
  return [...names.filter(isLikely), ...names.filter((name) => !isLikely(name))];
}

/** The stations that are proposed for the places of a kind: those chosen last, else likely ones; no station twice. */
export function proposedPlaces(app, kind) {
  const chosen = {};
  for (const place of kind.places) {
    const names = stationsForPlace(app, kind, place).filter((name) => !Object.values(chosen).includes(name));
    const last = lastPlaces.get(`${kind.name} ${place}`);
    chosen[place] = names.includes(last) ? last : names[0];
  }
  return chosen;
}

/** Remembers which stations were chosen. */
export function rememberPlaces(kind, choice) {
  for (const place of kind.places) lastPlaces.set(`${kind.name} ${place}`, choice[place]);
}

/** Choose who does a task with places, such as a transport, and where, without a mouse. */
export function openPlaces(app, name) {
  const kind = app.store.words.kinds.find((one) => one.name === name);
  const stations = stationsFor(app, kind);
  const choice = { robot: app.selection.first(), ...proposedPlaces(app, kind) };
  openDialog(app, title(kind), (close, draw, onSend) => {
    if (stations.length < kind.places.length) return h("p", {}, kind.role ? `There is no station with the role ${kind.role}. Add one with Stations …` : app.text("stations"));
    const pick = (name, options) => h("label", { key: name }, `${name} `,
      h("select", { name, value: String(choice[name] ?? ""), onchange: (event) => { choice[name] = event.target.value; draw(); } },
        options.map(([value, text]) => h("option", { key: value, value }, text))));
    const robots = [...(canSubmit(app) ? [[JOB, "any, as a job of the fleet"]] : []), ["", "the nearest idle one"], ...app.store.robots().map(({ id }) => [String(id), `robot ${id}`])];
    onSend(async () => {
      const sites = Object.fromEntries(kind.places.map((place) => [place, { station: choice[place] }]));
      const robot = choice.robot === null || choice.robot === "" ? null : Number(choice.robot);
      const isJob = choice.robot === JOB;
      rememberPlaces(kind, choice);
      if (await (isJob ? app.send("submit", { kind: name, places: Object.values(sites) }) : app.send(name, { robot, ...sites }))) close();
    });
    return [
      pick("robot", robots), kind.places.map((place) => pick(place, stationsForPlace(app, kind, place).map((station) => [station, station]))),
      h("button", { type: "submit", class: "send", disabled: new Set(kind.places.map((place) => choice[place])).size < kind.places.length }, "Send"),
    ];
  });
}

/** The words of a kind of task, with a capital. */
export function title(kind) {
  return `${kind.words[0].toUpperCase()}${kind.words.slice(1)}`;
}

function canSubmit(app) {
  return app.store.may("submit") && areJobsServed(app.store);
}

/** Choose a path to follow. */
export function openFollow(app) {
  const choice = { path: app.store.words.shapes[0] ?? "eight", size_m: 0.3, laps: 1 };
  const robots = [...app.selection.ids];
  openDialog(app, `Follow a path: ${robots.length === 1 ? "robot" : "robots"} ${robots.join(", ")}`, (close, _, onSend) => {
    onSend(async () => {
      if (await app.send("follow_path", { robots, ...choice })) close();
    });
    return [
      h("label", {}, "path ",
        h("select", { value: choice.path, onchange: (event) => (choice.path = event.target.value) },
          app.store.words.shapes.map((shape) => h("option", { value: shape }, shape)))),
      number("size in m", choice, "size_m", 0.1, 2, 0.05),
      number("laps", choice, "laps", 1, 20, 1),
      h("button", { type: "submit", class: "send" }, "Send"),
    ];
  });
}

/** Write a route to perform. */
export function openRoute(app) {
  const choice = { route: "" };
  const robot = app.selection.first();
  openDialog(app, `Follow a route: robot ${robot}`, (close, draw, onSend) => {
    onSend(async () => {
      if (await app.send("follow_route", { robots: [robot], route: choice.route.trim() })) close();
    });
    return [
      legs(choice, draw),
      h("p", { key: "hint", class: "hint" }, "Legs between blanks: X,Y or a station to drive there, turn:90deg, wait:2, load:2, unload:2, dock:STATION."),
      h("button", { key: "send", type: "submit", class: "send", disabled: choice.route.trim() === "" }, "Send"),
    ];
  });
}

/** An input for the legs of a route. */
export function legs(choice, draw) {
  return h("label", { key: "route" }, "legs ", h("input", {
    name: "route", value: choice.route, maxlength: 5000, placeholder: "0.3,0.5 turn:90deg wait:2", oninput: (event) => { choice.route = event.target.value; draw(); },
  }));
}

/** An input for a number of a choice. */
export function number(text, choice, name, min, max, step) {
  return h("label", { key: name }, `${text} `, h("input", {
    type: "number", name, min, max, step, value: String(choice[name]), onchange: (event) => (choice[name] = Number(event.target.value)),
  }));
}

/** Who you are, with which role; another key; a QR code for phones. */
export function openSession(app) {
  openDialog(app, "Session", (close, draw, onSend) => {
    const hello = app.store.hello;
    const typed = (id) => document.getElementById(id).value;
    const rename = async () => {
      const name = typed("name");
      if (name === hello?.name || !(await app.send("name", { name }))) return;
      app.store.hello.name = name; // the server may have greeted again since the dialog was drawn
      app.draw();
      draw();
    };
    onSend(() => (typed("key") === "" ? rename() : useKey(app, typed("key"))));
    return [
      h("p", {}, `You are ${hello?.name ?? "nobody"}, ${hello?.role ?? "not connected"}.`, hello?.role === "viewer" && ` ${app.text("viewer")}`),
      h("label", {}, "name ", h("input", { type: "text", maxlength: "40", id: "name", value: hello?.name ?? "", onchange: rename })),
      h("label", {}, "key ", h("input", { type: "password", autocomplete: "off", id: "key" })),
      h("button", { type: "submit" }, "Use this key"),
      h("fieldset", {}, h("legend", {}, "colours"), ["system", "light", "dark"].map((theme) =>
        h("label", { key: theme }, h("input", {
          type: "radio", name: "theme", checked: app.settings.theme === theme, onchange: () => app.setTheme(theme),
        }), ` ${theme}`))),
      hello?.is_reachable && h("figure", {}, h("img", { src: "/qr.svg", width: "220", height: "220", alt: "QR code of this page, for a phone" }),
        h("figcaption", {}, "opens this page on a phone, as an operator")),
    ];
  });
}

async function useKey(app, key) {
  try {
    await post("key", { key });
    location.reload();
  } catch (error) {
    app.tell(error.message, "error");
  }
}
