"""Runs a stack once, with or without busy processes as load."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from experiments.orchestrated.stack import CONDUCTOR, Stack
from thymio_base.fast_dds import use_shipped_profile

BUSY_PROCESSES: Final = 3
_ENDING_S: Final = 5.0
_LOOK_S: Final = 0.05
_LOG_LINES: Final = 5


class RunError(RuntimeError):
    """A run of a stack has failed; the message gives the program and its last output."""


def run_stack(stack: Stack, folder: Path, name: str, *, is_busy: bool) -> Path:
    """Run a stack, and return the file of its record.

    Parameters
    ----------
    stack
        programs of the stack
    folder
        folder for the record and the programs' output
    name
        name of the run, for its files
    is_busy
        whether busy processes run at the same time

    Raises
    ------
    RunError
        A program has ended before the simulator, or the simulator with an error.
    """
    if stack.orchestrator == CONDUCTOR:
        use_shipped_profile()  # for users' nodes, too: with different profiles, programs may be slow to find each other
    record = folder / f"{name}.jsonl"
    with ExitStack() as running:
        if is_busy:
            for _ in range(BUSY_PROCESSES):
                running.enter_context(_program([sys.executable, "-c", "while True: pass"], Path(os.devnull)))
        logs = {node: folder / f"{name}_{node.rpartition('/')[2]}.log" for node in stack.others}
        others = {node: running.enter_context(_program(command, logs[node])) for node, command in stack.others.items()}
        log = folder / f"{name}_simulator.log"
        simulator = running.enter_context(_program([*stack.simulator, "--record", str(record)], log))
        while simulator.poll() is None:
            for node, program in others.items():
                if program.poll() is not None:
                    raise RunError(f"{node} has ended with exit code {program.returncode}: {_last_lines(logs[node])}")
            time.sleep(_LOOK_S)
    if simulator.returncode:
        raise RunError(_last_lines(log))
    return record


@contextmanager
def _program(command: Sequence[str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    with log.open("wb") as output:
        # in its own session: on Ctrl-C, this process ends it
        program = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        yield program
    finally:
        program.send_signal(signal.SIGTERM)
        try:
            program.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()


def _last_lines(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return " | ".join(lines[-_LOG_LINES:]) or f"it printed nothing; see {log.parent}"
