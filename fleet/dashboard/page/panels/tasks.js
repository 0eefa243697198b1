// Tasks that run and those that ended, with honest ends, and the commands of this dashboard.

import { clock, duration } from "../core/format.js";
import { h } from "../core/dom.js";
import { bar } from "./robots.js";
import { why } from "./robot.js";

const ENDED_ROWS = 40;

/** The list of tasks: those that run, then the latest ends. */
export function taskList(app) {
  const tasks = app.seen.all("tasks");
  const running = tasks.filter((task) => task.ended_s === null).sort((one, other) => one.robot - other.robot);
  const ended = tasks.filter((task) => task.ended_s !== null).sort((one, other) => other.ended_s - one.ended_s);
  return [
    h("h2", {}, `Running (${running.length})`),
    h("ul", { class: "tasks" }, running.map((task) => runningRow(app, task))),
    h("h2", {}, "Ended"),
    h("ul", { class: "tasks" }, ended.slice(0, ENDED_ROWS).map((task) => endedRow(app, task))),
    commandList(app),
  ];
}

function runningRow(app, task) {
  return h("li", { key: `${task.robot}/${task.id}` },
    h("span", { class: "number" }, task.robot),
    h("span", { class: "task" }, app.seen.named(task.words)),
    task.progress !== null && bar(task.progress),
    h("span", { class: "eta" }, task.state === "canceling" ? "canceling" : duration(task.eta_s)),
    app.seen.may("cancel") &&
      h("button", { onclick: () => app.send("cancel", { robots: [task.robot] }), "aria-label": `cancel the task of robot ${task.robot}` }, "Cancel"));
}

function endedRow(app, task) {
  return h("li", { key: `${task.robot}/${task.id}`, class: `end-${task.state.toLowerCase()}` },
    h("span", { class: "number" }, task.robot),
    h("span", { class: "task" }, app.seen.named(task.words)),
    h("span", { class: "result" }, [task.state, task.reason].filter(Boolean).join(" ")),
    h("span", { class: "eta" }, clock(app.seen.hello, task.ended_s)),
    task.reason && why(app, task.reason, task.detail));
}

function commandList(app) {
  const commands = app.seen.all("commands").sort((one, other) => other.time_s - one.time_s).slice(0, 20);
  if (commands.length === 0) return null;
  return [
    h("h2", {}, "Commands of this dashboard"),
    h("ul", { class: "tasks" }, commands.map((command) =>
      h("li", { key: command.id },
        h("span", { class: "number" }, command.robot ?? ""),
        h("span", { class: "task" }, `${app.seen.named(command.what)} by ${command.by}`),
        h("span", { class: "result" }, [command.state, command.text || command.reason].filter(Boolean).join(": ")),
        h("span", { class: "eta" }, clock(app.seen.hello, command.time_s))))),
  ];
}
