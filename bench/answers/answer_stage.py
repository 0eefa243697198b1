"""The processes of one measurement (simulator, drivers, watcher, clients) and the files that they write."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from bench.answers import shims
from bench.answers.cases import Case, CaseNetwork
from bench.answers.goal_events import EventFile, EventKind, GoalEvent, first_accepted_s, idle_robots
from fleet.commands.demo.generated_fleet import write_files
from fleet.commands.processes import Processes, driver_command, simulator_command
from thymio_base.shipped_files import shipped_file

_READY_S = 60.0
_POLL_S = 0.05
_LOSS_PERCENT = 8.0
_RACE_US = 1000
_LAST = ("nice", "-n", "19")
_AUTOGROUPS = Path("/proc/sys/kernel/sched_autogroup_enabled")


class AnswerStage:
    """A fleet of simulated robots under the conditions of a case, in its own folder."""

    def __init__(self, case: Case, robots: int, folder: Path, processes: Processes) -> None:
        self._folder = folder
        self._processes = processes
        self._started = 0
        self.robots = robots
        self._config, self._world = write_files(folder, robots)
        values = yaml.safe_load(self._config.read_text(encoding="utf-8"))
        self._config.write_text(yaml.safe_dump({**values, **case.settings}), encoding="utf-8")
        self._prefix, self._losing, self._widening = self._conditions(case.network)
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._event_files: dict[str, EventFile] = {}

    def _conditions(self, network: CaseNetwork) -> tuple[list[str], Path | None, list[str]]:
        """Return the prefix of all commands, the library that drops datagrams, and the prefix for clients."""
        if network is CaseNetwork.LOSSY:
            return shims.on_udp_alone(shipped_file("fastdds_localhost.xml")), shims.build_dropping(self._folder), []
        if network is CaseNetwork.WIDENED:
            return [], None, shims.widening(shims.build_widening(self._folder), _RACE_US)
        return [], None, []

    def start_simulator(self) -> None:
        """Start the simulator, whose datagrams are never lost."""
        self._start("simulator", simulator_command(self._world))

    def start_driver(self, name: str = "driver") -> None:
        """Start a driver."""
        self._start(name, [*self._loss(), *driver_command(self._config)])

    def start_watcher(self) -> None:
        """Start the watcher."""
        self._start_program("watcher", "watcher", "--robots", str(self.robots))

    def start_client(self, name: str, *arguments: str) -> None:
        """Start a well-behaved client."""
        self._start_program(name, "client", *arguments, "--fleet", str(self.robots), prefix=self._widening)

    def start_hostile(self, name: str, *arguments: str, is_last: bool) -> None:
        """Start another module of bench.answers with its arguments; with `is_last` it has the lowest priority."""
        self._start_program(name, *arguments, prefix=_LAST if is_last else ())
        if is_last and _AUTOGROUPS.exists():  # with autogroups, nice does not count between sessions
            Path(f"/proc/{self._children[name].pid}/autogroup").write_text("19", encoding="ascii")

    def process(self, name: str) -> subprocess.Popen[bytes]:
        """Return a child process."""
        return self._children[name]

    def is_running(self, name: str) -> bool:
        """Whether a child process is running."""
        return self._children[name].poll() is None

    def events(self, name: str) -> list[GoalEvent]:
        """Return the events that a program has reported so far."""
        return self._event_files[name].update()

    def reported(self, name: str, what: EventKind) -> list[GoalEvent]:
        """Return the events of one kind that a program has reported so far."""
        return self._event_files[name].of(what)

    def accepted_after_s(self, name: str, since_s: float) -> float | None:
        """Return the delay from an instant until a client first received an acceptance, None if it received none."""
        return first_accepted_s(self.reported(name, EventKind.ACCEPTED), since_s)

    def log(self, name: str) -> str:
        """Return a program's output."""
        return self._log_path(name).read_text(encoding="utf-8", errors="replace")

    def wait_until_ready(self) -> None:
        """Wait until every robot accepts tasks.

        Raises
        ------
        RuntimeError
            Not every robot does in time.
        """
        self.wait_for(lambda: self._is_ready() or not self.is_running("driver"), _READY_S)
        if not self._is_ready():
            raise RuntimeError(f"not every robot is ready after {_READY_S:g} s\n{self.log('driver')}")

    def _is_ready(self) -> bool:
        return len(idle_robots(self.reported("watcher", EventKind.IDLE))) == self.robots

    @staticmethod
    def wait_for(condition: Callable[[], bool], timeout_s: float) -> bool:
        """Wait for a condition; return whether it holds."""
        end_s = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() >= end_s:
                return False
            time.sleep(_POLL_S)
        return True

    def _loss(self) -> list[str]:
        self._started += 1
        return [] if self._losing is None else shims.dropping(self._losing, _LOSS_PERCENT, self._started)

    def _start_program(self, name: str, module: str, *arguments: str, prefix: Sequence[str] = ()) -> None:
        loss = self._loss() if module == "client" else []
        command = [sys.executable, "-m", f"bench.answers.{module}", *arguments]
        self._start(name, [*prefix, *loss, *command])
        self._event_files[name] = EventFile(self._log_path(name))

    def _start(self, name: str, command: list[str]) -> None:
        with self._log_path(name).open("ab") as log:  # a driver that is restarted appends to its log
            self._children[name] = self._processes.start(name, [*self._prefix, *command], log)

    def _log_path(self, name: str) -> Path:
        return self._folder / f"{name}.log"
