// The page of the dashboard: joins the connection, the map and the panels.

import { Announcements } from "./core/announcements.js";
import { fetchJson, post } from "./core/api.js";
import { Draft } from "./core/draft.js";
import { h, render } from "./core/dom.js";
import { withoutAdvice } from "./core/format.js";
import { FrameBuffer } from "./core/frames.js";
import { Live } from "./core/live.js";
import { Selection } from "./core/selection.js";
import { Store } from "./core/store.js";
import { TEXTS } from "./core/texts.js";
import { Gestures } from "./map/gestures.js";
import { MapView } from "./map/map_view.js";
import { alarmList, unacknowledged } from "./panels/alarms.js";
import { openFollow, openHelp, openPlaces, openRoute, openSession } from "./panels/dialogs.js";
import { ganttChart } from "./panels/gantt.js";
import { openJob } from "./panels/job_dialog.js";
import { band, headline, draftBar, emptyFloor, tools } from "./panels/frame.js";
import { areJobsServed, heldJobs, jobList } from "./panels/jobs.js";
import { Keyboard } from "./panels/keyboard.js";
import { drawCharts, robotPanel } from "./panels/robot.js";
import { robotList, robotTable } from "./panels/robots.js";
import { openStations } from "./panels/stations.js";
import { StopButton } from "./panels/stop_all.js";
import { HandDriver } from "./panels/stick.js";
import { taskList } from "./panels/tasks.js";
import { Timeline } from "./panels/timeline.js";

const SLOW_MS = 500; // ages and tables change this often at most
const SERIES_MS = 1000;
const SERIES_S = 60;
const NOTICE_MS = 6000;
const DIALOGS = { follow: openFollow, help: openHelp, job: openJob, places: openPlaces, route: openRoute, session: openSession, stations: openStations };
const BAD_ENDS = new Set(["aborted", "rejected", "failed"]);
const ORDERS = [["trouble", "trouble first"], ["number", "by number"]];
const TABS = [["robots", "Robots"], ["tasks", "Tasks"], ["gantt", "Gantt"], ["jobs", "Jobs"], ["alarms", "Alarms"]];

/** The whole page: what it knows, what is selected, and what it can do. */
class App {
  constructor() {
    this.store = new Store();
    this.frames = new FrameBuffer();
    this.selection = new Selection();
    this.live = new Live(this.store, this.frames);
    this.draft = new Draft(this.store, this.selection, () => this.view?.shown().rows ?? new Map());
    this.view = new MapView(place("map"), this.store, this.frames, this.selection, this.draft);
    this.gestures = new Gestures(this.view, this.selection, this.draft, this.store);
    this.driver = new HandDriver(this.live);
    this.timeline = new Timeline(this, place("timeline"));
    this.stopButton = new StopButton(this, place("stop-all"));
    this.announcements = new Announcements(place("announcements"));
    this.keyboard = new Keyboard(this);
    this.settings = { tab: "robots", filter: "", showsAll: false, showsTable: false, drives: null, theme: "system", order: stored("order") ?? "trouble", jobs: "all", span_s: 600 };
    this.charts = new Map();
    this.series = null;
    this.values = null; // every key of the selected robot's status
    this.notices = [];
    this._sent = new Set(); // commands of this page that have not ended
    this._isSending = false; // a draft
    this.isReachable = false; // whether commands can arrive
  }

  start() {
    this.setTheme(stored("theme") ?? "system");
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this._recolour());
    this.store.listen((changed) => this._noteChanges(changed));
    this.selection.listen(() => this._noteSelection());
    this.draft.listen(() => this._noteDraft());
    this.live.onframe = (frame) => this.view.takeFrame(frame);
    this.live.onrays = (rays) => { this.view.rays = rays; };
    this.live.onvalues = (message) => this._takeValues(message);
    this.live.onrefused = (text) => this._tellRefusal(text);
    this.live.onstate = () => this._checkReach();
    this.gestures.ontap = () => this.tell(TEXTS.station);
    this.gestures.onpast = () => this.tell(TEXTS.past, "error");
    fetchJson("/words.json").then((words) => { this.store.words = words; this.store.touch("words"); }, () => {});
    this.live.start();
    setInterval(() => this._drawSlow(), SLOW_MS);
    setInterval(() => this._fetchSeries(), SERIES_MS);
    this.draw();
  }

  /** What panels show: what is known now or, while the past is shown, what was known then. */
  get seen() {
    return this.timeline.store ?? this.store;
  }

  text(name) {
    return TEXTS[name];
  }

  /** Changes settings of the page, and draws it. */
  set(settings) {
    if ("drives" in settings) this.driver.release();
    if (settings.drives && !this._isPresent()) return;
    Object.assign(this.settings, settings);
    this.draw();
  }

  setTheme(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    store("theme", theme);
    this.settings.theme = theme;
    this._recolour();
  }

  _setOrder(order) {
    store("order", order);
    this.set({ order });
  }

  /** Draws canvases anew: their colours do not follow the theme by themselves. */
  _recolour() {
    this.view.redrawAll();
    this.timeline.draw();
    drawCharts(this);
  }

  /** Selects a robot; `adds` keeps those that are. */
  pick(id, adds) {
    if (adds) this.selection.toggle(id);
    else this.selection.set(id);
  }

  open(name, ...options) {
    DIALOGS[name](this, ...options);
  }

  /** Starts a draft at the selected robots, to be moved with the arrow keys. */
  aimByKeys() {
    if (!this._isPresent()) return;
    const rows = [...this.selection.ids].map((id) => this.view.shown().rows.get(id)).filter(Boolean);
    if (rows.length === 0) return;
    const [x, y] = ["x", "y"].map((axis) => rows.reduce((sum, row) => sum + row[axis], 0) / rows.length);
    this.draft.aim(x, y, rows.length === 1 ? rows[0].heading : null);
    place("map").focus();
  }

  /** Sends the draft; a refused one stays. */
  async sendDraft() {
    if (this.draft.isEmpty || this.draft.problem) return;
    await this._sendDrafted(...this.draft.request());
  }

  /** Sends the drafted transport as a job. */
  async submitDraft() {
    await this._sendDrafted("submit", this.draft.job());
  }

  /** Gives every robot without a task a transport, in turn between the stations to load and to unload. */
  async giveWork() {
    const named = (role) => this.store.all("stations").filter((one) => one.role === role).map(({ name }) => name);
    const [sources, targets] = [named("load"), named("unload")];
    const free = this.store.robots().filter((robot) => robot.is_free && robot.can.includes("transport"));
    for (const [index, { id }] of free.entries()) {
      await this.send("transport", { robot: id, from: { station: sources[index % sources.length] }, to: { station: targets[index % targets.length] } });
    }
  }

  /** Carries a robot to where the draft aims: in simulation. */
  async teleport(robot) {
    const [goal] = this.draft.goals;
    if (goal === undefined) return;
    const row = this.view.shown().rows.get(robot);
    await this._sendDrafted("teleport", { robot, x_m: goal.x, y_m: goal.y, heading_rad: goal.heading ?? row?.heading ?? 0 });
  }

  /** Sends a command; a refusal is shown in the server's words. Returns whether the server took it. */
  async send(verb, body) {
    if (!this._isPresent()) return false;
    try {
      const answer = await post(verb, body);
      for (const command of answer.commands ?? []) {
        this._sent.add(command.id);
        const isKnown = this.store.get("commands", command.id) !== null; // then the WebSocket was faster, and may know its end
        if (!isKnown) this.store.apply({ commands: { [command.id]: command } });
      }
      this._tellEnds();
      return true;
    } catch (error) {
      this.tell(error.message, "error");
      return false;
    }
  }

  /** Shows a sentence for some seconds; of several robots, it is shown once. */
  tell(text, severity = "info", robot = null) {
    const same = robot === null ? undefined : this.notices.find((one) => one.text === text && one.robots.length > 0);
    if (same) {
      same.robots.push(robot);
    } else {
      const notice = { text, severity, robots: robot === null ? [] : [robot] };
      this.notices.push(notice);
      setTimeout(() => this._dropNotices((one) => one === notice), NOTICE_MS);
    }
    this._drawNotices();
  }

  draw() {
    document.body.classList.toggle("past", this.timeline.isReplaying);
    render(place("headline"), headline(this));
    render(place("band"), band(this));
    render(place("tools"), tools(this));
    this._drawTabs();
    this._drawPanel();
    this._drawTable();
    this._drawDraft();
    this.stopButton.draw();
    this.timeline.draw();
    emptyFloor(this, place("empty"));
    this.view.redraw();
  }

  _noteChanges(changed) {
    if (changed.has("events")) this.announcements.take(this.store.all("events"));
    if (changed.has("commands")) this._tellEnds();
    if (changed.has("hello")) this._greet();
    this.draw();
  }

  _greet() {
    document.title = `Thymio fleet · domain ${this.store.hello.domain}`;
    this._checkReach();
  }

  /** A command of this page that ended badly is told once. */
  _tellEnds() {
    for (const id of this._sent) {
      const command = this.store.get("commands", id);
      if (command !== null && command.ended_s === null) continue;
      this._sent.delete(id);
      if (BAD_ENDS.has(command?.state)) this._tellCommand(command);
    }
  }

  _tellCommand(command) {
    this.tell(`${command.verb.replace("_", " ")} ${command.state}: ${withoutAdvice(command.text || command.reason)}`, "error", command.robot);
  }

  /** Whether the present is shown; else the page says so. Robots may have moved since: only STOP ALL does not ask. */
  _isPresent() {
    if (this.view.replayed === null) return true;
    this.tell(TEXTS.past, "error");
    return false;
  }

  async _sendDrafted(verb, body) {
    if (this._isSending) return;
    this._isSending = true;
    if (await this.send(verb, body)) this.draft.clear();
    this._isSending = false;
  }

  _noteSelection() {
    this.live.select(this.selection.first());
    this.view.rays = null;
    this.series = null;
    this.values = null;
    if (this.settings.drives !== null && !this.selection.ids.has(this.settings.drives)) this.set({ drives: null });
    this._fetchSeries();
    this.draw();
  }

  _takeValues({ robot, values }) {
    if (robot !== this.selection.first()) return; // of the robot that was selected before
    this.values = values;
    this._drawPanel();
  }

  /** Teleoperation is refused ten times a second: the sentence is shown once, and the robot let go. */
  _tellRefusal(text) {
    this.driver.release();
    if (!this.notices.some((notice) => notice.text === text)) this.tell(text, "error");
  }

  async _checkReach() {
    this.isReachable = this.live.isConnected;
    if (!this.isReachable) this.isReachable = await fetchJson("/health").then(() => true, () => false);
    this.draw();
  }

  async _fetchSeries() {
    const robot = this.selection.first();
    if (robot === null || document.visibilityState !== "visible" || this.settings.tab !== "robots") return;
    try {
      const until = this.timeline.isReplaying ? `&until_s=${this.timeline.shown_s.toFixed(2)}` : "";
      this.series = await fetchJson(`/api/series?robot=${robot}&seconds=${SERIES_S}${until}`);
    } catch {
      this.series = null;
    }
    this._drawPanel();
  }

  _drawSlow() {
    if (document.visibilityState !== "visible") return;
    if (!this.live.isConnected) this._checkReach();
    render(place("headline"), headline(this));
    render(place("band"), band(this));
    if (this.settings.tab === "gantt") this._drawPanel(); // its bars grow
    this._drawTable();
    this.timeline.draw();
  }

  _drawTabs() {
    const open = { alarms: unacknowledged(this.seen), jobs: heldJobs(this.seen) };
    const shown = TABS.filter(([name]) => name !== "jobs" || areJobsServed(this.seen) || this.settings.tab === name);
    render(place("tabs"), shown.map(([name, text]) => h("button", {
      key: name, role: "tab", id: `tab-${name}`, "aria-selected": String(this.settings.tab === name), "aria-controls": "panel",
      class: open[name] > 0 ? "tab attention" : "tab", onclick: () => this.set({ tab: name }),
    }, text, open[name] > 0 && h("span", { class: "badge" }, ` ${open[name]}`, h("span", { class: "visually-hidden" }, " need attention")))));
    place("panel").setAttribute("aria-labelledby", `tab-${this.settings.tab}`);
  }

  _drawPanel() {
    const panel = place("panel");
    if (this.settings.tab === "tasks") render(panel, h("div", { key: "tasks" }, taskList(this)));
    else if (this.settings.tab === "gantt") render(panel, h("div", { key: "gantt" }, ganttChart(this)));
    else if (this.settings.tab === "jobs") render(panel, h("div", { key: "jobs" }, jobList(this)));
    else if (this.settings.tab === "alarms") render(panel, h("div", { key: "alarms" }, alarmList(this)));
    else {
      render(panel,
        h("select", {
          key: "order", id: "order", "aria-label": "order of the list", value: this.settings.order,
          onchange: (event) => this._setOrder(event.target.value),
        }, ORDERS.map(([order, text]) => h("option", { key: order, value: order }, text))),
        h("input", {
          key: "filter", id: "filter", type: "search", placeholder: "filter: number, state, task", "aria-label": "filter robots",
          value: this.settings.filter, oninput: (event) => this.set({ filter: event.target.value }),
        }),
        h("div", { key: "list", class: "list" }, robotList(this)),
        h("div", { key: "detail", class: "detail" }, robotPanel(this)));
      drawCharts(this);
    }
  }

  _drawTable() {
    const table = place("table");
    table.hidden = !this.settings.showsTable;
    place("map").hidden = this.settings.showsTable;
    if (this.settings.showsTable) render(table, robotTable(this));
  }

  _noteDraft() {
    if (!this.draft.isEmpty) this._dropNotices((notice) => notice.text === TEXTS.station); // it is chosen
    this._drawDraft();
  }

  _drawDraft() {
    render(place("draft"), draftBar(this));
    this.view?.redraw();
  }

  _dropNotices(isOver) {
    const kept = this.notices.filter((notice) => !isOver(notice));
    if (kept.length === this.notices.length) return;
    this.notices = kept;
    this._drawNotices();
  }

  _drawNotices() {
    render(place("notices"), this.notices.map((notice, index) => h("p", { key: index, class: `notice severity-${notice.severity}` }, `${robotsOf(notice)}${notice.text}`)));
  }
}

function robotsOf({ robots }) {
  if (robots.length === 0) return "";
  return `${robots.length === 1 ? "robot" : "robots"} ${robots.join(", ")}: `;
}

function place(id) {
  return document.getElementById(id);
}

function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // the browser keeps nothing
  }
}

function store(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // the browser keeps nothing
  }
}

const app = new App();
window.fleet = app; // for the console, and for tests
app.start();
