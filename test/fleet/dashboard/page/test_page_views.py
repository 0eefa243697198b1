"""What pages show: the same everywhere, ends with their reasons, the past, and why a floor is empty."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from fleet.dashboard.access.roles import Role
from fleet.dashboard.orders.fleet_orders import TaskOrder
from fleet.robots.activity import Activity
from harness.dashboard.chromium import REFUSED, FleetPage
from harness.dashboard.hands import Mouse
from harness.dashboard.scripted_dashboard import KEYS, ServedScript, served_script
from harness.dashboard.scripted_fleet import ScriptedFleet
from thymio_base.ros.private_domain import reserve_free_port

OpenPage = Callable[..., FleetPage]
SEND = "(goal) => fleet.send('go_to', { goals: [goal] })"
HIDE = """(state) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
FACTS = """() => Object.fromEntries(
    [...document.querySelectorAll(".values dt")].map((one) => [one.textContent, one.nextSibling.textContent]))"""


BLOCKED = "fleet.store.apply({ robots: { 5: { traffic: { waiting_for: [], blocked_by: 'robot 2, idle' } } } })"
DRAWN = """async (robot) => {
    const { drawGoalLabels, drawTasks } = await import("/page/map/task_layer.js");
    const context = document.createElement("canvas").getContext("2d");
    const calls = [];
    for (const name of ["moveTo", "lineTo", "arc", "stroke", "fillRect", "fillText"]) {
        context[name] = (...values) => calls.push([name, ...values]);
    }
    const rows = new Map([[1, { id: 1, x: 1, y: 1 }], [2, { id: 2, x: 2, y: 1 }]]);
    const task = { plan: [[1, 1], [3, 1]], legs: [{ pose: [3, 1, 0] }], leg: 0, eta_s: 16 };
    const scene = { frame: { rows }, robots: [robot], selected: new Set(), tasks: [{ robot, task }] };
    const labels = drawTasks(context, { scale: 100, toScreen: (x, y) => [100 * x, 100 * y] }, {}, scene);
    drawGoalLabels(context, {}, labels);
    return calls;
}"""


def send(page: FleetPage, robot: int, x_m: float, y_m: float) -> None:
    page.evaluate(SEND, {"robot": robot, "x_m": x_m, "y_m": y_m})


def test_two_browsers_show_the_same_task_and_its_end(open_page: OpenPage) -> None:
    first, second = open_page().ready(), open_page().ready()
    send(first, 1, 0.8, 0.6)
    for page in (first, second):
        page.find("#tab-tasks").click()
        expect(page.find("#panel")).to_contain_text("go_to (0.80, 0.60)")
        expect(page.find(".end-succeeded")).to_contain_text("SUCCEEDED")
    poses = "fleet.frames.latest().rows.get(1)"
    first.until(lambda: first.evaluate(poses)["x"] == second.evaluate(poses)["x"] == 0.8, "the same pose in both")


def test_battery_is_always_seen_and_in_colour_once_it_is_low(page: FleetPage) -> None:
    changes = "{ 1: { battery_pct: 29, task: 'go_home', eta_s: 5 }, 2: { battery_pct: 8, battery: 'critical' } }"
    page.evaluate(f"fleet.store.apply({{ robots: {changes} }})")
    expect(page.find("[data-robot='1'] .battery.tone-warning")).to_have_text("29 %")
    expect(page.find("[data-robot='1'] .eta")).to_have_text("5 s")
    expect(page.find("[data-robot='2'] .battery.tone-error")).to_have_text("8 %")
    expect(page.find("[data-robot='3'] .battery.tone-idle")).to_have_text("94 %")


def test_list_is_sorted_by_trouble_or_by_number(page: FleetPage, script: ServedScript) -> None:
    order = "[...document.querySelectorAll('[data-robot]')].map((one) => Number(one.dataset.robot))"
    with script.fleet_lock:
        script.fleet.robots[6].link = "lost"
    page.until_true(f"{order}[0] === 6")
    page.find("#order").select_option("number")
    assert page.evaluate(order) == list(range(1, 9))


def test_lost_robot_cannot_be_sent_and_says_why(page: FleetPage, script: ServedScript) -> None:
    page.evaluate("fleet.selection.set(6)")
    expect(page.find("[data-verb=go_home]")).to_be_enabled()
    with script.fleet_lock:
        script.fleet.robots[6].link = "lost"
    expect(page.find("[data-verb=go_home]")).to_be_disabled()
    assert "robot 6 is lost: no link to the robot" in (page.find("[data-verb=go_home]").get_attribute("title") or "")


def test_fleet_is_summed_up_where_no_robot_is_selected(page: FleetPage) -> None:
    page.evaluate("fleet.store.apply({ robots: { 7: { battery_pct: 31 } } })")
    tiles = page.find(".tiles")
    expect(tiles).to_contain_text("robot 7 31 %lowest battery")
    expect(tiles).to_contain_text("docknext charger")
    page.evaluate("fleet.store.apply({ robots: { 1: { errand_to: [0.4, 0.3, 0] } } })")
    expect(tiles).to_contain_text("all are takennext charger")
    page.evaluate("fleet.selection.set(7)")
    expect(tiles).to_have_count(0)


def test_robot_shows_the_order_of_its_master_control(page: FleetPage) -> None:
    order = {
        "master": "tcp://broker",
        "mode": "AUTOMATIC",
        "order": "o-17",
        "update": 2,
        "is_connected": True,
        "is_paused": False,
        "base": [{"id": "n1"}, {"id": "n2"}],
        "horizon": [{"id": "n3"}],
        "last": "n0",
        "errors": [],
    }
    page.evaluate("fleet.selection.set(7)")
    page.evaluate(f"fleet.store.apply({{ robots: {{ 7: {{ order: {json.dumps(order)} }} }} }})")
    shown = page.find("dl.order")
    expect(shown).to_contain_text("o-17, update 2")
    expect(shown).to_contain_text("n1 > n2")
    expect(shown).to_contain_text("n3")


@pytest.mark.parametrize(
    ("known", "axis", "scale"),
    [([16.0, 17.0], [0, 100], [0, 100]), ([3.0, -2.0], [-20, 20], [-20, 20]), ([30.0, -90.0], [-20, 20], [-160, 160])],
)
def test_axes_of_charts_stay(page: FleetPage, known: list[float], axis: list[int], scale: list[int]) -> None:
    ask = "async ([known, axis]) => (await import('/page/panels/chart.js')).scaleOf(known, axis)"
    assert page.evaluate(ask, [known, axis]) == scale


def test_few_plans_of_a_large_fleet_are_drawn(page: FleetPage) -> None:
    """Those of robots that are selected or pointed at, and of the one that has waited longest."""
    ask = """async (count) => {
        const { mattering } = await import("/page/map/task_layer.js");
        const waits = (waited_s) => ({ waiting_for: [1], blocked_by: "", waited_s });
        const traffic = { 3: waits(9), 4: waits(12) };
        const robots = [...Array(count + 1).keys()].slice(1).map((id) => ({ id, traffic: traffic[id] ?? null }));
        return robots.filter(mattering({ robots, selected: new Set([7]), hovered: 8 })).map(({ id }) => id);
    }"""
    assert page.evaluate(ask, 20) == [4, 7, 8]
    assert page.evaluate(ask, 8) == list(range(1, 9))


def test_leg_without_a_plan_is_not_drawn_as_a_way(page: FleetPage) -> None:
    ask = """async (leg) => (await import("/page/map/task_layer.js")).splitPlan({
        plan: [[0, 0], [0.5, 0.1], [1, 0], [3, 2]], leg,
        legs: [{ pose: [1, 0, 0] }, { duration_s: 2 }, { pose: [3, 2, 0] }, { duration_s: 2 }] })"""
    assert page.evaluate(ask, 0) == {"planned": [[0, 0], [0.5, 0.1], [1, 0]], "guessed": [[[1, 0], [3, 2]]]}
    assert page.evaluate(ask, 2)["guessed"] == []


def test_labels_cover_neither_robots_nor_each_other(page: FleetPage) -> None:
    ask = """async () => {
        const { freePlace } = await import("/page/map/paint.js");
        const taken = [{ px: 20, py: 0, width: 20, height: 20 }];
        const places = [[20, 0], [-20, 0]];
        return [freePlace(places, [20, 16], taken), freePlace(places, [20, 16], taken), taken.length];
    }"""
    assert page.evaluate(ask) == [[-20, 0], None, 2]


def test_phone_in_landscape_shows_tools_beside_the_map_and_several_robots(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 844, "height": 390}).ready()
    rows = "[...document.querySelectorAll('[data-robot]')].map((one) => one.getBoundingClientRect())"
    panel = "document.querySelector('#panel').getBoundingClientRect()"
    assert page.evaluate(f"{rows}.filter((row) => row.bottom <= {panel}.bottom).length") >= 4
    assert page.evaluate("document.querySelector('#tools').getBoundingClientRect().height") < 60


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (844, 390), (390, 844)])
def test_whole_floor_and_all_labels_are_below_the_tools(open_page: OpenPage, width: int, height: int) -> None:
    page = open_page(viewport={"width": width, "height": height}).ready()
    ask = """async () => {
        const { freePlace } = await import("/page/map/paint.js");
        const { camera } = fleet.view;
        const tools = document.querySelector("#tools button").getBoundingClientRect().bottom;
        const [, , , top] = fleet.store.get("map", "bounds");
        const free = (px, py) => freePlace([[px, py]], [60, 16], camera.outside()) !== null;
        const [middle, lowest] = [0.5 * camera.width, camera.height - 9];
        const places = [[31, lowest], [29, lowest], [camera.width - 29, lowest], [middle, lowest + 2]];
        places.push([middle, camera.top + 7]);
        return [camera.toScreen(0, top)[1] >= tools - fleet.view.box().top, ...places.map((place) => free(...place))];
    }"""
    assert page.evaluate(ask) == [True, True, False, False, False, False]


def test_words_of_robots_take_one_line(page: FleetPage) -> None:
    ask = """(words) => {
        const state = document.querySelector("[data-robot] .state");
        const before = state.innerHTML;
        const found = words.filter((word) => {
            state.textContent = `● ${word}`;
            return state.getBoundingClientRect().height > 30;
        });
        state.innerHTML = before;
        return found;
    }"""
    assert page.evaluate(ask, [activity.value for activity in Activity]) == []


def test_name_of_a_charger_is_drawn_beside_its_edges(page: FleetPage) -> None:
    ask = """async () => {
        const { stationName } = await import("/page/map/floor_layer.js");
        const { camera, store } = { camera: fleet.view.camera, store: fleet.store };
        const chargers = store.get("map", "patches").filter((patch) => patch.material === "charger");
        const edges = chargers[0].points.map(([x, y]) => camera.toScreen(x, y)[1]);
        const [above, below] = stationName(camera, {}, store.get("stations", "dock"), chargers).places;
        return [Math.min(...edges) - above[1], below[1] - Math.max(...edges)];
    }"""
    assert min(page.evaluate(ask)) >= 8  # half the height of a name


def test_gantt_shows_the_tasks_of_each_robot_in_time(page: FleetPage) -> None:
    send(page, 2, 2.0, 0.6)
    page.find("#tab-gantt").click()
    bar = page.find("[data-gantt='2'] .task-bar")
    expect(bar).to_have_text("go_to (2.00, 0.60)")
    expect(page.find(".task-bar")).to_have_count(1)
    page.evaluate("fleet.send('cancel', { robots: [2] })")
    expect(page.find(".task-bar.end-canceled")).to_have_count(1)
    assert "CANCELED" in (bar.get_attribute("title") or "")


def test_gantt_bars_are_shares_of_the_time(page: FleetPage) -> None:
    ask = """async () => {
        const { ganttRows } = await import("/page/panels/gantt.js");
        const tasks = [{ robot: 2, started_s: 50, ended_s: 125 }, { robot: 2, started_s: 150, ended_s: null },
            { robot: 1, started_s: 10, ended_s: 90 }];
        return ganttRows([{ id: 2 }, { id: 1 }], tasks, 100, 200).map(({ id, bars, busy }) =>
            [id, bars.map(({ left, width }) => [left, width]), busy]);
    }"""
    assert page.evaluate(ask) == [[1, [], 0], [2, [[0, 25], [50, 50]], 75]]


def test_waits_are_hatched_parts_of_gantt_bars(page: FleetPage) -> None:
    """Waits before the shown time are left out, the one that lasts reaches the end of its bar."""
    ask = """async () => {
        const { ganttRows } = await import("/page/panels/gantt.js");
        const task = { robot: 1, started_s: 50, ended_s: null, waits: [[60, 70], [125, 150], [190, null]] };
        return ganttRows([{ id: 1 }], [task], 100, 200)[0].bars[0].waits.map(({ left, width }) => [left, width]);
    }"""
    assert page.evaluate(ask) == [[25, 25], [90, 10]]
    send(page, 2, 2.0, 0.6)
    page.evaluate("fleet.set({ tab: 'gantt' })")
    expect(page.find("[data-gantt='2'] .task-bar")).to_have_count(1)
    wait = """() => {
        const [task] = fleet.seen.all("tasks");
        fleet.store.apply({ tasks: { [`2/${task.id}`]: { ...task, waits: [[task.started_s, null]] } } });
    }"""
    page.evaluate(wait)
    expect(page.find("[data-gantt='2'] .wait-bar")).to_have_count(1)
    assert "for others" in (page.find("[data-gantt='2'] .task-bar").get_attribute("title") or "")


def test_everybody_gets_work(page: FleetPage, script: ServedScript) -> None:
    page.button("Give everybody work").click()
    page.until(lambda: len(script.fleet.orders) == 8, "orders for all robots")
    words = {str(order.work) for order in script.fleet.orders if isinstance(order, TaskOrder)}
    assert words == {"transport A > B"}


def test_map_follows_the_colours_of_the_system_at_once(page: FleetPage) -> None:
    page.context  # noqa: B018  no other page gets its colours
    colour = "fleet.view._colours.ground"
    page.page.emulate_media(color_scheme="light")
    light = page.evaluate(colour)
    page.page.emulate_media(color_scheme="dark")
    page.until_true("(light) => fleet.view._colours.ground !== light", light)


@pytest.mark.parametrize(("heading_rad", "text"), [(-3.14159, "180°"), (3.14159, "180°"), (-1.5708, "-90°")])
def test_equal_headings_have_one_name(page: FleetPage, heading_rad: float, text: str) -> None:
    ask = "async (heading) => (await import('/page/core/format.js')).degrees(heading)"
    assert page.evaluate(ask, heading_rad) == text


def test_cleared_alarms_look_as_if_they_are_over(page: FleetPage) -> None:
    """Two alarms, one of which is over: they differ, and one press acknowledges both."""
    alarm = "{ robot: 5, cause: 'link', severity: 'error', raised_s: 1, acknowledged_by: '', target: '' }"
    page.evaluate(
        f"fleet.store.apply({{ alarms: {{ a: {{ ...{alarm}, id: 'a', text: 'stands', cleared_s: null }},"
        f" b: {{ ...{alarm}, id: 'b', text: 'was', cleared_s: 3 }} }} }}); fleet.set({{ tab: 'alarms' }})"
    )
    expect(page.find(".alarm.cleared")).to_contain_text("over since")
    expect(page.find(".alarm.stands")).not_to_contain_text("over since")
    colours = [
        page.evaluate(f"getComputedStyle(document.querySelector('.alarm.{name}')).color")
        for name in ("stands", "cleared")
    ]
    assert colours[0] != colours[1]
    expect(page.button("Acknowledge all")).to_be_visible()
    assert page.evaluate("document.querySelector('#tabs').getBoundingClientRect().height") < 50


@pytest.mark.parametrize("width", [390, 844, 1440])
def test_tabs_stay_where_they_are_whatever_needs_attention(open_page: OpenPage, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 900}).ready()
    tops = "['#tabs', '#panel'].map((name) => document.querySelector(name).getBoundingClientRect().top)"
    heights = "[...document.querySelectorAll('.tab')].map((one) => one.getBoundingClientRect().height)"
    before = page.evaluate(f"[{tops}, {heights}]")
    alarms = ", ".join(
        f"a{number}: {{ id: 'a{number}', robot: {number}, cause: 'link', severity: 'error', text: 'gone',"
        " raised_s: 1, cleared_s: null, acknowledged_by: '', target: '' }"
        for number in range(120)
    )
    page.evaluate(f"fleet.store.apply({{ alarms: {{ {alarms} }} }})")
    expect(page.find("#tab-alarms .badge")).to_contain_text("120")
    for tab in ("alarms", "tasks", "robots"):
        page.find(f"#tab-{tab}").click()
        assert page.evaluate(f"[{tops}, {heights}]") == before


def test_commands_and_events_describe_the_action(page: FleetPage) -> None:
    page.until_true("fleet.store.may('battery')")
    page.evaluate("fleet.send('battery', { robots: [4], charge: 0.05 })")
    page.evaluate("fleet.send('link', { robots: [4], link: 'silent' })")
    page.evaluate("fleet.send('go_to', { goals: [{ robot: 3, x_m: 9.0, y_m: 0.5 }] })")
    page.find("#tab-tasks").click()
    for text in ("battery 5% by s", "link silent by s", "go_to (9.00, 0.50) by s"):
        expect(page.find("#panel")).to_contain_text(text)
    page.find("#tab-alarms").click()
    expect(page.find(".events")).to_contain_text("go_to (9.00, 0.50): rejected OUT_OF_ARENA")
    expect(page.find(".events")).to_contain_text("robot 4: battery 5%")


def test_drafted_transport_stays_on_the_map(page: FleetPage) -> None:
    page.evaluate("fleet.draft.carry(null, { station: 'A' }, { station: 'B' })")
    assert page.evaluate("fleet.draft.line") == [[1.1, 1.8], [3.7, 0.4]]
    page.button("Discard").click()
    assert page.evaluate("fleet.draft.line") is None


def test_transports_are_proposed_from_load_to_unload(page: FleetPage) -> None:
    """By default; then as they were chosen last."""
    page.evaluate(
        "fleet.store.apply({ stations: { A: { role: 'unload' }, B: { role: 'load' } } });"
        "fleet.open('places', 'transport')"
    )
    chosen = "() => ['from', 'to'].map((name) => document.querySelector(`dialog select[name=${name}]`).value)"
    assert page.evaluate(chosen) == ["B", "A"]
    assert page.evaluate("[...document.querySelectorAll('dialog select[name=from] option')][0].value") == "B"
    page.find("dialog select[name=to]").select_option("dock")
    page.find("dialog button.send").click()
    expect(page.find("dialog")).to_be_hidden()
    page.evaluate("fleet.open('places', 'transport')")
    assert page.evaluate(chosen) == ["B", "dock"]


def test_stations_are_listed_by_name(page: FleetPage) -> None:
    ask = """(names) => {
        const station = { role: "charge", pose: [1, 1, 0], is_configured: true };
        const stations = Object.fromEntries(names.map((name) => [name, { ...station, name }]));
        fleet.store.apply({ reset: true, stations });
        fleet.open("stations");
        return [...document.querySelectorAll(".stations li")].map((one) => one.textContent.split(",")[0]);
    }"""
    assert page.evaluate(ask, ["dock_10", "dock_2", "dock_1"]) == ["dock_1", "dock_2", "dock_10"]
    assert page.evaluate("document.querySelector('dialog').getBoundingClientRect().left > 400")


def test_robot_that_drives_by_itself_is_shown_with_its_goal(page: FleetPage) -> None:
    errand = {"id": 1, "word": "to charger", "errand_to": [2.0, 1.0, 0.0], "traffic": None}
    calls = page.evaluate(DRAWN, errand)
    assert ["arc", 200, 100, 6, 0, pytest.approx(6.28, abs=0.01)] in calls
    assert [call[1] for call in calls if call[0] == "fillText"][-1] == "1 to charger"
    pose = "[...fleet.store.all('stations')[0].pose]"
    page.evaluate(f"fleet.store.apply({{ robots: {{ 1: {{ word: 'to charger', errand_to: {pose} }} }} }})")
    row = page.find("[data-robot='1']")
    expect(row).to_contain_text("to charger")
    station = page.evaluate("fleet.store.all('stations')[0].name")
    expect(row.locator(".task")).to_have_text(f"to {station}")


@pytest.mark.parametrize(("x_m", "y_m", "next_point"), [(0.1, 0.0, 1), (0.9, 0.0, 1), (1.0, 0.9, 2)])
def test_plan_is_drawn_from_the_robot_on(page: FleetPage, x_m: float, y_m: float, next_point: int) -> None:
    ask = """async (row) => (await import("/page/map/task_layer.js")).nextPoint([[0, 0], [1, 0], [1, 1]], row)"""
    assert page.evaluate(ask, {"x": x_m, "y": y_m}) == next_point


@pytest.mark.parametrize(
    ("blocked_by", "end"),
    [("robot 2, idle", [200, 100]), ("obstacle at (2.50, 1.50)", [250, 150]), ("robot 2 of host b, idle", [200, 100])],
)
def test_map_marks_what_blocks_a_robot(page: FleetPage, blocked_by: str, end: list[int]) -> None:
    calls = page.evaluate(DRAWN, {"id": 1, "traffic": {"waiting_for": [], "blocked_by": blocked_by}})
    assert [call for call in calls if call[0] == "lineTo"][-1] == ["lineTo", *end]
    assert [call[1:3] for call in calls if call[0] == "arc"][-1] == [100, 100]


def test_goal_labels_are_drawn_after_all_lines(page: FleetPage) -> None:
    calls = page.evaluate(DRAWN, {"id": 1, "traffic": {"waiting_for": [2], "blocked_by": ""}})
    names = [call[0] for call in calls]
    assert names[-2:] == ["stroke", "fillText"]
    assert calls[-1][1] == "1 · 16 s"


def test_blocked_robot_comes_before_others_of_its_state(page: FleetPage) -> None:
    rows = f"""(() => {{
        {BLOCKED};
        fleet.draw();
        return [...document.querySelectorAll('[role=option]')].map((one) => one.dataset.robot).slice(0, 3).join();
    }})()"""
    assert page.evaluate(rows) == "5,1,2"


def test_two_browsers_show_the_same_stop(open_page: OpenPage) -> None:
    first, second = open_page().ready(), open_page().ready()
    first.button("STOP ALL").click()
    for page in (first, second):
        expect(page.find(".stop-report")).to_contain_text("8 of 8 stand")
        expect(page.find(".resume")).to_have_count(1)


def test_rejected_goal_is_shown_with_its_reason(page: FleetPage) -> None:
    page.tolerated = (REFUSED,)
    send(page, 2, 2.0, 9.0)
    expect(page.find(".notice")).to_contain_text("robot 2: go to rejected: y = 9.000, at most 2.120")


def test_goal_outside_of_the_arena_cannot_be_sent(page: FleetPage) -> None:
    hand = Mouse(page)
    hand.tap((0.6, 0.6))
    hand.tap((2.0, 2.17))
    expect(page.find(".problem")).to_contain_text("outside of the arena: y = 2.1")
    expect(page.button("Send")).to_be_disabled()


def test_busy_robot_rejects_and_says_what_it_does(page: FleetPage) -> None:
    send(page, 1, 3.9, 0.6)
    page.until_true("fleet.store.get('robots', 1).task !== ''")
    send(page, 1, 0.6, 1.2)
    expect(page.find(".notice")).to_contain_text("it performs go_to (3.90, 0.60)")


def test_abort_is_explained_in_words_with_advice(page: FleetPage, script: ServedScript) -> None:
    page.page.keyboard.press("1")
    send(page, 1, 3.9, 0.6)
    page.until(lambda: script.fleet.robots[1].task_id, "the task")
    with script.fleet_lock:
        script.fleet.end(1, "ABORTED:NO_PROGRESS", "it stood for 5 s")
    expect(page.find(".last")).to_contain_text("ABORTED NO_PROGRESS")
    page.find(".last summary").click()
    words = page.evaluate("fleet.store.words.reasons.NO_PROGRESS")
    expect(page.find(".last .why")).to_contain_text(words["sentence"])
    expect(page.find(".last .why")).to_contain_text(words["advice"])
    expect(page.find(".notice")).to_contain_text("robot 1: go to aborted")


@pytest.mark.parametrize(
    ("reason", "detail", "text"),
    [
        (
            "The fleet is stopped.",
            "the fleet is stopped until it is resumed; try: thymio-fleet resume",
            "The fleet is stopped until it is resumed.",
        ),
        (
            "The robot performs another task.",
            "it performs go_home (10%, 3 s to go); wait, or try: thymio-fleet cancel 1",
            "The robot performs another task. It performs go_home (10%, 3 s to go).",
        ),
        (
            "The robot would leave the arena.",
            "y = 9.000, at most 2.120; try --size 0.4",
            "The robot would leave the arena. y = 9.000, at most 2.120; try a size of 0.4 m.",
        ),
        ("Its battery is empty.", "", "Its battery is empty."),
    ],
)
def test_reason_and_detail_are_sentences_without_commands(page: FleetPage, reason: str, detail: str, text: str) -> None:
    why = """async ([reason, detail]) => (await import("/page/panels/robot.js")).whyText(reason, detail)"""
    assert page.evaluate(why, [reason, detail]) == text


def test_several_robots_follow_a_path_with_a_control_law(page: FleetPage, script: ServedScript) -> None:
    page.find("[data-robot='1']").click()
    page.find("[data-robot='2']").click(modifiers=["Shift"])
    page.find(".law select").select_option("kanayama")
    page.until(lambda: [script.fleet.robots[one].law for one in (1, 2)] == ["kanayama"] * 2, "the law of both")
    page.button("Path …").click()
    expect(page.find("dialog h2")).to_have_text("Follow a path: robots 1, 2")
    page.button("Send").click()
    page.until(lambda: [script.fleet.robots[one].kind for one in (1, 2)] == ["follow_path"] * 2, "both to follow")


def test_hidden_page_gets_no_frames(open_page: OpenPage) -> None:
    number, close = "fleet.frames.latest().number", 5

    def behind() -> int:
        return int(shown.evaluate(number)) - int(hidden.evaluate(number))

    hidden, shown = open_page().ready(), open_page().ready()
    hidden.until(lambda: hidden.evaluate(number) > 0 and behind() < close, "frames while it is shown")
    hidden.evaluate(HIDE, "hidden")
    hidden.until(lambda: behind() > 15, "frames that only the other page gets")
    hidden.evaluate(HIDE, "visible")
    hidden.until(lambda: behind() < close, "frames when it is shown again")


def test_every_key_of_the_selected_robots_status_is_shown(page: FleetPage, script: ServedScript) -> None:
    page.page.keyboard.press("2")
    page.find(".values summary").click()
    page.until(lambda: page.evaluate(FACTS).get("home") == "1.60,0.60,0", "the status of robot 2")
    with script.fleet_lock:
        script.fleet.robots[2].battery_pct = 41
    page.until(lambda: page.evaluate(FACTS).get("battery_pct") == "41", "the status that changed")
    page.page.keyboard.press("3")
    page.until(lambda: page.evaluate(FACTS).get("home") == "2.60,0.60,0", "the status of robot 3")
    page.page.keyboard.press("Escape")
    expect(page.find(".values")).to_have_count(0)


def test_digits_that_match_no_robot_start_a_new_number(page: FleetPage) -> None:
    type_at_once = """for (const key of "123")
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))"""
    page.evaluate(f"() => {{ {type_at_once} }}")
    assert page.evaluate("[...fleet.selection.ids].join()") == "3"


def test_robots_in_trouble_come_first(page: FleetPage, script: ServedScript) -> None:
    with script.fleet_lock:
        script.fleet.robots[6].link = "lost"
        script.fleet.robots[4].battery_pct = 20
    rows = "[...document.querySelectorAll('[role=option]')].map((one) => one.dataset.robot).slice(0, 3).join()"
    page.until(lambda: page.evaluate(rows) == "6,4,1", "those in trouble on top")


def test_alarm_is_acknowledged(page: FleetPage, script: ServedScript) -> None:
    with script.fleet_lock:
        script.fleet.robots[6].link = "lost"
    expect(page.find("#tab-alarms")).to_have_text("Alarms 1 need attention")
    page.find("#tab-alarms").click()
    page.button("Acknowledge").click()
    expect(page.find(".alarm .note")).to_contain_text("acknowledged by")
    expect(page.find("#tab-alarms")).to_have_text("Alarms")


def test_teacher_makes_faults(page: FleetPage, script: ServedScript) -> None:
    page.page.keyboard.press("1")
    page.find(".faults summary").click()
    page.button("Battery 5 %").click()
    page.until(lambda: script.fleet.robots[1].battery_pct == 5, "an empty battery")
    page.button("Push left 10 cm").click()
    page.until(lambda: abs(script.fleet.robots[1].pose.y_m - 0.7) < 1e-6, "the push")
    Mouse(page).tap((2.1, 1.1))
    page.button("Teleport to the draft").click()
    page.until(lambda: abs(script.fleet.robots[1].pose.x_m - 2.1) < 0.02, "the other place")
    page.button("Unplug").click()
    page.until(lambda: script.fleet.robots[1].link == "lost", "the link to be cut")


def test_faults_stay_open_while_notes_of_the_robot_come_and_go(page: FleetPage, script: ServedScript) -> None:
    page.page.keyboard.press("1")
    page.find(".faults summary").click()
    page.evaluate("window.opened = document.querySelector('.faults')")
    with script.fleet_lock:
        script.fleet.robots[1].link = "lost"
    page.until_true("document.querySelector('.detail .message') !== null")
    assert page.evaluate("document.querySelector('.faults') === window.opened && window.opened.open")


def test_faults_stay_open_while_another_tab_is_shown(page: FleetPage) -> None:
    page.page.keyboard.press("1")
    page.find(".faults summary").click()
    page.find("#tab-tasks").click()
    expect(page.find(".faults")).to_have_count(0)
    page.find("#tab-robots").click()
    expect(page.button("Unplug")).to_be_visible()


def test_dialog_that_is_closed_by_key_keeps_the_selection(page: FleetPage) -> None:
    page.page.keyboard.press("2")
    page.page.keyboard.press("?")
    expect(page.find("dialog")).to_be_visible()
    page.page.keyboard.press("Escape")
    expect(page.find("dialog")).not_to_be_visible()
    assert page.evaluate("[...fleet.selection.ids]") == [2]


def test_names_on_a_small_map_cover_no_other_name(page: FleetPage) -> None:
    drawn = """async () => {
        const { drawFloorNames } = await import("/page/map/floor_layer.js");
        const context = document.createElement("canvas").getContext("2d");
        const names = [];
        context.fillText = (text, px, py) => names.push([text, px, py, context.measureText(text).width]);
        const station = (name, x) => ({ name, role: "load", pose: [x, 0, 0] });
        const camera = { scale: 10, toScreen: (x, y) => [10 * x, 100 - 10 * y] };
        const all = { stations: ["one", "two", "three", "four"].map(station), robots: [] };
        const robot = { px: 0, py: 83, width: 26, height: 26 };
        drawFloorNames(context, camera, {}, { get: () => null, all: (section) => all[section] }, [robot]);
        return names;
    }"""
    names = page.evaluate(drawn)
    assert names[0][0] == "▲ one"
    assert names[0][2] > 100, "its name stands below, as a robot is above"
    pairs = [(one, other) for index, one in enumerate(names) for other in names[:index]]
    assert all(abs(a[1] - b[1]) >= 0.5 * (a[3] + b[3]) or abs(a[2] - b[2]) >= 13 for a, b in pairs)


def test_task_its_time_and_its_button_are_on_one_line(page: FleetPage) -> None:
    send(page, 1, 3.9, 0.6)
    page.find("#tab-tasks").click()
    row = page.find(".tasks li", has=page.button("cancel the task of robot 1"))
    row.wait_for()
    found = [row.locator(part).bounding_box() for part in (".task", ".eta", "button")]
    boxes = [box for box in found if box is not None]
    middles = [box["y"] + 0.5 * box["height"] for box in boxes]
    assert len(middles) == 3
    assert max(middles) - min(middles) < 10
    assert boxes[2]["width"] < 120


def test_past_is_shown_and_sends_nothing(page: FleetPage, script: ServedScript) -> None:
    page.until_true("fleet.timeline._now_s() > 3")
    with script.fleet_lock:
        script.fleet.robots[1].pose = script.fleet.robots[2].pose
    page.until_true("fleet.view.shown().rows.get(1).x > 1.5")
    page.evaluate("fleet.timeline.show(1.0)")
    page.until_true("fleet.view.replayed !== null && fleet.view.shown().rows.get(1)?.x < 0.7")
    expect(page.find(".connection")).to_have_text("THE PAST")
    at_once = (
        "() => { document.querySelector('.live').click(); return document.querySelector('.connection').textContent; }"
    )
    assert page.evaluate(at_once) == "LIVE"


def test_table_has_the_robots_of_the_map(page: FleetPage) -> None:
    page.page.keyboard.press("m")
    expect(page.find(".twin tbody tr")).to_have_count(8)
    expect(page.find(".twin tbody tr").first).to_contain_text("0.60")
    page.page.keyboard.press("m")
    expect(page.find("#map")).to_be_visible()


def test_filter_finds_a_robot(page: FleetPage) -> None:
    page.page.keyboard.press("/")
    page.page.keyboard.type("7")
    expect(page.find("[role=option]")).to_have_count(1)


def test_floor_without_robots_says_why(chromium: Browser) -> None:
    fleet = ScriptedFleet()
    fleet.is_silent = True
    with served_script(reserve_free_port(), fleet) as script:
        page = FleetPage(chromium, script.url_of(Role.TEACHER))
        expect(page.find("#empty pre").first).to_contain_text("thymio-fleet")
        assert page.complained() == []
        fleet.is_silent = False
        expect(page.find("#empty")).to_be_hidden()
        page.close()


def test_page_heals_when_the_server_is_started_again(chromium: Browser) -> None:
    port = reserve_free_port()
    with served_script(port) as script:
        page = FleetPage(chromium, script.url_of(Role.OPERATOR)).ready()
        started_s = page.evaluate("fleet.store.hello.started_unix_s")
    expect(page.find(".connection")).to_have_text("NOT CONNECTED")
    with served_script(port, ScriptedFleet(3)):
        page.until_true("(before) => fleet.live.isConnected && fleet.store.hello.started_unix_s > before", started_s)
        page.ready(3)
        expect(page.find("[role=option]")).to_have_count(3)
        page.close()


def test_address_with_a_key_is_not_kept(page: FleetPage) -> None:
    assert page.page.url == page.url
    assert KEYS[Role.TEACHER] not in page.evaluate("document.documentElement.outerHTML + document.cookie")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_chosen_theme_is_kept(page: FleetPage, theme: str) -> None:
    page.evaluate("(theme) => fleet.setTheme(theme)", theme)
    page.page.reload()
    page.ready()
    expect(page.find("html")).to_have_attribute("data-theme", theme)
    expect(page.find("body")).to_have_css(
        "background-color", re.compile("251, 251, 249" if theme == "light" else "20, 23, 27")
    )
