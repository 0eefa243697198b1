"""Robots on circles in pyrobosim, each with a lidar of seven rays that is read at 10 Hz, in one room.

pyrobosim moves each robot in its own thread; here one thread moves all of them, so that steps have the same length.
"""

import sys

from bench.instruments.speed import NOT_INSTALLED, STEP_S, arguments, places, print_speed, side_m

try:
    from pyrobosim.core.robot import Robot
    from pyrobosim.core.world import World
    from pyrobosim.sensors.lidar import Lidar2D
    from pyrobosim.utils.pose import Pose
except ImportError:
    sys.exit(NOT_INSTALLED)

_RADIUS_M, _RANGE_M = 0.08, 0.14
_FIRST_RAY_DEG, _LAST_RAY_DEG, _BETWEEN_DEG = -40.0, 80.0, 20.0
_SPEED_MPS, _TURN_RADPS = 0.033, 0.14
_LIDAR_STEPS = 10


class _Driven:
    """The world and its robots."""

    def __init__(self, robots: int) -> None:
        side = side_m(robots)
        self._world = World()
        self._world.add_room(name="room", footprint=[(0, 0), (side, 0), (side, side), (0, side)])
        self._robots = [self._robot(f"robot{number}", place) for number, place in enumerate(places(robots))]
        self._steps = 0

    def step(self) -> None:
        """Move every robot unless it would touch something; read the sensors when it is time."""
        for robot in self._robots:
            pose = robot.dynamics.step((_SPEED_MPS, 0.0, _TURN_RADPS), STEP_S)
            if not robot.is_in_collision(pose):
                robot.set_pose(pose)
        self._steps += 1
        if self._steps % _LIDAR_STEPS == 0:
            for robot in self._robots:
                robot.sensors["lidar"].update()

    def _robot(self, name: str, place: tuple[int, int]) -> Robot:
        lidar = Lidar2D(
            update_rate_s=_LIDAR_STEPS * STEP_S,
            angle_units="degrees",
            min_angle=_FIRST_RAY_DEG,
            max_angle=_LAST_RAY_DEG,
            angular_resolution=_BETWEEN_DEG,
            max_range_m=_RANGE_M,
        )
        x, y = place
        robot = Robot(name=name, radius=_RADIUS_M, sensors={"lidar": lidar}, start_sensor_threads=False)
        self._world.add_robot(robot, loc="room", pose=Pose(x=float(x), y=float(y)))
        return robot


def main() -> None:
    """Measure and print."""
    robots, seconds = arguments()
    print_speed(_Driven(robots).step, seconds)


if __name__ == "__main__":
    main()
