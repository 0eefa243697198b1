// What is about to be sent: goals for the selected robots, or a transport. Enter sends it, Escape drops it.

import { metres } from "./format.js";

/** Goals are {robot, x, y, heading or null, problem}; a transport is {robot, from, to} with places of the API. */
export class Draft {
  constructor(store, selection, poses) {
    this._store = store;
    this._selection = selection;
    this._poses = poses; // returns the rows of the shown frame
    this._listeners = [];
    this.clear();
  }

  listen(listener) {
    this._listeners.push(listener);
  }

  get isEmpty() {
    return this.goals.length === 0 && this.transport === null;
  }

  /** What keeps the draft from being sent, in words, or "". */
  get problem() {
    return this.goals.find((goal) => goal.problem)?.problem ?? "";
  }

  /** The draft in words. */
  get words() {
    if (this.transport) return transportWords(this.transport);
    if (this.goals.length === 1) {
      const [goal] = this.goals;
      return `robot ${goal.robot} to (${metres(goal.x)}, ${metres(goal.y)})`;
    }
    return `${this.goals.length} robots, in formation`;
  }

  /** Aims the selected robots at a place; several keep their formation about their middle. */
  aim(x, y, heading = null) {
    const ids = [...this._selection.ids].filter((id) => this._poses().has(id));
    const rows = ids.map((id) => this._poses().get(id));
    const middle = [mean(rows.map((row) => row.x)), mean(rows.map((row) => row.y))];
    this.transport = null;
    this.line = null;
    this.goals = rows.map((row) => {
      const goal = { robot: row.id, x: x + row.x - middle[0], y: y + row.y - middle[1], heading };
      return { ...goal, problem: this._problemOf(goal) };
    });
    this._tell();
  }

  /** Shifts and turns the goals. */
  move(dx, dy, turn) {
    this.goals = this.goals.map((goal) => {
      const heading = turn === 0 ? goal.heading : (goal.heading ?? this._bearing(goal)) + turn;
      const moved = { ...goal, x: goal.x + dx, y: goal.y + dy, heading: heading === null ? null : wrapped(heading) };
      return { ...moved, problem: this._problemOf(moved) };
    });
    this._tell();
  }

  /** Prepares a transport; a robot of null is the nearest idle one. */
  carry(robot, from, to) {
    this.goals = [];
    this.transport = { robot, from, to };
    const ends = [this._placeOf(from), this._placeOf(to)];
    this.line = ends.every(Boolean) ? ends : null;
    this._tell();
  }

  /** Shows a line while a finger drags from a station. */
  drag(line) {
    this.line = line;
    this._tell();
  }

  clear() {
    this.goals = [];
    this.transport = null;
    this.line = null;
    this._tell();
  }

  /** The transport as a job: of the drafted robot or, for the nearest idle one, of any. */
  job() {
    const { robot, from, to } = this.transport;
    return { kind: "transport", places: [from, to], ...(robot === null ? {} : { robots: [robot] }) };
  }

  /** The verb and the body to post. */
  request() {
    if (this.transport) return ["transport", this.transport];
    const goals = this.goals.map(({ robot, x, y, heading }) => {
      const goal = { robot, x_m: x, y_m: y };
      return heading === null ? goal : { ...goal, heading_rad: heading };
    });
    return ["go_to", { goals }];
  }

  _placeOf({ station, x_m, y_m }) {
    if (station === undefined) return [x_m, y_m];
    return this._store.get("stations", station)?.pose.slice(0, 2) ?? null;
  }

  _problemOf({ x, y }) {
    const arena = this._store.get("map", "arena");
    if (!arena) return "";
    const margin = this._store.get("map", "body_radius_m") ?? 0;
    const [left, bottom, right, top] = arena;
    return (
      beyond("x", x, left + margin, right - margin) || beyond("y", y, bottom + margin, top - margin)
    );
  }

  _bearing(goal) {
    const row = this._poses().get(goal.robot);
    return row ? Math.atan2(goal.y - row.y, goal.x - row.x) : 0;
  }

  _tell() {
    for (const listener of this._listeners ?? []) listener();
  }
}

function beyond(axis, value, least, most) {
  if (value < least) return `outside of the arena: ${axis} = ${metres(value)}, at least ${metres(least)}`;
  if (value > most) return `outside of the arena: ${axis} = ${metres(value)}, at most ${metres(most)}`;
  return "";
}

function transportWords({ robot, from, to }) {
  return `${robot === null ? "the nearest idle robot" : `robot ${robot}`} carries from ${name(from)} to ${name(to)}`;
}

function name(place) {
  return place.station ?? `(${metres(place.x_m)}, ${metres(place.y_m)})`;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

function wrapped(angle) {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}
