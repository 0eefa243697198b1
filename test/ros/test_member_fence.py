"""Reachers and extenders that are processes survive an exception at each kind of door, and answer with a refusal."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from body.body_client import joint_goal
from body.errors import BodyError, ReacherError
from harness.fence_record import take_record
from harness.ros.coupled_body import BENT, BODIES, JOINTS, CoupledBody, children, coupled_body, ended, sent, wait_for

DOORS = {  # by door, a method behind it, and how often it works before, in each process
    "the step of JR0": "body.reachers.joint_reacher:JointReacher.step 1 40",
    "JR0/set_parameters": "body.ros.reacher_bindings:JointBinding.configure 1 1",
    "a goal of JR0": "body.ros.reacher_bindings:JointBinding.start 1",
    "JR0/action/_action/cancel_goal": "body.ros.reacher_member:ReacherMember._on_cancel 1",
    "the step of TC0": "body.ros.touch_contact_member:TouchContactMember._step 1 40",
    "TC0/tare": "body.reachers.touch_contact_extender:TouchContactExtender.tare 1",
    "TC0/contact": "body.reachers.touch_contact_extender:TouchContactExtender.touch 1",
    "timer": "thymio_base.ros.answers:Answers.step 1 20",
    "the end": "body.ros.reacher_member:ReacherMember.close 1",
}

pytestmark = pytest.mark.fenced


@pytest.fixture
def body(tmp_path: Path) -> Iterator[CoupledBody]:
    with coupled_body(tmp_path, BODIES / "arm.urdf", member_faults=",".join(DOORS.values())) as body:
        yield body


def test_members_survive_an_exception_at_each_kind_of_door(body: CoupledBody) -> None:
    client = body.client
    client.add_re("JR", "JR0")
    client.add_re("TC", "TC0")
    processes = children(body)
    with pytest.raises((ReacherError, BodyError), match="InjectedError"):
        client.set_params("JR0", {"joints": JOINTS, "weight": 1.0})
    client.set_params("JR0", {"joints": JOINTS, "weight": 1.0})
    with pytest.raises(ReacherError, match="rejects"):
        client.execute_action("JR0", joint_goal(BENT))
    goal = sent(client.execute_action("JR0", joint_goal(BENT), blocking=False))
    goal.cancel()
    goal.cancel()
    assert not ended(goal).success
    # the step that fails belongs to the goal that was canceled or, if that one ended before its 40th step, to the next
    reached = [ended(client.execute_action("JR0", joint_goal(BENT))).success for _ in range(2)]
    assert reached[-1]
    tared = [client.execute_service("TC0/tare").success for _ in range(2)]
    assert tared == [False, True]
    client.touch("TC0", "hand_link", (0.0, 0.0, 0.0))
    caught = ""

    def is_caught(door: str) -> bool:
        nonlocal caught
        caught += take_record()
        return f"internal error at {door}" in caught

    for door in DOORS:
        if door != "the end":
            wait_for(lambda door=door: is_caught(door), door)
    assert children(body) == processes
    client.remove_re("JR0")
    wait_for(lambda: is_caught("the end"), "the end")
    assert [one["name"] for one in client.list_re()] == ["TC0"]
