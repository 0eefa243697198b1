"""Which actions have clients, as the graph tells it; also those of programs with one name, or among the robots."""

import os
from collections.abc import Iterator

import pytest
from rclpy.action import ActionClient
from ricaip_interfaces.action import TaskGoHome

from bench.machine import rss_mb
from fleet.attendance import Attendance
from program import Program, program


class Watching:
    """A program that looks who is there."""

    def __init__(self, running: Program) -> None:
        self.attendance = Attendance(running.node)
        self.spin_until = running.spin_until

    def sees(self, robot_id: int) -> bool:
        """Look; return whether an action of a robot has clients."""
        self.attendance.look()
        return self.attendance.has_client(action(robot_id))


@pytest.fixture
def driver() -> Iterator[Watching]:
    with program("driver") as running:
        yield Watching(running)


def action(robot_id: int) -> str:
    return f"/factory/robot_{robot_id}/task_go_home"


def test_an_action_is_attended_from_when_a_client_comes_until_it_leaves(driver: Watching) -> None:
    assert not driver.sees(1)
    with program("client") as client:
        action_client = ActionClient(client.node, TaskGoHome, action(1))
        driver.spin_until(lambda: driver.sees(1), "the client to be seen")
        assert not driver.sees(2)
        action_client.destroy()
    driver.spin_until(lambda: not driver.sees(1), "the client to be missed")


def test_clients_of_two_programs_of_one_name_are_both_seen(driver: Watching) -> None:
    with program("client") as first, program("client") as second:
        clients = [ActionClient(first.node, TaskGoHome, action(1)), ActionClient(second.node, TaskGoHome, action(2))]
        driver.spin_until(lambda: driver.sees(1) and driver.sees(2), "both clients to be seen")
        for action_client in clients:
            action_client.destroy()


def test_a_client_among_the_robots_is_seen(driver: Watching) -> None:
    with program("robot_9", "/factory") as client:
        action_client = ActionClient(client.node, TaskGoHome, action(1))
        driver.spin_until(lambda: driver.sees(1), "the client to be seen")
        action_client.destroy()


def test_a_client_that_came_since_the_last_look_is_seen(driver: Watching) -> None:
    with program("client") as client:
        action_client = ActionClient(client.node, TaskGoHome, action(1))
        driver.spin_until(lambda: driver.attendance.has_client(action(1)), "the client to be seen")
        action_client.destroy()


def test_to_look_again_and_again_takes_no_memory(driver: Watching) -> None:
    with program("client") as client:
        action_clients = [ActionClient(client.node, TaskGoHome, action(robot_id)) for robot_id in range(1, 11)]
        driver.spin_until(lambda: driver.sees(10), "the clients to be seen")
        before_mb = rss_mb(os.getpid())
        for _ in range(2000):
            driver.attendance.look()
        assert rss_mb(os.getpid()) - before_mb < 1.0
        for action_client in action_clients:
            action_client.destroy()
