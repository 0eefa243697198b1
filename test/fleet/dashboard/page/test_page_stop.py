"""STOP ALL: always in reach, by every way to the server, and honest about the outcome."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Route, WebSocketRoute, expect

from fleet.dashboard.access.roles import Role
from harness.dashboard.chromium import REFUSED, FleetPage
from harness.dashboard.hands import Finger
from harness.dashboard.scripted_dashboard import ServedScript, served_script
from harness.dashboard.scripted_fleet import ScriptedFleet
from thymio_base.ros.private_domain import reserve_free_port

OpenPage = Callable[..., FleetPage]
LIVE = re.compile("/live$")
STOP = "STOP ALL"
FOCUSABLE = """[...document.querySelectorAll("button, input, select, summary, canvas, [tabindex]")]
    .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)"""
COVERED = """() => {
    const button = document.querySelector(".stop");
    const { left, top, right, bottom, width, height } = button.getBoundingClientRect();
    const isWithin = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && height >= 44;
    const places = [[0.02, 0.1], [0.5, 0.5], [0.98, 0.9]].map(([x, y]) => [left + x * width, top + y * height]);
    return !isWithin || places.some((place) => document.elementFromPoint(...place) !== button);
}"""


def is_covered(page: FleetPage) -> bool:
    """Whether something lies over a part of the stop button, or it reaches out of the window."""
    return bool(page.evaluate(COVERED))


def press_keys(page: FleetPage) -> None:
    """Press Shift+Space."""
    page.page.keyboard.press("Shift+Space")


def test_click_stops_all_and_shows_which_robots_stand_still(page: FleetPage, script: ServedScript) -> None:
    page.button(STOP).click()
    page.until(lambda: script.fleet.is_stopped, "the stop")
    confirmed = re.compile(r"8 of 8 stand after \d+ ms, confirmed by lab-pc in \d+ ms")
    expect(page.find(".stop-report")).to_have_text(confirmed)


def test_finger_stops_all(open_page: OpenPage, script: ServedScript) -> None:
    page = open_page(has_touch=True, viewport={"width": 412, "height": 800}).ready()
    Finger(page).press(page.button(STOP))
    page.until(lambda: script.fleet.is_stopped, "the stop")


def test_viewer_may_stop(open_page: OpenPage, script: ServedScript) -> None:
    page = open_page(Role.VIEWER).ready()
    page.button(STOP).click()
    page.until(lambda: script.fleet.is_stopped, "the stop")
    expect(page.find(".stop-report")).to_contain_text("8 of 8 stand")
    expect(page.find(".resume")).to_have_count(0)


def test_stop_arrives_by_post_where_no_websocket_opens(open_page: OpenPage, script: ServedScript) -> None:
    page = open_page(cuts=lambda context: context.route_web_socket(LIVE, lambda socket: socket.close()))
    page.button(STOP).click()
    page.until(lambda: script.fleet.is_stopped, "the stop")
    expect(page.find(".stop-report")).to_contain_text("of 8 stand")


def test_stop_is_repeated_until_it_arrives(open_page: OpenPage, script: ServedScript) -> None:
    tries: list[str] = []

    def lose_two(route: Route) -> None:
        tries.append(route.request.method)
        if len(tries) <= 2:
            route.abort()
        else:
            route.continue_()

    def cut(context: BrowserContext) -> None:
        context.route_web_socket(LIVE, lambda socket: socket.close())
        context.route("**/api/stop", lose_two)

    page = open_page(cuts=cut)
    page.tolerated = (REFUSED,)
    page.button(STOP).click()
    expect(page.find(".stop-report")).to_have_text("The stop did not reach the server. Switch the robots off.")
    page.until(lambda: script.fleet.is_stopped, "the stop")
    expect(page.find(".stop-report")).to_contain_text("of 8 stand")
    assert len(tries) >= 3  # a slow server is asked again


def test_stop_arrives_by_post_after_the_websocket_died(open_page: OpenPage, script: ServedScript) -> None:
    sockets: list[WebSocketRoute] = []

    def connect_once(socket: WebSocketRoute) -> None:
        if sockets:
            socket.close()
        else:
            socket.connect_to_server()
        sockets.append(socket)

    page = open_page(cuts=lambda context: context.route_web_socket(LIVE, connect_once)).ready()
    sockets[0].close()
    page.until_true("!fleet.live.isConnected")
    page.button(STOP).click()
    page.until(lambda: script.fleet.is_stopped, "the stop")


def test_stop_arrives_by_websocket_where_no_post_does(open_page: OpenPage, script: ServedScript) -> None:
    page = open_page(cuts=lambda context: context.route("**/api/stop", lambda route: route.abort())).ready()
    page.tolerated = (REFUSED,)
    page.button(STOP).click()
    page.until(lambda: script.fleet.is_stopped, "the stop")
    expect(page.find(".stop-report")).to_contain_text("8 of 8 stand")


def test_page_that_cannot_stop_says_so(open_page: OpenPage) -> None:
    page = open_page().ready()
    page.tolerated = (REFUSED, "WebSocket connection")
    page.context.set_offline(True)
    page.context.route("**/*", lambda route: route.abort())
    page.evaluate("fleet.live._socket.close()")
    expect(page.find(".unreachable")).to_have_text("NOT CONNECTED: this page cannot stop robots")
    expect(page.button(STOP)).to_have_count(0)


def test_drivers_that_do_not_confirm_are_named(page: FleetPage, script: ServedScript) -> None:
    script.fleet.confirms_stop = False
    page.button(STOP).click()
    expect(page.find(".stop-report")).to_contain_text("Not confirmed: robots 1, 2, 3, 4, 5, 6, 7, 8")


def test_stop_that_reaches_no_driver_says_so(open_page: OpenPage) -> None:
    def cut(context: Any) -> None:
        context.route_web_socket(LIVE, lambda socket: socket.close())
        context.route("**/api/stop", lambda route: route.abort())

    page = open_page(cuts=cut)
    page.tolerated = (REFUSED,)
    page.button(STOP).click()
    expect(page.find(".stop-report")).to_have_text("The stop did not reach the server. Switch the robots off.")


def test_stop_without_robots_and_drivers_reports_no_confirmation(chromium: Browser) -> None:
    fleet = ScriptedFleet()
    fleet.is_silent, fleet.confirms_stop = True, False
    with served_script(reserve_free_port(), fleet) as script:
        page = FleetPage(chromium, script.url_of(Role.OPERATOR))
        page.button(STOP).click()
        expect(page.find(".stop-report")).to_contain_text("Nobody confirmed")
        assert page.complained() == []
        page.close()


def test_shift_space_stops_from_every_focus(page: FleetPage, script: ServedScript) -> None:
    page.page.keyboard.press("1")
    page.button("Drive by hand").click()
    page.find(".stick").wait_for()
    page.evaluate("fleet.stopButton.stop = () => { window.stops = (window.stops ?? 0) + 1; }")
    for dialog in (None, ["session"], ["places", "transport"]):
        if dialog:
            page.evaluate("(names) => fleet.open(...names)", dialog)
        count = page.evaluate(f"{FOCUSABLE}.length")
        assert count > 20
        for index in range(count):
            page.evaluate(f"(index) => {{ window.stops = 0; {FOCUSABLE}[index]?.focus(); }}", index)
            press_keys(page)
            focus = page.evaluate("document.activeElement.outerHTML.slice(0, 80)")
            assert page.evaluate("window.stops") == 1, focus
    assert script.fleet.orders == []


def test_shift_space_reaches_the_fleet_while_text_is_typed(page: FleetPage, script: ServedScript) -> None:
    page.find("#filter").focus()
    press_keys(page)
    page.until(lambda: script.fleet.is_stopped, "the stop")
    assert page.find("#filter").input_value() == ""


@pytest.mark.parametrize("size", [(320, 480), (412, 800), (1280, 800)])
def test_stop_is_visible_over_everything(open_page: OpenPage, size: tuple[int, int]) -> None:
    page = open_page(viewport={"width": size[0], "height": size[1]}).ready()
    assert not is_covered(page)
    page.evaluate("fleet.pick(1); fleet.aimByKeys()")
    page.button("Send").wait_for()
    for number in range(4):
        page.evaluate("(number) => fleet.tell(`notice ${number}: ${'a long sentence '.repeat(8)}`, 'error')", number)
    page.find(".notice").first.wait_for()
    for dialog in (["session"], ["help"], ["places", "transport"], ["follow"]):
        page.evaluate("(names) => fleet.open(...names)", dialog)
        assert not is_covered(page), dialog


def test_held_resume_lets_robots_be_sent_again(page: FleetPage, script: ServedScript) -> None:
    page.button(STOP).click()
    resume = page.find(".resume")
    resume.click()  # let go at once
    assert script.fleet.is_stopped
    resume.hover()
    page.page.mouse.down()
    page.until(lambda: not script.fleet.is_stopped, "the fleet to go on")
    page.page.mouse.up()
    expect(resume).to_have_count(0)


def test_resume_is_held_by_key_and_left_by_tab(page: FleetPage, script: ServedScript) -> None:
    page.button(STOP).click()
    page.find(".resume").focus()
    page.page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.className") == "stop"
    page.page.keyboard.press("Tab")
    page.page.keyboard.down("Enter")
    page.until(lambda: not script.fleet.is_stopped, "the fleet to go on")
    page.page.keyboard.up("Enter")
