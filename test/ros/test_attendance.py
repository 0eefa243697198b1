"""Which actions have clients, as the graph tells it; also those of programs with one name, or among the robots."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.node import Node
from ricaip_interfaces.action import TaskGoHome

from fleet.attendance import Attendance

DEADLINE_S = 20.0


@contextmanager
def program(name: str, namespace: str = "/") -> Iterator[Node]:
    context = Context()
    rclpy.init(context=context)
    node = rclpy.create_node(name, namespace=namespace, context=context)
    try:
        yield node
    finally:
        node.destroy_node()
        context.try_shutdown()


@pytest.fixture
def attendance() -> Iterator[Attendance]:
    with program("driver") as node:
        yield Attendance(node)


def action(robot_id: int) -> str:
    return f"/factory/robot_{robot_id}/task_go_home"


def is_attended(attendance: Attendance, robot_id: int) -> bool:
    attendance.look()
    return attendance.has_client(action(robot_id))


def wait_until(condition: Callable[[], bool], what: str) -> None:
    end_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end_s, f"waited in vain for {what}"
        time.sleep(0.05)


def test_an_action_is_attended_from_when_a_client_comes_until_it_leaves(attendance: Attendance) -> None:
    assert not is_attended(attendance, 1)
    with program("client") as node:
        client = ActionClient(node, TaskGoHome, action(1))
        wait_until(lambda: is_attended(attendance, 1), "the client to be seen")
        assert not is_attended(attendance, 2)
        client.destroy()
    wait_until(lambda: not is_attended(attendance, 1), "the client to be missed")


def test_clients_of_two_programs_of_one_name_are_both_seen(attendance: Attendance) -> None:
    with program("client") as first, program("client") as second:
        clients = [ActionClient(first, TaskGoHome, action(1)), ActionClient(second, TaskGoHome, action(2))]
        wait_until(lambda: is_attended(attendance, 1) and is_attended(attendance, 2), "both clients to be seen")
        for client in clients:
            client.destroy()


def test_a_client_among_the_robots_is_seen(attendance: Attendance) -> None:
    with program("robot_9", "/factory") as node:
        client = ActionClient(node, TaskGoHome, action(1))
        wait_until(lambda: is_attended(attendance, 1), "the client to be seen")
        client.destroy()


def test_a_client_that_came_since_the_last_look_is_seen(attendance: Attendance) -> None:
    with program("client") as node:
        client = ActionClient(node, TaskGoHome, action(1))
        wait_until(lambda: attendance.has_client(action(1)), "the client to be seen")
        client.destroy()
