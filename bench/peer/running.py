"""Both simulators as programs beside this one, with all robots of the course."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.peer.course import Stand
from bench.peer.worlds import write_playground, write_world

LOCALHOST = "127.0.0.1"


@contextmanager
def running_playground(folder: Path, stands: list[Stand]) -> Iterator[list[str]]:
    """Run the Aseba playground without a screen; gives the targets of its robots, one for each."""
    ports = dict(zip((stand.node_id for stand in stands), _free_ports(len(stands)), strict=True))
    world = write_playground(folder, stands, ports)
    with _running(["asebaplayground", str(world)], folder / "playground.log", {"QT_QPA_PLATFORM": "offscreen"}):
        yield [f"tcp:host={LOCALHOST};port={port}" for port in ports.values()]


@contextmanager
def running_simulator(folder: Path, stands: list[Stand]) -> Iterator[list[str]]:
    """Run our simulator; gives its target."""
    world, (port,) = write_world(folder, stands), _free_ports(1)
    command = [sys.executable, "-m", "simulator", "--no-ros", "--world", str(world), "--port", str(port)]
    with _running(command, folder / "simulator.log"):
        yield [f"tcp:host={LOCALHOST};port={port}"]


@contextmanager
def _running(command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> Iterator[None]:
    """Run a program; what it prints goes to a file."""
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})}
        ) as process,
    ):
        try:
            yield
        except RuntimeError as error:
            if process.poll() is None:
                raise
            raise RuntimeError(f"{command[0]} has ended: {log.read_text(errors='replace')}") from error
        finally:
            process.kill()


def _free_ports(count: int) -> list[int]:
    """Return TCP ports that nobody listens on."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind((LOCALHOST, 0))
        return [int(probe.getsockname()[1]) for probe in probes]
