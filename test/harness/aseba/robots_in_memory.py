"""Simulated robots at targets in memory, for a link that is polled every 50 ms of counted time."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from aseba_link.link.connection import Connection, pipe
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

POLL_NS = 50_000_000
_STEPS = 5  # of a simulation per poll


class RobotsInMemory:
    """Robots 1, 2 and so on, in a row a metre apart.

    Attributes
    ----------
    is_running : whether they act in each step
    """

    def __init__(self, folder: Path, count: int) -> None:
        path = folder / "world.yaml"
        robots = "".join(f"- {{node_id: {index + 1}, x_m: {index + 1}, y_m: 1}}\n" for index in range(count))
        path.write_text(f"arena: {{width_m: {count + 1}, height_m: 30}}\nrobots:\n{robots}", encoding="utf-8")
        self.simulation = Simulation(load_world(path))
        self.is_running = True

    def step(self) -> None:
        """Act for the time between two polls."""
        for _ in range(_STEPS if self.is_running else 0):
            self.simulation.step()


def dialled(accept: Callable[[Connection], object]) -> Future[Connection]:
    """Return a link's end of a new connection, whose other end a target accepts."""
    ours, theirs = pipe()
    accept(theirs)
    attempt: Future[Connection] = Future()
    attempt.set_result(ours)
    return attempt
