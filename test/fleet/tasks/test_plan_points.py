import math
from typing import Any

import pytest

from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.pieces import Arc, Line, Turn
from fleet.tasks.legs import DriveLeg, DwellLeg
from fleet.tasks.plan_points import PlanPoints, leg_report, places_on, plan_points
from fleet.tasks.task_report import PLAN_POINTS, LegKind, LegReport

START = Pose2D(0.0, 0.0, 0.0)
CORNER = Path([Line(START, 1.0), Turn(Pose2D(1.0, 0.0, 0.0), math.pi / 2), Line(Pose2D(1.0, 0.0, math.pi / 2), 2.0)])


def near(expected: PlanPoints) -> Any:
    """Return something that equals places near the expected ones."""
    return [pytest.approx(place) for place in expected]


def test_straight_lines_have_their_corners_alone() -> None:
    assert list(plan_points(CORNER, 0.0, START, [])) == near(((0.0, 0.0), (1.0, 0.0), (1.0, 2.0)))


def test_plan_starts_where_the_robot_is_on_it() -> None:
    assert list(plan_points(CORNER, 1.5, START, [])) == near(((1.0, 0.5), (1.0, 2.0)))


def test_place_beyond_the_end_is_the_end() -> None:
    assert list(plan_points(CORNER, 99.0, START, [])) == near(((1.0, 2.0),))
    assert plan_points(CORNER, -math.inf, START, [])[0] == (0.0, 0.0)


def test_curve_has_many_places_and_never_too_many() -> None:
    circle = Path([Arc(START, math.tau, 1.0)]).repeated(50)
    assert len(plan_points(circle, 0.0, START, [])) <= PLAN_POINTS
    radii = [math.hypot(place.x_m, place.y_m - 1.0) for place in places_on(Path([Arc(START, math.tau, 1.0)]), 0.0, 64)]
    assert radii == pytest.approx([1.0] * len(radii))
    assert len(radii) >= 60


def test_legs_that_are_not_planned_are_straight() -> None:
    later = [DwellLeg(2.0, True), DriveLeg(Pose2D(3.0, 3.0, 0.0))]
    assert list(plan_points(CORNER, 1.0, START, later)[-2:]) == near(((1.0, 2.0), (3.0, 3.0)))
    assert plan_points(None, 0.0, START, later) == ((0.0, 0.0), (3.0, 3.0))
    assert plan_points(None, 0.0, None, []) == ()


def test_leg_is_reported_by_its_kind() -> None:
    goal = Pose2D(1.0, 2.0, 0.5)
    assert leg_report(DriveLeg(goal)) == LegReport(LegKind.DRIVE, goal)
    assert leg_report(DwellLeg(2.0, False)) == LegReport(LegKind.DWELL, None, 2.0, False)
