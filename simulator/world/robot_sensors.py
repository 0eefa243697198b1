"""The sensors of all robots in the world; readings are lists, robot by robot."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from simulator.numbers.noise import Noise
from simulator.physics.placed_bodies import PlacedBodies
from simulator.physics.pose_table import PoseTable
from simulator.physics.robot_motion import RobotMotion
from simulator.sensors import ground, microphone, proximity
from simulator.sensors.accelerometer import Accelerometers
from simulator.sensors.communication import ReceivedPulse, received_pulses
from simulator.sensors.floor import Floor
from simulator.world.config import WorldConfig
from simulator.world.line_of_sight import LineOfSight

Array = NDArray[np.float64]


class RobotSensors:
    """The sensors of all robots.

    Parameters
    ----------
    config : the world's configuration
    bodies : bodies to detect
    poses : poses of the bodies
    motion : velocities of the robots
    random : source of reading noise; streams are spawned from it
    """

    def __init__(
        self,
        config: WorldConfig,
        bodies: PlacedBodies,
        poses: PoseTable,
        motion: RobotMotion,
        random: np.random.Generator,
    ) -> None:
        self._config = config
        self._bodies = bodies
        self._poses = poses
        self._motion = motion
        self._line_of_sight = LineOfSight(bodies, poses)
        self._proximity_noise, self._ground_noise, tilt_noise = map(Noise, random.spawn(3))
        self.accelerometers = Accelerometers(poses.robots, tilt_noise)
        self._floor = Floor(config.floor_gray, config.ground_image)
        lines = [(*line.ends_m, line.width_m, line.gray) for line in config.lines]
        self._lines: Array = np.array(lines, dtype=float).reshape(-1, 6)
        sounds = [(sound.x_m, sound.y_m, sound.loudness_raw) for sound in config.sounds]
        self._sounds: Array = np.array(sounds, dtype=float).reshape(-1, 3)
        self.is_loud: Final = bool(sounds) or config.loudness_raw > 0.0  # whether there is a sound to hear

    def proximity_raw(self) -> list[tuple[int, ...]]:
        """Return the readings of the horizontal proximity sensors: seven words for each robot."""
        robots, pairs = self._poses.robots, self._line_of_sight.pairs()
        if not pairs:
            return proximity.readings_without_hits(robots)
        hits = proximity.cast_rays(self._bodies.table.obstacles, self._poses.places(), robots, pairs)
        return proximity.readings_raw(hits, self._config.proximity, self._proximity_noise)

    def ground_raw(self) -> list[tuple[int, int]]:
        """Return the readings of each robot's ground sensors: left and right."""
        return ground.readings_raw(self._ground_gray(), self._ground_noise)

    def acceleration_raw(self, period_s: float) -> list[tuple[int, int, int]]:
        """Return each accelerometer's reading, the mean over the `period_s` since the previous reading."""
        headings_rad = self._poses.places()[2 : 3 * self._poses.robots : 3]
        return self.accelerometers.readings_raw(self._motion.velocities(), headings_rad, period_s)

    def loudness_raw(self) -> NDArray[np.int64]:
        """Return the readings of the microphones; (n,) words."""
        return microphone.readings_raw(self._poses.positions_m, self._sounds, self._config.loudness_raw)

    def received_pulses(self, communicates: list[bool]) -> list[ReceivedPulse]:
        """Return the infrared pulses that communicating robots receive from each other."""
        return received_pulses(self._bodies.table.obstacles, self._poses.places(), communicates)

    def _ground_gray(self) -> list[float]:
        """Return the gray under each ground sensor, from 0 (black) to 1 (white): left, right, left, right."""
        poses = self._poses
        if self._floor.is_plain and not len(self._lines):  # the same everywhere
            return [self._config.floor_gray] * (2 * poses.robots)
        points = ground.sensor_points(poses.positions_m, poses.headings_rad)
        gray: list[float] = ground.window_gray(points, self._floor.gray(points), self._lines).ravel().tolist()
        return gray
