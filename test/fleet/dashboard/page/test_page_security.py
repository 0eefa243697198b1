"""Texts of strangers, foreign pages and foreign names, in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from fleet.dashboard.access.roles import Role
from fleet.geometry import Pose2D
from harness.dashboard.chromium import EVIL, REFUSED, FleetPage
from harness.dashboard.scripted_dashboard import ServedScript

OpenPage = Callable[..., FleetPage]
NASTY = '"><img src=x onerror=alert(1)><b>bold</b>'
ATTACK = """async (address) => {
    const common = { method: "POST", body: "{}", credentials: "include" };
    const post = (options) => fetch(`${address}api/stop`, { ...common, ...options })
        .then((answer) => answer.type, () => "refused");
    const json = { "Content-Type": "application/json", "X-Fleet": "1" };
    const live = new Promise((resolve) => {
        const socket = new WebSocket(`${address.replace("http", "ws")}live`);
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
    });
    const read = await fetch(`${address}api/state`, { credentials: "include" }).then(() => "read", () => "refused");
    return [await post({ headers: json }), await post({}), await post({ mode: "no-cors" }), read, await live];
}"""
FRAME = """(address) => {
    const frame = document.createElement("iframe");
    frame.src = address;
    document.body.append(frame);
}"""


def test_task_id_with_markup_is_shown_as_text(page: FleetPage, script: ServedScript) -> None:
    with script.fleet_lock:
        script.fleet.take_up(1, NASTY, NASTY, Pose2D(3.9, 0.6, 0.0))
    page.page.keyboard.press("1")
    expect(page.find("[role=option][data-robot='1'] .task")).to_have_text(NASTY)
    page.evaluate("fleet.set({ showsTable: true })")
    expect(page.find("#table")).to_contain_text(NASTY)
    with script.fleet_lock:
        script.fleet.end(1, "ABORTED:NO_PROGRESS", NASTY)
    page.find("#tab-tasks").click()
    expect(page.find(".end-aborted .task")).to_contain_text(NASTY)
    page.find(".end-aborted summary").click()
    expect(page.find(".end-aborted .why")).to_contain_text(NASTY)
    assert page.find("img, b").count() == 0


def test_name_with_markup_is_shown_as_text(page: FleetPage) -> None:
    page.evaluate("fleet.open('session')")
    name = page.find("dialog input[type=text]")
    name.fill("<i>Anna</i>")
    name.press("Tab")
    page.evaluate("document.getElementById('dialog').close(); fleet.send('identify', { robots: [2] })")
    page.find("#tab-tasks").click()
    expect(page.find("#panel")).to_contain_text("identify by <i>Anna</i>")
    assert page.find("i").count() == 0


def test_foreign_page_commands_nothing_and_reads_nothing(
    page: FleetPage, script: ServedScript, open_page: OpenPage
) -> None:
    foreign = page.context.new_page()
    port = page.url.split(":")[2].rstrip("/")
    page.tolerated = ("foreign request",)
    page.context.route(
        f"http://{EVIL}:{port}/**", lambda route: route.fulfill(body="<p>foreign</p>", content_type="text/html")
    )
    foreign.goto(f"http://{EVIL}:{port}/")
    answers = foreign.evaluate(ATTACK, page.url)
    assert answers[:2] == ["refused", "refused"]
    assert answers[2] in ("refused", "opaque")
    assert answers[3:] == ["refused", "refused"]
    foreign.evaluate(FRAME, page.url)
    page.until(lambda: len(foreign.frames) == 2, "the frame")
    assert foreign.frames[1].locator(".stop").count() == 0
    assert not script.fleet.is_stopped


def test_foreign_host_name_gets_a_sentence(chromium: Browser, script: ServedScript) -> None:
    context = chromium.new_context()
    page = context.new_page()
    answer = page.goto(script.url.replace("127.0.0.1", EVIL))
    assert answer is not None
    assert answer.status == 421
    expect(page.locator("body")).to_contain_text("use the address that it printed")
    context.close()


def test_script_that_is_written_into_the_page_does_not_run(page: FleetPage) -> None:
    inject = """() => {
        const script = document.createElement("script");
        script.textContent = "window.isBroken = true";
        document.body.append(script);
    }"""
    page.evaluate(inject)
    page.until_true("window.violations.length === 1")
    assert page.evaluate("window.isBroken") is None
    page.tolerated = ("policy: script-src", "Executing inline script", "Refused to execute inline script")


def test_page_asks_only_its_own_server(page: FleetPage) -> None:
    requests: list[str] = []
    page.page.on("request", lambda request: requests.append(request.url))
    page.page.keyboard.press("1")
    for dialog in (["session"], ["help"], ["places", "transport"], ["follow"]):
        page.evaluate("(names) => fleet.open(...names)", dialog)
    for tab in ("tasks", "alarms", "robots"):
        page.find(f"#tab-{tab}").dispatch_event("click")
    page.until(lambda: any("/api/series" in one for one in requests), "the numbers of the selected robot")
    assert all(one.startswith(page.url) for one in requests)
    styles = "[...document.styleSheets].map((sheet) => sheet.href)"
    assert all(one.startswith(page.url) for one in page.evaluate(styles))


@pytest.mark.parametrize(("role", "verbs"), [(Role.VIEWER, 0), (Role.OPERATOR, 8)])
def test_role_sees_only_what_it_may(open_page: OpenPage, role: Role, verbs: int) -> None:
    page = open_page(role).ready()
    page.page.keyboard.press("1")
    expect(page.find(".detail h2")).to_contain_text("Robot 1")
    expect(page.find(".detail [data-verb]")).to_have_count(verbs)
    expect(page.find(".faults")).to_have_count(0)
    expect(page.button("Transport …")).to_have_count(2 if verbs else 0)


def test_wrong_key_is_refused_with_a_sentence(open_page: OpenPage) -> None:
    page = open_page(Role.VIEWER).ready()
    page.tolerated = (REFUSED,)
    page.evaluate("fleet.open('session')")
    page.find("#key").fill("guess")
    page.button("Use this key").click()
    expect(page.find(".notice")).to_have_text(re.compile("key", re.IGNORECASE))
