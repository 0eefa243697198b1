"""What messages, requests and reachers may contain: nothing ends the coupler, and nothing fools it."""

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rclpy
from rbc_msgs_srvs.srv import RbcL2Ctrl
from rcl_interfaces.srv import SetParameters
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Byte, Float64MultiArray

from body.coupling.coupler import Coupler
from body.description.urdf_reader import read_urdf
from body.kinematics.layout import BodyLayout
from body.reachers.joint_reacher import JointReacher
from body.ros.coupler_node import CouplerNode, CouplerSettings
from body.ros.message_types import RosMessageTypes
from harness.body.urdf_text import joint, robot
from thymio_base.ros.executors import create_executor, drain, run_pending, spin_once

DEADLINE_S = 30.0
NUMBERS = '<msg type="std_msgs.msg.Float64MultiArray" field="data" field_array="true" index="{}"/>'
NAMED = '<msg type="sensor_msgs.msg.JointState" field="position" field_array="true" index="1"/>'
BYTE = '<msg type="std_msgs.msg.Byte" field="data" index_type="int"/>'


def numbers(name: str, kind: str, index: int) -> str:
    return f'<var name="{name}" topic="arm/{kind}" type="{kind}">{NUMBERS.format(index)}</var>'


BODY = robot(
    joint("j", "a", "b", variables=[numbers("q", "state", 0), numbers("q_ref", "cmd", 0)]),
    joint("k", "b", "c", variables=[numbers("q", "state", 1), numbers("q_ref", "cmd", 1)]),
    joint(
        "hand", "c", "d", limit='<limit lower="0" upper="255" velocity="1000" effort="1"/>',
        variables=[
            f'<var name="q" topic="hand/state" type="state">{BYTE}</var>',
            f'<var name="q_ref" topic="hand/cmd" type="cmd">{BYTE}</var>',
        ],
    ),
    joint(
        "wrist", "d", "e", kind="continuous", limit='<limit velocity="1" effort="1"/>',
        variables=[
            f'<var name="q" topic="hand/state" type="state">{BYTE}</var>',
            f'<var name="q_ref" topic="wrist/cmd" type="cmd">{NAMED}</var>',
        ],
    ),
    links="abcde",
)  # fmt: skip


class Doors:
    """A coupler in this process, and a node beside it that uses its topics and services."""

    def __init__(self, executor: Executor, coupler: CouplerNode, other: Node) -> None:
        self._executor = executor
        self.coupler = coupler
        self.heard: dict[str, list[Any]] = {"/arm/cmd": [], "/hand/cmd": [], "/wrist/cmd": []}
        self._arm = other.create_publisher(Float64MultiArray, "/arm/state", 1)
        self._hand = other.create_publisher(Byte, "/hand/state", 1)
        other.create_subscription(Float64MultiArray, "/arm/cmd", self.heard["/arm/cmd"].append, 10)
        other.create_subscription(Byte, "/hand/cmd", self.heard["/hand/cmd"].append, 10)
        other.create_subscription(JointState, "/wrist/cmd", self.heard["/wrist/cmd"].append, 10)
        self._control = other.create_client(RbcL2Ctrl, "/rbc_l2_ctrl")
        self._other = other

    def until(self, is_done: Callable[[], Any], *, arm: tuple[float, ...] = (0.0, 0.0), hand: int = 100) -> None:
        """Publish states until something is so."""
        end_s = time.monotonic() + DEADLINE_S
        while not is_done():
            assert time.monotonic() < end_s
            self._arm.publish(Float64MultiArray(data=arm))
            self._hand.publish(Byte(data=bytes([hand])))
            run_pending(self._executor, DEADLINE_S)
            spin_once(self._executor, 0.01)

    def ask(self, client: Any, request: Any) -> Any:
        future = client.call_async(request)
        self.until(future.done)
        return future.result()

    def control(self, cmd: str, data: str = "", name: str = "") -> Any:
        return self.ask(self._control, RbcL2Ctrl.Request(cmd=cmd, data=data, name=name))

    def set(self, name: str, **values: Any) -> None:
        client = self._other.create_client(SetParameters, f"/{name}/set_parameters")
        parameters = [rclpy.parameter.Parameter(key, value=value).to_parameter_msg() for key, value in values.items()]
        answer = self.ask(client, SetParameters.Request(parameters=parameters))
        self._other.destroy_client(client)
        assert all(result.successful for result in answer.results)


@pytest.fixture(scope="module")
def doors() -> Iterator[Doors]:
    rclpy.init()
    executor = create_executor()
    layout = BodyLayout(read_urdf(BODY, RosMessageTypes()))
    coupler = CouplerNode(layout, BODY, CouplerSettings(is_in_process=True), executor, time.monotonic_ns)
    other = Node("other")
    executor.add_node(coupler)
    executor.add_node(other)
    yield Doors(executor, coupler, other)
    executor.remove_node(coupler)
    executor.remove_node(other)
    drain(executor)
    coupler.close()
    drain(executor)
    other.destroy_node()
    executor.shutdown()
    rclpy.try_shutdown()


@pytest.fixture
def reacher(doors: Doors) -> Iterator[str]:
    """A reacher that holds all joints."""
    assert doors.control("create_re", "JR", "JR0").success
    doors.set("JR0", weight=1.0, joints=["j", "k", "hand", "wrist"])
    yield "JR0"
    doors.control("delete_re", name="JR0")


@pytest.mark.parametrize(
    "name",
    ["", "a b", "1a", "_a", "ä", "a/b", "/a", "~", "a\n", "rbc", "x" * 65, "x" * 70_000, "\u0430", "a-b"],
    ids=lambda name: ascii(name[:8]),
)
def test_invalid_name_of_a_node_is_refused_in_a_sentence(doors: Doors, name: str) -> None:
    answer = doors.control("create_re", "JR", name)
    assert not answer.success
    assert answer.message.startswith("name is ")
    assert len(answer.message) < 400


def test_longest_name_can_be_used(doors: Doors) -> None:
    name = "n" * 64
    assert doors.control("create_re", "VF", name).message == f"{name} is ready"
    assert not doors.control("create_re", "VF", name).success
    assert doors.control("delete_re", name=name).success


@pytest.mark.parametrize(("cmd", "data"), [("x" * 70_000, ""), ("create_re", "x" * 70_000), ("delete_re", "")])
def test_request_of_any_length_is_refused_in_a_sentence(doors: Doors, cmd: str, data: str) -> None:
    answer = doors.control(cmd, data, "none" * 1000 if cmd == "delete_re" else "a")
    assert not answer.success
    assert len(answer.message) < 400


def test_byte_moves_and_is_moved(doors: Doors, reacher: str) -> None:
    assert reacher
    doors.heard["/hand/cmd"].clear()
    doors.until(lambda: doors.heard["/hand/cmd"], hand=200)
    held = (bytes([199]), bytes([200]))  # at most 1 from where it is
    doors.until(lambda: doors.heard["/hand/cmd"][-1].data in held, hand=200)


def test_command_has_the_names_of_its_joints_and_its_time(doors: Doors, reacher: str) -> None:
    assert reacher
    doors.heard["/wrist/cmd"].clear()
    doors.until(lambda: len(doors.heard["/wrist/cmd"]) > 1, hand=7)
    first, second = doors.heard["/wrist/cmd"][:2]
    assert (first.name, len(first.position)) == (["", "wrist"], 2)
    assert 0 < Time.from_msg(first.header.stamp).nanoseconds < Time.from_msg(second.header.stamp).nanoseconds


@pytest.mark.parametrize(
    "arm", [(), (0.5,), (math.nan, math.inf), (1e308, -1e308), (1e13,)], ids=["none", "one", "nan", "huge", "large"]
)
def test_state_of_another_shape_or_size_is_dropped(doors: Doors, reacher: str, arm: tuple[float, ...]) -> None:
    assert reacher
    doors.until(lambda: doors.heard["/arm/cmd"])
    doors.heard["/hand/cmd"].clear()
    doors.until(lambda: len(doors.heard["/hand/cmd"]) > 5, arm=arm)  # the coupler goes on
    doors.heard["/arm/cmd"].clear()
    doors.until(lambda: doors.heard["/arm/cmd"])
    assert all(abs(value) <= 2 for message in doors.heard["/arm/cmd"] for value in message.data)


@pytest.mark.fenced
def test_step_of_the_coupler_that_fails_is_repeated(
    doors: Doors, reacher: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reacher
    doors.heard["/arm/cmd"].clear()
    doors.until(lambda: doors.heard["/arm/cmd"])
    with monkeypatch.context() as patched:
        patched.setattr(Coupler, "step", broken)
        doors.heard["/arm/cmd"].clear()
        doors.until(lambda: len(doors.heard["/arm/cmd"]) > 3)  # held
        assert doors.coupler.fence.counts["the coupler's step"] > 2
    doors.heard["/arm/cmd"].clear()
    doors.until(lambda: doors.heard["/arm/cmd"])


@pytest.mark.fenced
def test_reacher_whose_step_fails_is_out_and_the_others_go_on(
    doors: Doors, reacher: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reacher
    assert doors.control("create_re", "VF", "VF0").success
    monkeypatch.setattr(JointReacher, "step", broken)
    doors.until(lambda: doors.coupler.fence.counts.get("the step of JR0", 0) > 2)
    live = doors.control("list_re").message
    assert '{"name": "JR0", "type": "JR", "weight": 0.0, "live": true}' in live
    assert '"name": "VF0", "type": "VF"' in live
    monkeypatch.undo()
    doors.heard["/arm/cmd"].clear()
    doors.until(lambda: doors.heard["/arm/cmd"])
    assert doors.control("delete_re", name="VF0").success


def broken(*_: object) -> Any:
    raise ValueError("a defect")
