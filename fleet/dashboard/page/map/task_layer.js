// Tasks: planned ways, goals with the time until they are reached, what robots wait for, and what is about to be sent.

import { duration } from "../core/format.js";
import { freePlace, goalMark, label, strokeLine, textWidth } from "./paint.js";

const GOAL_M = 0.06;
const PLAN_PX = 4; // between two points of a plan that are drawn
const LABEL_PX = 16; // high
const FEW = 10; // robots, of which all plans are drawn
const SAME_M = 0.002;
const BEND = 0.2; // of an arc, as a share of its length
const BLOCKED_M = 0.13; // radius of the ring about a blocked robot, which is larger than that of a selection
const BLOCKED_PX = 25; // at least

/** Draws the tasks of robots in pixels; returns the labels of their goals, which belong above all lines. */
export function drawTasks(context, camera, colours, scene) {
  const matters = mattering(scene);
  const tasks = scene.tasks.filter(({ robot }) => matters(robot));
  const labels = tasks.map(({ robot, task }) => drawTask(context, camera, colours, robot, task, scene));
  for (const robot of scene.robots) if (robot.errand_to && matters(robot)) labels.push(drawErrand(context, camera, colours, robot, scene));
  for (const robot of scene.robots) if (matters(robot)) drawHindrance(context, camera, colours, robot, scene.frame);
  return labels.filter(Boolean);
}

/**
 * Whether the plans and waits of a robot are drawn: those of all robots in a small fleet, and in a large one, of which they would
 * cover the floor, those of robots that are selected or pointed at, and of the one that has waited longest.
 */
export function mattering({ robots, selected, hovered = null }) {
  if (robots.length <= FEW) return () => true;
  const waits = robots.filter(({ traffic }) => traffic?.blocked_by || traffic?.waiting_for?.length);
  const longest = waits.reduce((found, robot) => (robot.traffic.waited_s > (found?.traffic.waited_s ?? -1) ? robot : found), null);
  return ({ id }) => selected.has(id) || id === hovered || id === longest?.id;
}

/** Draws labels of goals beside robots and each other (`taken`), those of selected robots first; where there is no room, one is left out. */
export function drawGoalLabels(context, colours, labels, taken = []) {
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const isSelected of [true, false]) {
    for (const one of labels) if (one.isSelected === isSelected) drawGoalLabel(context, colours, one, taken);
  }
}

function drawGoalLabel(context, colours, { text, px, py, radius, isSelected }, taken) {
  const width = textWidth(context, text) + 4;
  const [beside, above] = [radius + 3 + 0.5 * width, radius + 3 + 0.5 * LABEL_PX];
  const places = [[px + beside, py], [px - beside, py], [px, py - above], [px, py + above], [px + beside, py - above], [px + beside, py + above]];
  const place = freePlace(places, [width, LABEL_PX], taken);
  if (place !== null) label(context, colours, text, place[0], place[1] + 0.5, isSelected ? colours.ink : colours.quiet);
}

function drawTask(context, camera, colours, robot, task, scene) {
  const isSelected = scene.selected.has(robot.id);
  const row = scene.frame.rows.get(robot.id);
  context.strokeStyle = context.fillStyle = colours["tone-busy"];
  context.globalAlpha = isSelected ? 1 : 0.55;
  context.lineWidth = isSelected ? 2 : 1.25;
  context.setLineDash([6, 4]);
  const { planned, guessed } = splitPlan(task);
  strokePlan(context, camera, planned, row);
  context.setLineDash([]);
  context.globalAlpha *= 0.5;
  for (const [from, to] of guessed) strokeArc(context, camera.toScreen(...from), camera.toScreen(...to));
  context.globalAlpha = isSelected ? 1 : 0.55;
  const goal = currentGoal(task);
  const goalLabel = goal ? drawGoal(context, camera, robot, task, goal, isSelected) : null;
  context.globalAlpha = 1;
  return goalLabel;
}

/** Draws where a robot drives by itself, with a straight line: its way is not published. */
function drawErrand(context, camera, colours, robot, scene) {
  const row = scene.frame.rows.get(robot.id);
  const isSelected = scene.selected.has(robot.id);
  const [x, y, heading = null] = robot.errand_to;
  const [px, py] = camera.toScreen(x, y);
  const radius = Math.max(GOAL_M * camera.scale, 6);
  context.strokeStyle = context.fillStyle = colours["tone-busy"];
  context.globalAlpha = isSelected ? 1 : 0.55;
  context.lineWidth = isSelected ? 2 : 1.25;
  context.setLineDash([1, 5]);
  if (row) strokeLine(context, [camera.toScreen(row.x, row.y), [px, py]]);
  context.setLineDash([]);
  goalMark(context, px, py, heading, radius);
  context.globalAlpha = 1;
  return { text: `${robot.id} ${robot.word}`, px, py, radius, isSelected };
}

function drawGoal(context, camera, robot, task, goal, isSelected) {
  const [px, py] = camera.toScreen(goal[0], goal[1]);
  const radius = Math.max(GOAL_M * camera.scale, 6);
  goalMark(context, px, py, goal[2] ?? null, radius);
  const text = `${robot.id} · ${duration(task.eta_s)}`.replace(/ · $/, "");
  return { text, px, py, radius, isSelected };
}

/** Draws dotted lines to the robots that are waited for, and a ring about a blocked robot with dashed lines to what blocks it. */
function drawHindrance(context, camera, colours, robot, frame) {
  const own = frame.rows.get(robot.id);
  const { waiting_for: awaited = [], blocked_by: blockers = "" } = robot.traffic ?? {};
  if (!own || (awaited.length === 0 && blockers === "")) return;
  const start = camera.toScreen(own.x, own.y);
  context.strokeStyle = colours["tone-warning"];
  context.lineWidth = 1.5;
  context.setLineDash([2, 4]);
  drawLines(context, camera, start, placesOf(awaited, frame));
  if (blockers !== "") {
    context.lineWidth = 2;
    context.setLineDash([7, 4]);
    drawLines(context, camera, start, blockingPlaces(blockers, frame));
    context.beginPath();
    context.arc(...start, Math.max(BLOCKED_M * camera.scale, BLOCKED_PX), 0, 2 * Math.PI);
    context.stroke();
  }
  context.setLineDash([]);
}

function drawLines(context, camera, start, places) {
  for (const { x, y } of places) strokeLine(context, [start, camera.toScreen(x, y)]);
}

function placesOf(ids, frame) {
  return ids.map((id) => frame.rows.get(id)).filter(Boolean);
}

/** Where the robots and obstacles are that a server names: "robot 3, idle, obstacle at (1.20, 0.80)". */
function blockingPlaces(words, frame) {
  const ids = [...words.matchAll(/(?:^|, )robot (\d+)/g)].map(([, id]) => Number(id));
  const obstacles = [...words.matchAll(/obstacle at \((-?[\d.]+), (-?[\d.]+)\)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
  return [...placesOf(ids, frame), ...obstacles];
}

/** What of a plan is a way, and which straight lines to the goals of later legs follow, whose ways are planned when it is their turn. */
export function splitPlan({ plan, legs, leg }) {
  const goals = legs.slice(leg).map(({ pose }) => pose).filter(Boolean);
  let end = plan.length;
  const guessed = [];
  for (let index = goals.length - 1; index > 0; index -= 1) {
    if (!isAt(plan[end - 1], goals[index]) || !isAt(plan[end - 2], goals[index - 1])) break;
    guessed.unshift([plan[end - 2], plan[end - 1]]);
    end -= 1;
  }
  return { planned: plan.slice(0, end), guessed };
}

function isAt(point, goal) {
  return point !== undefined && Math.abs(point[0] - goal[0]) + Math.abs(point[1] - goal[1]) < SAME_M;
}

/** Draws an arc that is no way: nobody has planned one yet. */
function strokeArc(context, [px, py], [qx, qy]) {
  context.beginPath();
  context.moveTo(px, py);
  context.quadraticCurveTo(0.5 * (px + qx) + BEND * (qy - py), 0.5 * (py + qy) - BEND * (qx - px), qx, qy);
  context.stroke();
}

/** Draws a plan from where its robot is on, or whole, without points that are too near to each other to be seen. */
function strokePlan(context, camera, plan, row) {
  const first = row ? nextPoint(plan, row) : 0;
  const last = plan.length - 1;
  if (first > last) return;
  let [px, py] = row ? camera.toScreen(row.x, row.y) : camera.toScreen(...plan[0]);
  context.beginPath();
  context.moveTo(px, py);
  for (let index = first; index <= last; index += 1) {
    const [x, y] = camera.toScreen(plan[index][0], plan[index][1]);
    if (index < last && Math.abs(x - px) + Math.abs(y - py) < PLAN_PX) continue;
    context.lineTo(x, y);
    [px, py] = [x, y];
  }
  context.stroke();
}

/** The index of the point of a plan to which its robot drives: the end of the segment that is nearest to it. */
export function nextPoint(plan, row) {
  let next = 0;
  let least = Infinity;
  for (let index = 1; index < plan.length; index += 1) { // thousands of segments in each picture: without arrays
    const [start, end] = [plan[index - 1], plan[index]];
    const square = squareTo(start[0], start[1], end[0] - start[0], end[1] - start[1], row.x, row.y);
    if (square < least) [least, next] = [square, index];
  }
  return next;
}

/** The square of the distance of a place to a segment, which is given by its start and its extent. */
function squareTo(startX, startY, dx, dy, x, y) {
  const square = dx * dx + dy * dy;
  const share = square > 0 ? ((x - startX) * dx + (y - startY) * dy) / square : 0;
  const kept = Math.min(1, Math.max(0, share));
  const offX = x - startX - kept * dx;
  const offY = y - startY - kept * dy;
  return offX * offX + offY * offY;
}

function currentGoal(task) {
  const leg = task.legs.slice(task.leg).find((one) => one.pose);
  return leg?.pose ?? task.plan.at(-1) ?? null;
}

/** Draws what is about to be sent: ghosts with their straight lines; those outside of the arena are crossed out. */
export function drawDraft(context, camera, colours, draft, frame) {
  for (const goal of draft.goals) {
    const [px, py] = camera.toScreen(goal.x, goal.y);
    const row = frame.rows.get(goal.robot);
    const colour = goal.problem ? colours["tone-error"] : colours.ink;
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 2;
    context.setLineDash([3, 3]);
    if (row) strokeLine(context, [camera.toScreen(row.x, row.y), [px, py]]);
    context.setLineDash([]);
    goalMark(context, px, py, goal.heading, Math.max(0.08 * camera.scale, 10));
    context.font = "600 13px system-ui, sans-serif";
    label(context, colours, goal.problem ? `${goal.robot} ✕` : String(goal.robot), px + 14, py - 14, colour);
  }
  if (draft.line) {
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    context.setLineDash([6, 4]);
    strokeLine(context, draft.line.map(([x, y]) => camera.toScreen(x, y)));
    context.setLineDash([]);
  }
}
