// One robot: what it does, what can be done with it, and its numbers over the last minute.

import { degrees, duration, metres, plural, withoutAdvice } from "../core/format.js";
import { h } from "../core/dom.js";
import { drawChart, extremes } from "./chart.js";
import { title } from "./dialogs.js";
import { faults } from "./faults.js";
import { fold } from "./fold.js";
import { bar, errandText, waitText } from "./robots.js";
import { stick } from "./stick.js";
import { tiles } from "./tiles.js";

const SPAN_S = 60;
const SIZE_ADVICE = /; try --size ([\d.]+)$/;
const CHARTS = [
  ["cross_track_mm", "off its path", "mm", 1, [-20, 20]],
  ["battery_pct", "battery", "%", 0, [0, 100]],
  ["pose_age_ms", "age of its pose", "ms", 0, [0, 500]],
];

/** The panel of the selected robot, or a hint. */
export function robotPanel(app) {
  const ids = [...app.selection.ids];
  if (ids.length === 0) return [tiles(app), h("p", { key: "hint", class: "hint" }, app.text("select"))];
  if (ids.length > 1) return several(app, ids);
  const robot = app.seen.get("robots", ids[0]);
  return robot === null ? h("p", { class: "hint" }, `robot ${ids[0]} is not there`) : one(app, robot);
}

function several(app, ids) {
  const robots = ids.map((id) => app.seen.get("robots", id)).filter(Boolean);
  const canFollow = robots.length > 0 && robots.every((robot) => robot.can.includes("follow_path"));
  return [
    h("h2", {}, `Robots ${ids.join(", ")}`),
    h("div", { class: "actions" },
      canFollow && action(app, "follow_path", "Path …", () => app.open("follow")),
      action(app, "go_home", "Go home", () => app.send("go_home", { robots: ids })),
      action(app, "cancel", "Cancel", () => app.send("cancel", { robots: ids })),
      action(app, "identify", "Identify", () => app.send("identify", { robots: ids }))),
    lawChoice(app, robots),
    h("p", { class: "hint" }, app.text("formation")),
  ];
}

function one(app, robot) {
  const row = app.view.shown().rows.get(robot.id);
  const task = app.seen.taskOf(robot);
  return [
    h("h2", {}, `Robot ${robot.id}`, h("span", { class: `chip tone-${robot.tone}` }, robot.word)),
    robot.note && h("p", { key: "note", class: "message" }, robot.note),
    waitText(robot) && h("p", { key: "wait", class: "message" }, waitText(robot)),
    task !== null && taskLine(app, task),
    robot.order && masterOrder(robot.order),
    errandText(app, robot) && h("p", { key: "errand", class: "message" }, `${robot.word} ${errandText(app, robot)}`),
    actions(app, robot),
    app.settings.drives === robot.id && stick(app, robot),
    facts(robot, row),
    lawChoice(app, [robot]),
    charts(app),
    robot.last && lastTask(app, robot.last),
    statusValues(app),
    faults(app, robot),
  ];
}

function taskLine(app, task) {
  return h("div", { key: "task", class: "task-line" },
    h("span", {}, app.seen.named(task.words)),
    task.progress !== null && bar(task.progress),
    h("span", { class: "eta" }, duration(task.eta_s)),
    !task.is_known && h("p", { class: "hint" }, "Its server does not publish plans: the line is a guess."));
}

/** What a master control has ordered: the nodes that are released, and those that may follow. */
export function masterOrder(order) {
  const names = (nodes) => nodes.map(({ id }) => id).join(" > ");
  const lines = [
    ["master", `${order.master}${order.is_connected ? "" : ", not connected"}${order.mode && `, ${order.mode}`}`],
    ["order", `${order.order && `${order.order}, update ${order.update}`}${order.is_paused ? ", paused" : ""}`],
    ["last node", order.last],
    ["base", names(order.base)],
    ["horizon", names(order.horizon)],
    ["errors", order.errors.join("; ")],
  ];
  return h("dl", { key: "order", class: "order" }, lines.filter(([, text]) => text).map(([name, text]) => [h("dt", { key: `${name}?` }, name), h("dd", { key: name }, text)]));
}

function actions(app, robot) {
  const ids = [robot.id];
  const drives = app.settings.drives === robot.id;
  return h("div", { key: "actions", class: "actions" },
    action(app, "go_to", "Go to …", () => app.aimByKeys(), robot),
    app.seen.words.kinds.filter(hasDialog).map((kind) => action(app, kind.name, `${title(kind)} …`, () => app.open("places", kind.name), robot)),
    action(app, "follow_path", "Path …", () => app.open("follow"), robot),
    action(app, "follow_route", "Route …", () => app.open("route"), robot),
    action(app, "go_home", "Home", () => app.send("go_home", { robots: ids }), robot),
    robot.task !== "" && action(app, "cancel", "Cancel", () => app.send("cancel", { robots: ids })),
    action(app, "drive", drives ? "Stop driving by hand" : "Drive by hand", () => app.set({ drives: drives ? null : robot.id }), robot),
    action(app, "identify", "Identify", () => app.send("identify", { robots: ids }), robot),
    (robot.word === "silent" || robot.word === "lost") && action(app, "dismiss", "Dismiss", () => app.send("dismiss", { robots: ids })));
}

/** Whether a kind of task is asked for in the dialog of places; where a robot goes is aimed at on the map. */
function hasDialog(kind) {
  return kind.places.length > 0 && kind.name !== "go_to";
}

function action(app, verb, text, onclick, robot = null) {
  const isOfServer = ["drive", "identify"].includes(verb) || app.seen.words.kinds.some(({ name }) => name === verb);
  const isOffered = robot === null || !isOfServer || robot.can.includes(verb);
  if (!app.seen.may(verb) || !isOffered) return null;
  const isLost = robot !== null && robot.tone === "lost" && verb !== "dismiss"; // it would be refused
  const title = isLost ? `robot ${robot.id} is ${robot.word}: ${robot.note}` : null;
  return h("button", { key: verb, onclick, "data-verb": verb, disabled: isLost, title }, text);
}

function facts(robot, row) {
  const pose = row ? `${metres(row.x)}, ${metres(row.y)}, ${degrees(row.heading)}` : "not known";
  const battery = robot.battery_pct === null ? robot.battery : `${Math.round(robot.battery_pct)} % ${robot.battery === "ok" ? "" : robot.battery}`;
  const lines = [
    ["pose", pose],
    ["link", robot.link],
    ["localization", robot.localization],
    ["battery", battery],
    ["waited", robot.traffic?.waited_s ? duration(robot.traffic.waited_s) : ""],
    ["served by", [robot.host, robot.node === null ? "" : `node ${robot.node}`].filter(Boolean).join(", ")],
  ];
  return h("dl", { key: "facts" }, lines.filter(([, text]) => text).map(([name, text]) => [h("dt", { key: `${name}?` }, name), h("dd", { key: name }, text)]));
}

/** The control law of robots; an empty choice where they have different ones. */
function lawChoice(app, robots) {
  if (!app.seen.may("law") || robots.length === 0 || !robots.every((robot) => robot.can.includes("law"))) return null;
  const laws = new Set(robots.map((robot) => robot.law));
  const ids = robots.map((robot) => robot.id);
  return h("label", { key: "law", class: "law" }, "control law ",
    h("select", { value: laws.size === 1 ? robots[0].law : "", onchange: (event) => app.send("law", { robots: ids, law: event.target.value }) },
      laws.size > 1 && h("option", { key: "", value: "", disabled: true }, "different ones"),
      app.seen.words.laws.map((law) => h("option", { key: law, value: law }, law))));
}

function charts(app) {
  const series = app.series;
  if (series === null || series.time_s.length === 0) return null;
  const shown = CHARTS.filter(([key]) => series[key].some((value) => value !== null));
  return h("div", { key: "charts", class: "charts" }, shown.map(([key, name, unit, digits]) =>
    h("figure", { key },
      h("figcaption", {}, `${name}: ${extremes(series[key], unit, digits)}`),
      h("canvas", { "aria-hidden": "true", class: "chart", "data-series": key, ref: (canvas) => app.charts.set(key, canvas) }))));
}

/** Draws the charts whose canvases the panel has made. */
export function drawCharts(app) {
  if (app.series === null) return;
  for (const [key, , unit, , axis] of CHARTS) {
    const canvas = app.charts.get(key);
    if (canvas?.isConnected) drawChart(canvas, app.series.time_s, app.series[key], { span_s: SPAN_S, axis, unit });
  }
}

/** Every key of its status, as its server publishes it. */
function statusValues(app) {
  if (app.values === null || app.timeline.isReplaying) return null; // they are of now
  const entries = Object.entries(app.values);
  return fold(app, "values", `Status (${plural(entries.length, "key")})`,
    h("dl", {}, entries.map(([name, text]) => [h("dt", { key: `${name}?` }, name), h("dd", { key: name }, text)])));
}

function lastTask(app, last) {
  const text = [last.id, last.result, last.reason].filter(Boolean).join(" ");
  return h("p", { key: "last", class: "last" }, "last: ", text, last.reason && why(app, last.reason, last.detail));
}

/** Why a task ended like that, and what to try. */
export function why(app, reason, detail) {
  const words = app.seen.words.reasons[reason];
  return h("details", { class: "why" },
    h("summary", {}, "why?"),
    h("p", {}, whyText(words?.sentence ?? reason, detail ?? "")),
    words?.advice && h("p", {}, words.advice));
}

/** A reason and its detail as sentences; a detail that says the reason again, and more, stands alone. */
export function whyText(reason, detail) {
  const more = sentence(withoutAdvice(detail).replace(SIZE_ADVICE, "; try a size of $1 m"));
  const isRepeated = more.toLowerCase().startsWith(reason.toLowerCase().replace(/\.$/, ""));
  return (isRepeated ? [more] : [reason, more]).filter(Boolean).join(" ");
}

/** Starts words with a capital letter, except for names like "x =", and ends them with a full stop. */
function sentence(words) {
  if (words === "") return "";
  const text = words.replace(/^[a-z](?![a-z]* =)(?=[a-z]* )/, (letter) => letter.toUpperCase());
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
