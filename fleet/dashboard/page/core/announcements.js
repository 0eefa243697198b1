// Tells screen readers of starts, ends and alarms: at most one sentence in two seconds.

const PAUSE_MS = 2000;
const KINDS = new Set(["task", "job", "alarm", "fleet"]);

export class Announcements {
  constructor(place) {
    this._place = place;
    this._last = null; // the number of the latest event that was seen
    this._waiting = [];
    this._timer = null;
  }

  /** Takes all events; only those that are new are announced. */
  take(events) {
    const numbers = events.map((event) => event.number);
    const latest = Math.max(0, ...numbers);
    if (this._last !== null) {
      const fresh = events.filter((event) => event.number > this._last && KINDS.has(event.kind));
      this._waiting.push(...fresh.map(sentence));
      this._timer ??= setTimeout(() => this._speak(), 0);
    }
    this._last = latest;
  }

  _speak() {
    this._timer = null;
    if (this._waiting.length === 0) return;
    const [first, ...more] = this._waiting;
    this._place.textContent = more.length > 2 ? `${first}, and ${more.length} more` : [first, ...more].join(". ");
    this._waiting = [];
    this._timer = setTimeout(() => this._speak(), PAUSE_MS);
  }
}

function sentence(event) {
  return [event.robot === null ? "" : `robot ${event.robot}:`, event.text, event.reason].filter(Boolean).join(" ");
}
