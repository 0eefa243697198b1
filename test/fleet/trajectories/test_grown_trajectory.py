"""Trajectories along longer paths agree with the former ones until those brake for their ends."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.pieces import Arc, Line, Turn
from fleet.trajectories.grown_trajectory import GrownTrajectory, growing
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import plan_fastest
from fleet.trajectories.trajectory import Trajectory
from thymio_base.parts import finished

SMOOTH = Limits(0.14, 0.12, 2.8, 8.0, jerk_mps3=0.6, wheel_mps=0.155, wheel_step_mps=0.05)
SHARP = Limits(0.14, 0.12, 2.8, 8.0, wheel_mps=0.155, wheel_step_mps=0.05)


def chained(*pieces: tuple[float, float]) -> Path:
    """Return a path of lines and arcs, each with a length and a curvature; a turn on the spot has the length 0."""
    here, made = Pose2D(0.0, 0.0, 0.0), []
    for length_m, bend in pieces:
        piece = Turn(here, bend) if length_m == 0.0 else Arc(here, length_m, bend) if bend else Line(here, length_m)
        made.append(piece)
        here = piece.end
    return Path(made)


def grown(former: Trajectory, time_s: float, longer: Path, limits: Limits) -> GrownTrajectory | None:
    rest = longer.pieces[len(former.path.pieces) :]
    return finished(growing(former, time_s, former.path.length_m, rest, limits))


@pytest.mark.parametrize("limits", [SMOOTH, SHARP])
@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 1.5]), st.sampled_from([-3.0, 0.0, 0.5, 2.0])), max_size=5),
    st.floats(0.0, 1.0),
)
def test_a_longer_path_is_driven_as_before_until_the_former_end_was_near(
    limits: Limits, pieces: list[tuple[float, float]], share: float
) -> None:
    former = plan_fastest(chained(*pieces, (0.6, 0.0)), limits)
    brake_s = 1.4 * limits.speed_mps / limits.acceleration_mps2 + 0.4
    latest_s = former.duration_s - brake_s - 0.4
    time_s = share * latest_s if limits is SHARP else latest_s - 0.2 * share  # at full speed: ramps may differ
    found = grown(former, time_s, chained(*pieces, (0.6, 0.0), (0.5, 1.0)), limits)
    assert found is not None
    assert found.continues(former, time_s)
    assert found.parts_s(former, time_s) > former.duration_s - brake_s - 0.1
    assert found.trajectory.path.length_m <= 0.3 + 2 * 0.14**2 / 0.12 + former.path.length_m + 0.51


@pytest.mark.parametrize("limits", [SMOOTH, SHARP])
def test_the_longer_path_takes_as_long_as_if_planned_at_once(limits: Limits) -> None:
    longer = chained((0.8, 0.0), (0.5, 1.0), (0.0, math.pi), (0.4, 0.0))
    former, at_once = plan_fastest(chained((0.8, 0.0)), limits), plan_fastest(longer, limits)
    found = grown(former, 3.0, longer, limits)
    assert found is not None
    assert found.trajectory.duration_s + found.shift_s == pytest.approx(at_once.duration_s, abs=0.15)


def test_growth_during_braking_does_not_continue_the_former_motion() -> None:
    former = plan_fastest(chained((0.6, 0.0)), SHARP)
    found = grown(former, former.duration_s - 0.5, chained((0.6, 0.0), (0.5, 0.0)), SHARP)
    assert found is not None
    assert not found.continues(former, former.duration_s - 0.5)


def test_a_robot_beyond_the_place_where_paths_part_gets_no_other_trajectory() -> None:
    former = plan_fastest(chained((0.6, 0.0)), SHARP)
    assert finished(growing(former, former.duration_s - 0.1, 0.3, (Line(Pose2D(0.3, 0.0, 0.0), 1.0),), SHARP)) is None


def test_waits_of_the_former_trajectory_are_kept() -> None:
    former = plan_fastest(chained((0.3, 0.0), (0.0, 1.0), (0.6, 0.0)), SHARP)
    found = grown(former, 0.5, chained((0.3, 0.0), (0.0, 1.0), (0.6, 0.0), (0.3, 0.0)), SHARP)
    assert found is not None
    assert found.trajectory.legs[1].turn is former.legs[1].turn
