"""Starts our programs by forks of a process that has loaded them: loading takes longer than most tests use them.

Replaces `subprocess.Popen` in this process, for commands that run our programs or those of `harness/ros`. These are
processes of their own all the same, children of this one, with their arguments, environment, folder, streams and
session. Other commands start as ever; so do all if THYMIO_FLEET_COLD_PROGRAMS is set, or if the environment changes how
Python loads.
"""

import atexit
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import left_behind
from harness.loaded_programs import LONGEST_COMMAND, is_known

ROOT = Path(__file__).parents[2]
_COLD = "THYMIO_FLEET_COLD_PROGRAMS"
_OF_LOADING = ("PYTHON", "LD_", "RMW_", "ROS_PYTHON")  # variables that count while a program is loaded
_SET_CHILD_SUBREAPER = 36  # of prctl(2)
_LARGEST_REQUEST = 1 << 20
_prctl = ctypes.CDLL(None).prctl


class _Loaded:
    """The process that has loaded our programs, which is started when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = 0
        self._variables: dict[str, str] = {}

    def can_start(self, command: Any, environment: Mapping[str, str]) -> bool:
        """Whether a command runs one of the programs as they were loaded."""
        if not isinstance(command, list | tuple) or _COLD in environment or not is_known(command):
            return False
        if sum(len(os.fsencode(part)) + 1 for part in command) >= LONGEST_COMMAND:
            return False
        with self._lock:
            self._serve()
        return _of_loading(environment) == self._variables

    def use(self, channel: socket.socket) -> None:
        """Let a process do this that is there already."""
        self._pid, self._variables, self._channel = os.getpid(), _of_loading(os.environ), channel
        self._channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LARGEST_REQUEST)

    def start(self, request: Mapping[str, Any], streams: Sequence[int]) -> int:
        """Return the process id of a program, which has become our child."""
        with self._lock:
            _prctl(_SET_CHILD_SUBREAPER, 1)
            try:
                socket.send_fds(self._channel, [json.dumps(request).encode()], streams)
                return int(self._channel.recv(64))
            finally:
                _prctl(_SET_CHILD_SUBREAPER, 0)

    def _serve(self) -> None:
        if self._pid == os.getpid():
            return
        self._pid, self._variables = os.getpid(), _of_loading(os.environ)
        self._channel, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LARGEST_REQUEST)
        program = str(Path(__file__).with_name("loaded_programs.py"))
        command = [sys.executable, program, str(end.fileno()), "x" * LONGEST_COMMAND]
        self._process = _Popen(command, pass_fds=[end.fileno()], cwd=ROOT)
        end.close()
        atexit.register(self._end)

    def _end(self) -> None:
        if self._pid == os.getpid():
            self._channel.close()
            self._process.wait()


def _of_loading(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_OF_LOADING)}


_Popen = subprocess.Popen
_loaded = _Loaded()


class WarmPopen(subprocess.Popen):  # type: ignore[type-arg]
    """A process, which is forked where that is possible."""

    def _execute_child(self, args: Any, executable: Any, preexec_fn: Any, *further: Any) -> None:
        left_behind.note_start()
        _, pass_fds, cwd, env, _, _, shell, *pipes = further
        environment = dict(os.environ if env is None else env)
        command = args[4:] if _ends_with_parent(args) else args
        if executable or preexec_fn or pass_fds or shell or not _loaded.can_start(command, environment):
            super()._execute_child(args, executable, preexec_fn, *further)  # type: ignore[misc]
            return
        p2cread, _, _, c2pwrite, _, errwrite, *_ = pipes
        streams = [own if given == -1 else given for own, given in enumerate((p2cread, c2pwrite, errwrite))]
        request = {
            "command": [str(part) for part in command], "environment": environment, "folder": str(cwd or Path.cwd()),
            "has_session": bool(pipes[-2]), "is_deaf": signal.getsignal(signal.SIGHUP) is signal.SIG_IGN,
            "ends_with": 0 if command is args else os.getpid(),
        }  # fmt: skip
        self.pid = _loaded.start(request, streams)
        self._child_created = True
        self._close_pipe_fds(*pipes[:6])  # type: ignore[attr-defined]


def _ends_with_parent(args: Any) -> bool:
    """Whether a command is run by setpriv(1), which lets it end with its parent."""
    is_list = isinstance(args, list | tuple) and len(args) > 4
    return is_list and Path(args[0]).name == "setpriv" and list(args[1:4]) == ["--pdeathsig", "TERM", "--"]


def install(channel: socket.socket | None = None) -> None:
    """Let programs that this process starts be forked, by a process that is there already or by one of its own."""
    if channel is not None:
        _loaded.use(channel)
    subprocess.Popen = WarmPopen  # type: ignore[misc]
