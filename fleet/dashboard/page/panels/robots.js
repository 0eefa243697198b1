// The list of robots, those in trouble first; also the map's twin as a table.

import { degrees, duration, metres, place } from "../core/format.js";
import { h } from "../core/dom.js";

const AMBER_PCT = 30; // of charge, below which a battery is seen first
const MOST_ROWS = 40; // beyond, the list shows those in trouble, and the rest on demand

/** The list beside the map. */
export function robotList(app) {
  const found = filtered(app, ordered(app));
  const rows = app.settings.showsAll ? found : found.slice(0, MOST_ROWS);
  return [
    h("ul", { class: "robots", role: "listbox", "aria-label": "Robots", "aria-multiselectable": "true" },
      rows.map((robot) => robotRow(app, robot))),
    found.length > rows.length &&
      h("button", { class: "wide", onclick: () => app.set({ showsAll: true }) }, `show all ${found.length} robots`),
    found.length === 0 && app.settings.filter !== "" && h("p", { class: "hint" }, `no robot matches “${app.settings.filter}”`),
  ];
}

/** Robots by their numbers, or those in trouble first, and blocked ones before others of their state. */
function ordered(app) {
  if (app.settings.order === "number") return app.seen.all("robots").sort((one, other) => one.id - other.id);
  const rank = ({ urgency, traffic }) => urgency + (traffic?.blocked_by ? 0.5 : 0);
  return app.seen.robots().sort((one, other) => rank(other) - rank(one)); // stable: by their numbers otherwise
}

function robotRow(app, robot) {
  const isSelected = app.selection.ids.has(robot.id);
  const sign = app.seen.words.tones[robot.tone]?.sign ?? "";
  return h("li", {
      key: robot.id, class: `robot tone-${robot.tone}`, role: "option", tabindex: "0",
      "aria-selected": String(isSelected), "data-robot": robot.id,
      onclick: (event) => app.pick(robot.id, event.shiftKey || event.ctrlKey || event.metaKey),
      onkeydown: (event) => rowKey(app, event, robot.id),
    },
    h("span", { class: "number" }, robot.id),
    h("span", { class: "state" }, h("span", { class: "sign", "aria-hidden": "true" }, sign), ` ${robot.word}`),
    h("span", { class: "task" }, app.seen.named(robot.task) || errandText(app, robot) || robot.note || ""),
    robot.progress !== null && robot.task !== "" && bar(robot.progress),
    h("span", { class: "eta" }, robot.task ? duration(robot.eta_s) : ""),
    battery(robot),
    waitText(robot) && h("span", { class: "note" }, waitText(robot)));
}

function rowKey(app, event, id) {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    app.pick(id, event.shiftKey || event.ctrlKey);
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    const row = event.key === "ArrowDown" ? event.currentTarget.nextElementSibling : event.currentTarget.previousElementSibling;
    row?.focus();
  }
}

/** A progress bar in the colour of the state. */
export function bar(share) {
  return h("span", { class: "bar", role: "progressbar", "aria-label": "done", "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": String(Math.round(100 * share)) },
    h("span", { style: { width: `${(100 * share).toFixed(1)}%` } }));
}

/** Where a robot drives by itself; "" unless it does. */
export function errandText(app, robot) {
  return robot.errand_to ? `to ${app.seen.named(place(robot.errand_to))}` : "";
}

/** For whom a robot waits, or what blocks it. */
export function waitText(robot) {
  const traffic = robot.traffic ?? {};
  if (traffic.blocked_by) return traffic.blocked_by.startsWith("no ") ? traffic.blocked_by : `blocked by ${traffic.blocked_by}`;
  if (traffic.waiting_for?.length) return `waits for ${traffic.waiting_for.join(", ")}`;
  return "";
}

/** The charge as a small level, in colour once it is low. */
export function battery(robot) {
  if (robot.battery_pct === null) return h("span", { key: "battery", class: "battery" }, robot.battery === "ok" ? "" : robot.battery);
  const tone = robot.battery === "critical" ? "error" : robot.battery === "low" || robot.battery_pct < AMBER_PCT ? "warning" : "idle";
  return h("span", { key: "battery", class: `battery tone-${tone}`, title: "battery" },
    h("span", { class: "level", "aria-hidden": "true" }, h("span", { style: { width: `${Math.max(4, Math.min(100, robot.battery_pct)).toFixed(0)}%` } })),
    `${robot.word === "charging" ? "⚡" : ""}${batteryText(robot)}`);
}

function batteryText(robot) {
  return robot.battery_pct === null ? "" : `${Math.round(robot.battery_pct)} %`;
}

function filtered(app, robots) {
  const wanted = app.settings.filter.trim().toLowerCase();
  if (wanted === "") return robots;
  return robots.filter((robot) =>
    [String(robot.id), robot.word, robot.tone, app.seen.named(robot.task), errandText(app, robot), robot.host].some((field) => field.toLowerCase().includes(wanted)));
}

/** The same robots as a table, instead of the map. */
export function robotTable(app) {
  const rows = app.view.shown().rows;
  const head = ["robot", "state", "x m", "y m", "heading", "age of pose", "task", "done", "ETA", "waits", "battery"];
  return h("table", { class: "twin" },
    h("caption", {}, "The robots of the map"),
    h("thead", {}, h("tr", {}, head.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ordered(app).map((robot) => tableRow(app, robot, rows.get(robot.id)))));
}

function tableRow(app, robot, row) {
  const pose = row ? [metres(row.x), metres(row.y), degrees(row.heading), `${row.age_s.toFixed(1)} s`] : ["", "", "", ""];
  const progress = robot.progress === null || robot.task === "" ? "" : `${Math.round(100 * robot.progress)} %`;
  const cells = [robot.word, ...pose, app.seen.named(robot.task) || errandText(app, robot), progress, robot.task ? duration(robot.eta_s) : "", waitText(robot), batteryText(robot)];
  return h("tr", { key: robot.id }, h("th", { scope: "row" }, robot.id), cells.map((text) => h("td", {}, text)));
}
