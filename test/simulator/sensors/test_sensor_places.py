"""Simulated sensors have Enki's positions, the driver's have those of ros-thymio (decision 34)."""

import math

import pytest

from aseba_link.thymio.sensor_events import GROUND_POSES, PROXIMITY_POSES
from simulator.sensors import ground, proximity


def test_simulated_sensors_are_within_two_millimetres_of_the_drivers() -> None:
    simulated = [*proximity.POSITIONS_M, *ground.POSITIONS_M]
    assumed = [(pose.x_m, pose.y_m) for pose in (*PROXIMITY_POSES.values(), *GROUND_POSES.values())]
    assert [math.dist(*pair) for pair in zip(simulated, assumed, strict=True)] == pytest.approx([0.0] * 9, abs=0.002)


def test_simulated_proximity_sensors_face_the_drivers_directions_within_three_degrees() -> None:
    assumed_rad = [pose.yaw_rad for pose in PROXIMITY_POSES.values()]
    assert list(proximity.ANGLES_RAD) == pytest.approx(assumed_rad, abs=math.radians(3.0))
