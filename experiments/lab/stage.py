"""Simulated robots in the same thread as their link, joined in memory without sockets, in counted time."""

from concurrent.futures import Future

import numpy as np
from numpy.typing import NDArray

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import Connection, pipe
from aseba_link.link.target import Target
from simulator.simulation.simulated_capture import SimulatedCapture
from simulator.simulation.simulation import Simulation
from simulator.world.config import WorldConfig

STEP_NS = 10_000_000  # step of the simulation
_START_NS = 1_000_000_000  # an arbitrary instant; 0 could be mistaken for "never"
_CAPTURE_SEED = 1  # seeds the random numbers of motion capture, together with the world's seed


class Stage:
    """A simulation with its time, its motion capture, and a network that a link can dial.

    Parameters
    ----------
    world : the simulated world, with the seed of all noise
    """

    def __init__(self, world: WorldConfig) -> None:
        self.now_ns = _START_NS
        self.simulation = Simulation(world)
        self.is_reachable = True
        self._capture: SimulatedCapture[int] = SimulatedCapture(
            world.motion_capture, np.random.default_rng([world.seed, _CAPTURE_SEED])
        )

    def dial(self, target: Target) -> Future[Connection]:
        """Act as a link's dialer: connect any target to the simulation, unless it is switched off."""
        attempt: Future[Connection] = Future()
        if not self.is_reachable:
            attempt.set_exception(ConnectionLostError(f"{target} is switched off"))
            return attempt
        host, robots = pipe()
        self.simulation.network.attach(robots)
        attempt.set_result(host)
        return attempt

    def step(self) -> list[tuple[int, NDArray[np.float64]]]:
        """Advance by 10 ms; return the motion-capture reports: measurement times with poses of shape (n, 3)."""
        self.now_ns += STEP_NS
        self.simulation.step()
        time_s = (self.now_ns - _START_NS) * 1e-9
        return self._capture.advance(time_s, self.now_ns, self.simulation.world.poses.truth)

    def switch_off(self) -> None:
        """Cut the connection, and refuse new ones until switched on."""
        self.is_reachable = False
        self.simulation.network.close()

    def switch_on(self) -> None:
        """Accept connections again."""
        self.is_reachable = True

    def restart(self) -> None:
        """Restart the simulation: robots are at their start, without a script."""
        self.simulation.restart()
        self.switch_on()
