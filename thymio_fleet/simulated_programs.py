"""The simulator and the driver of a simulated fleet, in a separate ROS domain."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fleet.errors import NoServerError

if TYPE_CHECKING:
    from fleet.commands.processes import Processes

_MOST: Final = 100
_LOG_BYTES: Final = 2000  # of the end of a log, in the message about a program that has ended


class SimulatedPrograms:
    """Simulated robots on the factory floor, or on a larger one if there are more than eight.

    Parameters
    ----------
    count : number of robots
    speed : simulated seconds per second

    Raises
    ------
    ValueError
        There are too few or too many robots, or the speed is not positive.
    """

    def __init__(self, count: int, speed: float) -> None:
        if not 1 <= count <= _MOST:
            raise ValueError(f"simulated={count} is not from 1 to {_MOST}")
        if not speed > 0.0:
            raise ValueError(f"speed={speed:g} is not positive")
        self.robot_ids: Final = tuple(range(1, count + 1))
        self._speed: Final = speed
        self._processes: Processes | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run the programs, with this process's environment."""
        from fleet.commands.demo.demo_stage import prepare_stage  # noqa: PLC0415  reads files, in 0.2 s
        from fleet.commands.processes import Processes, driver_command, simulator_command  # noqa: PLC0415

        folder = Path(tempfile.mkdtemp(prefix="thymio-fleet-"))
        self._logs = {name: folder / f"{name}.log" for name in ("simulator", "driver")}
        stage = prepare_stage(folder, len(self.robot_ids))
        clock = ["--ros-args", "-p", "use_sim_time:=true"]
        commands = {
            "simulator": [*simulator_command(stage.world), "--speed", f"{self._speed:g}", *clock],
            "driver": [*driver_command(stage.config), *clock],
        }
        os.environ.setdefault("ROS_LOG_DIR", str(folder))
        try:
            with Processes() as self._processes:
                for name, command in commands.items():
                    with self._logs[name].open("wb") as log:
                        self._processes.start(name, command, log)
                yield
        finally:
            self._processes = None
            shutil.rmtree(folder, ignore_errors=True)

    def check(self) -> None:
        """Raise NoServerError if a program has ended; the message has the end of its log."""
        ended = {} if self._processes is None else self._processes.ended()
        for name, code in ended.items():
            end = self._logs[name].read_bytes()[-_LOG_BYTES:].decode(errors="replace").strip()
            raise NoServerError(f"the {name} of the simulated fleet ended with exit code {code}\n{end}".strip())
