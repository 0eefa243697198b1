"""World, firmware and network stepped together, without clocks or sockets: equal inputs give equal outputs."""

from dataclasses import replace

import numpy as np

from simulator.firmware.body import Body, Reception
from simulator.firmware.hand_touch import HandTouch
from simulator.firmware.hardware import SOUND, Hardware
from simulator.firmware.peripherals import TICK_S
from simulator.firmware.thymio import Thymio
from simulator.network.radio import Radio
from simulator.network.robot_network import RobotNetwork
from simulator.world.config import SimulatedRobotConfig, WorldConfig
from simulator.world.world import World
from thymio_base.fence import Fence

_PROXIMITY_TICKS = 10  # the firmware reads these sensors and transmits by infrared every tenth tick
_ACCELERATION_TICKS = 5  # the accelerometer reports the mean of 21 samples at 400 Hz
_PAYLOAD_MASK = 0x7FF  # 11 bits are transmitted


class Simulation:
    """All simulated robots and their Aseba network.

    Parameters
    ----------
    config : the world's configuration
    fence : notes unexpected exceptions of individual robots and hosts; None raises them
    """

    def __init__(self, config: WorldConfig, fence: Fence | None = None) -> None:
        self.config = config
        self._fence = fence
        self._build()

    def _build(self) -> None:
        config = self.config
        self.world = World(config, np.random.default_rng(config.seed))
        self._robot_configs = list(config.robots)
        self.robots = [self._robot(robot) for robot in config.robots]
        self._hardware: dict[Thymio, Hardware] = {
            robot: Hardware(entry.hardware)
            for robot, entry in zip(self.robots, config.robots, strict=True)
            if entry.hardware != SOUND
        }
        self.touches: dict[Thymio, HandTouch] = {}  # what a hand does to robots
        self.hidden: set[int] = set()  # node ids of robots that are invisible to motion capture
        self.network = RobotNetwork(self.robots, _radio(config), self._fence, config.line)
        self._tick = 0

    @property
    def node_ids(self) -> list[int]:
        """Node ids of the robots, in the order of every table."""
        return [robot.node_id for robot in self.robots]

    @property
    def uuids(self) -> list[bytes]:
        """Uuids of the robots when they were added, in the same order as `node_ids`."""
        return [robot.uuid for robot in self._robot_configs]

    @property
    def time_s(self) -> float:
        """Simulated time since the start."""
        return self._tick * TICK_S

    def step(self) -> None:
        """Advance by 10 ms: read hosts, move, sense, run scripts, send."""
        self.network.exchange()
        self._move()
        for robot in self.robots:
            robot.advance()
        self.network.exchange()
        self.network.advance(TICK_S)
        self._tick += 1

    def restart(self) -> None:
        """Start over like a restarted program: hosts are disconnected, and scripts are lost."""
        self.network.close()
        self._build()

    def reset_time(self) -> None:
        """Set simulated time to 0."""
        self._tick = 0

    def reset_state(self) -> None:
        """Return robots and objects to their start poses, and the noise to its seed; scripts keep running."""
        present = replace(self.config, robots=tuple(self._robot_configs), objects=tuple(self.world.bodies.objects))
        self.world = World(present, np.random.default_rng(self.config.seed))

    def add_robot(self, robot: SimulatedRobotConfig) -> None:
        """Add a robot after the others; its node id must be free."""
        self.world.add_robot(robot)
        self._robot_configs.append(robot)
        self.robots.append(self._robot(robot))
        if robot.hardware != SOUND:
            self._hardware[self.robots[-1]] = Hardware(robot.hardware)

    def remove_robot(self, node_id: int) -> None:
        """Remove a robot; hosts are informed."""
        index = self.node_ids.index(node_id)
        self._hardware.pop(self.robots[index], None)
        self.touches.pop(self.robots[index], None)
        self.hidden.discard(node_id)
        self.world.remove_robot(index)
        del self._robot_configs[index], self.robots[index]
        self.network.join(node_id)
        self.network.report_lost(node_id)

    def pose(self, node_id: int) -> tuple[float, float, float]:
        """Return a robot's true pose: x and y of the axle's centre [m] and heading [rad], in the map's frame.

        Raises
        ------
        ValueError
            No robot has this node id.
        """
        if node_id not in self.node_ids:
            raise ValueError(f"no robot has the node id {node_id}")
        x_m, y_m, heading_rad = self.world.poses.truth()[self.node_ids.index(node_id)].tolist()
        return x_m, y_m, heading_rad

    def _move(self) -> None:
        world = self.world
        world.wheels.set_targets([target for robot in self.robots for target in self._targets_raw(robot)])
        world.step(TICK_S)
        measured_raw = world.wheels.measured_raw()
        for index in range(len(self.robots)):
            self.robots[index].body.speeds_raw = (measured_raw[2 * index], measured_raw[2 * index + 1])
        for index in world.collisions.pop_new():
            self.robots[index].body.is_tapped = True
        if self._hardware:
            self._apply_hardware()
        if (self._tick + 1) % _ACCELERATION_TICKS == 0:
            self._read_accelerometers()
        if (self._tick + 1) % _PROXIMITY_TICKS == 0:
            self._read_slow_sensors()
            self._communicate()

    def _read_accelerometers(self) -> None:
        accelerations = self.world.sensors.acceleration_raw(_ACCELERATION_TICKS * TICK_S)
        for robot, acceleration_raw in zip(self.robots, accelerations, strict=True):
            touch, hardware = self.touches.get(robot), self._hardware.get(robot)
            if touch is not None and touch.acceleration_raw is not None:
                acceleration_raw = touch.acceleration_raw  # noqa: PLW2901  the hand has turned the robot
            robot.body.acceleration_raw = (
                acceleration_raw if hardware is None else hardware.acceleration(acceleration_raw)
            )

    def _read_slow_sensors(self) -> None:
        sensors = self.world.sensors
        self.world.discharge(_PROXIMITY_TICKS * TICK_S)
        proximity_raw, ground_raw = sensors.proximity_raw(), sensors.ground_raw()
        battery_raw = self.world.batteries.readings_raw()
        for index in range(len(self.robots)):
            body = self.robots[index].body
            body.proximity_raw = proximity_raw[index]
            body.ground_raw = ground_raw[index]
            body.battery_raw = (battery_raw[index], battery_raw[index])
            self._touch(self.robots[index])
        if sensors.is_loud:
            for robot, loudness_raw in zip(self.robots, sensors.loudness_raw().tolist(), strict=True):
                robot.body.loudness_raw = loudness_raw

    def _robot(self, robot: SimulatedRobotConfig) -> Thymio:
        body = _body(self.config)
        body.temperature_raw += round(10.0 * robot.hardware.temperature_offset_c)
        return Thymio(robot.node_id, robot.uuid, body, self._fence, robot.hardware)

    def _targets_raw(self, robot: Thymio) -> tuple[int, int]:
        hardware = self._hardware.get(robot)
        return robot.targets_raw if hardware is None else hardware.targets(robot.targets_raw)

    def _apply_hardware(self) -> None:
        """Apply the faults of robots to their speed readings, taps, outputs and buttons."""
        for robot, hardware in self._hardware.items():
            body = robot.body
            body.speeds_raw = hardware.speeds(body.speeds_raw)
            body.is_tapped = body.is_tapped or hardware.is_tapped(body.speeds_raw)
            hardware.apply_to_outputs(body)
            body.buttons = hardware.buttons(body.touched)

    def _touch(self, robot: Thymio) -> None:
        """Apply a hand, then the robot's faults, to its slow sensors."""
        body, touch, hardware = robot.body, self.touches.get(robot), self._hardware.get(robot)
        if touch is not None:
            body.proximity_raw = touch.proximity(body.proximity_raw)
            body.ground_raw = touch.ground(body.ground_raw)
        if hardware is not None:
            body.proximity_raw = hardware.proximity(body.proximity_raw)
            body.ground_raw = hardware.ground(body.ground_raw)
            half_raw = hardware.battery(body.battery_raw[0], robot.targets_raw)
            body.battery_raw = (half_raw, half_raw)

    def _communicate(self) -> None:
        """Send each payload to the robots that receive it, if communication is enabled at both."""
        communicates = [robot.body.communicates for robot in self.robots]
        if sum(communicates) < 2:
            return
        payloads = [robot.variable("prox.comm.tx")[0] & _PAYLOAD_MASK for robot in self.robots]
        for pulse in self.world.sensors.received_pulses(communicates):
            payload, intensities = payloads[pulse.sender], pulse.intensities_raw
            at_sensors = tuple(payload if intensity else 0 for intensity in intensities)
            self.robots[pulse.receiver].body.receptions.append(Reception(payload, at_sensors, intensities))


def _body(config: WorldConfig) -> Body:
    return Body(temperature_raw=round(10.0 * config.temperature_c))


def _radio(config: WorldConfig) -> Radio | None:
    """Return the radio, if enabled; it has its own noise, so that lost messages do not change how robots move."""
    return Radio(config.radio, np.random.default_rng([config.seed, 2])) if config.radio.enabled else None
