"""Dialogs: what is refused stays to be corrected, limits hold, and Enter does what one means."""

from playwright.sync_api import expect

from harness.dashboard.chromium import REFUSED, FleetPage
from harness.dashboard.scripted_dashboard import ServedScript


def test_enter_takes_a_name_over_also_when_the_server_has_greeted_again(page: FleetPage) -> None:
    page.evaluate("fleet.open('session')")
    name = page.find("dialog #name")
    name.fill("Anna")
    page.evaluate("fleet.store.greet({ ...fleet.store.hello })")
    name.press("Enter")
    expect(page.find("dialog p")).to_contain_text("You are Anna")
    expect(page.find("#headline")).to_contain_text("Anna")


def test_number_beyond_its_limit_is_not_sent(page: FleetPage, script: ServedScript) -> None:
    page.evaluate("fleet.selection.set(1); fleet.open('follow')")
    laps = page.find("dialog input[name=laps]")
    for wrong in ("99", "0"):
        laps.fill(wrong)
        laps.press("Enter")
        page.button("Send").click()
    expect(page.find("dialog")).to_be_visible()
    assert page.evaluate("fleet.store.all('commands').length") == 0
    laps.fill("2")
    page.button("Send").click()
    page.until_true("fleet.store.all('commands').length === 1")
    expect(page.find("dialog")).to_be_hidden()


def test_refused_station_may_be_given_another_name(page: FleetPage) -> None:
    page.tolerated = (REFUSED,)
    for key in ("1", "g", "ArrowRight", "s"):
        page.page.keyboard.press(key)
    page.page.keyboard.type("A")
    page.button("Add").click()
    page.find(".notice.severity-error").wait_for()
    expect(page.find("dialog input[type=text]")).to_have_value("A")
    page.find("dialog input[type=text]").fill("another")
    page.button("Add").click()
    page.until_true("fleet.store.get('stations', 'another') !== null && fleet.draft.isEmpty")


def test_refused_goal_stays_drafted(page: FleetPage) -> None:
    page.tolerated = (REFUSED,)
    page.evaluate("fleet.selection.set(1); fleet.draft.aim(0.8, 0.6); fleet.draft.request = () => ['go_to', {}]")
    page.page.keyboard.press("Enter")
    page.find(".notice.severity-error").wait_for()
    assert not page.evaluate("fleet.draft.isEmpty")


def test_escape_closes_a_dialog_from_anywhere_and_keys_go_on(page: FleetPage) -> None:
    page.page.keyboard.press("?")
    page.find("#map").focus()
    page.page.keyboard.press("3")
    page.until_true("fleet.selection.ids.has(3)")
    page.page.keyboard.press("Escape")
    expect(page.find("dialog")).to_be_hidden()
    assert page.evaluate("fleet.selection.ids.has(3)")


def test_end_of_many_robots_is_reported_once(page: FleetPage) -> None:
    page.evaluate("for (const id of [1, 2, 3]) fleet.tell('Go to aborted.', 'error', id)")
    expect(page.find(".notice")).to_have_text("robots 1, 2, 3: Go to aborted.")
