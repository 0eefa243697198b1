"""Trajectories along long paths are planned in counted steps."""

import pytest

from fleet.geometry import Pose2D
from fleet.paths.path import Path
from fleet.paths.pieces import Line, Turn
from fleet.paths.polyline import polyline, rounded_polyline
from fleet.paths.shapes import circle, eight, square
from fleet.trajectories.counted_work import CountedWork
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import plan_fastest, planning_fastest
from fleet.trajectories.trajectory import Trajectory
from harness.timed_ways import LIMITS

JERKY = Limits(0.14, 0.5, 3.0, 20.0, jerk_mps3=2.0, turn_jerk_radps3=80.0)
ZIGZAG = [(0.1 * index, 0.1 * (index % 2)) for index in range(300)]
LONG: dict[str, Path] = {
    "curve": eight(0.8).repeated(20),
    "arcs": circle(0.01).repeated(9000),
    "lines and turns": square(0.01).repeated(1000),
    "waypoints": polyline(ZIGZAG, is_closed=False),
    "rounded corners": rounded_polyline(ZIGZAG, is_closed=False, radius_m=0.01),
}


def steps_of(path: Path, limits: Limits = LIMITS) -> list[int]:
    """Return how many steps each part of the planning takes."""
    work = CountedWork(planning_fastest(path, limits))
    steps = []
    while not work.is_over:
        steps.append(work.advance(1))
    return steps


def described(plan: Trajectory) -> list[object]:
    """Return all that a trajectory consists of."""
    return [(timed.leg, timed.turn.phases, timed.drive.phases, timed.duration_s) for timed in plan.legs]


@pytest.mark.parametrize("limits", [LIMITS, JERKY])
def test_a_path_is_planned_in_steps_as_it_is_at_once(limits: Limits) -> None:
    path = rounded_polyline(ZIGZAG[:20], is_closed=False, radius_m=0.02)
    work = CountedWork(planning_fastest(path, limits))
    while not work.is_over:
        work.advance(1)
    assert work.result is not None
    assert described(work.result) == described(plan_fastest(path, limits))


@pytest.mark.parametrize("name", list(LONG))
def test_a_long_path_is_planned_in_small_parts(name: str) -> None:
    steps = steps_of(LONG[name])
    assert len(steps) > 5
    assert max(steps) <= 200


def test_a_limit_of_the_jerk_is_kept_in_small_parts() -> None:
    assert max(steps_of(eight(0.8), JERKY)) <= 60


def test_laps_are_planned_once() -> None:
    assert sum(steps_of(eight(0.8).repeated(11))) < 2 * sum(steps_of(eight(0.8)))


def test_laps_take_as_long_as_the_same_path_without_a_common_piece() -> None:
    lap = [Line(Pose2D(0.0, 0.0, 0.0), 0.3), Turn(Pose2D(0.3, 0.0, 0.0), 3.141592653589793)]
    back = [piece.moved(Pose2D(0.3, 0.0, 3.141592653589793)) for piece in lap]
    apart = [piece.moved(Pose2D(0.0, 0.0, 0.0)) for _ in range(3) for piece in (*lap, *back)]
    laps = plan_fastest(Path([*lap, *back]).repeated(3), LIMITS)
    assert laps.duration_s == pytest.approx(plan_fastest(Path(apart), LIMITS).duration_s)


def test_work_of_few_steps_is_done_at_once() -> None:
    work = CountedWork(planning_fastest(square(0.5), LIMITS))
    assert work.advance(20) < 20
    assert work.is_over
