"""Measures the dashboard with robots and browsers: python -m bench.dashboard --robots 100 --browsers 5 [--json].

Simulator, driver and dashboard run as a user starts them; the robots follow circles. Each browser is a WebSocket in
another process that answers every frame. Afterwards, what only a real browser shows is measured with the page itself in
Chromium, if installed; otherwise it is null.

up_to_answer_s           from starting the dashboard, beside simulator and driver, until its page answers
up_to_first_robot_s      ... until a browser has the poses of all robots
server_cores             CPU time of the dashboard's process per second
server_rss_mb            its resident memory at the end
frame_to_client_...      from the server's stamp on a frame until a browser has it, on one machine's clock
pose_to_screen_p95_ms    from a pose's publication until the page shows it, 100 ms after it gets the frame
frames_hz                frames per second sent to the slowest browser
frame_kb, update_kb_s    size of a frame; JSON sent to each browser per second
stop_...                 from sending STOP until its answer, which names the drivers that confirmed
driver_cores             CPU time of the driver per second, with the dashboard
draw_ms_..., heap_mb     time in the page's draw function on a desktop, and its JavaScript heap
phone_draw_ms_p50        the same at a phone's size, with the processor slowed down four times by Chromium
"""

import asyncio
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import aiohttp

from bench.dashboard.many_browsers import BrowserLog, ManyBrowsers
from bench.dashboard.page_cost import page_cost
from bench.dashboard.published_poses import PoseKey, published_poses
from bench.dashboard.started_dashboard import announced, drive_circles, new_session, post, until_offered
from bench.instruments.lateness import percentile_ms
from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.process_usage import Usage, rss_mb
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.demo.generated_fleet import write_files
from fleet.commands.processes import Processes, dashboard_command, driver_command, simulator_command
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.ros.private_domain import reserve_free_port

_READY_S = 120.0
_WARM_UP_S = 15.0
_STOPS = 20
_BEHIND_S = 0.1  # delay of the page's drawing after frames: fleet/dashboard/page/core/frames.js


@dataclass(frozen=True, slots=True)
class DashboardRow:
    """The results; values that could not be measured are NaN, in JSON null."""

    robots: int
    browsers: int
    seconds: float
    up_to_answer_s: float
    up_to_first_robot_s: float
    server_cores: float
    server_rss_mb: float
    driver_cores: float
    others_cores: float
    frame_to_client_p50_ms: float
    frame_to_client_p99_ms: float
    pose_to_screen_p95_ms: float
    frames_hz: float
    frame_kb: float
    update_kb_s: float
    stop_p50_ms: float
    stop_p95_ms: float
    draw_ms_p50: float = math.nan
    draw_ms_p95: float = math.nan
    phone_draw_ms_p50: float = math.nan
    heap_mb: float = math.nan


def main() -> int:
    """Measure and print."""
    parser = options_of(__doc__)
    parser.add_argument("--robots", type=int, default=100)
    parser.add_argument("--browsers", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    choose_domain()
    use_shipped_profile()
    print_rows([measure(options.robots, options.browsers, options.seconds)], as_json=options.json)
    return 0


def measure(robots: int, browsers: int, seconds: float) -> DashboardRow:
    """Return the cost of a dashboard."""
    with tempfile.TemporaryDirectory() as name, Processes() as processes:
        os.environ["XDG_STATE_HOME"] = name
        folder = Path(name)
        config, world = write_files(folder, robots)
        with (folder / "log").open("wb") as log, (folder / "dashboard.log").open("wb") as own_log:
            started_s = time.monotonic()
            command = [*dashboard_command(config), "--port", str(reserve_free_port())]
            dashboard = processes.start("dashboard", command, own_log)
            processes.start("simulator", simulator_command(world), log)
            driver = processes.start("driver", driver_command(config), log)
            stage = _Stage(processes, folder, robots, browsers, started_s)
            return asyncio.run(stage.measure(seconds, dashboard.pid, driver.pid))


class _Stage:
    """One measurement."""

    def __init__(self, processes: Processes, folder: Path, robots: int, browsers: int, started_s: float) -> None:
        self._processes = processes
        self._log = folder / "dashboard.log"
        self._robots = robots
        self._browsers = browsers
        self._started_s = started_s

    async def measure(self, seconds: float, server_pid: int, driver_pid: int) -> DashboardRow:
        """Wait for the fleet, let it drive, and measure."""
        url, key = await announced(self._log, _READY_S)
        up_to_answer_s = time.monotonic() - self._started_s
        browsers = ManyBrowsers(url, self._browsers)
        try:
            up_to_first_robot_s = await self._first_robots(browsers)
            async with new_session() as session:
                await post(session, url, "key", {"key": key})
                await until_offered(session, url, self._robots, _READY_S)
                drive_circles(self._processes, self._robots, self._log.with_name("client.log"))
                await asyncio.sleep(_WARM_UP_S)
                await browsers.ask("clear")
                before, from_s = Usage.of((server_pid, driver_pid)), time.monotonic()
                await asyncio.sleep(seconds)
                duration_s = time.monotonic() - from_s
                (server, driver), others = Usage.of((server_pid, driver_pid)).cores_since(before, duration_s)
                logs = await browsers.ask("logs")
                with published_poses() as published:
                    await browsers.ask("clear")
                    await asyncio.sleep(seconds)
                    later_logs = await browsers.ask("logs")
                memory_mb = rss_mb(server_pid)
                page = await page_cost(url, self._robots, seconds)
                stops_s = await _stops(session, url)
        finally:
            browsers.close()
        ages_s = [age_s for log in logs for age_s in log.ages_s]
        return DashboardRow(
            robots=self._robots,
            browsers=self._browsers,
            seconds=duration_s,
            up_to_answer_s=up_to_answer_s,
            up_to_first_robot_s=up_to_first_robot_s,
            server_cores=server,
            server_rss_mb=memory_mb,
            driver_cores=driver,
            others_cores=others,
            frame_to_client_p50_ms=percentile_ms(ages_s, 50),
            frame_to_client_p99_ms=percentile_ms(ages_s, 99),
            pose_to_screen_p95_ms=percentile_ms(_delays_s(published, later_logs), 95),
            frames_hz=min(log.frames for log in logs) / duration_s,
            frame_kb=1e-3 * logs[0].frame_bytes,
            update_kb_s=1e-3 * max(log.update_bytes for log in logs) / duration_s,
            stop_p50_ms=percentile_ms(stops_s, 50),
            stop_p95_ms=percentile_ms(stops_s, 95),
            **asdict(page),
        )

    async def _first_robots(self, browsers: ManyBrowsers) -> float:
        """Wait until every browser has all robots; return that time."""
        deadline_s = time.monotonic() + _READY_S
        while time.monotonic() < deadline_s:
            logs = await browsers.ask("logs")
            if logs and all(log.robots == self._robots for log in logs):
                return time.monotonic() - self._started_s
            await asyncio.sleep(0.05)
        raise RuntimeError(f"not all robots are shown after {_READY_S:g} s")


def _delays_s(published: Mapping[PoseKey, float], logs: Iterable[BrowserLog]) -> list[float]:
    """Return the delay of each pose from publication to the screen."""
    return [
        arrived_s - published[key] + _BEHIND_S
        for log in logs
        for key, arrived_s in log.poses.items()
        if key in published
    ]


async def _stops(session: aiohttp.ClientSession, url: str) -> list[float]:
    """Press STOP several times; return how long each answer took."""
    taken_s = []
    for _ in range(_STOPS):
        from_s = time.monotonic()
        await post(session, url, "stop", {})
        taken_s.append(time.monotonic() - from_s)
        await asyncio.sleep(0.2)
    return taken_s


if __name__ == "__main__":
    sys.exit(main())
