// The last 30 minutes: events as marks, and a slider that shows the floor as it was.

import { fetchHistory } from "../core/api.js";
import { clock, duration } from "../core/format.js";
import { between, decodeFrames } from "../core/frames.js";
import { h, render } from "../core/dom.js";
import { Past } from "../core/past.js";

const WINDOW_S = 60; // of history that is fetched at once
const STEP_S = 0.5;
const MOST_EVENTS = 400;
const RATE = 4; // seconds of history a second, while it plays

export class Timeline {
  constructor(app, place) {
    this._app = app;
    this._place = place;
    this._past = new Past();
    this._frames = [];
    this._fetched = [0, 0]; // s
    this._shown_s = null; // null: the present
    this._timer = null;
    this._fetching = null;
  }

  /** Whether the past is shown. */
  get isReplaying() {
    return this._shown_s !== null;
  }

  /** What was known then; null while the present is shown. */
  get store() {
    return this.isReplaying ? this._past.store : null;
  }

  /** The instant that is shown, and how it reads. */
  get shown_s() {
    return this._shown_s ?? this._now_s();
  }

  get caption() {
    return this._caption(this.shown_s);
  }

  draw() {
    const now_s = this._now_s();
    const least_s = Math.max(0, now_s - (this._app.store.hello?.history_s ?? 1800));
    const shown_s = this._shown_s ?? now_s;
    render(this._place,
      h("canvas", { class: "marks", "aria-hidden": "true", ref: (canvas) => (this._canvas = canvas) }),
      h("input", {
        type: "range", "aria-label": "time", min: least_s.toFixed(1), max: now_s.toFixed(1), step: "0.5",
        value: shown_s.toFixed(1), "aria-valuetext": this._caption(shown_s),
        oninput: (event) => this.show(Number(event.target.value)),
      }),
      h("div", { class: "controls" },
        h("button", { onclick: () => this._togglePlay(), disabled: !this.isReplaying }, this._timer === null ? "Play" : "Pause"),
        h("span", { class: "caption" }, this._caption(shown_s)),
        h("button", { class: "live", onclick: () => this.showPresent(), disabled: !this.isReplaying }, "Live")));
    this._drawMarks(least_s, now_s);
  }

  /** Shows the floor as it was. */
  async show(time_s) {
    if (time_s >= this._now_s() - STEP_S) {
      this.showPresent();
      return;
    }
    const wasReplaying = this.isReplaying;
    this._shown_s = time_s;
    this._past.show(time_s, this._app.store);
    this._app.view.showPast(this._frameAt(time_s), this._past.store, this._trailsAt(time_s));
    if (wasReplaying) this._app.draw();
    else this._app.set({ drives: null }); // nobody drives by hand
    if (time_s < this._fetched[0] || time_s > this._fetched[1] || !this._past.has(time_s)) await this._fetch(time_s);
  }

  showPresent() {
    this._stopPlaying();
    this._shown_s = null;
    this._fetched = [0, 0];
    this._past.clear();
    this._app.view.showPast(null, null, null);
    this._app.draw();
  }

  async _fetch(time_s) {
    if (this._fetching !== null) return;
    const span = [Math.max(0, time_s - 0.5 * WINDOW_S), time_s + 0.5 * WINDOW_S];
    this._fetching = span;
    try {
      const [frames] = await Promise.all([fetchHistory(...span, STEP_S), this._past.fetch(time_s)]);
      this._frames = decodeFrames(frames);
      this._fetched = span;
    } catch (error) {
      this._app.tell(`History: ${error.message}`, "error");
      this._fetched = span; // it is not asked again at once
    }
    this._fetching = null;
    if (this._shown_s !== null) this.show(this._shown_s);
  }

  _frameAt(time_s) {
    const later = this._frames.findIndex((frame) => frame.time_s > time_s);
    if (later <= 0) return this._frames.at(later === 0 ? 0 : -1) ?? { rows: new Map(), truths: new Map(), time_s };
    const [first, second] = [this._frames[later - 1], this._frames[later]];
    return between(first, second, (time_s - first.time_s) / (second.time_s - first.time_s));
  }

  /** Where robots had been until then, as far as frames are there. */
  _trailsAt(time_s) {
    const trails = new Map();
    for (const frame of this._frames) {
      if (frame.time_s > time_s) break;
      for (const { id, x, y } of frame.rows.values()) {
        if (!trails.has(id)) trails.set(id, { points: [], dropped: 0 });
        trails.get(id).points.push([x, y, frame.time_s]);
      }
    }
    return trails;
  }

  _togglePlay() {
    if (this._timer !== null) this._stopPlaying();
    else this._timer = setInterval(() => this.show(this._shown_s + RATE * 0.1), 100);
    this.draw();
  }

  _stopPlaying() {
    clearInterval(this._timer);
    this._timer = null;
  }

  _now_s() {
    return Math.max(0, this._app.frames.time_s(performance.now()) || 0);
  }

  _caption(shown_s) {
    const hello = this._app.store.hello;
    return this.isReplaying ? `${clock(hello, shown_s)}, ${duration(this._now_s() - shown_s)} ago` : clock(hello, shown_s);
  }

  _drawMarks(least_s, now_s) {
    const canvas = this._canvas;
    if (!canvas || now_s <= least_s) return;
    const { width, height } = canvas.getBoundingClientRect();
    canvas.width = Math.max(1, width);
    canvas.height = Math.max(1, height);
    const context = canvas.getContext("2d");
    const style = getComputedStyle(canvas);
    const colours = { info: "--quiet", notice: "--tone-busy", warning: "--tone-warning", error: "--tone-error" };
    for (const event of this._app.store.all("events").slice(-MOST_EVENTS)) {
      const px = ((event.time_s - least_s) / (now_s - least_s)) * width;
      const tall = event.severity === "error" ? 1 : event.severity === "warning" ? 0.8 : 0.5;
      context.fillStyle = style.getPropertyValue(colours[event.severity] ?? "--quiet");
      context.fillRect(px - 1, height * (1 - tall), 2, height * tall);
    }
  }
}
