"""Measures the dashboard where it is hard: python -m bench.dashboard.hard_cases [--robots 8] [--json].

Pages are shown by Chromium; simulator, driver and dashboard run as a user starts them.

heal_first_s       from starting simulator and driver until a page that was open before has drawn all robots
heal_restart_s     from starting a driver again that was killed until the page has its poses
reason_..._ms      from sending a goal outside of the arena until the page shows why it is rejected
agreement_..._ms   between the instants at which two pages show the same state of a task
stop_..._ms        from pressing STOP ALL in a page that draws until its answer
stopped_...        another Chromium is suspended (SIGSTOP): frames a second that the first page is sent meanwhile, and
                   growth of the dashboard's memory
present_s          from its continuation until its page shows the present
openings_...       WebSockets that are opened and left one after the other: growth of memory, and of open files
"""

import asyncio
import os
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp
from playwright.async_api import Browser, Page, Playwright, async_playwright

from bench.dashboard.started_dashboard import announced, new_session, post, until_offered
from bench.instruments.lateness import percentile_ms
from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.process_usage import open_files, rss_mb
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.demo.generated_fleet import home_of, write_files
from fleet.commands.processes import Processes, dashboard_command, driver_command, simulator_command
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.ros.private_domain import reserve_free_port

_READY_S: Final = 120.0
_PAUSE_S: Final = 0.4  # between two presses
_LAG_S: Final = 0.3  # of the present: a frame period, and what drawing takes
_HAS_ALL: Final = """(count) => {
    const rows = [...fleet.frames.latest().rows.values()];
    return fleet.live.isConnected && rows.length === count && rows.every((row) => row.age_s < 0.5);
}"""
_REASON: Final = """(robot) => new Promise((done) => {
    fleet.notices = [];
    fleet._drawNotices();
    const began = performance.now();
    const timer = setInterval(() => {
        const texts = [...document.querySelectorAll(".notice")].map((one) => one.textContent);
        if (!texts.some((text) => text.startsWith(`robot ${robot}: go to rejected`))) return;
        clearInterval(timer);
        done(performance.now() - began);
    }, 5);
    fleet.send("go_to", { goals: [{ robot, x_m: 90, y_m: 90 }] });
})"""
_STOP: Final = """async () => {
    document.querySelector("button.stop").click();
    while (fleet.stopButton._answered_ms === null) await new Promise((done) => setTimeout(done, 2));
    return fleet.stopButton._answered_ms;
}"""
_WATCH: Final = """() => {
    window.seen = {};
    fleet.store.listen(() => {
        for (const task of fleet.store.all("tasks")) {
            window.seen[`${task.robot}/${task.id}/${task.state}`] ??= Date.now();
        }
    });
}"""
_COUNT_FRAMES: Final = """() => {
    window.taken = 0;
    const take = fleet.live.onframe;
    fleet.live.onframe = (frame) => {
        window.taken += 1;
        take(frame);
    };
}"""
_PRESENT: Final = """(lag_s) => new Promise((done) => {
    const look = () => {
        const [hello, frame] = [fleet.store.hello, fleet.frames.latest()];
        const now_s = Date.now() / 1000;
        const isPresent = fleet.live.isConnected && now_s - hello.started_unix_s - frame.time_s < lag_s;
        if (isPresent) done(now_s);
        else setTimeout(look, 5);
    };
    look();
})"""


@dataclass(slots=True)
class HardCases:
    """The results."""

    robots: int
    repeats: int
    heal_first_s: float = 0.0
    heal_restart_s: float = 0.0
    reason_p50_ms: float = 0.0
    reason_p95_ms: float = 0.0
    agreement_p50_ms: float = 0.0
    agreement_p95_ms: float = 0.0
    stop_p50_ms: float = 0.0
    stop_p95_ms: float = 0.0
    stopped_s: float = 0.0
    stopped_others_hz: float = 0.0
    stopped_growth_mb: float = 0.0
    present_s: float = 0.0
    openings: int = 0
    openings_growth_mb: float = 0.0
    openings_files_growth: int = 0


def main() -> int:
    """Measure and print."""
    parser = options_of(__doc__)
    parser.add_argument("--robots", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--stopped", type=float, default=300.0, metavar="SECONDS")
    parser.add_argument("--openings", type=int, default=10_000)
    options = parser.parse_args()
    choose_domain()
    use_shipped_profile()
    with tempfile.TemporaryDirectory() as name, Processes() as processes:
        os.environ["XDG_STATE_HOME"] = name
        result = HardCases(options.robots, options.repeats, stopped_s=options.stopped, openings=options.openings)
        asyncio.run(_Stage(processes, Path(name), result).measure())
    print_rows([result], as_json=options.json)
    return 0


class _Stage:
    """One measurement."""

    def __init__(self, processes: Processes, folder: Path, result: HardCases) -> None:
        self._processes = processes
        self._folder = folder
        self._result = result
        self._config, self._world = write_files(folder, result.robots)
        self._url = ""

    async def measure(self) -> None:
        """Fill the result."""
        own_log = self._folder / "dashboard.log"
        command = [*dashboard_command(self._config), "--port", str(reserve_free_port())]
        server = self._processes.start("dashboard", command, own_log.open("wb"))
        self._url, key = await announced(own_log, _READY_S)
        async with async_playwright() as playwright, new_session() as session:
            await post(session, self._url, "key", {"key": key})
            cookies = [{"name": one.key, "value": one.value, "url": self._url} for one in session.cookie_jar]
            browser = await _launch(playwright)
            first, second = await self._page(browser, cookies), await self._page(browser, cookies)
            await self._heal(first)
            await until_offered(session, self._url, self._result.robots, _READY_S)
            await self._answers(first)
            await self._agreement(first, second)
            await second.close()
            await self._stops(session, first)
            await self._stopped_browser(playwright, first, server.pid)
            await browser.close()
        await self._openings(server.pid)

    async def _page(self, browser: Browser, cookies: list[Any]) -> Page:
        context = await browser.new_context(bypass_csp=True)  # Playwright waits by `eval`
        await context.add_cookies(cookies)
        page = await context.new_page()
        await page.goto(self._url)
        await page.wait_for_function("window.fleet?.live.isConnected")
        return page

    async def _heal(self, page: Page) -> None:
        """Start simulator and driver beside a page that is open, and the driver again after it was killed."""
        started_s = time.monotonic()
        self._processes.start("simulator", simulator_command(self._world), (self._folder / "simulator.log").open("wb"))
        driver = self._start_driver()
        await self._has_all(page)
        self._result.heal_first_s = time.monotonic() - started_s
        driver.kill()
        await page.wait_for_function(f"!({_HAS_ALL})({self._result.robots})", polling=50)
        started_s = time.monotonic()
        self._start_driver()
        await self._has_all(page)
        self._result.heal_restart_s = time.monotonic() - started_s

    def _start_driver(self) -> Any:
        return self._processes.start("driver", driver_command(self._config), (self._folder / "log").open("ab"))

    async def _has_all(self, page: Page) -> None:
        await page.wait_for_function(_HAS_ALL, arg=self._result.robots, polling=20, timeout=1e3 * _READY_S)

    async def _answers(self, page: Page) -> None:
        """Send goals that must be rejected."""
        taken_s = []
        for number in range(self._result.repeats):
            taken_s.append(1e-3 * await page.evaluate(_REASON, number % self._result.robots + 1))
            await asyncio.sleep(_PAUSE_S)
        self._result.reason_p50_ms, self._result.reason_p95_ms = (percentile_ms(taken_s, p) for p in (50, 95))

    async def _agreement(self, *pages: Page) -> None:
        """Send robots on short ways; compare when pages show starts and ends."""
        for page in pages:
            await page.evaluate(_WATCH)
        for number in range(self._result.repeats):
            robot = number % self._result.robots
            home = home_of(robot, self._result.robots)
            goal = {"robot": robot + 1, "x_m": home.x_m + 0.05 * (1 + number % 2), "y_m": home.y_m}
            await pages[0].evaluate("(goal) => fleet.send('go_to', { goals: [goal] })", goal)
            await asyncio.sleep(_PAUSE_S)
        await pages[0].wait_for_function("!fleet.store.all('tasks').some((task) => task.ended_s === null)")
        await asyncio.sleep(1.0)
        one, other = [await page.evaluate("window.seen") for page in pages]
        apart_s = [1e-3 * abs(one[key] - other[key]) for key in one.keys() & other.keys()]
        if len(apart_s) < self._result.repeats:
            raise RuntimeError(f"two pages show {len(apart_s)} states in common")
        self._result.agreement_p50_ms, self._result.agreement_p95_ms = (percentile_ms(apart_s, p) for p in (50, 95))

    async def _stops(self, session: aiohttp.ClientSession, page: Page) -> None:
        taken_s = []
        for _ in range(self._result.repeats):
            taken_s.append(1e-3 * await page.evaluate(_STOP))
            await asyncio.sleep(_PAUSE_S)
        await post(session, self._url, "resume", {})
        self._result.stop_p50_ms, self._result.stop_p95_ms = (percentile_ms(taken_s, p) for p in (50, 95))

    async def _stopped_browser(self, playwright: Playwright, page: Page, server: int) -> None:
        """Suspend another Chromium for a while, and let it go on."""
        before = _chromium_processes()
        browser = await _launch(playwright)
        stopped = await self._page(browser, [])
        await self._has_all(stopped)
        pids = _chromium_processes() - before
        memory_mb, from_s = rss_mb(server), time.monotonic()
        await page.evaluate(_COUNT_FRAMES)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(self._result.stopped_s)
            self._result.stopped_others_hz = await page.evaluate("window.taken") / (time.monotonic() - from_s)
            self._result.stopped_growth_mb = rss_mb(server) - memory_mb
        finally:
            continued_s = time.time()
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        self._result.present_s = await stopped.evaluate(_PRESENT, _LAG_S) - continued_s
        await browser.close()

    async def _openings(self, server: int) -> None:
        """Open WebSockets and leave them, after some that fill the server's caches."""
        await self._open(self._result.openings // 10)
        memory_mb, files = rss_mb(server), open_files(server)
        await self._open(self._result.openings)
        await asyncio.sleep(1.0)
        self._result.openings_growth_mb = rss_mb(server) - memory_mb
        self._result.openings_files_growth = open_files(server) - files

    async def _open(self, count: int) -> None:
        """Open and leave; the server refuses those that come too fast, which counts as well."""
        async with aiohttp.ClientSession() as session:
            for _ in range(count):
                try:
                    async with session.ws_connect(f"{self._url}/live", headers={"Origin": self._url}) as socket:
                        await socket.receive()
                except aiohttp.WSServerHandshakeError as error:
                    if error.status != 429:
                        raise


async def _launch(playwright: Playwright) -> Browser:
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        raise SystemExit("Chromium is missing: apt-get install chromium")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium has no sandbox for root
    return await playwright.chromium.launch(executable_path=executable, args=arguments)


def _chromium_processes() -> set[int]:
    """Return the processes of Chromium that descend from this one."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text(encoding="utf-8")
        except OSError:
            continue  # it has ended
        pid = int(path.parent.name)
        names[pid] = text[text.index("(") + 1 : text.rindex(")")]
        parents[pid] = int(text.rpartition(")")[2].split()[1])
    return {pid for pid, name in names.items() if name.startswith("chrom") and _descends(pid, parents)}


def _descends(pid: int, parents: dict[int, int]) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        pid = parents.get(pid, 0)
    return False


if __name__ == "__main__":
    sys.exit(main())
