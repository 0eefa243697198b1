"""Mouse, fingers and keys on a page of the dashboard: each can do everything."""

import time
from contextlib import suppress
from typing import Protocol

import playwright.sync_api
from playwright.sync_api import Locator

from harness.dashboard.chromium import DEADLINE_S, FleetPage

Place = tuple[float, float]  # on the floor [m]


class Pointer(Protocol):
    """A mouse, or a finger."""

    def press(self, target: Locator) -> None:
        """Press a button of the page."""

    def tap(self, place: Place) -> None:
        """Press a place of the floor."""

    def drag(self, start: Place, end: Place) -> None:
        """Press a place of the floor, move on, and let go."""


class Mouse:
    """A mouse."""

    def __init__(self, page: FleetPage) -> None:
        self._page = page

    def press(self, target: Locator) -> None:
        target.click()

    def tap(self, place: Place) -> None:
        self._page.page.mouse.click(*self._page.at(*place))
        self._page.drawn()

    def drag(self, start: Place, end: Place) -> None:
        mouse = self._page.page.mouse
        mouse.move(*self._page.at(*start))
        mouse.down()
        mouse.move(*self._page.at(*end), steps=4)
        mouse.up()
        self._page.drawn()


class Finger:
    """One finger on a touch screen."""

    def __init__(self, page: FleetPage) -> None:
        self._page = page
        self._screen = page.page.context.new_cdp_session(page.page)
        page.evaluate("document.addEventListener('click', () => { window.clicks += 1; }, { capture: true })")

    def press(self, target: Locator) -> None:
        """Tap until it is a click: Chromium may take a tap just after a fast drag as its end alone."""
        self._page.evaluate("window.clicks = 0")
        deadline_s = time.monotonic() + DEADLINE_S
        while not self._is_clicked():
            assert time.monotonic() < deadline_s, f"waited in vain for a click on {target}"
            with suppress(playwright.sync_api.TimeoutError):
                target.tap(timeout=2000.0)

    def _is_clicked(self) -> bool:
        """Wait a moment for a click."""
        for _ in range(10):
            if self._page.evaluate("window.clicks"):
                return True
            self._page.page.wait_for_timeout(20)
        return False

    def tap(self, place: Place) -> None:
        self._page.page.touchscreen.tap(*self._page.at(*place))
        self._page.drawn()

    def drag(self, start: Place, end: Place) -> None:
        (left, top), (right, bottom) = self._page.at(*start), self._page.at(*end)
        self.touch("touchStart", left, top)
        for step in range(1, 5):
            self.touch("touchMove", left + 0.25 * step * (right - left), top + 0.25 * step * (bottom - top))
        self.touch("touchEnd")
        self._page.drawn()

    def touch(self, kind: str, *place: float) -> None:
        """Send one event of the touch screen: touchStart or touchMove at a place of the page, touchEnd without."""
        points = [{"x": place[0], "y": place[1]}] if place else []
        self._screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
