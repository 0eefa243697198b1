"""Steps a simulation when the orchestrator permits it, and exchanges the robots' Aseba bytes as messages."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from std_msgs.msg import UInt8MultiArray

from aseba_link.link.message_dialer import MessagePipe
from simulator.conductor.provided_topics import TO_HOST
from simulator.errors import ConductorError
from simulator.firmware.peripherals import TICK_S
from simulator.ros.orchestrated.data_host import DataHost
from simulator.ros.pose_topics import PoseTopics
from simulator.simulation.simulation import Simulation
from thymio_base.ros.stamps import time_to_ros

_TICK_NS: Final = round(TICK_S * 1e9)


class Provider:
    """The data provider of a stack.

    Parameters
    simulation : simulation of the robots
    host : the orchestrator
    pipe : connection to the driver; the caller feeds it with the driver's bytes
    period_ns : time between permissions; a multiple of the simulation's step
    period_ns : from one permission to the next; a whole number of the simulation's steps

    Raises
    ------
    ConductorError
        The period does not fit the simulation.
    """

    def __init__(self, simulation: Simulation, host: DataHost, pipe: MessagePipe, period_ns: int) -> None:
        if period_ns % _TICK_NS or not period_ns:
            raise ConductorError(
                f"the stack's timers need steps of {period_ns} ns, and the simulation steps by {_TICK_NS} ns: "
                "choose periods that are multiples of this step"
            )
        self._simulation: Final = simulation
        self._host: Final = host
        self._steps: Final = period_ns // _TICK_NS
        self._pipe: Final = pipe
        simulation.network.attach(pipe.connection, "the orchestrated driver")
        random = np.random.default_rng([simulation.config.seed, 1])
        self._poses: Final = PoseTopics(simulation, _Topics(host), simulation.config.motion_capture, random)

    @property
    def now_ns(self) -> int:
        """Simulated time since the start."""
        return round(self._simulation.time_s * 1e9)

    def advance(self) -> None:
        """Advance by a period once the simulation's state no longer depends on other nodes.

        Raises
        ------
        ConductorError
            A node breaks the rules or does not answer.
        """
        self._host.wait_for_state()
        for _ in range(self._steps):
            self._simulation.step()
            self._poses.publish(time_to_ros(self.now_ns))
        data = self._pipe.take()
        if data:
            self._host.publish(TO_HOST, UInt8MultiArray, UInt8MultiArray(data=data))
        self._host.set_time(self.now_ns)


class _Topics:
    """Stands in for a node: makes publishers whose messages go through the orchestrator."""

    def __init__(self, host: DataHost) -> None:
        self._host = host

    def create_publisher(self, message_type: Any, topic: str, _: Any) -> "_Topic":
        return _Topic(partial(self._host.publish, topic, message_type))

    def destroy_publisher(self, _: "_Topic") -> None:
        """Do nothing: the topic holds no resources."""


class _Topic:
    """A topic of the data provider."""

    def __init__(self, publish: Callable[[Any], None]) -> None:
        self.publish = publish
