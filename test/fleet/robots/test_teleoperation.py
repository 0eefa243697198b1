"""Teleoperation by cmd_vel: how long a twist holds, and its effect on a whole fleet in a closed loop."""

import math
from pathlib import Path

import pytest

from aseba_link.thymio.events import MAX_SPEED_RAW, SPEED_UNIT_MPS
from experiments.lab.lab import Lab
from fleet.geometry import Pose2D, Twist2D
from fleet.reason import Reason
from fleet.robots.robot_status import LinkState
from fleet.robots.teleoperation import Teleoperation
from fleet.tasks.task import TaskState, go_to
from harness.closed_loop import closed_loop

S = 1_000_000_000
AHEAD = Twist2D(0.1, 0.0)
THERE = Pose2D(1.3, 1.2, 1.0)


@pytest.fixture
def loop(tmp_path: Path) -> Lab:
    running = closed_loop(tmp_path, motors="speed_noise: 0")
    running.start()
    return running


def drive(loop: Lab, twist: Twist2D, seconds: float) -> None:
    """Command a twist ten times a second."""
    for _ in range(round(seconds * 10)):
        assert loop.service.drive(1, twist, loop.now_ns) is None
        loop.run(0.1)


def test_robot_is_not_teleoperated_at_first() -> None:
    assert Teleoperation(0.5).twist(0) is None


def test_twist_holds_until_the_time_out() -> None:
    teleoperation = Teleoperation(0.5)
    teleoperation.drive(AHEAD, 10 * S)
    twists = [teleoperation.twist(instant_ns) for instant_ns in (10 * S, 10 * S + S // 2, 10 * S + S // 2 + 1)]
    assert twists == [AHEAD, AHEAD, None]


def test_clock_set_back_ends_teleoperation() -> None:
    teleoperation = Teleoperation(0.5)
    teleoperation.drive(AHEAD, 10 * S)
    assert teleoperation.twist(9 * S) is None


def test_released_robot_is_not_teleoperated() -> None:
    teleoperation = Teleoperation(0.5)
    teleoperation.drive(AHEAD, 10 * S)
    teleoperation.release()
    assert teleoperation.twist(10 * S) is None


def test_teleoperated_robot_moves_as_commanded_and_reports_it(loop: Lab) -> None:
    drive(loop, Twist2D(0.1, 0.5), 2.0)
    assert loop.speed() == pytest.approx(0.1 + 0.5 * 0.047, abs=0.001)
    assert loop.truth().heading_rad == pytest.approx(1.0, abs=0.1)  # the motors lag a little
    assert (loop.status().state, loop.status().message) == ("teleop", "driven by cmd_vel")
    assert (loop.status().task_id, loop.status().is_busy) == ("", False)


def test_a_robot_without_further_twists_stops_after_the_time_out(loop: Lab) -> None:
    drive(loop, AHEAD, 1.0)
    loop.run(0.35)
    still_driven = loop.speed()
    loop.run(0.45)
    assert still_driven == pytest.approx(0.1, abs=0.001)
    assert (loop.speed(), loop.status().state) == (0.0, "idle")


def test_the_time_out_is_configured(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, settings="driver: {cmd_vel_timeout_s: 2}")
    loop.start()
    loop.service.drive(1, AHEAD, loop.now_ns)
    loop.run(1.9)
    assert loop.speed() > 0.05
    loop.run(0.4)
    assert loop.speed() == 0.0


def test_twist_beyond_the_limits_keeps_its_curvature(loop: Lab) -> None:
    drive(loop, Twist2D(10.0, 20.0), 1.0)
    left_mps, right_mps = loop.simulation.world.wheels.speeds_mps[0].tolist()
    assert right_mps == pytest.approx(MAX_SPEED_RAW * SPEED_UNIT_MPS, rel=1e-3)
    assert (right_mps - left_mps) / 0.094 / (0.5 * (left_mps + right_mps)) == pytest.approx(2.0, rel=0.02)


def test_robot_with_a_task_is_not_teleoperated(loop: Lab) -> None:
    loop.service.assign(1, go_to("a", THERE), loop.now_ns)
    loop.run(1.0)
    assert loop.service.drive(1, Twist2D(-0.1, 0.0), loop.now_ns) is Reason.BUSY
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(THERE) < 0.02


def test_task_takes_over_and_discards_an_earlier_twist(loop: Lab) -> None:
    loop.service.drive(1, Twist2D(-0.16, 0.0), loop.now_ns)
    assert loop.service.assign(1, go_to("a", Pose2D(1.0, 1.0, 0.0)), loop.now_ns) is None
    assert loop.status().state == "executing"
    outcome = loop.run_until_ended("a")
    loop.run(0.2)
    assert (outcome.state, loop.speed()) == (TaskState.SUCCEEDED, 0.0)


def test_stopped_fleet_is_not_teleoperated(loop: Lab) -> None:
    drive(loop, AHEAD, 1.0)
    loop.service.stop()
    loop.run(0.3)
    assert loop.speed() == 0.0
    assert loop.service.drive(1, AHEAD, loop.now_ns) is Reason.STOPPED
    loop.service.resume()
    loop.run(0.1)
    assert (loop.speed(), loop.service.drive(1, AHEAD, loop.now_ns)) == (0.0, None)


def test_lost_robot_is_not_teleoperated_and_is_stationary_on_its_return(loop: Lab) -> None:
    drive(loop, AHEAD, 1.0)
    loop.switch_off()
    loop.run(0.1)
    assert loop.status().link is LinkState.LOST
    assert loop.service.drive(1, AHEAD, loop.now_ns) is Reason.ROBOT_LOST
    loop.switch_on()
    loop.run(3.0)
    assert (loop.status().link, loop.status().state, loop.speed()) == (LinkState.CONNECTED, "idle", 0.0)


def test_fleet_after_shutdown_is_not_teleoperated(loop: Lab) -> None:
    drive(loop, AHEAD, 1.0)
    loop.service.shut_down(loop.now_ns)
    for _ in range(30):
        loop.simulation.step()
    assert (loop.speed(), loop.service.drive(1, AHEAD, loop.now_ns)) == (0.0, Reason.SHUTDOWN)


def test_teleoperated_robot_stops_after_its_driver_dies(loop: Lab) -> None:
    drive(loop, AHEAD, 1.0)
    for _ in range(58):
        loop.simulation.step()
    assert loop.speed() == 0.0


def test_long_slow_teleoperation_sends_keep_alives(loop: Lab) -> None:
    drive(loop, AHEAD, 3.0)
    assert loop.truth().x_m == pytest.approx(1.3, abs=0.02)
    assert math.isclose(loop.speed(), 0.1, abs_tol=0.001)
