// What the page showed at an instant of the last half hour: the server's updates of then, in a store of their own.

import { fetchJson } from "./api.js";
import { Store } from "./store.js";

const WINDOW_S = 60; // of updates that are fetched at once

export class Past {
  constructor() {
    this.store = new Store();
    this._updates = [];
    this._events = [];
    this._applied = 0; // updates
    this._from_s = this._to_s = NaN;
  }

  /** Whether the updates for an instant are there. */
  has(time_s) {
    return time_s >= this._from_s && time_s <= this._to_s;
  }

  /** Fetches the updates about an instant. */
  async fetch(time_s) {
    const [from_s, to_s] = [time_s - 0.25 * WINDOW_S, time_s + 0.75 * WINDOW_S];
    [this._from_s, this._to_s] = [from_s, to_s]; // also if it fails: it is not asked again at once
    const { updates, events } = await fetchJson(`/api/past?from_s=${from_s.toFixed(2)}&to_s=${to_s.toFixed(2)}`);
    [this._updates, this._events, this._applied] = [updates, events, updates.length];
  }

  /** Brings the store to an instant, with the words of the present, and rights to nothing. */
  show(time_s, present) {
    const { store } = this;
    store.hello = present.hello && { ...present.hello, may: [] };
    store.words = present.words;
    const due = this._updates.findIndex((update, index) => index > 0 && update.time_s > time_s);
    const count = due === -1 ? this._updates.length : due;
    if (count < this._applied) this._applied = 0;
    for (const update of this._updates.slice(this._applied, count)) store.apply(update);
    this._applied = count;
    store.replace("events", this._events.filter((event) => event.time_s <= time_s).map((event) => [String(event.number), event]));
  }

  /** Forgets what was fetched. */
  clear() {
    this._from_s = this._to_s = NaN;
    this._updates = [];
    this._applied = 0;
    this.store.apply({ reset: true });
  }
}
