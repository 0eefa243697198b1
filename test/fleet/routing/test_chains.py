import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.geometry import Pose2D
from fleet.routing.chains import Chain
from fleet.routing.stop_timing import StopTiming
from fleet.timetable.motion import standing
from fleet.timetable.occupancy import Occupancy
from fleet.timetable.way import Way
from fleet.trajectories.timing import plan_fastest
from fleet.trajectories.trajectory import Trajectory
from harness.timed_ways import APART_M, LIMITS, eastward, journey, least_distance_m, northward, straight_way, timed


def straight(start: Pose2D, goal: Pose2D, occupancy: Occupancy) -> Trajectory | None:
    """Return the earliest trajectory straight to a goal."""
    return timed(StopTiming(plan_fastest(Chain([], journey(start, goal)).path, LIMITS), occupancy, 0.0))


def way_among(start: Pose2D, goal: Pose2D, others: list[Way]) -> Way | None:
    occupancy = Occupancy((motion for way in others for motion in way.motions), APART_M, 0.0, start)
    trajectory = straight(start, goal, occupancy)
    return None if trajectory is None else Way(trajectory, 0.0)


def test_way_that_meets_no_robot_is_as_fast_as_alone() -> None:
    found = way_among(eastward(0, 0), eastward(1, 0), [straight_way(eastward(0, 1), eastward(1, 1))])
    assert found is not None
    assert found.trajectory.duration_s == straight_way(eastward(0, 0), eastward(1, 0)).trajectory.duration_s


def test_robot_waits_until_another_robot_has_crossed() -> None:
    other = straight_way(northward(0.5, -0.5), northward(0.5, 0.8))
    found = way_among(eastward(0, 0), eastward(1, 0), [other])
    assert found is not None
    assert found.trajectory.is_waiting(0.5)
    assert least_distance_m(found, other) > APART_M - 0.002


def test_there_is_no_way_through_a_stationary_robot() -> None:
    occupancy = Occupancy([standing(eastward(0.5, 0), 0.0, math.inf)], APART_M, 0.0)
    assert straight(eastward(0, 0), eastward(1, 0), occupancy) is None


def test_robot_leaves_another_robot_that_is_too_near() -> None:
    occupancy = Occupancy([standing(eastward(-0.17, 0), 0.0, math.inf)], APART_M, 0.0, eastward(0, 0))
    assert straight(eastward(0, 0), eastward(1, 0), occupancy) is not None


@settings(max_examples=50)
@given(st.floats(-0.6, 0.6), st.floats(-math.pi, math.pi), st.floats(0.5, 1.5))
def test_timed_ways_keep_apart(offset_m: float, direction_rad: float, length_m: float) -> None:
    middle = Pose2D(0.7, offset_m, direction_rad)
    other = straight_way(middle.along_arc(-0.5 * length_m, 0.0), middle.along_arc(0.5 * length_m, 0.0))
    found = way_among(eastward(0, 0), eastward(1.4, 0), [other])
    started_m = eastward(0, 0).distance_to(other.trajectory.path.start)
    assert found is None or least_distance_m(found, other) > min(APART_M, started_m) - 0.005


@pytest.mark.parametrize("backward", [False, True])
def test_lines_are_driven_backward_only_if_allowed(backward: bool) -> None:
    path = Chain([(-0.5, 0.0)], journey(eastward(0, 0), eastward(-0.5, -0.5), backward=backward)).path
    assert any(leg.is_backward for leg in path.legs) is backward


def test_backward_lines_save_turns() -> None:
    behind = eastward(-1.0, 0.1)
    forward = plan_fastest(Chain([(-0.5, 0.0)], journey(eastward(0, 0), behind)).path, LIMITS)
    either = plan_fastest(Chain([(-0.5, 0.0)], journey(eastward(0, 0), behind, backward=True)).path, LIMITS)
    assert either.duration_s < forward.duration_s - 1.0
