// The map: a canvas that is drawn when something changed, at most once a picture of the screen.

import { drawFloor, drawFloorNames } from "./floor_layer.js";
import { themeColours } from "./paint.js";
import { drawRobots, drawTraces, robotBoxes, TRAIL_STEP_M } from "./robot_layer.js";
import { drawDraft, drawGoalLabels, drawTasks } from "./task_layer.js";
import { Camera } from "./camera.js";

const TRAIL_POINTS = 400;
const MOST_RATIO = 2; // device pixels a CSS pixel: more costs time, and cannot be seen
const SCALE_BARS_M = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const PICK_PX = 22; // half of 44 px
const EMPTY = { rows: new Map(), truths: new Map(), time_s: 0 };

export class MapView {
  constructor(canvas, store, frames, selection, draft) {
    this.camera = new Camera();
    this.canvas = canvas;
    this.layers = { trails: true, plans: true, truth: true };
    this.rays = null;
    this.replayed = null; // a frame of the past, instead of the present
    this._past = null; // what was known then
    this._pastTrails = new Map();
    this.isFollowing = false;
    this.hovered = null; // the robot at which a mouse points
    this.pictures_ms = []; // how long the latest pictures took
    this._store = store;
    this._frames = frames;
    this._selection = selection;
    this._draft = draft;
    this._context = canvas.getContext("2d");
    this._floor = document.createElement("canvas");
    this._isFloorStale = true;
    this._isDue = false;
    this._trails = new Map();
    this._homes = "";
    this._colours = themeColours();
    this._tools = canvas.parentElement.querySelector(".tools");
    const sizes = new ResizeObserver(() => this._resize());
    for (const one of [canvas, this._tools]) sizes.observe(one);
    store.listen((changed) => this._noteChanges(changed));
  }

  /** The poses that are shown. */
  shown() {
    return this.replayed ?? this._frames.at(performance.now()) ?? EMPTY;
  }

  /** Shows a frame of the past with what was known then; null is the present. */
  showPast(frame, store, trails) {
    this.replayed = frame;
    this._past = store;
    this._pastTrails = trails ?? new Map();
    this._isFloorStale = true; // stations and homes of then
    this.redraw();
  }

  /** What is known of what is shown. */
  get _seen() {
    return this._past ?? this._store;
  }

  /** Has the map drawn with the next picture. */
  redraw() {
    if (this._isDue || document.visibilityState !== "visible") return;
    this._isDue = true;
    requestAnimationFrame(() => this._picture());
  }

  /** Draws the floor again, too: the view or the theme has changed. */
  redrawAll() {
    this._colours = themeColours();
    this._isFloorStale = true;
    this.redraw();
  }

  /** Adds a frame to the trails. */
  takeFrame(frame) {
    for (const row of frame.rows.values()) {
      const trail = this._trails.get(row.id) ?? { points: [], dropped: 0 };
      const last = trail.points.at(-1);
      if (last === undefined || Math.hypot(row.x - last[0], row.y - last[1]) > TRAIL_STEP_M) trail.points.push([row.x, row.y, frame.time_s]);
      if (trail.points.length > TRAIL_POINTS) {
        trail.points.shift();
        trail.dropped += 1;
      }
      this._trails.set(row.id, trail);
    }
    this.redraw();
  }

  /** The robot or the station at a place on the screen, whichever is nearer: {robot}, {station}, or {}. */
  thingAt(px, py) {
    const robots = [...this.shown().rows.values()].map((row) => [{ robot: row.id }, row.x, row.y]);
    return this._nearest([...robots, ...this._stations()], px, py) ?? {};
  }

  /** The name of the station at a place on the screen, or null. */
  stationAt(px, py) {
    return this._nearest(this._stations(), px, py)?.station ?? null;
  }

  _stations() {
    return this._seen.all("stations").map(({ name, pose }) => [{ station: name }, pose[0], pose[1]]);
  }

  /** The middle of the canvas on the page, and its size. */
  box() {
    return this.canvas.getBoundingClientRect();
  }

  _nearest(places, px, py) {
    let found = null;
    let least = Math.max(PICK_PX, 0.08 * this.camera.scale);
    for (const [thing, x, y] of places) {
      const [sx, sy] = this.camera.toScreen(x, y);
      const distance = Math.hypot(sx - px, sy - py);
      if (distance < least) [least, found] = [distance, thing];
    }
    return found;
  }

  _noteChanges(changed) {
    if (changed.has("map")) {
      const bounds = this._store.get("map", "bounds");
      if (bounds) this.camera.setBounds(bounds);
    }
    if (changed.has("map") || changed.has("stations") || (changed.has("robots") && this._haveHomesChanged())) this._isFloorStale = true;
    this.redraw();
  }

  /** Whether a robot has another home than at the last look: the floor has homes, and nothing else of robots. */
  _haveHomesChanged() {
    const homes = JSON.stringify(this._store.all("robots").map((robot) => robot.home));
    const haveChanged = homes !== this._homes;
    this._homes = homes;
    return haveChanged;
  }

  _resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    const ratio = this._ratio();
    for (const canvas of [this.canvas, this._floor]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
    const first = this._tools.firstElementChild; // of one row: layers open over the map
    this.camera.resize(width, height, first ? this._tools.offsetTop + first.offsetHeight : 0);
    this._isFloorStale = true;
    this.redraw();
  }

  _ratio() {
    return Math.min(window.devicePixelRatio || 1, MOST_RATIO);
  }

  _picture() {
    this._isDue = false;
    const start_ms = performance.now();
    this._draw();
    this.pictures_ms.push(performance.now() - start_ms);
    if (this.pictures_ms.length > 600) this.pictures_ms.shift();
    if (this.replayed === null && this._frames.isMoving(performance.now())) this.redraw();
  }

  _draw() {
    const frame = this.shown();
    this._follow(frame);
    const context = this._context;
    const ratio = this._ratio();
    if (this._isFloorStale) this._drawFloor(ratio);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this._floor, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const scene = this._scene(frame);
    const labels = this.layers.plans ? drawTasks(context, this.camera, this._colours, scene) : [];
    drawTraces(context, this.camera, this._colours, scene);
    const taken = [...this.camera.outside(), ...robotBoxes(this.camera, frame)];
    drawGoalLabels(context, this._colours, labels, taken);
    drawFloorNames(context, this.camera, this._colours, this._seen, taken);
    drawRobots(context, this.camera, this._colours, scene);
    if (this.replayed === null) drawDraft(context, this.camera, this._colours, this._draft, frame);
    this._drawScaleBar(context);
  }

  _drawFloor(ratio) {
    const context = this._floor.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this._colours.ground;
    context.fillRect(0, 0, this._floor.width, this._floor.height);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawFloor(context, this.camera, this._colours, this._seen);
    this._isFloorStale = false;
  }

  _scene(frame) {
    const robots = this._seen.all("robots");
    const tasks = robots
      .map((robot) => ({ robot, task: this._seen.taskOf(robot) }))
      .filter(({ task }) => task !== null && task.ended_s === null);
    return {
      frame: this.layers.truth ? frame : { ...frame, truths: new Map() },
      outline: this._seen.get("map", "robot")?.outline ?? null,
      rays: this.replayed === null ? this.rays : null,
      robots,
      selected: this._selection.ids,
      hovered: this.hovered,
      tasks,
      trails: this.layers.trails ? this._trailsShown() : new Map(),
    };
  }

  _trailsShown() {
    return this.replayed === null ? this._trails : this._pastTrails;
  }

  _follow(frame) {
    const row = this.isFollowing ? frame.rows.get(this._selection.first()) : undefined;
    if (row === undefined) return;
    this.camera.centre(row.x, row.y);
    this._isFloorStale = true;
  }

  _drawScaleBar(context) {
    const length_m = SCALE_BARS_M.findLast((length) => length * this.camera.scale <= 120) ?? SCALE_BARS_M[0];
    const [left, bottom] = [16, this.camera.height - 16];
    const right = left + length_m * this.camera.scale;
    context.strokeStyle = context.fillStyle = this._colours.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(left, bottom - 5);
    context.lineTo(left, bottom);
    context.lineTo(right, bottom);
    context.lineTo(right, bottom - 5);
    context.stroke();
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "bottom";
    context.fillText(`${length_m} m`, left + 4, bottom - 3);
  }
}
