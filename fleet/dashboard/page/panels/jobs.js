// Jobs: what is asked of the fleet, which chooses robots for it; those that wait for somebody first.

import { clock, duration, plural } from "../core/format.js";
import { h } from "../core/dom.js";
import { bar } from "./robots.js";
import { why } from "./robot.js";

const ENDS = new Set(["SUCCEEDED", "CANCELED", "ABORTED"]);
const ORDER = ["held", "executing", "assigned", "queued", "waiting"];
export const FILTERS = {
  executing: (job) => ["executing", "assigned"].includes(job.state),
  queued: (job) => ["queued", "waiting"].includes(job.state),
  held: (job) => job.state === "held",
  succeeded: (job) => job.state === "SUCCEEDED",
  failed: (job) => job.state === "ABORTED",
};
const TONES = { held: "warning", executing: "busy", assigned: "busy", ABORTED: "error" };

/** Whether a driver accepts jobs. */
export function areJobsServed(store) {
  return store.get("fleet", "jobs") !== null;
}

/** How many jobs wait for somebody to look. */
export function heldJobs(store) {
  return store.all("jobs").filter((job) => job.state === "held" && !["", "STOPPED"].includes(job.reason)).length;
}

/** Open jobs, and the latest that ended. */
export function jobList(app) {
  const fleet = app.seen.get("fleet", "jobs");
  if (fleet === null) return h("p", { class: "hint" }, app.text("jobs"));
  const jobs = app.seen.all("jobs");
  const open = jobs.filter((job) => !ENDS.has(job.state)).sort((one, other) => rank(one) - rank(other) || one.order - other.order);
  const ended = jobs.filter((job) => ENDS.has(job.state)).sort((one, other) => other.ended_s - one.ended_s);
  return [
    fleet.trouble && h("p", { key: "trouble", class: "problem" }, fleet.trouble),
    app.seen.may("submit") && h("div", { key: "actions", class: "actions" },
      h("button", { onclick: () => app.open("job") }, "New job …")),
    stateBar(app, jobs),
    h("ul", { key: "jobs", class: "jobs" }, filtered(app, open).map((job) => openRow(app, job))),
    fleet.off_duty.length > 0 && h("p", { key: "duty", class: "hint" }, `${plural(fleet.off_duty.length, "robot")} off duty: ${fleet.off_duty.join(", ")}`),
    h("h2", { key: "ended" }, "Ended"),
    h("ul", { key: "ends", class: "jobs" }, filtered(app, ended).map((job) => endedRow(app, job))),
  ];
}

/** How many jobs are in which state; each number filters the list. */
function stateBar(app, jobs) {
  const filter = ([name, has]) => {
    const count = jobs.filter(has).length;
    return h("button", {
      key: name, "aria-pressed": String(app.settings.jobs === name), onclick: () => app.set({ jobs: app.settings.jobs === name ? "all" : name }),
    }, `${count} ${name}`);
  };
  return h("div", { key: "bar", class: "actions filters" }, Object.entries(FILTERS).map(filter));
}

function filtered(app, jobs) {
  return jobs.filter(FILTERS[app.settings.jobs] ?? (() => true));
}

function rank(job) {
  return ORDER.indexOf(job.state);
}

function openRow(app, job) {
  const change = (name, text) => app.seen.may("change_jobs") && h("button", {
    key: name, onclick: () => app.send("change_jobs", { jobs: [job.id], change: name }), "aria-label": `${name} job ${job.id}`,
  }, text);
  return row(app, job, duration(job.eta_s),
    job.state === "executing" && bar(job.progress),
    h("div", { key: "change", class: "actions" },
      job.state === "held" ? change("release", "Release") : change("hold", "Hold"),
      change("cancel", "Cancel")));
}

function endedRow(app, job) {
  return row(app, job, clock(app.seen.hello, job.ended_s));
}

/** A job in one line; its id and details are in its title, and its buttons appear when it is pointed at or focused. */
function row(app, job, time, ...more) {
  return h("li", { key: job.id, class: `job tone-${TONES[job.state] ?? "idle"}`, "data-job": job.id, title: [job.id, job.detail].filter(Boolean).join("\n") },
    h("span", { class: "number" }, job.robot ?? ""),
    h("span", { class: "task" }, job.words, job.detail && !job.reason ? h("span", { class: "note" }, ` ${job.detail}`) : null),
    h("span", { class: "result" }, resultText(job)),
    h("span", { class: "eta" }, time),
    more,
    job.reason && why(app, job.reason, job.detail));
}

function resultText(job) {
  const attempt = job.attempts > 1 ? `attempt ${job.attempts}` : "";
  const place = job.place > 0 ? `after ${plural(job.place, "job")}` : "";
  return [job.state, job.reason, attempt, place].filter(Boolean).join(", ");
}
