// The floor: arena, areas, walls, stations, homes. Drawn again only when it, the view or the theme changes.

import { freePlace, label, strokeLine, textWidth } from "./paint.js";

const WALL_PX = 3;
const STATION_M = 0.09;
const NAME_HEIGHT_PX = 13;
const NAME_GAP_PX = 2; // between two names
const SIGNS = { load: "▲", unload: "▼", charge: "⚡", park: "P" };

/** Draws the floor in pixels. */
export function drawFloor(context, camera, colours, store) {
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  drawArena(context, camera, colours, store.get("map", "arena"));
  const patches = store.get("map", "patches") ?? [];
  for (const patch of patches) drawPatch(context, camera, colours, patch);
  context.strokeStyle = colours.ink;
  context.lineWidth = WALL_PX;
  context.lineCap = "round";
  for (const [x1, y1, x2, y2] of store.get("map", "walls") ?? []) {
    strokeLine(context, [camera.toScreen(x1, y1), camera.toScreen(x2, y2)]);
  }
  for (const robot of store.all("robots")) if (robot.home) drawHome(context, camera, colours, robot);
  const stations = store.all("stations");
  for (const station of stations) drawStation(context, camera, colours, station);
}

/**
 * Draws the names of stations and areas above ways and trails, beside robots and labels (`taken`), the first ones first;
 * a name for which there is no room is left out: a small map keeps names that can be read.
 */
export function drawFloorNames(context, camera, colours, store, taken) {
  const patches = store.get("map", "patches") ?? [];
  const chargers = patches.filter((patch) => patch.material === "charger");
  const named = patches.filter((patch) => patch.name);
  const names = [...store.all("stations").map((one) => stationName(camera, colours, one, chargers)), ...named.map((one) => patchName(camera, colours, one))];
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const { text, places, colour } of names) {
    const size = [textWidth(context, text) + 2 * NAME_GAP_PX, NAME_HEIGHT_PX];
    const place = freePlace(places, size, taken);
    if (place !== null) label(context, colours, text, ...place, colour);
  }
}

/** What a station is called, and where its name can stand, best first: beside the edges of its charger, if it is on one. */
export function stationName(camera, colours, station, chargers) {
  const [px, py] = camera.toScreen(station.pose[0], station.pose[1]);
  const text = `${SIGNS[station.role] ?? ""} ${station.name}`.trim();
  const away = stationHalf(camera) + 9;
  const places = [[px, py - away], [px, py + away], [px, py - 2 * away], [px, py + 2 * away]];
  const under = chargers.map((patch) => boxOf(onScreen(camera, patch))).find((one) => one.left < px && px < one.right && one.top < py && py < one.bottom);
  if (under) places.unshift([px, Math.min(under.top - 8, py - away)], [px, Math.max(under.bottom + 9, py + away)]); // beside its edges
  return { text, places, colour: colours.ink };
}

/** The box around places on the screen. */
function boxOf(points) {
  const [across, down] = [points.map(([px]) => px), points.map(([, py]) => py)];
  return { left: Math.min(...across), right: Math.max(...across), top: Math.min(...down), bottom: Math.max(...down) };
}

function onScreen(camera, patch) {
  return patch.points.map(([x, y]) => camera.toScreen(x, y));
}

function patchName(camera, colours, patch) {
  const [px, py] = middle(onScreen(camera, patch));
  return { text: patch.name, places: [[px, py], [px, py + NAME_HEIGHT_PX], [px, py - NAME_HEIGHT_PX]], colour: colours.quiet };
}

function stationHalf(camera) {
  return Math.max(STATION_M * camera.scale, 9);
}

function drawArena(context, camera, colours, arena) {
  if (!arena) return;
  const [left, top] = camera.toScreen(arena[0], arena[3]);
  const [right, bottom] = camera.toScreen(arena[2], arena[1]);
  context.fillStyle = colours.paper;
  context.fillRect(left, top, right - left, bottom - top);
  context.strokeStyle = colours.quiet;
  context.lineWidth = 1;
  context.strokeRect(left, top, right - left, bottom - top);
}

function drawPatch(context, camera, colours, patch) {
  const points = onScreen(camera, patch);
  context.beginPath();
  points.forEach(([px, py], index) => (index === 0 ? context.moveTo(px, py) : context.lineTo(px, py)));
  context.closePath();
  if (patch.material === "floor") {
    context.globalAlpha = 0.25; // tape lies flat
    context.fillStyle = colours.quiet;
    context.fill();
  } else if (patch.material === "keep_out") {
    hatch(context, colours.quiet, points);
  } else {
    context.fillStyle = colours[`${patch.material}-face`] ?? colours.track;
    context.strokeStyle = colours[`${patch.material}-edge`] ?? colours.quiet;
    context.lineWidth = 1;
    context.fill();
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** Fills the current path with slanted lines. */
function hatch(context, colour, points) {
  const { left, right, top, bottom } = boxOf(points);
  context.save();
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  for (let px = left - (bottom - top); px < right; px += 8) {
    strokeLine(context, [[px, bottom], [px + bottom - top, top]]);
  }
  context.restore();
  strokeLine(context, [...points, points[0]]);
}

function drawHome(context, camera, colours, robot) {
  const [px, py] = camera.toScreen(robot.home[0], robot.home[1]);
  const size = 6;
  context.strokeStyle = colours.quiet;
  context.lineWidth = 1;
  strokeLine(context, [[px - size, py], [px, py - size], [px + size, py]]);
  context.strokeRect(px - 0.7 * size, py, 1.4 * size, 0.8 * size);
}

function drawStation(context, camera, colours, station) {
  const [px, py] = camera.toScreen(station.pose[0], station.pose[1]);
  const half = stationHalf(camera);
  context.strokeStyle = colours.quiet;
  context.lineWidth = 1.5;
  context.setLineDash([4, 3]);
  context.strokeRect(px - half, py - half, 2 * half, 2 * half);
  context.setLineDash([]);
}

function middle(points) {
  const count = points.length;
  return [points.reduce((sum, [px]) => sum + px, 0) / count, points.reduce((sum, [, py]) => sum + py, 0) / count];
}
