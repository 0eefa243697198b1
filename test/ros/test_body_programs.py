"""Programs of the body coupler, each test with its own."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from action_msgs.msg import GoalStatus, GoalStatusArray
from rbc_actions.action import JointReacher
from rclpy.qos import qos_profile_action_status_default
from unique_identifier_msgs.msg import UUID

from body.body_client import BodyClient, joint_goal, pose_goal
from harness.ros.coupled_body import BODIES, DEADLINE_S, JOINTS, bend, children, coupled_body, ended, wait_for
from harness.ros.topic_ear import topic_ear


@pytest.fixture
def seed_urdf(tmp_path: Path) -> Path:
    """The example's arm with the names of the seed's examples."""
    text = (BODIES / "arm.urdf").read_text()
    for old, new in (
        ("arm_j", "aplator_j"),
        ("hand_link", "wessling-hand1-finger4_distal_link"),
        ("arm/state", "arcoslab_platform_torso/state"),
        ("arm/posref", "arcoslab_platform_torso/posref"),
    ):
        text = text.replace(old, new)
    path = tmp_path / "seed.urdf"
    path.write_text(text)
    return path


@pytest.mark.parametrize("options", [(), ("--in-process",)], ids=["processes", "in process"])
def test_examples_of_the_seed_move_the_arm(tmp_path: Path, seed_urdf: Path, options: tuple[str, ...]) -> None:
    with coupled_body(tmp_path, seed_urdf, *options) as body:
        client = body.client
        client.add_re("JR", "JR0")
        client.set_params("JR0", {"weight": 1.0})
        client.set_params("JR0", {"joints": ["aplator_j0", "aplator_j1", "aplator_j2"]})
        goal = joint_goal({"aplator_j0": 0.0, "aplator_j1": 1.0, "aplator_j2": 0.7})
        assert ended(client.execute_action("JR0", goal)).reason == "REACHED"
        client.set_params("JR0", {"weight": 0.0})
        client.add_re("VF", "VF0")
        client.set_params("VF0", {"base_link": "robot-base"})
        client.set_params("VF0", {"end_link": "wessling-hand1-finger4_distal_link"})
        client.set_params("VF0", {"weight": 1.0})
        result = ended(client.execute_action("VF0", pose_goal((0.18, 0.19, 0.82), (0.0, 0.7, 0.0, 0.7))))
        assert result.reason in ("REACHED", "STUCK")
        assert result.success == (result.reason == "REACHED")


@pytest.mark.parametrize("options", [(), ("--in-process",)], ids=["processes", "in process"])
def test_deleted_reacher_stays_until_the_result_is_fetched(tmp_path: Path, options: tuple[str, ...]) -> None:
    services = JointReacher.Impl
    goal_id = UUID(uuid=list(range(16)))
    goal = joint_goal(dict.fromkeys(JOINTS, -0.9))
    with coupled_body(tmp_path, BODIES / "arm.urdf", *options) as body, BodyClient("other") as other:
        bend(body.client)
        body.client.set_params("JR0", {"pid": [0.02, 0.0, 0.0]})  # it drives for minutes
        send, fetch = "JR0/action/_action/send_goal", "JR0/action/_action/get_result"
        request = services.SendGoalService.Request(goal_id=goal_id, goal=goal)
        assert body.client.execute_service(send, services.SendGoalService, request).accepted
        status = "/JR0/action/_action/status"
        with (
            ThreadPoolExecutor() as pool,
            topic_ear({status: GoalStatusArray}, qos_profile_action_status_default) as ear,
        ):
            ear.wait_for(lambda latest: status in latest, "the status of the goal")
            removed = pool.submit(other.remove_re, "JR0")
            ear.wait_for(lambda latest: is_over(latest[status], goal_id), "the end of the goal")
            late = services.SendGoalService.Request(goal_id=UUID(uuid=[9] * 16), goal=goal)
            assert not body.client.execute_service(send, services.SendGoalService, late).accepted
            asked = services.GetResultService.Request(goal_id=goal_id)
            answer = body.client.execute_service(fetch, services.GetResultService, asked)
            removed.result()
    assert (answer.status, answer.result.reason) == (GoalStatus.STATUS_ABORTED, "REMOVED")


def is_over(statuses: GoalStatusArray, goal_id: UUID) -> bool:
    ours = [one for one in statuses.status_list if list(one.goal_info.goal_id.uuid) == list(goal_id.uuid)]
    return any(one.status == GoalStatus.STATUS_ABORTED for one in ours)


def test_reachers_end_with_the_coupler(tmp_path: Path) -> None:
    with coupled_body(tmp_path, BODIES / "arm.urdf") as body:
        body.client.add_re("VF", "VF0")
        (pid,) = children(body).values()
        body.processes["rbc_program"].kill()
        wait_for(lambda: not Path(f"/proc/{pid}/exe").exists() or is_zombie(pid), "the reacher to end")


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_program_of_a_user_moves_a_body_with_a_topic_for_each_motor(tmp_path: Path) -> None:
    with coupled_body(tmp_path, BODIES / "arm_by_motor.urdf") as body:
        bend(body.client)
        body.client.remove_re("JR0")
        command = [sys.executable, str(BODIES / "reach.py"), "robot-base", "hand_link", "0.4", "0.2", "0.8"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
        assert done.stdout.strip() == "REACHED", done.stdout + done.stderr


def test_broken_description_ends_the_program_with_all_problems(tmp_path: Path) -> None:
    path = tmp_path / "broken.urdf"
    text = (BODIES / "arm.urdf").read_text().replace('field="effort"', 'field="force"')
    text = text.replace('topic="arm/posref"', 'topic="arm ref!"', 1).replace('topic="arm/posref"', 'topic="/pos"', 1)
    path.write_text(text.replace('topic="arm/posref"', 'topic="pos"', 1))
    remapped = ["--ros-args", "-r", "pos:=/elsewhere/posref", "-r", "/pos:=/elsewhere/posref"]
    command = [sys.executable, "-m", "body.ros.rbc_program", "--urdf", str(path), *remapped]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert done.returncode == 2
    assert done.stderr.count("has no field force; it has position, velocity, effort") == 7
    assert f"{path}: line " in done.stderr
    assert "variable q_ref: topic is 'arm ref!', which is not a valid name: topic name must not" in done.stderr
