"""Echoes of a robot's proximity sensors, as places in the fleet's frame."""

import math
from collections.abc import Sequence
from typing import Final

from aseba_link.thymio.sensor_events import PROXIMITY_POSES
from fleet.floor.obstacles import Segment
from fleet.geometry import Pose2D

_NEAREST_M: Final = 0.02  # sensors cannot distinguish shorter distances
_SENSORS: Final = [Pose2D(sensor.x_m, sensor.y_m, sensor.yaw_rad) for sensor in PROXIMITY_POSES.values()]


class Echo:
    """Something that one sensor detects.

    Parameters
    ----------
    sensor : the sensor's pose; it faces along its heading
    range_m : the distance to the detected object

    Attributes
    ----------
    place : where the detected object is
    """

    def __init__(self, sensor: Pose2D, range_m: float) -> None:
        self.place: Final = sensor.along_arc(range_m, 0.0)
        self._sensor: Final = sensor
        self._range_m: Final = range_m

    def sight(self, beyond_m: float) -> Segment:
        """Return the line of sight, extended by `beyond_m`."""
        end = self._sensor.along_arc(self._range_m + beyond_m, 0.0)
        return Segment(self._sensor.x_m, self._sensor.y_m, end.x_m, end.y_m)


def echoes_at(robot: Pose2D, ranges_m: Sequence[float]) -> list[Echo]:
    """Return the echoes of a robot.

    Parameters
    ----------
    robot
        its pose
    ranges_m
        ranges of its seven sensors, in the order of the proximity event; infinite where nothing is detected, and -inf
        where an object is too near to be measured
    """
    return [
        Echo(robot.compose(sensor), max(range_m, _NEAREST_M))
        for sensor, range_m in zip(_SENSORS, ranges_m, strict=True)
        if range_m < math.inf
    ]
