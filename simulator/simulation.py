"""World, firmware and network, stepped together; no clock, no sockets: the same inputs give the same outputs."""

import numpy as np
from numpy.typing import NDArray

from aseba_link.connection import Connection
from simulator.body import Body, Reception
from simulator.config import WorldConfig
from simulator.firmware import Thymio
from simulator.network import RobotNetwork
from simulator.peripherals import TICK_S
from simulator.world import World

_PROXIMITY_TICKS = 10  # the firmware reads the sensors, and sends by infrared, in every tenth tick
_PAYLOAD_MASK = 0x7FF  # 11 bits go through the air


class Simulation:
    """All simulated robots, and the network on which they are reached."""

    def __init__(self, config: WorldConfig) -> None:
        self.node_ids = [robot.node_id for robot in config.robots]
        self.world = World(config, np.random.default_rng(config.seed))
        self.robots = [Thymio(robot.node_id, robot.uuid, _body(config)) for robot in config.robots]
        self.network = RobotNetwork(self.robots)
        self._tick = 0

    @property
    def time_s(self) -> float:
        """Simulated time since the start."""
        return self._tick * TICK_S

    def attach(self, connection: Connection) -> None:
        """Connect a host to the robots' network."""
        self.network.attach(connection)

    def step(self) -> None:
        """Let 10 ms pass: hear hosts, move, feel, run scripts, speak."""
        self.network.exchange()
        self._move()
        for robot in self.robots:
            robot.advance()
        self.network.exchange()
        self._tick += 1

    def poses(self) -> NDArray[np.float64]:
        """Return where each robot truly is; (n, 3): x and y of the axle's middle in m, heading in rad."""
        return np.column_stack((self.world.positions_m, self.world.headings_rad))

    def pose(self, node_id: int) -> tuple[float, float, float]:
        """Return where one robot truly is: x and y of the axle's middle in m, heading in rad, in the map's frame.

        Raises
        ------
        ValueError
            No robot has this node id.
        """
        x_m, y_m, heading_rad = self.poses()[self.node_ids.index(node_id)].tolist()
        return x_m, y_m, heading_rad

    def _move(self) -> None:
        self.world.targets_raw[:] = [robot.targets_raw for robot in self.robots]
        self.world.step(TICK_S)
        for robot, (left, right) in zip(self.robots, self.world.speeds_raw().tolist(), strict=True):
            robot.body.speeds_raw = (left, right)
        if (self._tick + 1) % _PROXIMITY_TICKS == 0:
            self._see()
            self._communicate()

    def _see(self) -> None:
        readings = zip(self.robots, self.world.proximity_raw().tolist(), self.world.ground_raw().tolist(), strict=True)
        for robot, proximity_raw, (left_raw, right_raw) in readings:
            robot.body.proximity_raw = tuple(proximity_raw)
            robot.body.ground_raw = (left_raw, right_raw)

    def _communicate(self) -> None:
        """Let every robot that communicates send its payload, and the others hear it."""
        talks = np.array([robot.body.communicates for robot in self.robots])
        if talks.sum() < 2:
            return
        payloads = [robot.variable("prox.comm.tx")[0] & _PAYLOAD_MASK for robot in self.robots]
        for contact in self.world.contacts(talks):
            payload, intensities = payloads[contact.sender], contact.intensities_raw
            at_sensors = tuple(payload if intensity else 0 for intensity in intensities)
            self.robots[contact.receiver].body.receptions.append(Reception(payload, at_sensors, intensities))


def _body(config: WorldConfig) -> Body:
    return Body(temperature_raw=round(10.0 * config.temperature_c))
