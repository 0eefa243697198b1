// The fleet in a few numbers, where no robot is selected.

import { duration } from "../core/format.js";
import { h } from "../core/dom.js";
import { FILTERS } from "./jobs.js";
import { battery } from "./robots.js";

const HOUR_S = 3600;
const AT_M = 0.15; // a robot that is as near to a charger is in it

/** Tiles with what an operator asks first. */
export function tiles(app) {
  const { seen } = app;
  const hasJobs = seen.get("fleet", "jobs") !== null;
  return [numbers(app, hasJobs), workButton(app)];
}

/** A button for demonstrations, where robots could carry something. */
function workButton(app) {
  const roles = new Set(app.seen.all("stations").map(({ role }) => role));
  const isOffered = app.seen.may("transport") && roles.has("load") && roles.has("unload");
  return isOffered && h("button", { key: "work", onclick: () => app.giveWork() }, "Give everybody work");
}

function numbers(app, hasJobs) {
  const { seen } = app;
  return h("ul", { key: "tiles", class: "tiles" }, [
    hasJobs && tile("jobs succeeded in an hour", succeeded(app)),
    hasJobs && tile("jobs wait, on average for", waits(app)),
    tile("lowest battery", lowest(seen)),
    tile("next charger", charger(app)),
    tile("open alarms", String(seen.all("alarms").filter((alarm) => alarm.cleared_s === null).length)),
  ].filter(Boolean));
}

function tile(name, ...value) {
  return h("li", { key: name }, h("strong", {}, value), h("span", {}, name));
}

function succeeded({ seen, timeline }) {
  const since_s = timeline.shown_s - HOUR_S;
  return String(seen.all("jobs").filter((job) => job.state === "SUCCEEDED" && job.ended_s >= since_s).length);
}

/** For how long open jobs that no robot performs have waited. */
function waits({ seen, timeline }) {
  const waiting = seen.all("jobs").filter(FILTERS.queued);
  if (waiting.length === 0) return "none";
  const mean_s = waiting.reduce((sum, job) => sum + timeline.shown_s - job.submitted_s, 0) / waiting.length;
  return `${waiting.length}: ${duration(mean_s)}`;
}

function lowest(seen) {
  const known = seen.all("robots").filter((robot) => robot.battery_pct !== null);
  if (known.length === 0) return "not known";
  const robot = known.reduce((one, other) => (other.battery_pct < one.battery_pct ? other : one));
  return [`robot ${robot.id} `, battery(robot)];
}

/** The first charger in which no robot is, and to which none drives. */
function charger({ seen, view }) {
  const chargers = seen.all("stations").filter(({ role }) => role === "charge");
  if (chargers.length === 0) return "none";
  const robots = [...view.shown().rows.values()].map(({ x, y }) => [x, y]);
  const goals = seen.all("robots").map((robot) => robot.errand_to).filter(Boolean);
  const isTaken = ({ pose }) => [...robots, ...goals].some(([x, y]) => Math.hypot(x - pose[0], y - pose[1]) < AT_M);
  return chargers.filter((one) => !isTaken(one)).map(({ name }) => name).sort()[0] ?? "all are taken";
}
