"""While the past is shown, nothing is sent but STOP: robots have moved since."""

import pytest
from playwright.sync_api import expect

from harness.dashboard.chromium import FleetPage
from harness.dashboard.hands import Mouse
from harness.dashboard.scripted_dashboard import STATIONS, ServedScript

A, B = ((station.pose.x_m, station.pose.y_m) for station in STATIONS[:2])


@pytest.fixture
def past(page: FleetPage) -> FleetPage:
    """A page that shows the past, with robot 2 selected."""
    page.until_true("fleet.timeline._now_s() > 3")
    page.evaluate("fleet.selection.set(2); fleet.timeline.show(1.0)")
    page.until_true("fleet.view.replayed !== null")
    return page


@pytest.mark.parametrize("key", ["g", "h", "c"])
def test_keys_send_nothing(past: FleetPage, key: str) -> None:
    past.page.keyboard.press(key)
    past.page.keyboard.press("ArrowUp")
    past.page.keyboard.press("Enter")
    check_refused(past)


def test_mouse_sends_nothing(past: FleetPage) -> None:
    Mouse(past).tap((2.0, 1.9))
    check_refused(past)
    Mouse(past).drag(A, B)
    assert past.evaluate("fleet.draft.isEmpty")


def test_draft_of_before_is_not_sent(page: FleetPage) -> None:
    page.until_true("fleet.timeline._now_s() > 3")
    page.evaluate("fleet.selection.set(2); fleet.draft.aim(2.0, 1.9); fleet.timeline.show(1.0)")
    page.until_true("fleet.view.replayed !== null")
    page.button("Send").click()
    check_refused(page)


def test_manual_driving_is_refused(past: FleetPage) -> None:
    past.evaluate("fleet.set({ drives: 2 })")
    check_refused(past)
    assert past.evaluate("fleet.settings.drives") is None


def test_driving_by_hand_ends(page: FleetPage) -> None:
    page.until_true("fleet.timeline._now_s() > 3")
    page.evaluate("fleet.selection.set(2); fleet.set({ drives: 2 }); fleet.timeline.show(1.0)")
    page.until_true("fleet.view.replayed !== null && fleet.settings.drives === null")


def test_stop_is_sent(past: FleetPage, script: ServedScript) -> None:
    past.page.keyboard.press("Shift+Space")
    past.until(lambda: script.fleet.is_stopped, "the stop")


def test_everything_on_the_page_is_of_then(page: FleetPage, script: ServedScript) -> None:
    page.evaluate("fleet.selection.set(2); fleet.send('go_to', { goals: [{ robot: 2, x_m: 3.9, y_m: 1.9 }] })")
    expect(page.find("[data-robot='2'] .state")).to_contain_text("driving")
    driving_s = page.evaluate("fleet.timeline._now_s() + 1.5")
    page.until_true("(time_s) => fleet.timeline._now_s() > time_s + 0.5", driving_s)
    page.evaluate("fleet.stopButton.stop()")
    expect(page.find(".band.stopped")).to_contain_text("FLEET STOPPED by")
    with script.fleet_lock:
        script.fleet.robots[2].battery_pct = 12
    expect(page.find("[data-robot='2'] .state")).to_contain_text("stopped")
    expect(page.find("#panel dl").first).to_contain_text("12 %")
    page.evaluate("(time_s) => fleet.timeline.show(time_s)", driving_s)
    expect(page.find("body.past .band.past")).to_contain_text("THE PAST")
    expect(page.find("[data-robot='2'] .state")).to_contain_text("driving")
    expect(page.find("#panel dl").first).to_contain_text("94 %")
    expect(page.find(".task-line")).to_contain_text("go_to (3.90, 1.90)")
    expect(page.find("#headline .chip")).to_contain_text(["driving", "idle"])
    expect(page.find("[data-verb]")).to_have_count(0)
    assert page.evaluate("fleet.view._scene(fleet.view.shown()).tasks.length") == 1
    page.find("#tab-alarms").click()
    expect(page.find("#panel")).not_to_contain_text("stopped")
    page.find("#tab-tasks").click()
    expect(page.find("#panel h2").first).to_have_text("Running (1)")
    page.button("Back to now").click()
    expect(page.find(".band")).to_contain_text("FLEET STOPPED")
    expect(page.find("#panel h2").first).to_have_text("Running (0)")


def test_past_goes_back_and_on_to_each_instant(page: FleetPage) -> None:
    """Updates are applied from the start again where the slider goes back."""
    ask = """async () => {
        const { Past } = await import("/page/core/past.js");
        const past = new Past();
        const robot = (progress) => ({ robots: { 1: { progress } } });
        past._updates = [{ time_s: 0, reset: true, robots: { 1: { id: 1, progress: 0 } } },
            { time_s: 1, ...robot(0.1) }, { time_s: 2, ...robot(0.2) }, { time_s: 3, robots: { 1: null } }];
        past._events = [{ number: 1, time_s: 0.5 }, { number: 2, time_s: 2.5 }];
        return [0.5, 2.5, 3.5, 1.5].map((time_s) => {
            past.show(time_s, { hello: { may: ["stop"] }, words: {} });
            const { store } = past;
            return [store.get("robots", 1)?.progress ?? null, store.all("events").length, store.may("stop")];
        });
    }"""
    assert page.evaluate(ask) == [[0, 1, False], [0.2, 2, False], [None, 2, False], [0.1, 1, False]]


def check_refused(page: FleetPage) -> None:
    expect(page.find(".notice")).to_have_text("This is the past. Choose Live to send commands.")
    assert page.evaluate("fleet.store.all('commands').length") == 0
