"""Trajectories as uniform motions."""

import math

import pytest

from fleet.paths.path import Path
from fleet.paths.polyline import rounded_polyline
from fleet.paths.shapes import eight, square
from fleet.timetable.motion import UniformMotion
from fleet.timetable.uniform_cut import cutting, motions_of
from fleet.trajectories.counted_work import CountedWork
from fleet.trajectories.timing import plan_fastest
from fleet.trajectories.trajectory import Trajectory
from harness.timed_ways import LIMITS

CORNERS = rounded_polyline([(0.0, 0.0), (0.4, 0.0), (0.4, 0.3), (0.9, 0.3)], is_closed=False, radius_m=0.05)
COURSES = [eight(0.3).repeated(3), square(0.4).repeated(2), CORNERS]


def off_m(motion: UniformMotion, plan: Trajectory, share: float) -> float:
    """Return how far a trajectory is from a motion at a share of its time."""
    since_s = share * motion.duration_s
    place = plan.sample(motion.start_s + since_s).pose
    return math.hypot(
        motion.x_m + motion.vx_mps * since_s - place.x_m, motion.y_m + motion.vy_mps * since_s - place.y_m
    )


@pytest.mark.parametrize("path", COURSES)
def test_motions_are_near_the_trajectory_all_the_time(path: Path) -> None:
    plan = plan_fastest(path, LIMITS)
    motions = motions_of(plan)
    assert max(off_m(motion, plan, 0.1 * tenth) for motion in motions for tenth in range(11)) < 0.002
    assert motions[-1].end_s == pytest.approx(plan.duration_s)


@pytest.mark.parametrize("path", COURSES)
def test_later_motions_follow_earlier_ones(path: Path) -> None:
    plan = plan_fastest(path, LIMITS)
    middle_s = 0.43 * plan.duration_s
    motions = motions_of(plan, 0.0, middle_s)
    motions += motions_of(plan, motions[-1].end_s, plan.duration_s)
    ends_s = [motion.end_s for motion in motions[:-1]]
    assert [motion.start_s for motion in motions[1:]] == pytest.approx(ends_s)
    assert max(off_m(motion, plan, 0.5) for motion in motions) < 0.002


def test_a_long_trajectory_is_cut_in_small_parts() -> None:
    work = CountedWork(cutting(plan_fastest(eight(0.8).repeated(5), LIMITS)))
    steps = []
    while not work.is_over:
        steps.append(work.advance(1))
    assert len(steps) > 10
    assert max(steps) <= 12
