// STOP ALL: one press, no question, by POST and WebSocket at once; it shows who has confirmed, and in how many ms. A POST
// that nobody answers is repeated: the network or the server may be slow.

import { postStop } from "../core/api.js";
import { h, render } from "../core/dom.js";

const HOLD_MS = 1000; // to resume
const LATE_MS = 1000; // after which those who have not confirmed are named
const TRIES = 10;
const AGAIN_MS = 1000; // between two tries, at least

export class StopButton {
  constructor(app, place) {
    this._app = app;
    this._place = place;
    this._pressed_ms = null;
    this._answered_ms = null;
    this._hasFailed = false;
    this._resume = null; // the timer of a held resume button
    document.addEventListener("keydown", (event) => this._key(event), { capture: true });
  }

  draw() {
    render(this._place, this._button(), this._report());
  }

  /** Stops every robot. */
  async stop() {
    const pressed_ms = performance.now();
    this._pressed_ms = pressed_ms;
    this._answered_ms = null;
    this._hasFailed = false;
    const isSent = this._app.live.send({ type: "stop" });
    this.draw();
    for (let tries = 1; tries <= TRIES && this._pressed_ms === pressed_ms; tries += 1) {
      if (await this._post(isSent)) break;
    }
    setTimeout(() => this.draw(), LATE_MS);
  }

  /** Posts the stop; returns whether the server has decided about it. */
  async _post(isSent) {
    const began_ms = performance.now();
    try {
      const answer = await postStop();
      this._answered_ms = performance.now() - this._pressed_ms;
      this._hasFailed = false;
      this._takeAnswer(answer.stop);
      return true;
    } catch (error) {
      this._hasFailed = !isSent;
      if (error.status !== 0 || isSent) return true;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS - (performance.now() - began_ms)));
      return false;
    } finally {
      this.draw();
    }
  }

  /** The WebSocket may have been faster, and know more of this stop. */
  _takeAnswer(stop) {
    const known = this._app.store.get("fleet", "stop");
    if (stop && !(known?.number >= stop.number)) this._app.store.apply({ fleet: { stop } });
  }

  _key(event) {
    if (event.code !== "Space" || !event.shiftKey || event.repeat) return;
    event.preventDefault();
    event.stopPropagation();
    this.stop();
  }

  /** Without a WebSocket nobody knows the rights of this page: the server decides. */
  _button() {
    const fleet = this._app.store;
    const canReach = this._app.isReachable;
    if (!canReach) {
      return h("p", { key: "none", class: "unreachable", role: "alert" }, "NOT CONNECTED: this page cannot stop robots");
    }
    const isStopped = fleet.get("fleet", "is_stopped") === true;
    return [
      (fleet.hello === null || fleet.may("stop")) && h("button", { key: "stop", class: "stop", onclick: () => this.stop(), "aria-keyshortcuts": "Shift+Space" }, "STOP ALL"),
      isStopped && fleet.may("resume") && h("button", {
          key: "resume", class: "resume",
          onpointerdown: () => this._holdResume(), onpointerup: () => this._dropResume(), onpointerleave: () => this._dropResume(),
          onkeydown: (event) => (event.key === "Enter" || event.key === " ") && !event.repeat && !event.shiftKey && this._holdResume(),
          onkeyup: () => this._dropResume(),
        }, this._resume === null ? "Hold to resume" : "Keep holding …"),
    ];
  }

  _holdResume() {
    this._resume ??= setTimeout(() => {
      this._resume = null;
      this._app.send("resume", {});
      this.draw();
    }, HOLD_MS);
    this.draw();
  }

  _dropResume() {
    clearTimeout(this._resume);
    this._resume = null;
    this.draw();
  }

  /** The outcome of the latest stop. */
  _report() {
    const text = this._reportText();
    return h("p", { key: "report", class: "stop-report", role: "status" }, text);
  }

  _reportText() {
    const stop = this._app.store.get("fleet", "stop");
    if (this._hasFailed) return "The stop did not reach the server. Switch the robots off.";
    if (this._pressed_ms !== null && this._answered_ms === null && stop === null) return "stopping …";
    if (stop === null || !stop.is_stop) return "";
    const count = stop.robots.length;
    const standing = `${stop.standing.length} of ${count} stand`;
    const isConfirmed = stop.unconfirmed.length === 0;
    const isLate = this._pressed_ms !== null && performance.now() - this._pressed_ms > LATE_MS;
    if (!isConfirmed && (isLate || stop.is_over)) return unconfirmedText(stop.unconfirmed);
    if (count === 0 && stop.confirmed.length === 0) return "Nobody confirmed: there are no robots, and no driver answered.";
    const after = stop.stand_ms === null ? "" : ` after ${stop.stand_ms} ms`;
    return [`${standing}${after}`, ...confirmedTexts(stop)].join(", ");
  }
}

function confirmedTexts({ confirmed, is_over }) {
  if (confirmed.length === 0) return is_over ? ["nobody confirmed"] : [];
  const names = confirmed.map((one) => one.host).filter(Boolean).join(", ");
  return [`confirmed${names && ` by ${names}`} in ${Math.max(...confirmed.map((one) => one.ms))} ms`];
}

function unconfirmedText(unconfirmed) {
  const names = unconfirmed.map((one) => `robots ${one.robots.join(", ")}${one.host ? ` on ${one.host}` : ""}`).join("; ");
  return `Not confirmed: ${names}. Robots stop by themselves 0.45 s after the last command.`;
}
