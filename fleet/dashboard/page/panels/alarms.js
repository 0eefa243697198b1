// Alarms and events.

import { clock, plural } from "../core/format.js";
import { h } from "../core/dom.js";

const FOLDED = 3; // alarms with one cause and one target, from which on they are one row
const EVENT_ROWS = 60;

/** Alarms that stand or wait for acknowledgement, worst first; floods are folded. */
export function alarmList(app) {
  const alarms = app.seen.all("alarms");
  const groups = folded(alarms);
  const open = alarms.filter((alarm) => alarm.acknowledged_by === "").map((alarm) => alarm.id);
  const events = app.seen.all("events").sort((one, other) => other.number - one.number).slice(0, EVENT_ROWS);
  return [
    h("h2", {}, `Alarms (${groups.reduce((sum, group) => sum + group.length, 0)})`),
    open.length > 1 && app.seen.may("acknowledge") &&
      h("button", { key: "all", onclick: () => app.send("acknowledge", { alarms: open }) }, "Acknowledge all"),
    groups.length === 0 && h("p", { class: "hint" }, "none"),
    h("ul", { class: "alarms" }, groups.map((group) => alarmRow(app, group))),
    h("h2", {}, "Events"),
    h("ul", { class: "events" }, events.map((event) => eventRow(app, event))),
  ];
}

/** How many alarms nobody has acknowledged. */
export function unacknowledged(store) {
  return store.all("alarms").filter((alarm) => alarm.acknowledged_by === "").length;
}

function folded(alarms) {
  const groups = new Map();
  for (const alarm of alarms) {
    const key = `${alarm.cause}|${alarm.target}|${alarm.cleared_s === null}`;
    groups.set(key, [...(groups.get(key) ?? []), alarm]);
  }
  const rows = [...groups.values()].flatMap((group) => (group.length >= FOLDED ? [group] : group.map((alarm) => [alarm])));
  return rows.sort((one, other) => rank(other[0]) - rank(one[0]) || other[0].raised_s - one[0].raised_s);
}

function rank(alarm) {
  return (alarm.cleared_s === null ? 10 : 0) + (alarm.severity === "error" ? 1 : 0);
}

function alarmRow(app, group) {
  const [first] = group;
  const open = group.filter((alarm) => alarm.acknowledged_by === "");
  const text = group.length === 1 ? first.text : `${plural(group.length, "robot")}: ${first.text}`;
  const classes = ["alarm", `severity-${first.severity}`, first.cleared_s === null ? "stands" : "cleared", open.length > 0 && "open"];
  return h("li", { key: group.map((alarm) => alarm.id).join(), class: classes.filter(Boolean).join(" ") },
    h("span", { class: "number" }, group.length === 1 ? (first.robot ?? "") : ""),
    h("span", { class: "task" }, text),
    h("span", { class: "eta" }, clock(app.seen.hello, first.raised_s)),
    first.cleared_s !== null && h("span", { key: "over", class: "note over" }, `over since ${clock(app.seen.hello, first.cleared_s)}`),
    open.length > 0 && app.seen.may("acknowledge") &&
      h("button", { onclick: () => app.send("acknowledge", { alarms: open.map((alarm) => alarm.id) }) }, "Acknowledge"),
    open.length === 0 && h("span", { class: "note" }, `acknowledged by ${first.acknowledged_by}`));
}

function eventRow(app, event) {
  const text = [app.seen.named(event.text), event.reason, event.by && `by ${event.by}`].filter(Boolean).join(" ");
  return h("li", { key: event.number, class: `severity-${event.severity}` },
    h("span", { class: "eta" }, clock(app.seen.hello, event.time_s)),
    h("span", { class: "number" }, event.robot ?? ""),
    h("span", { class: "task" }, text));
}
