"""Makes docs/dashboard*.png: the dashboard on a desktop and on a phone, light and dark, while the demo's robots work.

Usage: .venv/bin/python tools/dashboard_picture.py; needs Chromium, and Linux for a host of another name.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, sync_playwright

ROOT: Final = Path(__file__).parents[1]
URL: Final = re.compile(r"http://127\.0\.0\.1:\d+/\?key=[\w-]+")
DESKTOP: Final = ("dashboard", 1440, 810)
PHONE: Final = ("dashboard_phone", 390, 844)
DEADLINE_S: Final = 180.0
BROWSERS: Final = ("chromium", "chromium-headless-shell", "google-chrome")
# The page shows the host's name: in a namespace of its own the demo has one that tells nothing of who took the picture.
NAMED_HOST: Final = ("unshare", "--map-root-user", "--uts", "sh", "-c", 'hostname lab-pc && exec "$0" "$@"')
# Six robots have driven 0.4 m at least, and the selected one has a task with a plan.
AT_WORK: Final = """() => {
    const robots = fleet.store.all("robots").filter((robot) => robot.tone === "busy" && robot.progress > 0.1);
    const trails = [...fleet.view._trails.values()].filter((trail) => trail.points.length > 40);
    if (fleet.selection.first() === null && robots.length > 0) fleet.pick(robots[0].id);
    const selected = robots.find((robot) => fleet.selection.ids.has(robot.id));
    const hasPlan = selected && (fleet.store.taskOf(selected)?.plan.length ?? 0) > 1;
    return robots.length >= 6 && trails.length >= 6 && hasPlan && (fleet.series?.time_s.length ?? 0) > 8;
}"""


def main() -> int:
    """Run the demo, and take pictures of its dashboard in both themes."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_STATE_HOME": folder, "PYTHONUNBUFFERED": "1"}
        demo_command = [sys.executable, "-m", "fleet.commands.main", "demo"]
        command = [*NAMED_HOST, *demo_command, "--paths", f"{folder}/paths.svg", "--gantt", f"{folder}/gantt.svg"]
        log = Path(folder) / "demo.log"
        with log.open("wb") as output:
            demo = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            _take_all(_address(log))
        finally:
            demo.send_signal(signal.SIGINT)
            demo.wait(60.0)
    return 0


def _address(log: Path) -> str:
    deadline_s = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline_s:
        match = URL.search(log.read_text(encoding="utf-8"))
        if match:
            return match.group()
        time.sleep(0.1)
    raise SystemExit(f"the demo prints no address of a dashboard:\n{log.read_text(encoding='utf-8')}")


def _take_all(url: str) -> None:
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        raise SystemExit("Chromium is missing: apt-get install chromium")
    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium has no sandbox for root
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        take_pictures(_page_at_work(browser, url), ROOT / "docs")
        browser.close()


def take_pictures(page: Page, folder: Path) -> None:
    """Take a picture of a page at each size in each theme."""
    for name, width, height in (DESKTOP, PHONE):
        page.set_viewport_size({"width": width, "height": height})
        for theme, ending in (("light", ""), ("dark", "_dark")):
            page.evaluate("(theme) => fleet.setTheme(theme)", theme)
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            page.screenshot(path=folder / f"{name}{ending}.png")


def _page_at_work(browser: Browser, url: str) -> Page:
    _, width, height = DESKTOP
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(url)
    deadline_s = time.monotonic() + DEADLINE_S
    while not page.evaluate(AT_WORK):
        if time.monotonic() > deadline_s:
            raise SystemExit("the demo's robots never work all at once: is the machine busy?")
        page.wait_for_timeout(100)
    return page


if __name__ == "__main__":
    sys.exit(main())
