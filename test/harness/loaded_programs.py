"""Loads our programs, then forks one for each request; `harness.warm_start` runs this file.

A program that starts others gets a process like this one, as it was before, which forks those.
"""

import ctypes
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROGRAMS = {  # with modules that they load later
    "aseba_link.ros": ("aseba_link.ros.asebaros",),
    "aseba_link.ros.asebaros": (),
    "body.ros.arm_program": (),
    "body.ros.rbc_program": (),
    "fleet.commands.main": (),
    "fleet.ros": ("fleet.ros.driver_node",),
    "fleet.ros.driver_node": (),
    "simulator": ("simulator.simulator_program", "simulator.ros.simulator_node"),
}
OF_COMMANDS = ("fleet.client.fleet_client", "fleet.client.fleet_stop", "fleet.client.cancellation")
OF_DASHBOARD = ("fleet.dashboard.dashboard_program", "fleet.dashboard.ros_side")
STARTED_BY = {  # by subcommand, the commands that it runs
    "up": (("fleet.ros",), ("simulator",), ("fleet.commands.main", "dashboard")),
    "repeat": (("fleet.ros",), ("simulator",), ("aseba_link.ros.asebaros",)),
}
SCRIPTS = Path(__file__).parent / "ros"  # each module there that is a program
LONGEST_COMMAND = 8192  # bytes
_loaded_scripts: set[str] = set()
_libc = ctypes.CDLL(None)
_SET_PARENT_DEATH_SIGNAL = 1  # of prctl(2)
_ARGUMENTS_START = 47  # index in /proc/PID/stat


def is_known(command: Sequence[str]) -> bool:
    """Whether a command `python -m MODULE ...` or `python FILE ...` runs one of these programs."""
    if len(command) < 2 or command[0] != sys.executable:
        return False
    return command[2] in PROGRAMS if command[1] == "-m" else Path(os.fsdecode(command[1])).parent == SCRIPTS


def load(command: list[str]) -> None:
    """Import what a command imports, unless an earlier one has imported it."""
    if command[1] == "-m":
        _load_module(*command[2:])
        for started in STARTED_BY[command[3]] if starts_programs(command) else ():
            _load_module(*started)
    elif command[1] not in _loaded_scripts:
        _loaded_scripts.add(command[1])
        runpy.run_path(command[1], run_name="loaded")
        gc.collect()
        gc.freeze()


def starts_programs(command: Sequence[str]) -> bool:
    """Whether a command runs programs, which may be these."""
    return list(command[1:3]) == ["-m", "fleet.commands.main"] and command[3:4] != [] and command[3] in STARTED_BY


def _load_module(module: str, *arguments: str) -> None:
    modules = [module, *PROGRAMS[module], *(_of_subcommand(arguments[0]) if "commands" in module and arguments else ())]
    if any(module not in sys.modules for module in modules):
        for name in modules:
            importlib.import_module(name)
        gc.collect()
        gc.freeze()


def _of_subcommand(name: str) -> tuple[str, ...]:
    commands = importlib.import_module("fleet.commands.registry").SUBCOMMANDS
    command = next((command for command in commands if command.name == name), None)
    if command is None or not command.needs_ros:
        return ()
    return (command.adder.partition(":")[0], *OF_COMMANDS, *(OF_DASHBOARD if name == "dashboard" else ()))


def serve(channel: socket.socket) -> list[str]:
    """Fork a process for each request; return, in this process, the command that it should run."""
    while True:
        text, streams, _, _ = socket.recv_fds(channel, 1 << 20, 3)
        if not text:
            os._exit(0)
        request = json.loads(text)
        load(request["command"])
        reader, writer = os.pipe()
        with warnings.catch_warnings(action="ignore"):  # of threads that libraries start, which programs do not need
            between = os.fork()
        if between == 0:
            between = os.getpid()
            if os.fork() == 0:
                break
            os._exit(0)  # our parent, which has asked for orphans, becomes the parent of the program
        os.waitpid(between, 0)
        for number in (*streams, writer):
            os.close(number)
        channel.send(os.read(reader, 64))
        os.close(reader)
    channel.close()
    os.close(reader)
    if starts_programs(request["command"]):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.fork() == 0:
            for number in (*streams, writer, ours.detach()):
                os.close(number)
            os.setsid()  # signals for the program and its terminal are not for this process
            return serve(theirs)
        theirs.close()
        command = _become(request, streams)
        warm_start.install(ours)
    else:
        command = _become(request, streams)
    if request["ends_with"]:
        _end_with(request["ends_with"], between)
    os.write(writer, str(os.getpid()).encode())
    os.close(writer)
    return command


def _become(request: dict[str, Any], streams: list[int]) -> list[str]:
    """Take over arguments, environment, folder and streams of a command; return it."""
    if request["has_session"]:
        os.setsid()
    for own, given in enumerate(streams):
        os.dup2(given, own)
        os.close(given)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    command: list[str] = request["command"]
    is_module = command[1] == "-m"
    sys.path[0] = request["folder"] if is_module else str(SCRIPTS)
    sys.orig_argv[:] = command
    sys.argv[1:] = command[3 if is_module else 2 :]
    _show(command)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_IGN if request["is_deaf"] else signal.SIG_DFL)  # as nohup lets programs be
    # Libraries would end threads of theirs at last, which this fork does not have. It ends after Python's own end.
    _libc.on_exit(ctypes.cast(_libc._exit, ctypes.c_void_p), None)
    return command


def _end_with(parent: int, between: int) -> None:
    """Get SIGTERM when the parent ends, which follows the process that was between it and this one."""
    while os.getppid() == between:
        os.sched_yield()
    _libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)


def _show(command: list[str]) -> None:
    """Let the system show the command instead of ours."""
    numbers = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    start, end = map(int, numbers[_ARGUMENTS_START - 2 :][:2])
    text = b"".join(os.fsencode(part) + b"\0" for part in command)
    ctypes.memset(start, 0, end - start)
    ctypes.memmove(start, text, min(len(text), end - start))


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])
    from harness import warm_start

    sys.path[0] = str(Path.cwd())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends it with the tests
    _, program, *rest = serve(socket.socket(fileno=int(sys.argv[1])))
    if program == "-m":
        del sys.modules[rest[0]]  # it runs as `__main__`
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(program, run_name="__main__")
