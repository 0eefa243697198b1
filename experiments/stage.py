"""Simulated robots that are reached from the same thread: joined in memory, no sockets; time is counted."""

from concurrent.futures import Future

import numpy as np
from numpy.typing import NDArray

from aseba_link.connection import Connection, pipe
from aseba_link.errors import ConnectionLostError
from aseba_link.target import Target
from simulator.config import WorldConfig
from simulator.motion_capture import MotionCapture
from simulator.simulation import Simulation

STEP_NS = 10_000_000  # of the simulation
_BEGINS_NS = 1_000_000_000  # an instant like any other; 0 could be taken for "never"
_CAPTURE_SEED = 1  # of the random numbers of motion capture, beside the world's seed


class Stage:
    """A simulation with its time, its motion capture and its network, which a link dials.

    Parameters
    ----------
    world : what is simulated, with the seed of all noise
    """

    def __init__(self, world: WorldConfig) -> None:
        self.now_ns = _BEGINS_NS
        self.simulation = Simulation(world)
        self.is_reachable = True
        self._capture: MotionCapture[int] = MotionCapture(
            world.motion_capture, np.random.default_rng([world.seed, _CAPTURE_SEED])
        )

    def dial(self, target: Target) -> Future[Connection]:
        """Be the dialer of a link: connect to the simulation, whatever the target, unless it is switched off."""
        attempt: Future[Connection] = Future()
        if not self.is_reachable:
            attempt.set_exception(ConnectionLostError(f"{target} is switched off"))
            return attempt
        host, robots = pipe()
        self.simulation.attach(robots)
        attempt.set_result(host)
        return attempt

    def step(self) -> list[tuple[int, NDArray[np.float64]]]:
        """Let 10 ms pass; return what motion capture then tells: the time of each measurement, and poses (n, 3)."""
        self.now_ns += STEP_NS
        self.simulation.step()
        time_s = (self.now_ns - _BEGINS_NS) * 1e-9
        return self._capture.advance(time_s, self.now_ns, self.simulation.poses)

    def switch_off(self) -> None:
        """Cut the connection, and refuse new ones until switched on."""
        self.is_reachable = False
        self.simulation.network.close()

    def switch_on(self) -> None:
        """Take connections again."""
        self.is_reachable = True

    def restart(self) -> None:
        """Begin a new simulation: robots stand where they stood at first, without a script."""
        self.simulation.restart()
        self.switch_on()
