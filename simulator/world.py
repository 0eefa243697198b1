"""The world: robots as arrays that roll, touch, and see.

| array          | shape  | unit                | meaning                                           |
|----------------|--------|---------------------|---------------------------------------------------|
| `positions_m`  | (n, 2) | m                   | middle of each axle                               |
| `headings_rad` | (n,)   | rad                 | counter-clockwise from x                          |
| `wheels_mps`   | (n, 2) | m/s                 | what each motor does: left, right                 |
| `targets_raw`  | (n, 2) | motor units         | what each motor shall do                          |
| `gains`        | (n, 2) | 1                   | how far a wheel rolls for what its motor measures |
| `walls_m`      | (w, 4) | m                   | x1, y1, x2, y2; the first four are the border     |
| `lines`        | (l, 6) | m, gray 0 to 1      | x1, y1, x2, y2, width, gray; on the floor         |
"""

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio import AXLE_LENGTH_M, MAX_SPEED_RAW, SPEED_UNIT_MPS
from simulator import ground, proximity
from simulator.communication import Contact, contacts
from simulator.config import WorldConfig
from simulator.contacts import disc_centres, resolve

Array = NDArray[np.float64]

_BRAKE_S = 0.1 - 1e-6  # the firmware forces its motor controller to zero after ten periods of target 0


class World:
    """Robots, walls and time.

    Parameters
    ----------
    config : where everything is, and how the motors behave
    random : all noise comes from here
    """

    def __init__(self, config: WorldConfig, random: np.random.Generator) -> None:
        self._motors = config.motors
        self._random = random
        self._ground_random = random.spawn(1)[0]  # so that what the floor looks like does not move the robots
        self._floor_gray = config.floor_gray
        robots = config.robots
        self.positions_m: Array = np.array([[robot.x_m, robot.y_m] for robot in robots], dtype=float).reshape(-1, 2)
        self.headings_rad: Array = np.array([robot.heading_rad for robot in robots], dtype=float)
        self.wheels_mps: Array = np.zeros((len(robots), 2))
        self.targets_raw: NDArray[np.int64] = np.zeros((len(robots), 2), dtype=np.int64)
        self._resting_s: Array = np.zeros((len(robots), 2))
        self.gains: Array = np.array([[robot.left_wheel_gain, robot.right_wheel_gain] for robot in robots]).reshape(
            -1, 2
        )
        self.walls_m: Array = np.array(_border(config) + [list(wall.ends_m) for wall in config.walls], dtype=float)
        lines = [[*line.ends_m, line.width_m, line.gray] for line in config.lines]
        self.lines: Array = np.array(lines, dtype=float).reshape(-1, 6)

    def step(self, dt_s: float) -> None:
        """Let `dt_s` seconds pass: motors follow their targets, wheels roll, bodies that touch are pushed apart."""
        self._run_motors(dt_s)
        noise = self._random.normal(1.0, self._motors.speed_noise, self.wheels_mps.shape)
        self._roll(self.wheels_mps * self.gains * noise * dt_s)
        centres = disc_centres(self.positions_m, self.headings_rad)
        self.positions_m += resolve(centres, self.walls_m)

    def speeds_raw(self) -> NDArray[np.int64]:
        """Return what each motor measures; (n, 2) motor units, left and right."""
        return np.rint(self.wheels_mps / SPEED_UNIT_MPS).astype(np.int64)

    def proximity_raw(self) -> NDArray[np.int64]:
        """Return what the horizontal proximity sensors read; (n, 7) words."""
        centres = disc_centres(self.positions_m, self.headings_rad)
        return proximity.readings_raw(self.positions_m, self.headings_rad, centres, self.walls_m, self._random)

    def ground_raw(self) -> NDArray[np.int64]:
        """Return what the ground sensors read; (n, 2) words, left and right."""
        poses = self.positions_m, self.headings_rad
        return ground.readings_raw(*poses, self._floor_gray, self.lines, self._ground_random)

    def contacts(self, talks: NDArray[np.bool_]) -> list[Contact]:
        """Return which robots hear which others by infrared, of those that talk; (n,)."""
        centres = disc_centres(self.positions_m, self.headings_rad)
        return contacts(self.positions_m, self.headings_rad, centres, self.walls_m, talks)

    def _run_motors(self, dt_s: float) -> None:
        """Follow the targets with a first-order lag; motors that shall stand for 0.1 s are braked to a halt."""
        targets_mps = np.clip(self.targets_raw, -MAX_SPEED_RAW, MAX_SPEED_RAW) * SPEED_UNIT_MPS
        constant_s = self._motors.time_constant_s
        share = 1.0 - np.exp(-dt_s / constant_s) if constant_s > 0.0 else 1.0
        self.wheels_mps += share * (targets_mps - self.wheels_mps)
        self._resting_s = np.where(self.targets_raw == 0, self._resting_s + dt_s, 0.0)
        self.wheels_mps[self._resting_s >= _BRAKE_S] = 0.0

    def _roll(self, travel_m: Array) -> None:
        """Move each robot along the arc that its wheels describe: the chord's length is arc * sin(half) / half."""
        turned_rad = (travel_m[:, 1] - travel_m[:, 0]) / AXLE_LENGTH_M
        chord_m = travel_m.mean(axis=1) * np.sinc(0.5 * turned_rad / np.pi)
        direction = self.headings_rad + 0.5 * turned_rad
        self.positions_m += chord_m[:, None] * np.stack((np.cos(direction), np.sin(direction)), axis=1)
        self.headings_rad = np.remainder(self.headings_rad + turned_rad + np.pi, 2.0 * np.pi) - np.pi


def _border(config: WorldConfig) -> list[list[float]]:
    width, height = config.arena.width_m, config.arena.height_m
    return [
        [0.0, 0.0, width, 0.0],
        [width, 0.0, width, height],
        [width, height, 0.0, height],
        [0.0, height, 0.0, 0.0],
    ]
