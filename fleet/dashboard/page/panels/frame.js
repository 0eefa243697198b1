// What stands around the map: the headline, the tools, the draft that is about to be sent, and why a floor is empty.

import { h, render } from "../core/dom.js";
import { clock, plural } from "../core/format.js";
import { areJobsServed } from "./jobs.js";

const TONES = [["error", "in error"], ["lost", "lost"], ["warning", "with a warning"], ["stopped", "stopped"], ["busy", "driving"], ["idle", "idle"]];

/** What all else must be read by: that this is the past, or that the fleet is stopped. */
export function band(app) {
  if (app.timeline.isReplaying) {
    return h("p", { key: "past", class: "band past", role: "status" },
      h("strong", {}, "THE PAST"), ` ${app.timeline.caption}. All of this page is of then, but for STOP ALL.`,
      h("button", { onclick: () => app.timeline.showPresent() }, "Back to now"));
  }
  if (app.store.get("fleet", "is_stopped") !== true) return null;
  return h("p", { key: "stopped", class: "band stopped", role: "status" }, h("strong", {}, "FLEET STOPPED"), ` ${stoppedText(app)}`);
}

/** Who stopped the fleet and when, and how many robots stand. */
function stoppedText({ store }) {
  const stop = store.get("fleet", "stop");
  if (!stop?.is_stop) return "nothing drives until it is resumed"; // by another program
  const standing = stop.robots.length > 0 ? ` · ${stop.standing.length} of ${stop.robots.length} stand` : "";
  return `by ${stop.by} ${clock(store.hello, stop.time_s)}${standing} · nothing drives until it is resumed`;
}

/** How many robots are in which state, and how fresh that is. */
export function headline(app) {
  const count = app.seen.get("fleet", "count");
  const hello = app.store.hello;
  return [
    h("h1", {}, "Thymio fleet"),
    h("p", { class: "counts" },
      count ? plural(count.robots, "robot") : "no robots yet",
      count && TONES.filter(([tone]) => count[tone] > 0).map(([tone, text]) =>
        h("span", { key: tone, class: `chip tone-${tone}` },
          h("span", { "aria-hidden": "true" }, app.store.words.tones[tone]?.sign ?? ""), ` ${count[tone]}`, h("span", { class: "long" }, ` ${text}`)))),
    connection(app),
    hello && h("span", { class: "where" }, `${hello.host} · domain ${hello.domain}`),
    h("button", { onclick: () => app.open("session") }, hello ? `${hello.name} (${hello.role})` : "session"),
    h("button", { onclick: () => app.open("help"), "aria-label": "keys" }, "?"),
  ];
}

function connection(app) {
  const age_ms = performance.now() - app.frames.received_ms;
  if (app.timeline.isReplaying) return h("span", { class: "connection past" }, "THE PAST");
  if (!app.live.isConnected) return h("span", { class: "connection dead" }, "NOT CONNECTED");
  if (!Number.isFinite(age_ms)) return h("span", { class: "connection" }, "waiting for robots");
  return h("span", { class: "connection" }, age_ms < 2000 ? "LIVE" : `silent for ${Math.round(age_ms / 1000)} s`);
}

/** Zoom, layers, and the table instead of the map. */
export function tools(app) {
  const { view } = app;
  const layer = (name, text) => h("label", { key: name },
    h("input", { type: "checkbox", checked: view.layers[name], onchange: () => { view.layers[name] = !view.layers[name]; view.redraw(); } }), ` ${text}`);
  return [
    h("button", { onclick: () => { view.camera.fit(); view.redrawAll(); } }, "Zoom to fit"),
    h("button", {
      "aria-pressed": String(view.isFollowing), disabled: app.selection.ids.size === 0,
      onclick: () => { view.isFollowing = !view.isFollowing; app.draw(); },
    }, "Centre"),
    h("button", { "aria-pressed": String(app.settings.showsTable), onclick: () => app.set({ showsTable: !app.settings.showsTable }) }, "Table"),
    app.seen.may("transport") && h("button", { onclick: () => app.open("places", "transport") }, "Transport …"),
    app.seen.may("station") && h("button", { onclick: () => app.open("stations") }, "Stations …"),
    h("details", { class: "layers" }, h("summary", {}, "Layers"),
      layer("plans", "plans"), layer("trails", "trails"), layer("truth", "true poses (simulation)")),
  ];
}

/** What will be sent, with the buttons for it. */
export function draftBar(app) {
  const { draft } = app;
  if (draft.isEmpty) return [];
  return [
    h("span", { class: draft.problem ? "problem" : "words" }, draft.problem || draft.words),
    h("button", { class: "send", disabled: draft.problem !== "", onclick: () => app.sendDraft() }, "Send"),
    draft.transport && areJobsServed(app.store) && app.store.may("submit") && h("button", { onclick: () => app.submitDraft() }, "As a job"),
    h("button", { onclick: () => draft.clear() }, "Discard"),
  ];
}

/** Why there is nothing to see, with the command that helps. */
export function emptyFloor(app, place) {
  const empty = app.live.isConnected && !app.timeline.isReplaying ? app.store.get("fleet", "empty") : null;
  place.hidden = empty === null;
  if (empty === null) return;
  render(place,
    h("p", {}, empty.text),
    (empty.commands ?? []).map((command) => h("pre", { key: command }, command)));
}
