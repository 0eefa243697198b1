// Robots: their outline to scale, their number inside, their state as colour and form.

import { duration } from "../core/format.js";
import { label, strokeLine } from "./paint.js";

const SMALLEST_PX = 20; // smaller robots are drawn as marks of a constant size
const MARK_PX = 11;
const HALO_PX = 30;
const MARK_FONT = "600 11px system-ui, sans-serif";
const BODY_FONT = "600 13px system-ui, sans-serif";
const TRAIL_PX = 3; // between two points of a trail that are drawn
export const TRAIL_STEP_M = 0.01; // between two points of a trail that are kept
const FADING = [[0, 10, 1], [10, 30, 0.5], [30, 90, 0.2]]; // ages in s, and how strong a trail still is
const FADES_S = 0.5; // poses older than this are drawn pale

/** Draws what lies below robots in pixels: trails, true poses, rays. */
export function drawTraces(context, camera, colours, scene) {
  drawTrails(context, camera, colours, scene);
  for (const truth of scene.frame.truths.values()) drawTruth(context, camera, colours, truth, scene.outline);
  if (scene.rays) drawRays(context, camera, colours, scene.rays);
}

/** Draws robots in pixels. */
export function drawRobots(context, camera, colours, scene) {
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const row of scene.frame.rows.values()) drawRobot(context, camera, colours, row, scene);
}

/** Draws trails that fade: for each age, all of them as two paths, as a path for each robot takes most of a picture's time. */
function drawTrails(context, camera, colours, { trails, selected, frame }) {
  for (const [youngest_s, oldest_s, share] of FADING) {
    for (const isSelected of [false, true]) {
      context.strokeStyle = isSelected ? colours["tone-busy"] : colours.quiet;
      context.globalAlpha = share * (isSelected ? 0.9 : 0.4);
      context.lineWidth = isSelected ? 1.5 : 1;
      context.beginPath();
      for (const [id, trail] of trails) {
        if (selected.has(id) === isSelected) addTrail(context, camera, trail, frame.time_s - oldest_s, frame.time_s - youngest_s);
      }
      context.stroke();
    }
  }
  context.globalAlpha = 1;
}

/** Adds the part of a trail from one time to another to the path, without points that are too near to each other to be seen. */
function addTrail(context, camera, { points, dropped }, from_s, to_s) {
  const first = Math.max(0, firstAfter(points, from_s) - 1); // joined to the part before
  const last = firstAfter(points, to_s) - 1;
  if (last <= first) return;
  const stride = Math.max(1, Math.floor(TRAIL_PX / (TRAIL_STEP_M * camera.scale)));
  context.moveTo(...camera.toScreen(points[first][0], points[first][1]));
  for (let index = first + stride - ((first + dropped) % stride); index < last; index += stride) { // the same points while it grows
    context.lineTo(...camera.toScreen(points[index][0], points[index][1]));
  }
  context.lineTo(...camera.toScreen(points[last][0], points[last][1]));
}

/** The index of the first point of a trail after a time. */
function firstAfter(points, time_s) {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][2] > time_s) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Where robots are on the screen, as boxes that labels leave free. */
export function robotBoxes(camera, frame) {
  const size = Math.max(0.13 * camera.scale, 2.4 * MARK_PX);
  return [...frame.rows.values()].map(({ x, y }) => {
    const [px, py] = camera.toScreen(x, y);
    return { px, py, width: size, height: size };
  });
}

function drawTruth(context, camera, colours, truth, outline) {
  if (!outline || isSmall(camera, outline)) return;
  context.strokeStyle = colours.quiet;
  context.lineWidth = 1;
  context.setLineDash([2, 3]);
  context.stroke(outlinePath(camera, truth, outline));
  context.setLineDash([]);
}

function drawRays(context, camera, colours, { origin, rays, max_m }) {
  const [x, y, heading] = origin;
  for (const [angle, range] of rays) {
    const length = range ?? max_m;
    const end = [x + length * Math.cos(heading + angle), y + length * Math.sin(heading + angle)];
    context.strokeStyle = range === null ? colours.track : colours["tone-warning"];
    context.lineWidth = range === null ? 1 : 2;
    strokeLine(context, [camera.toScreen(x, y), camera.toScreen(...end)]);
  }
}

function drawRobot(context, camera, colours, row, scene) {
  const [px, py] = camera.toScreen(row.x, row.y);
  const colour = colours[`tone-${row.tone}`];
  const isMark = isSmall(camera, scene.outline);
  const path = isMark ? markPath(px, py) : outlinePath(camera, row, scene.outline);
  context.globalAlpha = row.age_s > FADES_S ? 0.6 : 1;
  fillBody(context, colours, colour, path, row.tone, [px, py]);
  if (isMark) drawBearing(context, px, py, row.heading, colour);
  if (scene.selected.has(row.id)) drawSelection(context, camera, colours, px, py, isMark);
  drawNumber(context, camera, colours, row, ...(isMark ? [px, py] : middle(camera, row, scene.outline)), isMark);
  context.globalAlpha = 1;
}

/** The middle of a body on the screen; its pose is that of its axle. */
function middle(camera, row, outline) {
  const ahead = 0.5 * (Math.min(...outline.map(([x]) => x)) + Math.max(...outline.map(([x]) => x)));
  return camera.toScreen(row.x + ahead * Math.cos(row.heading), row.y + ahead * Math.sin(row.heading));
}

function fillBody(context, colours, colour, path, tone, [px, py]) {
  if (tone === "lost") drawHalo(context, colour, px, py);
  context.fillStyle = tone === "busy" || tone === "error" ? colour : colours.ground;
  context.fill(path);
  if (tone === "stopped") hatchBody(context, colours, path, px, py);
  context.strokeStyle = colour;
  context.lineWidth = tone === "idle" ? 1.5 : 2.5;
  context.setLineDash(tone === "warning" ? [5, 3] : tone === "lost" ? [2, 3] : []);
  context.stroke(path);
  context.setLineDash([]);
}

/** Draws a disc around a lost robot: it is what one must see first. */
function drawHalo(context, colour, px, py) {
  const alpha = context.globalAlpha;
  context.fillStyle = colour;
  context.globalAlpha = 0.3;
  context.beginPath();
  context.arc(px, py, HALO_PX, 0, 2 * Math.PI);
  context.fill();
  context.globalAlpha = alpha;
}

function hatchBody(context, colours, path, px, py) {
  context.save();
  context.clip(path);
  context.strokeStyle = colours["tone-stopped"];
  context.globalAlpha *= 0.4;
  context.lineWidth = 1;
  for (let offset = -80; offset <= 80; offset += 6) {
    strokeLine(context, [[px + offset - 40, py + 40], [px + offset + 40, py - 40]]);
  }
  context.restore();
}

function drawBearing(context, px, py, heading, colour) {
  const [ahead, left] = [Math.cos(heading), -Math.sin(heading)];
  context.strokeStyle = colour;
  context.lineWidth = 2.5;
  strokeLine(context, [
    [px + MARK_PX * ahead, py + MARK_PX * left],
    [px + 1.6 * MARK_PX * ahead, py + 1.6 * MARK_PX * left],
  ]);
}

function drawSelection(context, camera, colours, px, py, isMark) {
  context.strokeStyle = colours.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(px, py, selectionRadius(camera, isMark), 0, 2 * Math.PI);
  context.stroke();
}

function selectionRadius(camera, isMark) {
  return isMark ? 1.8 * MARK_PX : Math.max(0.11 * camera.scale, 1.8 * MARK_PX);
}

/** Draws a robot's number; below the circle of a selection, how old the pose of a lost one is, unless it is still seen. */
function drawNumber(context, camera, colours, row, px, py, isMark) {
  const isFull = row.tone === "busy" || row.tone === "error";
  context.font = isMark ? MARK_FONT : BODY_FONT;
  context.fillStyle = isFull ? colours.ground : colours.ink;
  context.fillText(String(row.id), px, py + 0.5);
  const sign = { warning: "▲", error: "◆" }[row.tone];
  if (sign) label(context, colours, sign, px + 15, py - 15, colours[`tone-${row.tone}`]);
  if (row.tone === "lost" && row.age_s > FADES_S && Number.isFinite(row.age_s)) {
    label(context, colours, duration(row.age_s), px, py + selectionRadius(camera, isMark) + 16, colours.ink);
  }
}

function outlinePath(camera, pose, outline) {
  const [cosine, sine] = [Math.cos(pose.heading), Math.sin(pose.heading)];
  const path = new Path2D();
  outline.forEach(([ahead, left], index) => {
    const [px, py] = camera.toScreen(pose.x + cosine * ahead - sine * left, pose.y + sine * ahead + cosine * left);
    if (index === 0) path.moveTo(px, py);
    else path.lineTo(px, py);
  });
  path.closePath();
  return path;
}

function markPath(px, py) {
  const path = new Path2D();
  path.arc(px, py, MARK_PX, 0, 2 * Math.PI);
  return path;
}

function isSmall(camera, outline) {
  return !outline || 0.11 * camera.scale < SMALLEST_PX;
}
