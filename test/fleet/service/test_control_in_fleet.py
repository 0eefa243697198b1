"""Laws, prediction and learned wheels in the whole fleet: service, link, wire, firmware and world in one thread."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.lab.lab import Lab
from fleet.control.tracker_config import LawName
from fleet.errors import UnknownRobotError
from fleet.geometry import Pose2D
from fleet.localization.pose_quality import Localization
from fleet.paths.shapes import square
from fleet.reason import Reason
from fleet.tasks.task import TaskState, follow_path, go_to
from harness.closed_loop import closed_loop

GOAL = Pose2D(1.6, 1.4, math.pi / 2)
DOES_IT_ALL = ["kanayama", "lqr", "path_following", "pure_pursuit"]


def loop_of(folder: Path, law: str = "lqr", gains: float = 1.0, motors: str = "", tracked: bool = True) -> Lab:
    arena = "arena: {x_min_m: 0, y_min_m: 0, x_max_m: 3, y_max_m: 2}"
    loop = closed_loop(
        folder, 2, settings=f"tracker: {{law: {law}}}\n{arena}", gains=gains, motors=motors, tracked=tracked
    )
    loop.start()
    return loop


def estimate_error_m(loop: Lab) -> float:
    estimate = loop.service.robot(1).telemetry.estimate
    assert estimate is not None
    return estimate.pose.distance_to(loop.truth())


@pytest.mark.parametrize("law", DOES_IT_ALL)
@pytest.mark.parametrize("gains", [1.0, 1.03])
def test_every_law_drives_the_robot_to_its_goal(law: str, gains: float, tmp_path: Path) -> None:
    loop = loop_of(tmp_path, law, gains)
    loop.service.assign(1, go_to("a", GOAL), loop.now_ns)
    assert loop.run_until_ended("a", 40.0).state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(GOAL) < 0.01
    assert abs(loop.truth().heading_error_to(GOAL)) < math.radians(3.0)


def test_published_law_ends_within_the_tolerances(tmp_path: Path) -> None:
    loop = loop_of(tmp_path, "pd_pursuit")
    loop.service.assign(1, go_to("a", GOAL), loop.now_ns)
    assert loop.run_until_ended("a", 60.0).state is TaskState.SUCCEEDED


@pytest.mark.parametrize("law", LawName)
def test_a_law_can_be_changed_while_the_robot_drives(law: LawName, tmp_path: Path) -> None:
    loop = loop_of(tmp_path)
    loop.service.assign(1, go_to("a", GOAL), loop.now_ns)
    loop.run(4.0)
    loop.service.robot(1).configure_tracker(replace(loop.service.robot(1).tracker, law=law), loop.now_ns)
    assert loop.run_until_ended("a", 60.0).state is TaskState.SUCCEEDED
    assert loop.service.robot(1).tracker.law is law
    assert loop.service.robot(2).tracker.law is LawName.LQR


def test_changing_the_law_of_an_unknown_robot_is_refused(tmp_path: Path) -> None:
    loop = loop_of(tmp_path)
    with pytest.raises(UnknownRobotError):
        loop.service.robot(9).configure_tracker(loop.service.robot(1).tracker, loop.now_ns)


def test_wheel_gains_are_learned_while_driving(tmp_path: Path) -> None:
    loop = loop_of(tmp_path, gains=1.03)
    for number, goal in enumerate((GOAL, Pose2D(1.0, 1.0, 0.0), GOAL)):
        loop.service.assign(1, go_to(str(number), goal), loop.now_ns)
        loop.run_until_ended(str(number), 40.0)
    gains = loop.service.robot(1).chassis.gains
    assert (gains.left, gains.right) == pytest.approx((1.03, 1.0 / 1.03), abs=0.01)
    assert loop.service.robot(2).chassis.gains.left == 1.0


def test_the_latency_is_learned_while_driving(tmp_path: Path) -> None:
    loop = loop_of(tmp_path)
    loop.service.assign(1, go_to("a", GOAL), loop.now_ns)
    loop.run_until_ended("a", 40.0)
    # the simulated wire has almost no latency; the lag is as modelled
    assert loop.service.robot(1).chassis.actuation.latency_s == pytest.approx(0.02, abs=0.02)


def test_gains_are_not_learned_without_a_pose_source(tmp_path: Path) -> None:
    loop = loop_of(tmp_path, gains=1.03, tracked=False)
    loop.service.assign(1, go_to("a", Pose2D(1.3, 1.0, 0.0)), loop.now_ns)
    loop.run_until_ended("a", 40.0)
    assert loop.service.robot(1).chassis.gains.left == 1.0


def test_second_without_motion_capture_is_tolerated(tmp_path: Path) -> None:
    loop = loop_of(tmp_path, gains=1.02)
    loop.service.assign(1, go_to("a", Pose2D(2.4, 1.6, 0.0)), loop.now_ns)
    loop.run(4.0)
    loop.hidden.update(loop.robot_ids)
    loop.run(1.0)
    silent = loop.status()
    loop.hidden.clear()
    assert silent.localization is Localization.DEGRADED
    assert silent.message == "odometry only: nothing on /robot_1"
    assert estimate_error_m(loop) < 0.005
    assert loop.run_until_ended("a", 40.0).state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(Pose2D(2.4, 1.6, 0.0)) < 0.01


def test_two_seconds_without_motion_capture_end_the_task_and_stop_the_wheels(tmp_path: Path) -> None:
    loop = loop_of(tmp_path)
    loop.service.assign(1, go_to("a", Pose2D(2.4, 1.6, 0.0)), loop.now_ns)
    loop.run(4.0)
    loop.hidden.update(loop.robot_ids)
    loop.run(1.9)
    is_driving = loop.speed() > 0.05
    loop.run(1.1)
    assert is_driving
    assert [(outcome.state, outcome.reason) for outcome in loop.outcomes] == [(TaskState.ABORTED, Reason.POSE_LOST)]
    assert loop.speed() == 0.0
    assert loop.status().message == "pose lost: nothing on /robot_1"
    assert loop.service.assign(1, go_to("b", GOAL), loop.now_ns) is Reason.POSE_LOST


def test_second_without_motion_capture_in_every_ten_is_tolerated(tmp_path: Path) -> None:
    loop = loop_of(tmp_path, gains=1.02)
    lap = square(0.8).moved(Pose2D(1.0, 1.0, 0.0))
    loop.service.assign(1, follow_path("a", lap, loop.config.following, None, 2), loop.now_ns)
    errors_m = []
    for _ in range(6):
        loop.run(9.0)
        loop.hidden.update(loop.robot_ids)
        loop.run(1.0)
        errors_m.append(estimate_error_m(loop))
        loop.hidden.clear()
    assert loop.outcomes == []
    assert max(errors_m[1:]) < 0.003


def test_robot_repeatedly_seen_elsewhere_reports_the_cause(tmp_path: Path) -> None:
    loop = loop_of(tmp_path)
    loop.hidden.update(loop.robot_ids)
    for step in range(300):
        loop.service.robot(1).telemetry.on_measured_pose(Pose2D(0.2 * (step % 9), 1.5, 0.0), loop.now_ns, loop.now_ns)
        loop.run(0.01)
    status = loop.status()
    assert status.localization is Localization.LOST
    assert "the last pose was too far from where the robot can be" in status.message
    assert status.pose_quality.rejected_count == 300


def test_status_reports_the_pose_uncertainty(tmp_path: Path) -> None:
    loop = loop_of(tmp_path)
    loop.run(2.0)
    quality = loop.status().pose_quality
    assert quality.spread is not None
    assert 0.0 < quality.spread.position_m < 0.0015
    assert quality.poses_hz == pytest.approx(33.3, rel=0.02)
    assert quality.age_s == pytest.approx(0.0, abs=0.1)
