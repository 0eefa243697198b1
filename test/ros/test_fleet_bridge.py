"""The bridge and the switch inside the driver."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from asebaros_msgs.msg import Event, NodeList
from asebaros_msgs.srv import GetVariable
from rclpy.qos import DurabilityPolicy, QoSProfile
from thymio_fleet_interfaces.srv import LoadScript

from aseba_link.wire.message import MessageType, encode, from_words
from aseba_link.wire.stream import MessageStream
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState
from harness.ros.running_bridge import SCRIPT
from harness.ros.running_fleet import RunningFleet, running_fleet
from thymio_base.ros.private_domain import reserve_free_port

SWITCH_PORT = reserve_free_port()


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    link = f", bridge: true, switch_port: {SWITCH_PORT}"
    yield from running_fleet(tmp_path_factory.mktemp("fleet"), link_settings=link)


def call(fleet: RunningFleet, service_type: Any, name: str, **fields: Any) -> Any:
    client = fleet.client.node.create_client(service_type, name)
    assert client.wait_for_service(timeout_sec=60.0)
    future = client.call_async(service_type.Request(**fields))
    fleet.wait_for(future.done, f"an answer of {name}")
    fleet.client.node.destroy_client(client)
    return future.result()


def test_robots_are_listed_under_their_names(fleet: RunningFleet) -> None:
    lists: list[NodeList] = []
    qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    fleet.client.node.create_subscription(NodeList, "/aseba/nodes", lists.append, qos)
    fleet.wait_for(lambda: bool(lists), "the list of nodes")
    listed = [(node.id, node.name_space, node.running) for node in lists[-1].nodes]
    assert listed == [(1, "/factory/robot_1", True), (2, "/factory/robot_2", True)]


def test_events_of_the_fleets_script_are_published(fleet: RunningFleet) -> None:
    events: list[Event] = []
    fleet.client.node.create_subscription(Event, "/factory/robot_2/aseba/events/odometry", events.append, 10)
    fleet.wait_for(lambda: bool(events), "odometry")
    assert (events[0].source, len(events[0].data)) == (2, 5)


def test_variable_is_read(fleet: RunningFleet) -> None:
    response = call(fleet, GetVariable, "/factory/robot_1/aseba/get_variable", variable="_id")
    assert list(response.data) == [1]


def test_robot_with_another_script_ends_its_task_and_returns_with_the_fleets_script(fleet: RunningFleet) -> None:
    goal = fleet.client.go_to(1, Pose2D(1.0, 1.6, 0.0))
    fleet.wait_for(lambda: goal.state is GoalState.EXECUTING, "the task to start")
    assert call(fleet, LoadScript, "/aseba/x/load_script", text=SCRIPT, node_ids=[1]).success
    fleet.wait_for(lambda: goal.state is GoalState.ABORTED, "the task to be aborted")
    fleet.wait_for(lambda: "loaded to it" in fleet.client.statuses[1].message, "the reason in status")
    assert fleet.client.is_ready(2)
    assert call(fleet, LoadScript, "/aseba/x/load_script", node_ids=[1]).success
    fleet.wait_for(lambda: fleet.client.is_ready(1), "the robot to be ready again")


def test_other_programs_receive_the_robots_messages(fleet: RunningFleet) -> None:
    with socket.create_connection(("127.0.0.1", SWITCH_PORT), 5.0) as peer:
        peer.settimeout(60.0)
        peer.sendall(encode(from_words(0, MessageType.LIST_NODES, [9])))
        stream = MessageStream()
        present: set[int] = set()
        while present != {1, 2}:
            messages = stream.feed(peer.recv(4096))
            present |= {message.source for message in messages if message.type == MessageType.NODE_PRESENT}


def test_robot_claimed_by_another_program_is_recovered(fleet: RunningFleet) -> None:
    with socket.create_connection(("127.0.0.1", SWITCH_PORT), 5.0) as peer:
        peer.sendall(encode(from_words(0, MessageType.SET_BYTECODE, [2, 0, 3, 0xFFFF, 3, 0])))
        fleet.wait_for(lambda: "is lost: another host uploaded a script" in fleet.logs(), "the loss of the robot")
    goals = [fleet.client.go_home(2)]

    def is_home() -> bool:
        if goals[-1].state is GoalState.REJECTED:  # it is not back yet
            goals.append(fleet.client.go_home(2))
        return goals[-1].state is GoalState.SUCCEEDED

    fleet.wait_for(is_home, "the robot to be recovered and to go home")
