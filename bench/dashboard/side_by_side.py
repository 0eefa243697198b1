"""Compares dashboards of checkouts on one fleet: python -m bench.dashboard.side_by_side DIR... [--robots 100] [--json].

The dashboards of this checkout and of each folder (prepared with `make setup`) read the same fleet at the same
time, with equal numbers of browsers; the robots follow circles. So a machine that slows down changes no ratio. Each
window of measurement starts with a random pause of each dashboard: a dashboard that wakes up right after another finds
its code in the caches, and takes a tenth less time. Dashboards that follow the driver's ticks wake up together all the
same: identical code gave a ratio of 1.03 with 100 robots, and 1.16 with 8. Smaller differences mean nothing.

cores      CPU time of a dashboard per second
ratio      cores of a folder's dashboard over this checkout's: median, least and greatest of all windows
frames_hz  frames per second sent to the slowest browser, pauses included
rss_mb     resident memory at the end
"""

import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.dashboard.many_browsers import ManyBrowsers
from bench.dashboard.started_dashboard import announced, drive_circles, new_session, post, until_offered
from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.process_usage import cpu_s, rss_mb
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.demo.generated_fleet import write_files
from fleet.commands.processes import Processes, driver_command, simulator_command
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.ros.private_domain import reserve_free_port

_READY_S = 120.0
_WARM_UP_S = 15.0
_PAUSE_S = (0.05, 0.15)  # longer than a step of the dashboard's loop
_SETTLED_S = 0.5  # after a pause
_OF_THIS_CHECKOUT = ("LD_LIBRARY_PATH", "PYTHONPATH", "_ROS_WHEELS_BOOTSTRAP_COMPLETE")  # each Python has its own


@dataclass(slots=True)
class _Dashboard:
    """The dashboard of one checkout, and its use of cores in each window."""

    folder: str
    pid: int
    log: Path
    cores: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """The result of one checkout."""

    folder: str
    cores: float
    ratio: float
    least_ratio: float
    greatest_ratio: float
    frames_hz: float
    rss_mb: float


def main() -> int:
    """Measure and print."""
    parser = options_of(__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="other checkouts, which were set up")
    parser.add_argument("--robots", type=int, default=100)
    parser.add_argument("--browsers", type=int, default=5)
    parser.add_argument("--windows", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=8.0, help="length of a window")
    options = parser.parse_args()
    choose_domain()
    use_shipped_profile()
    pythons = {".": Path(sys.executable)} | {str(one): one.absolute() / ".venv/bin/python" for one in options.folders}
    for python in pythons.values():
        if not python.exists():
            parser.error(f"{python} does not exist: run `make setup` in that checkout")
    rows = asyncio.run(_compare(pythons, options.robots, options.browsers, options.windows, options.seconds))
    print_rows(rows, as_json=options.json)
    return 0


async def _compare(
    pythons: dict[str, Path], robots: int, browsers: int, windows: int, seconds: float
) -> list[ComparedRow]:
    """Start everything, measure in windows, and return a row for each checkout, ours first."""
    with tempfile.TemporaryDirectory() as name, Processes() as processes:
        folder = Path(name)
        config, world = write_files(folder, robots)
        dashboards = [_started(processes, config, one, python) for one, python in pythons.items()]
        with (folder / "log").open("wb") as log:
            processes.start("simulator", simulator_command(world), log)
            processes.start("driver", driver_command(config), log)
        places = [await announced(one.log, _READY_S) for one in dashboards]
        pages = [ManyBrowsers(url, browsers) for url, _ in places]
        url, key = places[0]
        async with new_session() as session:
            await post(session, url, "key", {"key": key})
            await until_offered(session, url, robots, _READY_S)
        drive_circles(processes, robots, folder / "client.log")
        await asyncio.sleep(_WARM_UP_S)
        await asyncio.gather(*(page.ask("clear") for page in pages))
        from_s = time.monotonic()
        for _ in range(windows):
            await _measure(dashboards, seconds)
        duration_s = time.monotonic() - from_s
        logs = await asyncio.gather(*(page.ask("logs") for page in pages))
        for page in pages:
            page.close()
        frames = [min(log.frames for log in of_one) for of_one in logs]
        return [_row(one, dashboards[0], count / duration_s) for one, count in zip(dashboards, frames, strict=True)]


def _started(processes: Processes, config: Path, folder: str, python: Path) -> _Dashboard:
    """Start the dashboard of a checkout; `-P` keeps its Python from importing our modules, and it loads its own ROS."""
    port = reserve_free_port()
    log = config.with_name(f"dashboard_{port}.log")
    os.environ["XDG_STATE_HOME"] = str(config.with_name(f"state_{port}"))
    alone = ["env", *(f"--unset={name}" for name in _OF_THIS_CHECKOUT)]
    program = [*alone, str(python), "-P", "-m", "fleet.commands.main", "dashboard"]
    command = [*program, "--config", str(config), "--port", str(port)]
    return _Dashboard(folder, processes.start(log.name, command, log.open("wb")).pid, log)


async def _measure(dashboards: Sequence[_Dashboard], seconds: float) -> None:
    """Measure all dashboards in one window."""
    for one in dashboards:
        os.kill(one.pid, signal.SIGSTOP)
        await asyncio.sleep(random.uniform(*_PAUSE_S))
        os.kill(one.pid, signal.SIGCONT)
    await asyncio.sleep(_SETTLED_S)
    before, from_s = [cpu_s(one.pid) for one in dashboards], time.monotonic()
    await asyncio.sleep(seconds)
    after, duration_s = [cpu_s(one.pid) for one in dashboards], time.monotonic() - from_s
    for one, earlier_s, later_s in zip(dashboards, before, after, strict=True):
        one.cores.append((later_s - earlier_s) / duration_s)


def _row(one: _Dashboard, ours: _Dashboard, frames_hz: float) -> ComparedRow:
    ratios = [theirs / own for theirs, own in zip(one.cores, ours.cores, strict=True)]
    spread = min(ratios), max(ratios)
    return ComparedRow(one.folder, median(one.cores), median(ratios), *spread, frames_hz, rss_mb(one.pid))


if __name__ == "__main__":
    sys.exit(main())
