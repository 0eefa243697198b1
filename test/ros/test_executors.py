"""The driver works the same with either executor, and survives requests to entities it has just destroyed."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Empty
from std_srvs.srv import Trigger

from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState
from harness.ros.program import program
from harness.ros.running_fleet import RunningFleet
from thymio_base.ros.eventless_node import EventlessNode
from thymio_base.ros.executors import (
    ExecutorKind,
    create_executor,
    destruction,
    drain,
    retire,
    retire_entity,
    run_pending,
    spin_once,
)

DEADLINE_S = 60.0
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.fixture(params=[kind.value for kind in ExecutorKind])
def fleet_on_executor(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[RunningFleet]:
    fleet = RunningFleet(tmp_path)
    try:
        fleet.start_simulator()
        fleet.start_driver("--executor", request.param)
        fleet.wait_until_ready()
        yield fleet
    finally:
        fleet.close()


def test_tasks_are_performed_and_canceled(fleet_on_executor: RunningFleet) -> None:
    fleet = fleet_on_executor
    short, long = fleet.client.go_to(1, Pose2D(1.05, 1.0, 0.0)), fleet.client.go_to(2, Pose2D(2.0, 1.8, 0.0))
    fleet.wait_for(lambda: long.state is GoalState.EXECUTING, "the acceptance of a goal")
    long.cancel()
    fleet.wait_for(lambda: short.state.is_final and long.state.is_final, "the ends of both goals")
    assert (short.state, long.state) == (GoalState.SUCCEEDED, GoalState.CANCELED)


@pytest.mark.parametrize("kind", ExecutorKind)
def test_running_what_is_pending_leaves_nothing_behind(kind: ExecutorKind) -> None:
    with Context() as context:
        executor = create_executor(kind, context)
        for _ in range(100):
            run_pending(executor, 1.0)
        before = sys.getallocatedblocks()
        for _ in range(2000):
            run_pending(executor, 1.0)
        assert sys.getallocatedblocks() - before < 1000
        executor.shutdown()


def test_node_is_destroyed_one_entity_after_the_other() -> None:
    with Context() as context:
        node = EventlessNode("leaving", context=context)
        for number in range(3):
            node.create_publisher(Empty, f"topic_{number}", 1)
        node.create_service(Trigger, "service", lambda _, response: response)
        left = []
        for _ in destruction(node):
            left.append(len(list(node.publishers)) + len(list(node.services)))
        assert left == list(range(left[0], -1, -1))
        assert left[0] >= 3


def test_node_may_be_retired_while_a_reader_with_incompatible_qos_arrives() -> None:
    with Context() as context, program("reader") as other:
        executor = create_executor(ExecutorKind.EVENTS, context)
        watcher = rclpy.create_node("watcher", context=context)
        for number in range(10):
            node = EventlessNode(f"retiring_{number}", context=context)
            node.create_publisher(Empty, f"topic_{number}", 1)
            executor.add_node(node)
            run_pending(executor, 1.0)
            retire(executor, node)
            other.node.create_subscription(Empty, f"topic_{number}", lambda _: None, LATCHED)
            other.spin_until(lambda number=number: watcher.count_subscribers(f"topic_{number}") > 0, "the reader")
            drain(executor)
        watcher.destroy_node()
        executor.shutdown()


@pytest.mark.parametrize("kind", ExecutorKind)
def test_service_may_be_retired_while_it_has_requests(kind: ExecutorKind) -> None:
    with Context() as context:
        node = rclpy.create_node("retiring", context=context)
        executor = create_executor(kind, context)
        executor.add_node(node)
        retired, client = [], node.create_client(Trigger, "retired")

        def retire(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            retired.append(service)
            retire_entity(node, service)
            return response

        service = node.create_service(Trigger, "retired", retire)
        other = node.create_service(Trigger, "other", lambda _, response: response)
        assert client.wait_for_service(DEADLINE_S)
        for _ in range(20):
            client.call_async(Trigger.Request())
        answer = node.create_client(Trigger, other.srv_name).call_async(Trigger.Request())
        deadline_s = time.monotonic() + DEADLINE_S
        while not (answer.done() and retired):
            assert time.monotonic() < deadline_s
            spin_once(executor, 0.05)
        drain(executor)
        node.destroy_node()
    assert retired == [service]
