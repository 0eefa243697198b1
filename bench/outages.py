"""Unplugs robots and plugs them in again beside others, in memory, in counted time: python -m bench.outages.

Prints for each kind of outage how soon all robots ran the script again, and whether the others ever fell silent.
"""

import argparse
import sys
import tempfile
import threading
import time
from collections import defaultdict
from concurrent.futures import Future
from enum import Enum
from itertools import cycle, islice
from pathlib import Path

from rich.console import Console
from rich.table import Table

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.errors import ConnectionLostError
from aseba_link.host.link_events import LinkEvent, NodeLost, UserEvent
from aseba_link.host.node import NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.connection import Connection, pipe
from aseba_link.link.target import Target, TcpTarget
from aseba_link.thymio.events import Event
from aseba_link.wire.message import encode, from_words
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

ROBOTS = 8
POLL_NS = 50_000_000
WINDOW_POLLS = 3  # odometry arrives at 20 Hz
BACK_S = 12.0  # the link dials every 5 s at least

_STEPS = 5  # of a simulation per poll
_UNPLUGGED, _STEADY = "tcp:unplugged;1", "tcp:steady;2"
_OFF_S = 2.0
_SHORT_S, _LONG_S = 1.0, 4.0  # a node is lost after 3 s of silence


class Outage(Enum):
    """Interruptions of the connection to robots; values are printed."""

    CLOSED = "connection closed"  # and opened again at once
    CUT = "cut in the middle of a message"  # likewise
    UNPLUGGED = "unplugged for 2 s"  # connections fail meanwhile; robots return without their script
    SHORT_SILENCE = "silent for 1 s"  # shorter than every time-out
    LONG_SILENCE = "silent for 4 s"  # long enough for robots to be lost
    SWITCHED_OFF = "switched off and on"  # behind a connection that stays open, so only the script is missing


class Outages:
    """A link to robots that are unplugged again and again, and to one that is not.

    `missed`: ends of windows in which the steady robot was silent; `stood`: cycles in which it did not move; `absent`:
    cycles after which the same robots were not all back in time; `back_s`: durations until they were.
    """

    def __init__(self, folder: Path) -> None:
        self.missed: list[int] = []
        self.stood: list[int] = []
        self.absent: list[int] = []
        self.back_s: dict[Outage, list[float]] = defaultdict(list)
        self.lost: dict[Outage, int] = defaultdict(int)  # number of robots that the link reported lost
        self._now_ns = 0
        self._folder = folder
        self._steady = _simulation(folder, 1)
        self._robots = _simulation(folder, ROBOTS)
        self._cable: Connection | None = None
        self._is_plugged = True
        self._is_frozen = False
        self._outage = Outage.CLOSED
        self._reported: set[NodeAddress] = set()
        self._steady_reported = False
        self._link = AsebaLink([_UNPLUGGED, _STEADY], ScriptPolicy(ScriptCompiler(shipped_script())), self)

    def dial(self, target: Target) -> Future[Connection]:
        """Act as the link's dialer."""
        attempt: Future[Connection] = Future()
        is_steady = isinstance(target, TcpTarget) and target.host == "steady"
        if not (is_steady or self._is_plugged):
            attempt.set_exception(ConnectionLostError("unplugged"))
            return attempt
        ours, theirs = pipe()
        attempt.set_result(ours)
        if is_steady:
            self._steady.network.attach(theirs)
        else:
            self._cable = theirs
            self._robots.network.attach(theirs)
        return attempt

    def run(self, cycles: int) -> None:
        """Go through all kinds of outages in turn."""
        self._run_until_back()
        robots = self._uuids()
        self.missed.clear()
        for number, outage in enumerate(islice(cycle(Outage), cycles)):
            self._outage = outage
            started_ns, pose = self._now_ns, self._steady.pose(1)
            self._break()
            if not (self._run_until_back() and self._uuids() == robots):
                self.absent.append(number)
            self.back_s[outage].append((self._now_ns - started_ns) * 1e-9)
            if self._steady.pose(1) == pose:
                self.stood.append(number)
        self._link.close()

    def _uuids(self) -> dict[NodeAddress, str]:
        return {address: node.uuid for address, node in self._link.nodes.items()}

    def _break(self) -> None:
        """Cause the outage; the connection is possible again when this returns."""
        match self._outage:
            case Outage.CLOSED:
                self._hang_up()
            case Outage.CUT:
                self._hang_up(encode(from_words(1, Event.ODOMETRY, range(5)))[:-3])
            case Outage.UNPLUGGED:
                self._is_plugged = False
                self._hang_up()
                self._run(_OFF_S)
                self._is_plugged = True
                self._robots = _simulation(self._folder, ROBOTS)
            case Outage.SHORT_SILENCE | Outage.LONG_SILENCE:
                self._is_frozen = True
                self._run(_SHORT_S if self._outage is Outage.SHORT_SILENCE else _LONG_S)
                self._is_frozen = False
            case Outage.SWITCHED_OFF:
                self._robots = _simulation(self._folder, ROBOTS)
                self._robots.network.attach(self._open_cable())

    def _hang_up(self, last_bytes: bytes = b"") -> None:
        self._open_cable().send(last_bytes)
        self._open_cable().close()

    def _open_cable(self) -> Connection:
        if self._cable is None:
            raise AssertionError("the link has not dialled")
        return self._cable

    def _run_until_back(self) -> bool:
        """Run until every robot reports from its script; return whether that happened in time."""
        self._poll()
        self._reported.clear()
        for _ in range(round(BACK_S * 1e9 / POLL_NS)):
            self._poll()
            if len(self._reported & self._link.nodes.keys()) == ROBOTS:
                return True
        return False

    def _run(self, duration_s: float) -> None:
        for _ in range(round(duration_s * 1e9 / POLL_NS)):
            self._poll()

    def _poll(self) -> None:
        self._now_ns += POLL_NS
        for _ in range(_STEPS):
            self._steady.step()
            if self._is_plugged and not self._is_frozen:
                self._robots.step()
        for event in self._link.poll(self._now_ns):
            self._process(event)
        if self._now_ns // POLL_NS % WINDOW_POLLS == 0:
            self._end_window()

    def _end_window(self) -> None:
        """Keep the steady robot turning, and record whether it has reported nothing for a window."""
        self._link.node(NodeAddress(_STEADY, 1)).emit(Event.SET_SPEED, [1, 50, -50])
        if not self._steady_reported:
            self.missed.append(self._now_ns)
        self._steady_reported = False

    def _process(self, event: LinkEvent) -> None:
        match event:
            case UserEvent(NodeAddress(target), Event.ODOMETRY) if target == _STEADY:
                self._steady_reported = True
            case UserEvent(address, Event.ODOMETRY):
                self._reported.add(address)
            case NodeLost(NodeAddress(target)) if target == _UNPLUGGED:
                self.lost[self._outage] += 1


def open_files() -> int:
    """Return how many files and sockets this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def _simulation(folder: Path, count: int) -> Simulation:
    path = folder / "world.yaml"
    robots = "".join(f"- {{node_id: {index + 1}, x_m: {index + 1}, y_m: 1}}\n" for index in range(count))
    path.write_text(f"arena: {{width_m: {count + 1}, height_m: 2}}\nrobots:\n{robots}", encoding="utf-8")
    return Simulation(load_world(path))


def main() -> int:
    """Run and print a table; return 1 if a robot did not return, the steady one fell silent, or resources leaked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cycles", type=int, default=200)
    options = parser.parse_args()
    before = threading.active_count(), open_files()
    started_s = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        outages = Outages(Path(folder))
        outages.run(options.cycles)
    leaks = threading.active_count() - before[0], open_files() - before[1]
    console = Console(highlight=False)
    console.print(_table(outages))
    console.print(
        f"{options.cycles} cycles in {time.perf_counter() - started_s:.0f} s; not all back: {len(outages.absent)}; "
        f"steady robot silent {len(outages.missed)} times, stood in {len(outages.stood)} cycles; "
        f"leaked threads {leaks[0]}, files {leaks[1]}"
    )
    return int(bool(outages.absent or outages.missed or outages.stood) or leaks != (0, 0))


def _table(outages: Outages) -> Table:
    table = Table(title=f"Outages of {ROBOTS} robots", title_justify="left", box=None)
    for heading in ("", "cycles", "robots given up", "all back after s, median", "worst"):
        table.add_column(heading, justify="right" if heading else "left")
    for outage, durations_s in outages.back_s.items():
        ordered = sorted(durations_s)
        table.add_row(
            outage.value,
            str(len(ordered)),
            str(outages.lost[outage]),
            f"{ordered[len(ordered) // 2]:.2f}",
            f"{ordered[-1]:.2f}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
