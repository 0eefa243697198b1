// Mouse, pen and fingers on the map: select, aim, drag from station to station, pan and zoom.

const DRAG_PX = 6;
const WHEEL = 0.0015;

/**
 * Turns pointer events of the map into actions.
 *
 * One finger or the left button: on a robot it selects (with Shift or Ctrl, adds); on a station it starts a transport;
 * elsewhere it aims the selected robots, and a drag sets the heading; without selection it pans. The middle or right
 * button and two fingers pan; the wheel and two fingers zoom.
 */
export class Gestures {
  constructor(view, selection, draft, store) {
    this._view = view;
    this._selection = selection;
    this._draft = draft;
    this._store = store;
    this._pointers = new Map();
    this._action = null; // what the first pointer does
    const canvas = view.canvas;
    canvas.addEventListener("pointerdown", (event) => this._down(event));
    canvas.addEventListener("pointermove", (event) => this._move(event));
    canvas.addEventListener("pointerup", (event) => this._up(event));
    canvas.addEventListener("pointercancel", (event) => this._cancel(event));
    canvas.addEventListener("wheel", (event) => this._wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  _down(event) {
    const at = this._place(event);
    this._view.canvas.setPointerCapture(event.pointerId);
    this._pointers.set(event.pointerId, at);
    if (this._pointers.size > 1) this._action = { kind: "pinch" };
    else if (event.button !== 0) this._action = { kind: "pan", from: at };
    else this._action = this._actionAt(at, event);
  }

  _actionAt(at, event) {
    const { robot, station } = this._view.thingAt(...at);
    const from = { from: at, isDragged: false };
    if (robot !== undefined) return { kind: "robot", robot, adds: event.shiftKey || event.ctrlKey || event.metaKey, ...from };
    const carries = station !== undefined && this._store.may("transport");
    const aims = this._selection.ids.size > 0 && this._store.may("go_to");
    if (this._view.replayed !== null) return { kind: "pan", isTooLate: carries || aims, ...from };
    if (carries) return { kind: "station", station, ...from };
    return { kind: aims ? "aim" : "pan", ...from };
  }

  _move(event) {
    const before = this._pointers.get(event.pointerId);
    if (before === undefined) {
      this._hover(event);
      return;
    }
    const at = this._place(event);
    if (this._action?.kind === "pinch") this._pinch(event.pointerId, before, at);
    this._pointers.set(event.pointerId, at);
    this._drag(before, at);
  }

  /** Notes at which robot a mouse points: its plan is drawn. */
  _hover(event) {
    const robot = this._view.thingAt(...this._place(event)).robot ?? null;
    if (robot === this._view.hovered) return;
    this._view.hovered = robot;
    this._view.redraw();
  }

  _drag(before, at) {
    const action = this._action;
    if (!action?.from || action.kind === "pinch") return;
    action.isDragged ||= Math.hypot(at[0] - action.from[0], at[1] - action.from[1]) > DRAG_PX;
    if (!action.isDragged) return;
    if (action.kind === "pan" || action.kind === "robot") {
      this._view.camera.pan(at[0] - before[0], at[1] - before[1]);
      this._view.redrawAll();
    } else if (action.kind === "aim") this._aim(action.from, at);
    else this._draft.drag([this._floor(action.from), this._floor(at)]);
  }

  _up(event) {
    const at = this._place(event);
    const action = this._action;
    this._forget(event);
    if (action === null || action.kind === "pinch") return;
    if (action.kind === "robot" && !action.isDragged) this._select(action);
    else if (action.kind === "aim" && !action.isDragged) this._aim(action.from, null);
    else if (action.kind === "station") this._carry(action, at);
    else if (action.kind === "pan" && !action.isDragged && event.button === 0) {
      if (action.isTooLate) this.onpast();
      else this._selection.set(null);
    }
  }

  _cancel(event) {
    if (this._action?.kind === "station") this._draft.drag(null);
    this._forget(event);
  }

  _forget(event) {
    this._pointers.delete(event.pointerId);
    this._action = this._pointers.size > 0 ? { kind: "pinch" } : null;
  }

  _select(action) {
    if (action.adds) this._selection.toggle(action.robot);
    else this._selection.set(action.robot);
  }

  _aim(from, to) {
    const [x, y] = this._floor(from);
    const heading = to === null ? null : Math.atan2(from[1] - to[1], to[0] - from[0]);
    this._draft.aim(x, y, heading);
  }

  /** Ends a drag from a station at another one; a tap on one waits for a tap on the other. */
  _carry(action, at) {
    this._draft.drag(null);
    const to = action.isDragged ? this._view.stationAt(...at) : action.station;
    const from = action.isDragged ? action.station : this._tapped;
    this._tapped = action.isDragged || from ? null : action.station;
    if (from && to && from !== to) this._draft.carry(this._selection.first(), { station: from }, { station: to });
    else if (this._tapped) this.ontap(action.station);
  }

  /** Called when a station was tapped, and the other one is awaited. */
  ontap() {}

  /** Called when somebody aims at the past. */
  onpast() {}

  _pinch(id, before, at) {
    const other = [...this._pointers].find(([otherId]) => otherId !== id)?.[1];
    const camera = this._view.camera;
    camera.pan(0.5 * (at[0] - before[0]), 0.5 * (at[1] - before[1]));
    if (other) {
      const [was, is] = [distance(before, other), distance(at, other)];
      if (was > 0) camera.zoom(is / was, 0.5 * (at[0] + other[0]), 0.5 * (at[1] + other[1]));
    }
    this._view.redrawAll();
  }

  _wheel(event) {
    event.preventDefault();
    this._view.camera.zoom(Math.exp(-WHEEL * event.deltaY), ...this._place(event));
    this._view.redrawAll();
  }

  _place(event) {
    const box = this._view.box();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  _floor(at) {
    return this._view.camera.toFloor(...at);
  }
}

function distance(one, other) {
  return Math.hypot(one[0] - other[0], one[1] - other[1]);
}
