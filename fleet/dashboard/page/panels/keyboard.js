// The keys of the page. Shift+Space is the stop button's own.

import { areJobsServed } from "./jobs.js";

const STEP_M = 0.05;
const FINE_M = 0.01;
const TURN_RAD = Math.PI / 12;
const NUMBER_MS = 700; // digits of one number follow each other so fast
const PAN_PX = 40;
const ARROWS = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export class Keyboard {
  constructor(app) {
    this._app = app;
    this._digits = "";
    this._typed_ms = -Infinity;
    this._actions = {
      g: () => app.store.may("go_to") && app.aimByKeys(),
      t: () => app.store.may("transport") && app.open("places", "transport"),
      j: () => app.store.may("submit") && areJobsServed(app.store) && app.open("job"),
      s: () => app.store.may("station") && app.open("stations"),
      h: () => this._command("go_home"),
      c: () => this._command("cancel"),
      f: () => { app.view.camera.fit(); app.view.redrawAll(); },
      l: () => { app.view.isFollowing = !app.view.isFollowing; app.draw(); },
      m: () => app.set({ showsTable: !app.settings.showsTable }),
      "+": () => this._zoom(1.25),
      "-": () => this._zoom(0.8),
      "?": () => app.open("help"),
      "/": () => this._filter(),
    };
    document.addEventListener("keydown", (event) => this._key(event));
  }

  _key(event) {
    const dialog = document.getElementById("dialog");
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.contains(event.target)) return;
    if (dialog.open && event.key === "Escape") {
      dialog.close();
      return;
    }
    if (event.target.matches("input:not([type=range]), select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const isHandled = this._draftKey(event) || this._arrow(event) || this._digit(event) || this._letter(event);
    if (isHandled) event.preventDefault();
  }

  _draftKey(event) {
    const { draft } = this._app;
    if (draft.isEmpty) return false;
    if (event.key === "Enter" && !event.target.matches("button")) this._app.sendDraft();
    else if (event.key === "Escape") draft.clear();
    else if (event.key === "," || event.key === ".") draft.move(0, 0, event.key === "," ? TURN_RAD : -TURN_RAD);
    else if (event.key in ARROWS && !event.target.matches("[role=option]")) {
      const step_m = event.shiftKey ? FINE_M : STEP_M;
      draft.move(ARROWS[event.key][0] * step_m, ARROWS[event.key][1] * step_m, 0);
    } else return false;
    return true;
  }

  _arrow(event) {
    if (!(event.key in ARROWS) || event.target.id !== "map") return false;
    const [right, up] = ARROWS[event.key];
    this._app.view.camera.pan(-right * PAN_PX, up * PAN_PX);
    this._app.view.redrawAll();
    return true;
  }

  _digit(event) {
    if (!/^[0-9]$/.test(event.key)) return false;
    const joined = this._digits + event.key;
    const isMore = performance.now() - this._typed_ms < NUMBER_MS
      && this._app.store.all("robots").some((robot) => String(robot.id).startsWith(joined));
    this._typed_ms = performance.now();
    this._digits = isMore ? joined : event.key;
    const id = Number(this._digits);
    if (this._app.store.get("robots", id) !== null) this._app.selection.set(id);
    return true;
  }

  _letter(event) {
    if (event.key === "Escape") {
      this._app.selection.set(null);
      return true;
    }
    const action = this._actions[event.key];
    if (action === undefined || event.target.closest(".stick")) return false;
    action();
    return true;
  }

  _command(verb) {
    const robots = [...this._app.selection.ids];
    if (robots.length > 0 && this._app.store.may(verb)) this._app.send(verb, { robots });
  }

  _zoom(factor) {
    this._app.view.camera.zoom(factor);
    this._app.view.redrawAll();
  }

  _filter() {
    this._app.set({ tab: "robots" });
    document.getElementById("filter")?.focus();
  }
}
