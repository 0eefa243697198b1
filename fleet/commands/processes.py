"""Starts the simulator and the driver as child processes, and ensures that they end."""

import logging
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from thymio_base.exit_code import ExitCode
from thymio_base.logs.json_log import log_line
from thymio_base.stop_signal import say

_ENDING_S = 3.0  # the driver takes at most 2 s to end its goals
_POLL_S = 0.1
_AGAIN_S = (1.0, 2.0, 4.0)  # after its first, second and third death a program that is kept is started again
_STABLE_S = 60.0  # a program that has run for this long dies for the first time again


def simulator_command(world: Path) -> list[str]:
    """Return the command that runs the simulator with a world file."""
    return [sys.executable, "-m", "simulator", "--world", str(world)]


def driver_command(config: Path) -> list[str]:
    """Return the command that runs the driver with a configuration."""
    return [sys.executable, "-m", "fleet.ros", "--config", str(config)]


def connector_command(config: Path) -> list[str]:
    """Return the command that runs the connector to a master control."""
    return [sys.executable, "-m", "fleet.commands.main", "vda5050", "--config", str(config)]


def dashboard_command(config: Path, options: Sequence[str] = (), *, is_held: bool = False) -> list[str]:
    """Return the command that runs the dashboard of a simulated fleet, whose user may inject faults."""
    program = [sys.executable, "-m", "fleet.commands.main", "dashboard"]
    held = ["--wait-for-input"] if is_held else []
    return [*program, "--config", str(config), "--role", "teacher", *options, *held]


def discovery_server_command(address: str, port: int) -> list[str]:
    """Return the command that runs Fast DDS's discovery server, from the wheels or a ROS installation."""
    program = Path(sys.prefix) / "bin" / "fast-discovery-server"
    where = ["-i", "0", "-l", address, "-p", str(port)]
    if not program.exists():
        return ["fastdds", "discovery", *where]
    folders = [Path(sys.prefix) / "lib", *Path(sysconfig.get_path("purelib")).glob("ros_*.libs")]
    libraries = ":".join(map(str, folders))  # the program from the wheels does not find them without help
    return ["env", f"LD_LIBRARY_PATH={libraries}", str(program), *where]


class Processes:
    """Child processes that end with this context; on Linux, also if this process is killed."""

    def __init__(self) -> None:
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._kept: list[_KeptProgram] = []

    def __enter__(self) -> "Processes":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, name: str, command: list[str], output: IO[bytes] | None = None) -> subprocess.Popen[bytes]:
        """Start a child; its output goes to `output`, or to ours. Only we pass Ctrl-C on to it."""
        child = _started(command, output)
        self._children[name] = child
        return child

    def keep(
        self,
        name: str,
        command: list[str],
        output: IO[bytes] | None = None,
        *,
        is_held: bool = False,
        is_needed: bool = False,
    ) -> None:
        """Start a child that may die: it is started again, and its end affects nothing else.

        A held child loads, and starts its work at a line on its standard input: see `release`; at a second line it
        repeats its first output: see `remind`. Without a needed child there is nothing to do: `ended` reports its end,
        unless it was killed or crashed (exit code 70).
        """
        self._kept.append(_KeptProgram(name, command, output, is_held=is_held, is_needed=is_needed))

    def release(self) -> None:
        """Let held children start their work."""
        for program in self._kept:
            program.release()

    def remind(self) -> None:
        """Let children that were held print their addresses again."""
        for program in self._kept:
            program.send_line()

    def ended(self) -> dict[str, int]:
        """Return the exit codes of ended children; restart kept ones that have died."""
        for program in self._kept:
            program.look_after(time.monotonic())
        codes = {name: child.poll() for name, child in self._children.items()}
        codes |= {program.name: program.end_code for program in self._kept}
        return {name: code for name, code in codes.items() if code is not None}

    def wait(self) -> int:
        """Wait until a child ends, or for Ctrl-C; return the child's exit code, or 0."""
        try:
            while not self.ended():
                time.sleep(_POLL_S)
        except KeyboardInterrupt:
            return ExitCode.DONE
        name, code = next(iter(self.ended().items()))
        _warn(f"the {name} ended with exit code {code}")
        return code if code > 0 else ExitCode.FAILED

    def stop(self) -> None:
        """End the children, the last one first; kill those that do not end in time."""
        for child in [*reversed(self._children.values()), *(program.child for program in self._kept)]:
            if child.poll() is None:
                child.terminate()  # a Python program that still starts would answer SIGINT with a traceback
            try:
                child.wait(_ENDING_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            if child.stdin is not None:
                with suppress(BrokenPipeError):
                    child.stdin.close()


class _KeptProgram:
    """A program that is restarted when it dies, later each time, and finally given up."""

    def __init__(
        self, name: str, command: list[str], output: IO[bytes] | None, *, is_held: bool, is_needed: bool
    ) -> None:
        self.name = name
        self._is_needed = is_needed
        self._command = command
        self._output = output
        self._has_input = is_held
        self._is_released = False
        self._deaths = 0
        self._due_s: float | None = None
        self._is_given_up = False
        self._start(time.monotonic())

    @property
    def end_code(self) -> int | None:
        """Exit code of a needed program that will not be restarted; otherwise None."""
        code = self.child.poll()
        is_over = self._is_given_up or (code is not None and not _has_crashed(code))
        return code if self._is_needed and is_over else None

    def look_after(self, now_s: float) -> None:
        """Restart it when that is due; a program that ends without an error was asked to."""
        if self._is_given_up or self.child.poll() == 0 or self.end_code is not None:
            return
        if self._due_s is not None and now_s >= self._due_s:
            self._start(now_s)
        elif self._due_s is None and self.child.poll() is not None:
            self._note_death(now_s)

    def release(self) -> None:
        """Let it start its work now, and after each restart."""
        self._is_released = True
        self.send_line()

    def send_line(self) -> None:
        """Send an empty line to its standard input, if it was held."""
        if self.child.stdin is not None and not self.child.stdin.closed:
            with suppress(BrokenPipeError):  # it may have died
                self.child.stdin.write(b"\n")
                self.child.stdin.flush()

    def _note_death(self, now_s: float) -> None:
        if self.child.stdin is not None:
            with suppress(BrokenPipeError):
                self.child.stdin.close()
        self._deaths = 1 if now_s - self._started_s > _STABLE_S else self._deaths + 1
        self._is_given_up = self._deaths > len(_AGAIN_S)
        if not self._is_given_up:
            self._due_s = now_s + _AGAIN_S[self._deaths - 1]
        if self._deaths == 1 or self._is_given_up:
            given_up = "it has died too often" if self._is_needed else "the fleet continues without it"
            then = given_up if self._is_given_up else "it is started again"
            _warn(f"the {self.name} ended with exit code {self.child.returncode}; {then}")

    def _start(self, now_s: float) -> None:
        self._due_s, self._started_s = None, now_s
        self.child = _started(self._command, self._output, subprocess.PIPE if self._has_input else None)
        if self._is_released:
            self.release()


def _warn(text: str) -> None:
    say(text, sys.stderr)
    log_line(logging.WARNING, "processes", text)


def _has_crashed(code: int) -> bool:
    """Whether a program was killed or ended because of a defect; other codes are its own decision."""
    return code < 0 or code == ExitCode.CRASHED


def _started(command: list[str], output: IO[bytes] | None, source: int | None = None) -> subprocess.Popen[bytes]:
    setpriv = shutil.which("setpriv")  # it lets the kernel end a program as soon as its parent has ended
    ended_with_us = [setpriv, "--pdeathsig", "TERM", "--"] if setpriv else []
    return subprocess.Popen(
        [*ended_with_us, *command],
        stdin=source,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        start_new_session=True,
    )
