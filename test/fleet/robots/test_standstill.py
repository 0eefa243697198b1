"""Pushed robots: what counts as pushed, and what the status of a fleet in a closed loop shows."""

from pathlib import Path

import numpy as np
import pytest

from experiments.lab.lab import Lab
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.robots.robot_status import Level
from fleet.robots.standstill import Standstill
from fleet.tasks.task import go_home, go_to
from harness.closed_loop import closed_loop

S = 1_000_000_000
STOOD = Pose2D(1.0, 1.0, 0.5)
PUSHED = Pose2D(1.02, 1.015, 0.5 + 0.6)
THERE = Pose2D(1.3, 1.2, 1.0)
TEXT = "pushed 2.5 cm, 34 degrees away from where it stood"


def settled() -> Standstill:
    standstill = Standstill()
    standstill.start()
    standstill.update(STOOD, STILL, 10 * S)
    standstill.update(STOOD, STILL, 11 * S)
    return standstill


def push(loop: Lab, ahead_m: float = 0.025, turned_rad: float = 0.6, robot_id: int = 1) -> None:
    """Move a robot in its own frame, and let motion capture see it."""
    pushed = loop.truth(robot_id).compose(Pose2D(ahead_m, 0.0, turned_rad))
    loop.simulation.world.place_robot(loop.index(robot_id), pushed.x_m, pushed.y_m, pushed.heading_rad)
    loop.run(2.0)


@pytest.fixture
def loop(tmp_path: Path) -> Lab:
    """A lab whose robot has arrived, and has been standing for a while."""
    running = closed_loop(tmp_path)
    running.start()
    running.service.assign(1, go_to("a", THERE), running.now_ns)
    running.run_until_ended("a")
    running.run(2.0)
    return running


def test_pushed_robot_is_displaced_by_distance_and_angle() -> None:
    assert str(settled().displacement(PUSHED)) == "2.5 cm, 34 degrees"


@pytest.mark.parametrize("pose", [STOOD, Pose2D(1.008, 1.0, 0.5), Pose2D(1.0, 1.0, 0.45)])
def test_noise_of_the_estimate_is_not_a_displacement(pose: Pose2D) -> None:
    assert settled().displacement(pose) is None


def test_rolling_robot_has_not_stopped_yet() -> None:
    standstill = Standstill()
    standstill.start()
    for second in range(5):
        standstill.update(STOOD, Twist2D(0.1, 0.0), second * S)
    assert standstill.displacement(PUSHED) is None


def test_corrections_right_after_the_stop_are_not_a_displacement() -> None:
    standstill = Standstill()
    standstill.start()
    standstill.update(STOOD, STILL, 10 * S)
    standstill.update(PUSHED, STILL, 11 * S)
    assert standstill.displacement(PUSHED) is None


def test_robot_comes_to_rest_only_where_it_is_measured() -> None:
    standstill = Standstill()
    standstill.start()
    standstill.update(None, STILL, 10 * S)
    standstill.update(None, STILL, 12 * S)
    assert standstill.is_expected


def test_cleared_standstill_has_no_displacement() -> None:
    standstill = settled()
    standstill.clear()
    assert standstill.displacement(PUSHED) is None


def test_status_warns_of_a_pushed_robot(loop: Lab) -> None:
    push(loop)
    assert (loop.status().level, loop.status().state, loop.status().message) == (Level.WARN, "idle", TEXT)


def test_robot_that_is_pushed_back_is_fine_again(loop: Lab) -> None:
    stood = loop.truth()
    push(loop)
    loop.simulation.world.place_robot(loop.index(1), stood.x_m, stood.y_m, stood.heading_rad)
    loop.run(2.0)
    assert (loop.status().level, loop.status().message) == (Level.OK, "idle")


def test_next_task_clears_the_warning(loop: Lab) -> None:
    push(loop)
    loop.service.assign(1, go_home("b", Pose2D(1.0, 1.0, 0.0)), loop.now_ns)
    loop.run_until_ended("b")
    loop.run(2.0)
    assert (loop.status().level, loop.status().message) == (Level.OK, "idle")


def test_robot_carried_before_its_first_task_is_fine(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path)
    loop.start()
    loop.run(2.0)
    push(loop, 0.3)
    assert loop.status().level is Level.OK


def test_robot_driven_by_hand_is_fine_where_it_stops(loop: Lab) -> None:
    for _ in range(10):
        loop.service.drive(1, Twist2D(0.1, 0.3), loop.now_ns)
        loop.run(0.1)
    loop.run(3.0)
    assert loop.status().message == "idle"
    push(loop)
    assert loop.status().message == TEXT


def test_robot_that_was_cut_off_may_be_carried(loop: Lab) -> None:
    loop.cut_off(1)
    loop.run(5.0)
    push(loop, 0.3)
    loop.join(1)
    loop.run(8.0)
    assert loop.status().level is Level.OK


def test_noisy_motion_capture_does_not_push_a_robot(loop: Lab) -> None:
    random = np.random.default_rng(1)
    telemetry = loop.service.robot(1).telemetry
    loop.hidden.add(1)
    levels = set()
    for _ in range(600):
        noise = Pose2D(*(random.normal(size=3) * (0.003, 0.003, 0.02)).tolist())
        telemetry.on_measured_pose(loop.truth().compose(noise), loop.now_ns, loop.now_ns)
        loop.run(0.1)
        levels.add(loop.status().level)
    assert levels == {Level.OK}
