"""A fleet as a body: reachers drive simulated Thymios through the driver, whose rules hold."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from body.body_client import pose_goal
from fleet.client.sent_goal import GoalState
from fleet.commands.body.fleet_urdf import NOSE_M, fleet_urdf
from fleet.geometry import Pose2D
from fleet.settings.config import load_config
from harness.ros.coupled_body import DEADLINE_S, CoupledBody, coupled_body, sent
from harness.ros.running_fleet import RunningFleet, running_fleet
from thymio_base.shipped_files import shipped_file

FIELD = {"speed_mps": 0.1, "slow_down_m": 0.05, "default_precision_m": 0.005, "weight": 1.0}
IN_THE_PLANE = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[RunningFleet]:
    yield from running_fleet(tmp_path, "driver: {accept: {cmd_vel: true}}")


@pytest.fixture
def body(tmp_path: Path, fleet: RunningFleet) -> Iterator[CoupledBody]:
    """The fleet as a body, with a vector field reacher for the nose of each robot."""
    urdf = tmp_path / "fleet.urdf"
    thymio = shipped_file("thymio.urdf", "description").read_text()
    urdf.write_text(fleet_urdf(load_config(fleet.config), thymio))
    with coupled_body(tmp_path, urdf, arm=None) as body:
        for robot_id in fleet.ROBOT_IDS:
            links = {"base_link": "map", "end_link": f"robot_{robot_id}/nose_link"}
            body.client.add_re("VF", f"VF{robot_id}")
            body.client.set_params(f"VF{robot_id}", links | {"task_weights": IN_THE_PLANE} | FIELD)
        yield body


def nose(fleet: RunningFleet, robot_id: int) -> tuple[float, float]:
    pose = fleet.truths[robot_id]
    return pose.x_m + NOSE_M * math.cos(pose.heading_rad), pose.y_m + NOSE_M * math.sin(pose.heading_rad)


def test_reachers_drive_all_robots_at_once(fleet: RunningFleet, body: CoupledBody) -> None:
    goals = {1: (0.6, 1.5), 2: (2.4, 0.5)}
    started = {
        robot_id: sent(body.client.execute_action(f"VF{robot_id}", pose_goal((x, y, 0.0)), blocking=False))
        for robot_id, (x, y) in goals.items()
    }
    for robot_id, wanted in goals.items():
        assert started[robot_id].wait(DEADLINE_S).reason == "REACHED"
        fleet.let_pass(0.5)
        assert math.dist(nose(fleet, robot_id), wanted) < 0.01


def test_robot_with_a_task_is_not_moved_by_its_reacher(fleet: RunningFleet, body: CoupledBody) -> None:
    task = fleet.client.go_to(1, Pose2D(1.0, 1.6, 0.0))  # the reacher's weight is 1, and it has no goal
    fleet.wait_for(lambda: task.state is GoalState.EXECUTING, "the task to start")
    moved = sent(body.client.execute_action("VF1", pose_goal((1.0, 0.3, 0.0)), blocking=False))
    fleet.wait_for(lambda: task.state.is_final, "the task to end")
    assert task.state is GoalState.SUCCEEDED
    moved.cancel()
    assert moved.wait(DEADLINE_S).reason in ("CANCELED", "STUCK")
