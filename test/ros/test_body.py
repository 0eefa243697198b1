"""The body coupler as its users see it: services, parameters, actions and topics of real processes."""

import os
import re
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from geometry_msgs.msg import Pose, TransformStamped, WrenchStamped
from tf2_msgs.msg import TFMessage

from body.body_client import BodyClient, contact_goal, joint_goal, pose_goal
from body.errors import BodyError, ReacherError
from harness.ros.coupled_body import (
    BENT,
    BODIES,
    DEADLINE_S,
    JOINTS,
    CoupledBody,
    bend,
    children,
    coupled_body,
    ended,
    sent,
    wait_for,
)
from harness.ros.topic_ear import topic_ear

HAND = {"base_link": "robot-base", "end_link": "hand_link"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CoupledBody]:
    """An arm that the tests of this file share; each deletes its reachers."""
    with coupled_body(tmp_path_factory.mktemp("body"), BODIES / "arm.urdf") as body:
        yield body


@pytest.fixture
def client(shared: CoupledBody) -> Iterator[BodyClient]:
    yield shared.client
    for one in shared.client.list_re():
        shared.client.remove_re(one["name"])


def test_vector_field_reaches_a_pose(client: BodyClient) -> None:
    bend(client)
    client.set_params("JR0", {"weight": 0})
    client.add_re("VF", "VF0")
    client.set_params("VF0", {**HAND, "weight": 1})
    result = ended(client.execute_action("VF0", pose_goal((0.3, 0.2, 0.9), (0.0, 0.7, 0.0, 0.7))))
    assert (result.success, result.reason) == (True, "REACHED")
    assert abs(result.message.error.linear.x) <= 0.001


def test_goal_of_a_deleted_reacher_ends(client: BodyClient) -> None:
    bend(client)
    goal = sent(client.execute_action("JR0", joint_goal(dict.fromkeys(JOINTS, -0.9)), blocking=False))
    client.remove_re("JR0")
    assert goal.wait(DEADLINE_S).reason == "REMOVED"


def test_canceled_goal_holds(client: BodyClient) -> None:
    bend(client)
    goal = sent(client.execute_action("JR0", joint_goal(dict.fromkeys(JOINTS, -0.9)), blocking=False))
    goal.cancel()
    assert goal.wait(DEADLINE_S).reason == "CANCELED"


def test_later_goal_preempts(client: BodyClient) -> None:
    bend(client)
    first = sent(client.execute_action("JR0", joint_goal(dict.fromkeys(JOINTS, -0.9)), blocking=False))
    second = sent(client.execute_action("JR0", joint_goal(BENT), blocking=False))
    assert first.wait(DEADLINE_S).reason == "PREEMPTED"
    assert second.wait(DEADLINE_S).reason == "REACHED"


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("XX", "A", "data is 'XX'; write one of the types VF, JR, SC, TC"),
        ("VF", "robot-base", "name is 'robot-base'"),
        ("VF", "rbc", "name is 'rbc'"),
        ("VF", "", "name is ''"),
    ],
)
def test_bad_request_is_refused_with_its_reason(client: BodyClient, kind: str, name: str, expected: str) -> None:
    with pytest.raises(ReacherError, match=re.escape(expected)):
        client.add_re(kind, name)


def test_name_is_given_once(client: BodyClient) -> None:
    client.add_re("JR", "JR0")
    with pytest.raises(ReacherError, match="already a JR named JR0"):
        client.add_re("VF", "JR0")
    with pytest.raises(ReacherError, match="there is no JR1; there are JR0"):
        client.remove_re("JR1")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"weight": 11.0}, "weight is 11; write 0 to 10"),
        ({"weight": "much"}, "weight is 'much'; write a finite number"),
        ({"end_link": "foot"}, "there is no link 'foot'"),  # before base_link is set, too
        ({"base_link": "robot-base", "end_link": "foot"}, "there is no link 'foot'"),
        ({"speed_mps": 0.0}, "speed_mps is 0; it must be above 0"),
        ({"task_weights": [1.0]}, "task_weights is [1.0]; write six numbers"),
        ({"watch": "force"}, "watch is 'force'"),
    ],
)
def test_bad_parameter_is_rejected_with_its_reason(
    client: BodyClient, values: dict[str, object], expected: str
) -> None:
    client.add_re("VF", "VF0")
    with pytest.raises(ReacherError, match=re.escape(expected)):
        client.set_params("VF0", values)


def test_bad_goal_is_rejected(client: BodyClient) -> None:
    client.add_re("VF", "VF0")
    for values, goal in (
        ({}, pose_goal((0.3, 0.2, 0.9))),
        (HAND, pose_goal((0.3, 0.2, 0.9), (0.0, 0.0, 0.0, 0.0))),
        (HAND, pose_goal((float("nan"), 0.2, 0.9))),
        (HAND, pose_goal((0.3, 0.2, 0.9), precision=[-1.0] * 6)),
    ):
        client.set_params("VF0", values)
        with pytest.raises(ReacherError, match="rejects the goal"):
            client.execute_action("VF0", goal)
    client.add_re("JR", "JR0")
    client.set_params("JR0", {"joints": ["arm_j0", "arm_j1"]})
    twice = joint_goal({"arm_j0": 0.1, "arm_j1": 0.1})
    twice.goal[1].joint = "arm_j0"
    with pytest.raises(ReacherError, match="rejects the goal"):
        client.execute_action("JR0", twice)
    with pytest.raises(ReacherError, match=r"Pose is not a goal of a reacher; send one of VF\.Goal, "):
        client.execute_action("VF0", Pose())


def test_contact_is_simulated_estimated_and_watched_by_a_reacher_made_before(client: BodyClient) -> None:
    bend(client)
    client.set_params("JR0", {"watch": "TC0/force", "watch_limit": 5.0})  # there is no TC0 yet
    client.add_re("SC", "SC0")
    client.set_params("SC0", {"weight": 1.0})
    client.add_re("TC", "TC0")
    client.set_params("TC0", {"noise_nm": [0.001]})
    contact = sent(client.execute_action("SC0", contact_goal("hand_link", (0, 0, 0), (8.0, 0.0, 0.0)), blocking=False))
    client.touch("TC0", "hand_link", (0.0, 0.0, 0.0))
    wait_for(lambda: abs(client.variables().get("TC0/fx", 0.0) - 8.0) < 0.1, "the estimate")
    result = ended(client.execute_action("JR0", joint_goal(dict.fromkeys(JOINTS, 0.0))))
    assert (result.success, result.reason) == (False, "CONTACT")
    contact.cancel()
    assert contact.wait(DEADLINE_S).reason == "CANCELED"
    wait_for(lambda: abs(client.variables()["TC0/force"]) < 0.1, "the end of the contact")
    assert client.execute_service("TC0/tare").success


def test_topics_of_a_contact_agree_with_its_variables(client: BodyClient) -> None:
    bend(client)
    client.add_re("SC", "SC0")
    client.set_params("SC0", {"weight": 1.0})
    client.add_re("TC", "TC0")
    point, force = (0.01, 0.02, 0.03), (3.0, -4.0, 5.0)
    contact = sent(client.execute_action("SC0", contact_goal("hand_link", point, force), blocking=False))
    client.touch("TC0", "hand_link", point)
    known: dict[str, float] = {}

    def is_estimated() -> bool:
        known.update(client.variables())
        return abs(known.get("TC0/fx", 0.0) - force[0]) < 0.05

    wait_for(is_estimated, "the estimate")
    with topic_ear({"/TC0/wrench": WrenchStamped, "/SC0/wrench": WrenchStamped, "/tf": TFMessage}) as ear:
        frames: dict[str, TransformStamped] = {}

        def are_heard(latest: dict[str, Any]) -> bool:
            for frame in latest["/tf"].transforms if "/tf" in latest else ():
                frames[frame.child_frame_id] = frame
            is_complete = len(latest) == 3 and {"TC0_contact", "SC0_contact"} <= frames.keys()
            # while the machine is busy, the state is stale at times: then no contact is estimated
            return is_complete and abs(latest["/TC0/wrench"].wrench.force.x - force[0]) < 0.05

        ear.wait_for(are_heard, "wrenches and frames")
        estimated, applied = ear.latest["/TC0/wrench"], ear.latest["/SC0/wrench"]
    assert (estimated.header.frame_id, applied.header.frame_id) == ("TC0_contact", "SC0_contact")
    found, true = (one.wrench.force for one in (estimated, applied))
    assert (true.x, true.y, true.z) == force
    assert (found.x, found.y, found.z) == pytest.approx([known[f"TC0/f{axis}"] for axis in "xyz"], abs=0.05)
    assert (found.x, found.y, found.z) == pytest.approx(force, abs=0.1)
    for name in ("TC0_contact", "SC0_contact"):
        place = frames[name].transform.translation
        assert frames[name].header.frame_id == "hand_link"
        assert (place.x, place.y, place.z) == pytest.approx(point)
    contact.cancel()


def test_killed_reacher_is_out_and_the_others_go_on(shared: CoupledBody, client: BodyClient) -> None:
    bend(client)
    bend(client, "JR1")
    goals = [
        sent(client.execute_action(name, joint_goal(dict.fromkeys(JOINTS, -0.9)), blocking=False))
        for name in ("JR0", "JR1")
    ]
    os.kill(children(shared)["JR0"], signal.SIGKILL)
    wait_for(lambda: [one["name"] for one in client.list_re()] == ["JR1"], "the death to be seen")
    with pytest.raises(BodyError, match="/JR0/action has disappeared without an answer"):
        goals[0].wait(DEADLINE_S)
    assert goals[1].wait(DEADLINE_S).reason == "REACHED"


def test_suspended_reacher_is_out_until_it_goes_on(shared: CoupledBody, client: BodyClient) -> None:
    bend(client)
    pid = children(shared)["JR0"]
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_for(lambda: not client.list_re()[0]["live"], "the reacher to be out")
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_for(lambda: bool(client.list_re()[0]["live"]), "the reacher to be back")


def test_reacher_of_the_name_of_a_killed_one_is_served_at_once(shared: CoupledBody, client: BodyClient) -> None:
    bend(client)
    os.kill(children(shared)["JR0"], signal.SIGKILL)
    wait_for(lambda: client.list_re() == [], "the death to be seen")
    bend(client)  # the dead one is still on the ROS graph
