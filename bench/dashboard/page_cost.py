"""Measures the cost of the dashboard's page for a browser, in Chromium."""

import math
import os
import shutil
import statistics
from dataclasses import dataclass
from typing import Any, Final

_CHROMIUM: Final = "chromium"
_SLOWER: Final = 4.0  # factor by which phones are slower than this machine
_DESKTOP: Final = {"viewport": {"width": 1280, "height": 800}}
_PHONE: Final = {"viewport": {"width": 412, "height": 860}, "device_scale_factor": 2.0, "is_mobile": True}
_PICTURES: Final = "fleet.view.pictures_ms"
_PATIENCE_MS: Final = 60_000.0


@dataclass(frozen=True, slots=True)
class PageCost:
    """Time in the draw function, and JavaScript heap after garbage collection; NaN without a browser."""

    draw_ms_p50: float = math.nan
    draw_ms_p95: float = math.nan
    phone_draw_ms_p50: float = math.nan
    heap_mb: float = math.nan


async def page_cost(url: str, robots: int, seconds: float) -> PageCost:
    """Show the page on a desktop and on a phone for a while each; return the cost of drawing."""
    executable = shutil.which(_CHROMIUM)
    if executable is None:
        return PageCost()
    from playwright.async_api import async_playwright  # noqa: PLC0415 (only developers have it)

    async with async_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = await playwright.chromium.launch(executable_path=executable, args=arguments)
        desktop_ms, heap_mb = await _shown(browser, _DESKTOP, url, robots, seconds)
        phone_ms, _ = await _shown(browser, _PHONE, url, robots, seconds, slower=_SLOWER)
        await browser.close()
    return PageCost(
        draw_ms_p50=statistics.median(desktop_ms),
        draw_ms_p95=statistics.quantiles(desktop_ms, n=20)[-1],
        phone_draw_ms_p50=statistics.median(phone_ms),
        heap_mb=heap_mb,
    )


async def _shown(
    browser: Any, options: dict[str, Any], url: str, robots: int, seconds: float, *, slower: float = 1.0
) -> tuple[list[float], float]:
    """Return the drawing times [ms], and the heap [MB]."""
    page = await browser.new_page(**options, bypass_csp=True)  # Playwright waits by `eval`
    await page.goto(url)
    await page.wait_for_function(f"window.fleet?.view.shown().rows.size === {robots}", timeout=_PATIENCE_MS)
    session = await page.context.new_cdp_session(page)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    await page.evaluate(f"void ({_PICTURES}.length = 0)")
    await page.wait_for_timeout(1000.0 * seconds)
    pictures_ms: list[float] = await page.evaluate(_PICTURES)
    await session.send("HeapProfiler.collectGarbage")
    heap_bytes = (await session.send("Runtime.getHeapUsage"))["usedSize"]
    await page.close()
    return pictures_ms, 1e-6 * heap_bytes
