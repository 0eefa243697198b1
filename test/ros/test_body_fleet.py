"""A fleet as a body: reachers drive simulated Thymios through the driver, whose rules hold."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bench.body.arm_loop import example_body
from bench.body.mobile_arm import POSTURE, prepare, reach
from body.body_client import pose_goal
from body.description.robot_tree import Floats
from body.kinematics.chain import KinematicChain
from fleet.commands.body.fleet_urdf import NOSE_M, fleet_urdf
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState
from fleet.settings.config import load_config
from harness.ros.coupled_body import BODIES, DEADLINE_S, JOINTS, CoupledBody, coupled_body, sent
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


def place(fleet: RunningFleet, body: CoupledBody) -> Floats:
    """Return where robot and arm are: the robot by the simulator's truth; shape (10,)."""
    pose, known = fleet.truths[1], body.client.variables()
    return np.array([pose.x_m, pose.y_m, pose.heading_rad, *(known[f"{name}/q"] for name in JOINTS)])


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


def test_arm_on_a_robot_reaches_beyond_its_reach(tmp_path: Path, fleet: RunningFleet) -> None:
    chain = KinematicChain(example_body("arm_on_thymio"), "map", "hand_link")
    with coupled_body(tmp_path, BODIES / "arm_on_thymio.urdf", "--in-process") as body:
        client = body.client
        prepare(client)
        fleet.wait_for(lambda: {"arm_j0/q", "robot_1/base_joint/x"} <= client.variables().keys(), "the states")
        at_first = place(fleet, body)
        wanted = chain.pose(np.array([1.5, 1.4, 0.6, *(np.array(POSTURE) + 0.1)]))
        assert np.linalg.norm(wanted[:3, 3] - chain.pose(at_first)[:3, 3]) > 1.0
        assert reach(client, wanted)
        fleet.let_pass(0.5)
        assert np.linalg.norm(chain.pose(place(fleet, body))[:3, 3] - wanted[:3, 3]) < 0.005


def test_robot_with_a_task_is_not_moved_by_its_reacher(fleet: RunningFleet, body: CoupledBody) -> None:
    task = fleet.client.go_to(1, Pose2D(1.0, 1.6, 0.0))  # the reacher's weight is 1, and it has no goal
    fleet.wait_for(lambda: task.state is GoalState.EXECUTING, "the task to start")
    moved = sent(body.client.execute_action("VF1", pose_goal((1.0, 0.3, 0.0)), blocking=False))
    fleet.wait_for(lambda: task.state.is_final, "the task to end")
    assert task.state is GoalState.SUCCEEDED
    moved.cancel()
    assert moved.wait(DEADLINE_S).reason in ("CANCELED", "STUCK")
