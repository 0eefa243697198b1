// Driving by hand: a stick for the pointer, and the keys W A S D. Ten commands a second while it is held, then zeros.

import { h } from "../core/dom.js";

const PERIOD_MS = 100;
const MOST_MPS = 0.12;
const MOST_RADPS = 1.5;
const KEYS = { KeyW: [1, 0], KeyS: [-1, 0], KeyA: [0, 1], KeyD: [0, -1] };

/** The stick of a robot. */
export function stick(app, robot) {
  return h("div", { class: "stick-box" },
    h("div", {
      class: "stick", tabindex: "0", role: "application", "data-robot": robot.id,
      "aria-label": `drive robot ${robot.id}: keys W, A, S, D`,
      onpointerdown: (event) => held(app, event),
      onpointermove: (event) => event.buttons && held(app, event),
      onpointerup: () => app.driver.release(),
      onpointercancel: () => app.driver.release(),
      onkeydown: (event) => pressed(app, event),
      onkeyup: (event) => KEYS[event.code] && app.driver.lift(event.code),
      onblur: () => app.driver.release(),
    }, h("span", { class: "knob" })),
    h("p", { class: "hint" }, "Hold the stick, or W A S D while it has the focus. The robot stops when you let go."));
}

function held(app, event) {
  const pad = event.currentTarget;
  pad.setPointerCapture(event.pointerId);
  const box = pad.getBoundingClientRect();
  const across = limited((event.clientX - box.left - 0.5 * box.width) / (0.5 * box.width));
  const up = limited((0.5 * box.height - (event.clientY - box.top)) / (0.5 * box.height));
  pad.firstElementChild.style.transform = `translate(${across * 40}px, ${-up * 40}px)`;
  app.driver.hold(Number(pad.dataset.robot), up, -across);
}

function pressed(app, event) {
  if (!KEYS[event.code] || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  app.driver.press(Number(event.currentTarget.dataset.robot), event.code);
}

/** Sends the commands of the stick while it is held. */
export class HandDriver {
  constructor(live) {
    this._live = live;
    this._robot = null;
    this._speed = 0;
    this._turn = 0;
    this._keys = new Set();
    this._timer = null;
  }

  hold(robot, speed, turn) {
    this._robot = robot;
    this._speed = speed * MOST_MPS;
    this._turn = turn * MOST_RADPS;
    this._timer ??= setInterval(() => this._send(), PERIOD_MS);
    if (this._keys.size === 0) this._send();
  }

  press(robot, code) {
    this._keys.add(code);
    this._holdKeys(robot);
  }

  lift(code) {
    this._keys.delete(code);
    if (this._keys.size === 0) this.release();
    else this._holdKeys(this._robot);
  }

  release() {
    if (this._timer === null) return;
    clearInterval(this._timer);
    this._timer = null;
    this._keys.clear();
    this._speed = this._turn = 0;
    this._send();
    for (const knob of document.querySelectorAll(".knob")) knob.style.transform = "";
  }

  _holdKeys(robot) {
    const sum = [...this._keys].reduce(([speed, turn], code) => [speed + KEYS[code][0], turn + KEYS[code][1]], [0, 0]);
    this.hold(robot, sum[0], sum[1]);
  }

  _send() {
    this._live.send({ type: "drive", robot: this._robot, speed_mps: this._speed, turn_radps: this._turn });
  }
}

function limited(value) {
  return Math.min(1, Math.max(-1, value));
}
