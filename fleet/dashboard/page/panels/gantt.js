// Who did what when: a row for each robot, a bar for each task, over the last while.

import { clock, duration } from "../core/format.js";
import { h } from "../core/dom.js";

const SPANS_S = [120, 600, 1800];
const LEAST_PCT = 0.4; // a bar that is shorter cannot be seen

/** The robots' tasks over time; gaps are times without a task. */
export function ganttChart(app) {
  const span_s = app.settings.span_s;
  const until_s = app.timeline.shown_s;
  const rows = ganttRows(app.seen.all("robots"), app.seen.all("tasks"), until_s - span_s, until_s);
  return [
    h("div", { key: "spans", class: "actions filters" }, SPANS_S.map((one) => h("button", {
      key: one, "aria-pressed": String(one === span_s), onclick: () => app.set({ span_s: one }),
    }, `last ${one / 60} min`))),
    h("ul", { key: "rows", class: "gantt" }, rows.map((row) => ganttRow(app, row))),
    h("p", { key: "axis", class: "axis" }, h("span", {}, clock(app.seen.hello, until_s - span_s)), h("span", {}, clock(app.seen.hello, until_s))),
  ];
}

/** For each robot its bars, and the share of the time in which it had tasks. A bar is {task, left, width, waits}, in percent of the time; waits, of the bar. */
export function ganttRows(robots, tasks, from_s, to_s) {
  const percent = (time_s) => (100 * (Math.min(Math.max(time_s, from_s), to_s) - from_s)) / (to_s - from_s);
  return robots.sort((one, other) => one.id - other.id).map(({ id }) => {
    const own = tasks.filter((task) => task.robot === id && task.started_s < to_s && (task.ended_s ?? to_s) > from_s);
    const bars = own.map((task) => {
      const left = percent(task.started_s);
      const width = percent(task.ended_s ?? to_s) - left;
      const waits = (task.waits ?? []).map(([since_s, until_s]) => {
        const at = percent(since_s);
        return { left: (100 * (at - left)) / width, width: (100 * (percent(until_s ?? to_s) - at)) / width };
      });
      return { task, left, width, waits: waits.filter((wait) => wait.width > 0) };
    });
    return { id, bars, busy: bars.reduce((sum, { width }) => sum + width, 0) };
  });
}

function ganttRow(app, { id, bars, busy }) {
  return h("li", { key: id, "data-gantt": id },
    h("span", { class: "number" }, id),
    h("span", { class: "lane" }, bars.map(({ task, left, width, waits }) => h("span", {
      key: task.id, class: `task-bar end-${task.state.toLowerCase()}`, title: barTitle(app, task), role: "img", "aria-label": barTitle(app, task),
      style: { left: `${left.toFixed(2)}%`, width: `${Math.max(width, LEAST_PCT).toFixed(2)}%` },
    }, app.seen.named(task.words), waits.map((wait, number) => h("span", {
      key: `wait ${number}`, class: "wait-bar", style: { left: `${wait.left.toFixed(2)}%`, width: `${wait.width.toFixed(2)}%` },
    }))))),
    h("span", { class: "eta" }, `${Math.round(busy)} %`));
}

function barTitle(app, task) {
  const end = task.ended_s === null ? "now" : clock(app.seen.hello, task.ended_s);
  const lasted_s = (task.ended_s ?? app.timeline.shown_s) - task.started_s;
  const waits = (task.waits ?? []).map(([since_s, until_s]) => (until_s ?? task.ended_s ?? app.timeline.shown_s) - since_s);
  const waited_s = waits.reduce((sum, wait_s) => sum + Math.max(wait_s, 0), 0);
  const job = task.id.split("#")[0]; // the first attempt of a job has the id of the job, the second one "ID#2"
  const parts = [
    app.seen.named(task.words), app.seen.get("jobs", job) && `job ${job}`, `${clock(app.seen.hello, task.started_s)} to ${end}`, duration(lasted_s),
    waited_s && `waited ${duration(waited_s)} for others`, [task.state, task.reason].filter(Boolean).join(" "),
  ];
  return parts.filter(Boolean).join(", ");
}
