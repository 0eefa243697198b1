"""Echoes: where proximity sensors detect something."""

import math

import pytest

from fleet.geometry import Pose2D
from fleet.traffic.echo import echoes_at

NOTHING = [math.inf] * 7


def test_sensors_that_detect_nothing_give_no_echo() -> None:
    assert echoes_at(Pose2D(1.0, 2.0, 0.3), NOTHING) == []


def test_front_sensor_looks_ahead_from_the_nose() -> None:
    (echo,) = echoes_at(Pose2D(1.0, 2.0, 0.5 * math.pi), [*NOTHING[:2], 0.1, *NOTHING[3:]])
    assert (echo.place.x_m, echo.place.y_m) == pytest.approx((1.0, 2.18))


def test_rear_sensors_look_behind() -> None:
    left, right = echoes_at(Pose2D(0.0, 0.0, 0.0), [*NOTHING[:5], 0.1, 0.05])
    assert (left.place.x_m, left.place.y_m) == pytest.approx((-0.13, 0.0305))
    assert (right.place.x_m, right.place.y_m) == pytest.approx((-0.08, -0.0305))


def test_objects_nearer_than_the_range_are_at_the_sensor() -> None:
    (echo,) = echoes_at(Pose2D(0.0, 0.0, 0.0), [*NOTHING[:2], -math.inf, *NOTHING[3:]])
    assert echo.place.x_m == pytest.approx(0.10)


def test_line_of_sight_goes_on_behind_the_echo() -> None:
    (echo,) = echoes_at(Pose2D(0.0, 0.0, 0.0), [*NOTHING[:2], 0.1, *NOTHING[3:]])
    sight = echo.sight(0.15)
    assert (sight.x1_m, sight.x2_m) == pytest.approx((0.08, 0.33))
