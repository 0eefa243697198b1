import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from fleet.actuation.wheel_response import Motion, at_once
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.settings.config import MotionConfig
from fleet.tasks.leg_planner import LonePlanner, PlannedLeg
from fleet.tasks.legs import DriveLeg, MovingLeg
from fleet.tasks.tracker import Tracker
from fleet.timetable.step_budget import StepBudget
from fleet.trajectories.counted_work import Steps
from fleet.trajectories.trajectory import Trajectory
from fleet.wheels.differential_drive import DifferentialDrive
from harness.fleets import read

DRIVE = DifferentialDrive(0.094, 0.166)
TICK_NS = 50_000_000


def perfect_robot(tracker: Tracker, pose: Pose2D, seconds: float, offset: Twist2D = STILL) -> tuple[Pose2D, float]:
    """Follow the tracker with wheels that obey at once; return the end pose and the duration (inf: never ends)."""
    twist, now_ns = STILL, 0
    while now_ns < seconds * 1e9:
        twist = tracker.step(at_once(Motion(pose, twist), 0.05), now_ns)
        if tracker.is_done(now_ns):
            return pose, now_ns * 1e-9
        speeds = DRIVE.wheel_speeds(Twist2D(twist.linear_mps + offset.linear_mps, twist.angular_radps))
        pose = DRIVE.advance(pose, speeds.left_mps * 0.05, speeds.right_mps * 0.05)
        now_ns += TICK_NS
    return pose, math.inf


def tracker_to(goal: Pose2D, folder: Path) -> Tracker:
    config = read(folder)
    return Tracker(
        DriveLeg(goal), config.motion, config.tracker, config.tasks, LonePlanner(config.motion, StepBudget(1000))
    )


@pytest.mark.parametrize(
    "goal",
    [
        Pose2D(1.0, 0.0, 0.0),
        Pose2D(-1.0, 0.0, 0.0),
        Pose2D(0.3, 0.4, math.pi),
        Pose2D(0.0, -0.5, -2.0),
        Pose2D(0.01, 0.01, 3.0),
    ],
)
def test_a_perfect_robot_reaches_every_goal(goal: Pose2D, tmp_path: Path) -> None:
    pose, after_s = perfect_robot(tracker_to(goal, tmp_path), Pose2D(0.0, 0.0, 0.0), 60.0)
    assert after_s < 60.0
    assert pose.distance_to(goal) <= 0.02
    assert abs(pose.heading_error_to(goal)) <= 0.0873


def test_robot_at_its_goal_is_done_once_settled(tmp_path: Path) -> None:
    goal = Pose2D(0.5, 0.5, 1.0)
    _, after_s = perfect_robot(tracker_to(goal, tmp_path), goal, 10.0)
    assert after_s == pytest.approx(0.3)


def test_robot_that_is_moved_replans_and_arrives(tmp_path: Path) -> None:
    goal = Pose2D(1.0, 0.0, 0.0)
    tracker = tracker_to(goal, tmp_path)
    perfect_robot(tracker, Pose2D(0.0, 0.0, 0.0), 3.0)
    pose = Pose2D(0.5, 1.0, -2.0)
    for tick in range(600):
        twist = tracker.step(at_once(Motion(pose, STILL), 0.05), 3_000_000_000 + tick * TICK_NS)
        speeds = DRIVE.wheel_speeds(twist)
        pose = DRIVE.advance(pose, speeds.left_mps * 0.05, speeds.right_mps * 0.05)
    assert pose.distance_to(goal) <= 0.02
    assert abs(pose.heading_error_to(goal)) <= 0.0873


def test_blocked_robot_stalls_and_a_driving_one_does_not(tmp_path: Path) -> None:
    goal = Pose2D(1.0, 0.0, 0.0)
    blocked, free = tracker_to(goal, tmp_path), tracker_to(goal, tmp_path)
    pose = Pose2D(0.0, 0.0, 0.0)
    for tick in range(100):
        blocked.step(at_once(Motion(Pose2D(0.0, 0.0, 0.0), STILL), 0.05), tick * TICK_NS)
        speeds = DRIVE.wheel_speeds(free.step(at_once(Motion(pose, STILL), 0.05), tick * TICK_NS))
        pose = DRIVE.advance(pose, speeds.left_mps * 0.05, speeds.right_mps * 0.05)
    assert blocked.stalled_s(100 * TICK_NS) == pytest.approx(5.0)
    assert free.stalled_s(100 * TICK_NS) < 0.5


def test_remaining_time_is_the_time_the_robot_then_takes(tmp_path: Path) -> None:
    tracker = tracker_to(Pose2D(0.8, 0.6, 0.0), tmp_path)
    predicted_s = tracker.remaining_s(Pose2D(0.0, 0.0, 0.0))
    _, after_s = perfect_robot(tracker, Pose2D(0.0, 0.0, 0.0), 60.0)
    assert after_s == pytest.approx(predicted_s, abs=0.3)


class _NoWay(LonePlanner):
    """A planner that has no way yet."""

    def plan(self, leg: MovingLeg, pose: Pose2D, remaining_m: float, now_ns: int) -> PlannedLeg | None:
        return None


class _CountedLeg:
    """A leg that counts its plans."""

    def __init__(self, goal: Pose2D) -> None:
        self.plans = 0
        self._leg = DriveLeg(goal)

    @property
    def goal(self) -> Pose2D:
        return self._leg.goal

    def planning(self, pose: Pose2D, remaining_m: float, motion: MotionConfig) -> Steps[Trajectory]:
        return self._leg.planning(pose, remaining_m, motion)

    def quick_s(self, pose: Pose2D, motion: MotionConfig) -> float | None:
        self.plans += 1
        return self._leg.quick_s(pose, motion)

    def rough_s(self, remaining_m: float) -> float:
        return self._leg.rough_s(remaining_m)

    def places(self) -> Iterator[Pose2D]:
        return self._leg.places()


def test_robot_that_waits_for_its_way_does_not_plan_in_each_tick(tmp_path: Path) -> None:
    config, leg = read(tmp_path), _CountedLeg(Pose2D(1.0, 0.0, 0.0))
    tracker = Tracker(leg, config.motion, config.tracker, config.tasks, _NoWay(config.motion, StepBudget(1000)))
    here = Pose2D(0.0, 0.0, 0.0)
    for tick in range(50):
        tracker.step(at_once(Motion(here, STILL), 0.05), tick * TICK_NS)
        tracker.remaining_s(here)
    assert leg.plans == 1
    nearer_s, here_s = tracker.remaining_s(Pose2D(0.5, 0.0, 0.0)), tracker.remaining_s(here)
    assert nearer_s is not None
    assert here_s is not None
    assert nearer_s < here_s


def test_reference_leads_from_the_robot_to_its_goal(tmp_path: Path) -> None:
    goal, tracker = Pose2D(0.5, 0.0, 0.0), tracker_to(Pose2D(0.5, 0.0, 0.0), tmp_path)
    assert tracker.reference is None
    pose, twist, places = Pose2D(0.0, 0.0, 0.0), STILL, []
    for tick in range(400):
        twist = tracker.step(at_once(Motion(pose, twist), 0.05), tick * TICK_NS)
        speeds = DRIVE.wheel_speeds(twist)
        pose = DRIVE.advance(pose, speeds.left_mps * 0.05, speeds.right_mps * 0.05)
        places.append(tracker.reference)
        if tracker.is_done(tick * TICK_NS):
            break
    ways = [place.x_m for place in places if place is not None]
    assert len(ways) == len(places)
    assert ways == sorted(ways)
    assert ways[-1] == pytest.approx(goal.x_m, abs=1e-6)
    tracker.pause()
    assert tracker.reference is None
