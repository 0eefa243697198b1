"""Callbacks that raise neither end nor stall their program, whatever the door."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Never

import pytest
from action_msgs.srv import CancelGoal
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.context import Context
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.parameter import Parameter
from simulation_interfaces.srv import SpawnEntity
from std_msgs.msg import Empty
from std_srvs.srv import Trigger
from thymio_fleet_interfaces.srv import SubmitJobs

from thymio_base.fence import Fence
from thymio_base.ros.executors import create_executor, spin_once
from thymio_base.ros.fenced_node import FencedNode, refusal

DEADLINE_S = 30.0

pytestmark = pytest.mark.fenced


def broken(*_: object) -> Never:
    raise ValueError("a defect")


@pytest.fixture
def fence() -> Fence:
    return Fence(lambda _: None)


@pytest.fixture
def context() -> Iterator[Context]:
    with Context() as context:
        yield context


@pytest.fixture
def node(context: Context, fence: Fence) -> Iterator[FencedNode]:
    node = FencedNode("fenced", fence, context=context)
    yield node
    node.destroy_node()


@pytest.fixture
def executor(context: Context, node: Node) -> Iterator[Executor]:
    executor = create_executor(context=context)
    executor.add_node(node)
    yield executor
    executor.shutdown()


def spin_until(executor: Executor, is_done: Callable[[], Any]) -> None:
    end_s = time.monotonic() + DEADLINE_S
    while not is_done():
        assert time.monotonic() < end_s
        spin_once(executor, 0.05)


def test_request_that_raises_is_refused(node: FencedNode, executor: Executor, fence: Fence) -> None:
    node.create_service(Trigger, "/press", broken)
    answer = node.create_client(Trigger, "/press").call_async(Trigger.Request())
    spin_until(executor, answer.done)
    assert not answer.result().success
    assert "internal error at /press: ValueError: a defect" in answer.result().message
    assert fence.counts == {"/press": 1}


def test_message_that_raises_is_dropped(node: FencedNode, executor: Executor, fence: Fence) -> None:
    heard = []
    node.create_subscription(Empty, "/broken", broken, 1)
    node.create_subscription(Empty, "/sound", heard.append, 1)
    broken_topic, sound_topic = node.create_publisher(Empty, "/broken", 1), node.create_publisher(Empty, "/sound", 1)

    def publish() -> int:
        broken_topic.publish(Empty())
        sound_topic.publish(Empty())
        return fence.counts.get("/broken", 0)

    spin_until(executor, lambda: publish() > 1 and heard)


def test_timer_that_raises_is_called_again(node: FencedNode, executor: Executor, fence: Fence) -> None:
    node.create_timer(0.01, broken)
    spin_until(executor, lambda: fence.counts.get("timer broken", 0) > 1)


def test_parameter_callback_that_raises_is_answered(node: FencedNode, executor: Executor, fence: Fence) -> None:
    service = next(service for service in node.services if service.srv_name.endswith("/set_parameters"))
    client = node.create_client(service.srv_type, service.srv_name)
    node.declare_parameter("weight", 1.0)
    node.add_on_set_parameters_callback(broken)
    parameters = [Parameter("weight", value=2.0).to_parameter_msg()]
    answer = client.call_async(service.srv_type.Request(parameters=parameters))
    spin_until(executor, answer.done)
    assert fence.total == 1


@pytest.mark.parametrize("kind", [SetParameters, SetParametersAtomically])
def test_parameter_of_an_unknown_type_is_refused(node: FencedNode, executor: Executor, fence: Fence, kind: Any) -> None:
    client = node.create_client(kind, next(one.srv_name for one in node.services if one.srv_type is kind))
    parameters = [Parameter("use_sim_time", value=False).to_parameter_msg() for _ in range(2)]
    parameters[1].value.type = 255
    answer = client.call_async(kind.Request(parameters=parameters))
    spin_until(executor, answer.done)
    results = answer.result().results if kind is SetParameters else [answer.result().result]
    reason = "nothing is set: type 255 of parameter 'use_sim_time' is unknown; types are 0 to 9"
    assert {(result.successful, result.reason) for result in results} == {(False, reason)}
    assert fence.total == 0


@pytest.mark.parametrize("kind", [SetParameters, SetParametersAtomically])
def test_clock_of_a_running_program_is_not_changed(node: FencedNode, executor: Executor, kind: Any) -> None:
    client = node.create_client(kind, next(one.srv_name for one in node.services if one.srv_type is kind))
    answer = client.call_async(kind.Request(parameters=[Parameter("use_sim_time", value=True).to_parameter_msg()]))
    spin_until(executor, answer.done)
    result = answer.result().results[0] if kind is SetParameters else answer.result().result
    assert (result.successful, node.get_parameter("use_sim_time").value) == (False, False)


def test_refusals_say_no_in_the_fields_that_a_type_has() -> None:
    assert refusal(CancelGoal, "why").return_code == CancelGoal.Response.ERROR_REJECTED
    jobs = refusal(SubmitJobs, "why")
    assert (jobs.accepted, jobs.reasons, jobs.details) == (False, ["INTERNAL"], ["why"])
    spawned = refusal(SpawnEntity, "why").result
    assert (spawned.result, spawned.error_message) == (spawned.RESULT_OPERATION_FAILED, "why")
