"""Runs for hours with browsers that come and go: python -m bench.dashboard.dashboard_soak --hours 8 --speed 6 [--json].

Eight simulated robots are sent around in their cells by an operator who also cancels, stops and resumes, with a command
every ten seconds; six browsers show the fleet for up to two minutes each, look at the past, are hidden, or do not
answer, and leave. With --speed 6, browsers and operator do in an hour what they would do in six.

rss_filling_mb   growth of the dashboard's memory after the warm-up, until the half-hour history is full
rss_growth_mb    growth after that; in a shorter run, growth since the warm-up

Returns 1 if memory has grown by 5 MB or more, if goals are still open at the end, or if clients of actions are left on
the graph, where they would keep tasks of others alive.
"""

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp

from bench.dashboard.started_dashboard import announced, new_session, post, state, until_offered
from bench.instruments.printed_rows import options_of, print_rows
from bench.instruments.process_usage import open_files, rss_mb
from fleet.client.graph_client import GraphClient
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.demo.generated_fleet import home_of, write_files
from fleet.commands.processes import Processes, dashboard_command, driver_command, simulator_command
from fleet.dashboard.model.history import LENGTH_S
from fleet.dashboard.model.pose_frames import HEADER
from fleet.interface.names import action_name
from fleet.tasks.task_kind import TaskKind
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.ros.private_domain import reserve_free_port

_ROBOTS: Final = 8
_BROWSERS: Final = 6
_READY_S: Final = 120.0
_WARM_UP_S: Final = 60.0
_FILLING_S: Final = LENGTH_S + 60.0  # a record is dropped once it is half an hour older than a later one
_WEIGHED: Final = 30  # measurements, one a second: memory varies by half a megabyte with each command
_COMMAND_EVERY_S: Final = 10.0
_VISITS_S: Final = (6.0, 120.0)
_SETTLING_S: Final = 30.0
_LARGEST_GROWTH_MB: Final = 5.0


@dataclass(slots=True)
class SoakResult:
    """What has grown, and what was left behind."""

    hours: float
    speed: float
    visits: int = 0
    commands: int = 0
    rss_mb: float = 0.0
    rss_filling_mb: float = 0.0
    rss_growth_mb: float = 0.0
    files_growth: int = 0
    open_goals: int = 0
    action_clients: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether nothing has grown, and nothing was left."""
        return self.rss_growth_mb < _LARGEST_GROWTH_MB and self.open_goals == self.action_clients == 0


def main() -> int:
    """Run, and print what has grown."""
    parser = options_of(__doc__)
    parser.add_argument("--hours", type=float, default=1.0, help="of browsing")
    parser.add_argument("--speed", type=float, default=6.0, help="how many times as fast as people that is done")
    options = parser.parse_args()
    choose_domain()
    use_shipped_profile()
    result = _measure(options.hours, options.speed)
    print_rows([result], as_json=options.json)
    return 0 if result.is_clean else 1


def _measure(hours: float, speed: float) -> SoakResult:
    with tempfile.TemporaryDirectory() as name, Processes() as processes:
        os.environ["XDG_STATE_HOME"] = name
        folder = Path(name)
        config, world = write_files(folder, _ROBOTS)
        with (folder / "log").open("wb") as log, (folder / "dashboard.log").open("wb") as own_log:
            command = [*dashboard_command(config), "--port", str(reserve_free_port())]
            dashboard = processes.start("dashboard", command, own_log)
            processes.start("simulator", simulator_command(world), log)
            processes.start("driver", driver_command(config), log)
            result = asyncio.run(_Soak(hours, speed, dashboard.pid).run(folder / "dashboard.log"))
            result.action_clients = _action_clients()
            return result


def _action_clients() -> int:
    """Return the number of clients of robots' actions on the graph."""
    with closing(GraphClient()) as graph:
        graph.spin_until(lambda: False, 3.0)
        names = [action_name(robot_id + 1, kind) for robot_id in range(_ROBOTS) for kind in TaskKind]
        return sum(graph.node.count_clients(f"{name}/_action/send_goal") for name in names)


class _Soak:
    """One run."""

    def __init__(self, hours: float, speed: float, pid: int) -> None:
        self._pid = pid
        self._chance = random.Random(1)
        self._url = ""
        self._result = SoakResult(hours, speed)

    async def run(self, log: Path) -> SoakResult:
        """Run operator and browsers; return what has grown."""
        self._url, key = await announced(log, _READY_S)
        async with new_session() as session:
            await post(session, self._url, "key", {"key": key})
            await until_offered(session, self._url, _ROBOTS, _READY_S)
            before_mb = await self._busy(session, _WARM_UP_S)
            before_files = open_files(self._pid)
            duration_s = 3600.0 * self._result.hours / self._result.speed
            if duration_s > _FILLING_S:
                full_mb = await self._busy(session, _FILLING_S)
                self._result.rss_filling_mb, before_mb = full_mb - before_mb, full_mb
                duration_s -= _FILLING_S
            self._result.rss_mb = await self._busy(session, duration_s)
            self._result.rss_growth_mb = self._result.rss_mb - before_mb
            await self._settle(session)
            self._result.files_growth = open_files(self._pid) - before_files
        return self._result

    async def _busy(self, session: aiohttp.ClientSession, duration_s: float) -> float:
        """Simulate people at work; return the median memory of the last half minute [MB]."""
        until_s = time.monotonic() + duration_s
        memory_mb: list[float] = []
        visitors = [self._repeat(self._visit, until_s) for _ in range(_BROWSERS)]
        operator = self._repeat(lambda: self._command(session), until_s)
        await asyncio.gather(operator, self._repeat(lambda: self._weigh(memory_mb), until_s), *visitors)
        return statistics.median(memory_mb[-_WEIGHED:])

    async def _weigh(self, memory_mb: list[float]) -> None:
        memory_mb.append(rss_mb(self._pid))
        await asyncio.sleep(1.0)

    async def _repeat(self, act: Callable[[], Awaitable[None]], until_s: float) -> None:
        while time.monotonic() < until_s:
            await act()

    async def _command(self, session: aiohttp.ClientSession) -> None:
        verb = self._chance.choices(("go_to", "follow", "go_home", "cancel", "stop"), (10, 3, 3, 3, 1))[0]
        robot = self._chance.randrange(_ROBOTS)
        home = home_of(robot, _ROBOTS)
        x_m, y_m = (value + self._chance.uniform(-0.25, 0.25) for value in (home.x_m, home.y_m))
        bodies: dict[str, dict[str, Any]] = {
            "go_to": {"goals": [{"robot": robot + 1, "x_m": x_m, "y_m": y_m}]},
            "follow": {"robots": [robot + 1], "path": "circle", "size_m": 0.1, "relative_to": "pose"},
            "stop": {},
        }
        await post(session, self._url, verb, bodies.get(verb, {"robots": [robot + 1]}))
        self._result.commands += 1
        await asyncio.sleep(_COMMAND_EVERY_S / self._result.speed)
        if verb == "stop":
            await post(session, self._url, "resume", {})

    async def _visit(self) -> None:
        """Show the page for a while, as one of several kinds of users."""
        self._result.visits += 1
        answers, is_hidden = self._chance.random() < 0.8, self._chance.random() < 0.2
        leaves_s = time.monotonic() + self._chance.uniform(*_VISITS_S) / self._result.speed
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{self._url}/live", headers={"Origin": self._url}, max_msg_size=0) as socket,
        ):
            await socket.send_json({"type": "select", "robot": self._chance.randrange(_ROBOTS) + 1})
            await socket.send_json({"type": "visible", "visible": not is_hidden})
            for path in ("/", "/api/history?from_s=0&to_s=1e6&step_s=2", "/api/series?robot=1&seconds=60", "/metrics"):
                async with session.get(self._url + path) as answer:
                    await answer.read()
            while time.monotonic() < leaves_s:
                try:
                    message = await asyncio.wait_for(socket.receive(), 1.0)
                except TimeoutError:
                    continue
                if message.type is aiohttp.WSMsgType.BINARY and answers:
                    await socket.send_json({"type": "ack", "frame": HEADER.unpack_from(message.data)[3]})
                elif message.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                    return

    async def _settle(self, session: aiohttp.ClientSession) -> None:
        """Cancel all goals, wait until they have ended, and note those that have not."""
        await post(session, self._url, "cancel", {"robots": list(range(1, _ROBOTS + 1))})
        deadline_s = time.monotonic() + _SETTLING_S
        while time.monotonic() < deadline_s:
            commands = (await state(session, self._url))["commands"].values()
            self._result.open_goals = sum(command["ended_s"] is None for command in commands)
            if self._result.open_goals == 0:
                return
            await asyncio.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())
