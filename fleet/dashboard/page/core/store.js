// What the page knows of the fleet, kept up to date by the server's updates.

import { place } from "./format.js";

export const SECTIONS = ["robots", "tasks", "jobs", "alarms", "events", "commands", "stations", "fleet", "map"];

const WHOLE = new Set(["fleet", "map"]);

/** The latest entries of each section, by key; listeners are called once a picture, with the sections that changed. */
export class Store {
  constructor() {
    this.hello = null;
    this.words = { tones: {}, reasons: {}, laws: [], shapes: [] };
    this._sections = Object.fromEntries(SECTIONS.map((name) => [name, new Map()]));
    this._listeners = [];
    this._changed = new Set();
  }

  /** Calls a function with the set of changed sections; "hello" and "words" count as sections. */
  listen(listener) {
    this._listeners.push(listener);
  }

  /** Applies an update: fields of an entry replace those of its key, whole entries in `fleet` and `map`; null removes. */
  apply(update) {
    if (update.reset) for (const name of SECTIONS) this._clear(name);
    for (const name of SECTIONS) {
      for (const [key, value] of Object.entries(update[name] ?? {})) {
        if (value === null) this._sections[name].delete(key);
        else this._sections[name].set(key, WHOLE.has(name) ? value : { ...this._sections[name].get(key), ...value });
        this.touch(name);
      }
    }
  }

  /** Sets all entries of a section. */
  replace(section, entries) {
    this._sections[section] = new Map(entries);
    this.touch(section);
  }

  /** Takes the session's role, name and rights. */
  greet(hello) {
    this.hello = hello;
    this.touch("hello");
  }

  /** Notes that a section changed, so that it is drawn with the next picture. */
  touch(section) {
    if (this._changed.size === 0) setTimeout(() => this._tell(), 0);
    this._changed.add(section);
  }

  all(section) {
    return [...this._sections[section].values()];
  }

  get(section, key) {
    return this._sections[section].get(String(key)) ?? null;
  }

  /** Robots, those in trouble first. */
  robots() {
    return this.all("robots").sort((one, other) => other.urgency - one.urgency || one.id - other.id);
  }

  /** What a task is in words, with the names of stations instead of their places. */
  named(words) {
    return this.all("stations").reduce((text, { name, pose }) => text.replaceAll(place(pose), () => name), words);
  }

  /** The task that a robot performs, or null. */
  taskOf(robot) {
    return robot.task_id ? this.get("tasks", `${robot.id}/${robot.task_id}`) : null;
  }

  /** Whether this session may use a verb. */
  may(verb) {
    return this.hello?.may.includes(verb) ?? false;
  }

  _clear(name) {
    this._sections[name].clear();
    this.touch(name);
  }

  _tell() {
    const changed = this._changed;
    this._changed = new Set();
    for (const listener of this._listeners) listener(changed);
  }
}
