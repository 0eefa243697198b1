"""Runs the commands of pages as their reader does: in the folder of the clone, one after the other, with a fleet."""

import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType

from harness.pages import ROOT
from thymio_base.ros.private_domain import reserve_free_port

DEADLINE_S = 600.0
_PORT = "33333"  # of the shipped files, and the default of all others
_UP = "thymio-fleet up"
_SHIPPED = " --world config/world.yaml --config config/fleet.yaml"
_ALONE = ("check", "experiment", "layouts", "node-config", "--help", "--version")  # subcommands that need no fleet
_SPEED = 2.0  # of the fleet; nothing that a page says depends on it
_UNNAMED_ROBOT = re.compile(r"^  - (?:id|\{ node_id): [4568]\b.*\n(?:    .*\n)*", re.MULTILINE)  # that no page names
_READY = "Now try in another terminal"
_INTERRUPTED = (0, 130, -signal.SIGINT)


class PageSession:
    """A folder with everything that the clone has, files that pages show, and the fleet that was started last.

    The TCP port 33333 of all settings files is replaced by an unused one. The shipped fleets have half of their robots,
    and so take half of the processor time. A page that starts the fleet which the page before it has left running, with
    the same command, gets that one; it starts in about the time of ten other commands.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = str(reserve_free_port())
        self._up: subprocess.Popen[bytes] | None = None
        self._started_by = ""
        self._copy_clone()
        self._environment = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}

    def __enter__(self) -> "PageSession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_fleet()

    def open_page(self, files: dict[str, str]) -> None:
        """Write the files that a page shows."""
        for name, text in files.items():
            (self._folder / name).write_text(self._with_port(text), encoding="utf-8")

    def run(self, command: str, code: int = 0) -> None:
        """Run a command to its end; fail unless it ends with an exit code."""
        if command.startswith(_UP):
            self._start_fleet(command)
            return
        if self._up is None and needs_fleet(command):
            self._start_fleet(_UP)
        done = subprocess.run(
            _as_program(command), cwd=self._folder, env=self._environment, capture_output=True, text=True,
            timeout=DEADLINE_S, check=False,
        )  # fmt: skip
        assert done.returncode == code, (
            f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}{self._log()}"
        )

    def run_until(self, command: str, expected: str) -> None:
        """Run a command in a terminal until it has printed a text, then interrupt it; fail if it ends otherwise."""
        terminal, end = pty.openpty()
        termios.tcsetwinsize(end, (24, 80))
        process = self._started(command, end)
        os.close(end)
        try:
            shown = _read_until(terminal, expected)
            assert expected in shown, f"{command}: waited in vain for {expected!r}\n{shown}{self._log()}"
            process.send_signal(signal.SIGINT)
            assert process.wait(DEADLINE_S) in _INTERRUPTED, f"{command}: exit code {process.returncode}\n{shown}"
        finally:
            process.kill()
            process.wait()
            os.close(terminal)

    def _start_fleet(self, command: str) -> None:
        if self._up is not None and command == self._started_by:
            self.run("thymio-fleet resume")
            return
        self._end_fleet()
        self._started_by = command
        shipped = _SHIPPED if command == _UP else ""
        with (self._folder / "up.log").open("wb") as log:
            self._up = self._started(f"{command}{shipped} --speed {_SPEED}", log.fileno())
        end_s = time.monotonic() + DEADLINE_S
        while _READY not in self._log():
            assert self._up.poll() is None, f"{command} ended\n{self._log()}"
            assert time.monotonic() < end_s, f"{command}: the robots do not get ready\n{self._log()}"
            time.sleep(0.2)

    def _end_fleet(self) -> None:
        if self._up is not None:
            self._up.send_signal(signal.SIGINT)
            assert self._up.wait(DEADLINE_S) in _INTERRUPTED, self._log()
            self._up = None

    def _started(self, command: str, output: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            _as_program(command), cwd=self._folder, env=self._environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT,
        )  # fmt: skip

    def _log(self) -> str:
        log = self._folder / "up.log"
        return f"\n--- {_UP}\n{log.read_text(encoding='utf-8')}" if log.exists() else ""

    def _copy_clone(self) -> None:
        for name in ("config", "examples"):
            shutil.copytree(ROOT / name, self._folder / name)
        (self._folder / "docs").mkdir()
        for path in (*self._folder.rglob("*.yaml"), *self._folder.rglob("*.playground")):
            path.write_text(self._with_port(_UNNAMED_ROBOT.sub("", path.read_text(encoding="utf-8"))), encoding="utf-8")

    def _with_port(self, text: str) -> str:
        """Replace the port of a fleet or a world, also where it is the default."""
        if "node_id:" not in text or "\nduration_s:" in text:
            return text  # neither a fleet nor a world; an experiment opens no port
        if _PORT in text:
            return text.replace(_PORT, self._port)
        if "pose_topic:" not in text:
            return f"{text}\nnetwork: {{ port: {self._port} }}\n"
        targets = f"targets: ['tcp:host=127.0.0.1;port={self._port}']"
        if "link: { " in text:
            return text.replace("link: { ", f"link: {{ {targets}, ")
        return f"{text}\nlink: {{ {targets} }}\n"


def needs_fleet(command: str) -> bool:
    """Whether a command is one of ours that a fleet answers."""
    return command.startswith("thymio-fleet") and command.split()[1] not in _ALONE


def _as_program(command: str) -> list[str]:
    """Return the arguments of a command line, which a shell would take for the same."""
    program, *arguments = shlex.split(command)
    known = {"thymio-fleet": [sys.executable, "-m", "fleet.commands.main"], "python": [sys.executable]}
    return [*known[program], *arguments]


def _read_until(terminal: int, expected: str) -> str:
    """Return what a terminal shows, until it contains a text, its program ends, or the deadline passes."""
    shown, end_s = "", time.monotonic() + DEADLINE_S
    while expected not in shown and time.monotonic() < end_s:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            shown += os.read(terminal, 65536).decode("utf-8", "replace")
        except OSError:  # the program has ended
            break
    return shown
