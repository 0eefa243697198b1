// The connection to the server: WebSocket with reconnection; updates are fetched while it is down.

import { decodeFrame } from "./frames.js";

const RETRIES_MS = [50, 250, 500, 1000, 2000]; // a browser that was suspended is closed by the server, and must show the present at once
const SILENT_MS = 3000; // the server sends a frame a second at least
const POLL_MS = 1000;
const ANSWERED = 2; // every second frame; an answer is for those before, too

/**
 * Keeps a store and a frame buffer up to date.
 *
 * `onstate(isConnected)` is called when the connection comes and goes, `onrays` with the selected robot's rays,
 * `onvalues` with every key of its status, `onrefused` with why a message was refused.
 */
export class Live {
  constructor(store, frames) {
    this._store = store;
    this._frames = frames;
    this._socket = null;
    this._retries = 0;
    this._heard_ms = -Infinity;
    this._selected = null;
    this._taken = 0; // frames
    this.isConnected = false;
    this.onstate = () => {};
    this.onframe = () => {};
    this.onrays = () => {};
    this.onvalues = () => {};
    this.onrefused = () => {};
  }

  start() {
    this._connect();
    setInterval(() => this._check(), POLL_MS);
    document.addEventListener("visibilitychange", () => this._tellVisibility());
  }

  /** Sends a message; returns whether it could be sent. */
  send(message) {
    if (this._socket?.readyState !== WebSocket.OPEN) return false;
    this._socket.send(JSON.stringify(message));
    return true;
  }

  /** Asks for the rays of a robot; null for none. */
  select(robot) {
    this._selected = robot;
    this.send({ type: "select", robot });
  }

  _connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/live`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this._opened();
    socket.onmessage = (event) => this._take(event.data);
    socket.onclose = () => this._closed(socket);
    this._socket = socket;
  }

  _opened() {
    this._heard_ms = performance.now();
    this._tellVisibility();
    if (this._selected !== null) this.select(this._selected);
  }

  _closed(socket) {
    if (socket !== this._socket) return;
    this._setConnected(false);
    const delay_ms = RETRIES_MS[Math.min(this._retries, RETRIES_MS.length - 1)];
    this._retries += 1;
    setTimeout(() => this._connect(), delay_ms * (0.8 + 0.4 * Math.random()));
  }

  _take(data) {
    this._heard_ms = performance.now();
    this._retries = 0;
    this._setConnected(true);
    if (data instanceof ArrayBuffer) this._takeFrame(decodeFrame(data));
    else this._takeMessage(JSON.parse(data));
  }

  _takeFrame(frame) {
    this._frames.take(frame, performance.now());
    this.onframe(frame);
    this._taken += 1;
    if (this._taken % ANSWERED === 0) requestAnimationFrame(() => this.send({ type: "ack", frame: frame.number }));
  }

  _takeMessage(message) {
    if (message.type === "hello") this._store.greet(message);
    else if (message.type === "update") this._store.apply(message);
    else if (message.type === "rays") this.onrays(message);
    else if (message.type === "values") this.onvalues(message);
    else if (message.type === "refused") this.onrefused(message.text);
  }

  _tellVisibility() {
    this.send({ type: "visible", visible: document.visibilityState === "visible" });
  }

  _check() {
    if (document.visibilityState !== "visible") return;
    if (performance.now() - this._heard_ms < SILENT_MS) return;
    if (this._socket?.readyState === WebSocket.OPEN) this._socket.close();
    this._setConnected(false);
    this._poll();
  }

  async _poll() {
    try {
      const answer = await fetch("/api/state", { signal: AbortSignal.timeout(POLL_MS) });
      if (answer.ok && !this.isConnected) this._store.apply({ ...(await answer.json()), reset: true });
    } catch {
      // the server is not there; the headline says so
    }
  }

  _setConnected(isConnected) {
    if (isConnected === this.isConnected) return;
    this.isConnected = isConnected;
    this.onstate(isConnected);
  }
}
