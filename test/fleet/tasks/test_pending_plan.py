"""Plans of long paths take several ticks, in which the robot stands; counted in steps."""

import math
from pathlib import Path

import pytest

from fleet.actuation.wheel_response import Motion, at_once
from fleet.geometry import STILL, Pose2D
from fleet.paths.shapes import eight
from fleet.settings.config import FleetConfig
from fleet.tasks.leg_planner import LonePlanner, PlannedLeg
from fleet.tasks.legs import DriveLeg, FollowLeg
from fleet.tasks.task import Task, TaskState, follow_path
from fleet.timetable.step_budget import StepBudget
from harness.fleets import ONE_ROBOT, read

HERE = Pose2D(0.0, 0.0, 0.0)
TICK_NS = 50_000_000
STEPS = 100  # of each tick: an eight takes several
TICKS_MAX = 200


@pytest.fixture
def config(tmp_path: Path) -> FleetConfig:
    return read(tmp_path, ONE_ROBOT)


@pytest.fixture
def leg(config: FleetConfig) -> FollowLeg:
    return FollowLeg(eight(0.8).repeated(5), config.following, 5)


def ticks_until_planned(planner: LonePlanner, budget: StepBudget, leg: FollowLeg, pose: Pose2D) -> int:
    """Return in how many ticks a plan is made."""
    for tick in range(TICKS_MAX):
        budget.refill()
        if planner.plan(leg, pose, math.inf, tick * TICK_NS) is not None:
            return tick + 1
    raise AssertionError("not planned")


def test_a_long_path_is_planned_in_several_ticks_and_starts_when_it_is_planned(
    config: FleetConfig, leg: FollowLeg
) -> None:
    budget = StepBudget(STEPS)
    planner, planned, tick = LonePlanner(config.motion, budget), None, 0
    while planned is None:
        tick += 1
        budget.refill()
        planned = planner.plan(leg, HERE, math.inf, tick * TICK_NS)
        assert planner.is_planning is (planned is None)
    assert tick > 3
    assert planned.start_ns == tick * TICK_NS


def test_a_short_way_is_planned_at_once_even_if_the_tick_is_used_up(config: FleetConfig) -> None:
    budget = StepBudget(STEPS)
    budget.spend(10 * STEPS)
    planned = LonePlanner(config.motion, budget).plan(DriveLeg(Pose2D(1.0, 0.5, 0.0)), HERE, math.inf, 0)
    assert isinstance(planned, PlannedLeg)
    assert budget.left == -9 * STEPS


def test_eight_robots_share_the_ticks_in_which_their_paths_are_planned(config: FleetConfig, leg: FollowLeg) -> None:
    budget = StepBudget(STEPS)
    alone = ticks_until_planned(LonePlanner(config.motion, budget), budget, leg, HERE)
    planners = [LonePlanner(config.motion, budget) for _ in range(8)]
    done: dict[int, int] = {}
    least = 0
    for tick in range(TICKS_MAX):
        budget.refill()
        for index, planner in enumerate(planners):
            if index not in done and planner.plan(leg, HERE, math.inf, tick * TICK_NS) is not None:
                done[index] = tick
        least = min(least, budget.left)
    assert len(done) == 8
    assert alone < max(done.values()) < 40 * alone
    assert least > -2 * STEPS  # no tick does much more than it may


def test_a_plan_from_where_the_robot_no_longer_is_is_given_up(config: FleetConfig, leg: FollowLeg) -> None:
    budget = StepBudget(STEPS)
    planner, there = LonePlanner(config.motion, budget), Pose2D(0.05, 0.0, 0.0)
    planner.plan(leg, HERE, math.inf, 0)
    planned, tick = None, 0
    while planned is None:
        tick += 1
        budget.refill()
        planned = planner.plan(leg, there, math.inf, tick * TICK_NS)
    assert planned.trajectory.sample(0.0).pose.distance_to(there) < 1e-9


def test_noise_of_the_pose_does_not_restart_a_plan(config: FleetConfig, leg: FollowLeg) -> None:
    budget = StepBudget(STEPS)
    planner = LonePlanner(config.motion, budget)
    still = ticks_until_planned(LonePlanner(config.motion, budget), budget, leg, HERE)
    for tick in range(still):
        budget.refill()
        planned = planner.plan(leg, Pose2D(0.001 * (tick % 2), 0.0, 0.0), math.inf, tick * TICK_NS)
    assert planned is not None


def test_nothing_is_left_of_a_plan_that_is_given_up(config: FleetConfig, leg: FollowLeg) -> None:
    planner = LonePlanner(config.motion, StepBudget(STEPS))
    planner.plan(leg, HERE, math.inf, 0)
    planner.give_up()
    assert not planner.is_planning


def test_a_robot_waits_and_is_not_late_while_its_path_is_planned(config: FleetConfig) -> None:
    budget = StepBudget(10)
    request = follow_path("a", eight(0.8), config.following)
    task = Task(request, config.motion, config.tracker, config.tasks, LonePlanner(config.motion, budget))
    twists = []
    for tick in range(10):
        budget.refill()
        twists.append(task.step(at_once(Motion(HERE, STILL), 0.05), tick * TICK_NS))
    assert twists == [STILL] * 10
    assert task.state is TaskState.EXECUTING
    assert task.waited_s == pytest.approx(9 * TICK_NS * 1e-9)
    assert task.eta_s == pytest.approx(request.legs[0].path.length_m / config.following.speed_mps, rel=0.1)
    assert task.progress == 0.0


def test_progress_and_time_are_those_of_the_plan_once_it_is_made(config: FleetConfig) -> None:
    budget = StepBudget(STEPS)
    request = follow_path("a", eight(0.8), config.following, speed_mps=0.05)
    task = Task(request, config.motion, config.tracker, config.tasks, LonePlanner(config.motion, budget))
    for tick in range(30):
        budget.refill()
        task.step(at_once(Motion(HERE, STILL), 0.05), tick * TICK_NS)
    assert task.eta_s == pytest.approx(eight(0.8).length_m / 0.05, rel=0.05)
    assert 0.0 < task.progress < 0.1
