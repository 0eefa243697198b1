// Which robots are selected, in the order in which they were.

export class Selection {
  constructor() {
    this.ids = new Set();
    this._listeners = [];
  }

  listen(listener) {
    this._listeners.push(listener);
  }

  /** The robot that was selected first, or null. */
  first() {
    return this.ids.values().next().value ?? null;
  }

  /** Selects one robot alone, or none. */
  set(id) {
    this.ids = new Set(id === null ? [] : [id]);
    this._tell();
  }

  /** Adds a robot, or takes it out. */
  toggle(id) {
    if (!this.ids.delete(id)) this.ids.add(id);
    this._tell();
  }

  /** Selects many. */
  setAll(ids) {
    this.ids = new Set(ids);
    this._tell();
  }

  _tell() {
    for (const listener of this._listeners) listener();
  }
}
