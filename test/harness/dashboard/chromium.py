"""Chromium of the machine, driven by Playwright, with pages of the dashboard."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect, sync_playwright

from harness.left_behind import VARIABLE

CHROMIUM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
DEADLINE_S = 60.0
EVIL = "evil.example"  # a foreign host, which is this machine, too
REFUSED = "Failed to load resource"  # what the console says of requests that are refused or cut
expect.set_options(timeout=1000.0 * DEADLINE_S)
_SANDBOX = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium has no sandbox for root
_spare: dict[tuple[Browser, str], list[BrowserContext]] = {}  # by options, for the next page: a process starts for each
_VIOLATIONS = """
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => {
      violations.push(`${event.violatedDirective}: ${event.blockedURI}`);
    });
"""


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """Run Chromium; close it before other tests, as its driver occupies the thread's event loop.

    It carries no mark of programs of a file, since several files share it; it ends with this process in any case.
    """
    with _unmarked():
        playwright = sync_playwright().start()
    try:
        options = [*_SANDBOX, f"--host-resolver-rules=MAP {EVIL} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        _spare.clear()
        browser.close()
    finally:
        playwright.stop()


@contextmanager
def _unmarked() -> Iterator[None]:
    """Give programs that are started meanwhile no mark."""
    mark = os.environ.pop(VARIABLE)
    try:
        yield
    finally:
        os.environ[VARIABLE] = mark


def _new_context(browser: Browser, options: dict[str, Any]) -> BrowserContext:
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
    context.set_default_timeout(1000.0 * DEADLINE_S)
    context.add_init_script(_VIOLATIONS)
    return context


class FleetPage:
    """The dashboard in a browser without cookies, with a record of what no page must do.

    Parameters
    ----------
    browser : where it is opened
    url : of the dashboard, with a key; its port is that of no other test
    cuts : called with the context before the page is opened, to cut its connections
    options : of the context: viewport, has_touch, color_scheme

    Attributes
    ----------
    complaints : errors of the console and of scripts, and requests that left the dashboard
    tolerated : beginnings of complaints that a test expects
    """

    def __init__(self, browser: Browser, url: str, cuts: Callable[[Any], None] | None = None, **options: Any) -> None:
        self.complaints: list[str] = []
        self.tolerated: tuple[str, ...] = ()
        self.url = url.partition("?")[0]
        self._spare = [] if cuts else _spare.setdefault((browser, repr(options)), [])
        self._is_altered = bool(cuts)
        self._context = self._spare.pop() if self._spare else _new_context(browser, options)
        if cuts:
            cuts(self._context)
        self.page: Page = self._context.pages[0] if self._context.pages else self._context.new_page()
        self._ears: dict[Any, Callable[[Any], None]] = {
            "console": self._on_console,
            "pageerror": lambda error: self.complaints.append(f"error: {error}"),
            "websocket": lambda socket: self._check(socket.url),
            "request": lambda request: self._check(request.url),
        }
        for event, ear in self._ears.items():
            self.page.on(event, ear)
        self.page.goto(url)

    @property
    def context(self) -> BrowserContext:
        """The context, which the test may change; no other page gets it."""
        self._is_altered = True
        return self._context

    def find(self, selector: str, **options: Any) -> Locator:
        return self.page.locator(selector, **options)

    def button(self, name: str) -> Locator:
        """Return the button of exactly that name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def evaluate(self, expression: str, argument: Any = None) -> Any:
        return self.page.evaluate(expression, argument)

    def drawn(self) -> None:
        """Wait until the page shows what it was told: a selection may move the floor under the next press."""
        self.evaluate("() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => go(0))))")

    def until(self, condition: Callable[[], Any], what: str) -> None:
        """Wait until a condition holds, while the browser goes on."""
        deadline_s = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline_s, f"waited in vain for {what}; complaints: {self.complaints}"
            self.page.wait_for_timeout(20)

    def until_true(self, expression: str, argument: Any = None) -> None:
        """Wait until an expression holds in the page."""
        self.until(lambda: self.evaluate(expression, argument), expression)

    def ready(self, robots: int = 8) -> "FleetPage":
        """Wait until that many robots are listed, offered and drawn on a floor that fills the map and is free."""
        self.until_true(
            "(count) => fleet.isReachable && fleet.store.hello && fleet.store.words.shapes.length > 0"
            " && fleet.store.all('robots').filter((one) => one.can.includes('go_to')).length === count"
            " && fleet.view.shown().rows.size === count && fleet.view.camera.width > 1"
            " && fleet.store.get('map', 'arena') !== null && fleet.store.all('stations').length > 0"
            " && fleet.store.get('fleet', 'empty') === null && document.getElementById('empty').hidden",
            robots,
        )
        return self

    def at(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Return where a place of the floor is on the page, in CSS pixels."""
        place = """([x, y]) => {
            const box = fleet.view.box();
            const [px, py] = fleet.view.camera.toScreen(x, y);
            return [box.left + px, box.top + py];
        }"""
        left, top = self.evaluate(place, [x_m, y_m])
        return left, top

    def complained(self) -> list[str]:
        """Return the complaints that no test expects, with violations of the page's own security policy."""
        violations = self.evaluate("window.violations ?? []")
        found = [*self.complaints, *(f"policy: {one}" for one in violations)]
        return [one for one in found if not one.startswith(self.tolerated or ("\0",))]

    def close(self) -> None:
        if self._is_altered:
            self._context.close()
            return
        first, *others = self._context.pages
        for page in others:
            page.close()
        for event, ear in self._ears.items():
            first.remove_listener(event, ear)
        first.goto("about:blank")  # in the same process, which takes half as long to load the next page
        self._context.clear_cookies()
        self._spare.append(self._context)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _check(self, address: str) -> None:
        if not self._is_ours(address):
            self.complaints.append(f"foreign request: {address}")

    def _is_ours(self, address: str) -> bool:
        return urlsplit(address).netloc == urlsplit(self.url).netloc
