"""Both simulators as child processes, with all robots of the course."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.peer.course import Stand
from bench.peer.worlds import write_playground, write_world
from thymio_base.ros.private_domain import reserve_free_port

LOCALHOST = "127.0.0.1"


@contextmanager
def running_playground(folder: Path, stands: list[Stand]) -> Iterator[list[str]]:
    """Run the Aseba playground without a screen; yield the targets of its robots, one for each."""
    ports = dict(zip((stand.node_id for stand in stands), [reserve_free_port() for _ in stands], strict=True))
    world = write_playground(folder, stands, ports)
    with _running(["asebaplayground", str(world)], folder / "playground.log", {"QT_QPA_PLATFORM": "offscreen"}):
        yield [f"tcp:host={LOCALHOST};port={port}" for port in ports.values()]


@contextmanager
def running_simulator(folder: Path, stands: list[Stand]) -> Iterator[list[str]]:
    """Run our simulator; yield its target."""
    world, (port,) = write_world(folder, stands), [reserve_free_port()]
    command = [sys.executable, "-m", "simulator", "--no-ros", "--world", str(world), "--port", str(port)]
    with _running(command, folder / "simulator.log"):
        yield [f"tcp:host={LOCALHOST};port={port}"]


@contextmanager
def _running(command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> Iterator[None]:
    """Run a program; its output goes to a file."""
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
