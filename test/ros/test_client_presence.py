"""Detection of actions with clients on the ROS graph, even in programs with the same name or among the robots."""

import os
from collections.abc import Iterator

import pytest
from rclpy.action import ActionClient
from ricaip_interfaces.action import TaskGoHome

from bench.instruments.process_usage import rss_mb
from fleet.ros.edge.client_presence import ClientPresence
from harness.ros.program import Program, program


class Watching:
    """A program that tracks clients."""

    def __init__(self, running: Program) -> None:
        self.presence = ClientPresence(running.node)
        self.spin_until = running.spin_until

    def detects(self, robot_id: int) -> bool:
        """Check the graph; return whether an action of a robot has clients."""
        self.presence.update()
        return self.presence.has_client(action(robot_id))


@pytest.fixture
def driver() -> Iterator[Watching]:
    with program("driver") as running:
        yield Watching(running)


def action(robot_id: int) -> str:
    return f"/factory/robot_{robot_id}/task_go_home"


def test_action_has_a_client_from_its_arrival_until_it_leaves(driver: Watching) -> None:
    assert not driver.detects(1)
    with program("client") as client:
        action_client = ActionClient(client.node, TaskGoHome, action(1))
        driver.spin_until(lambda: driver.detects(1), "the client to be detected")
        assert not driver.detects(2)
        action_client.destroy()
    driver.spin_until(lambda: not driver.detects(1), "the client to be missed")


def test_clients_of_two_programs_with_the_same_name_are_both_detected(driver: Watching) -> None:
    with program("client") as first, program("client") as second:
        clients = [ActionClient(first.node, TaskGoHome, action(1)), ActionClient(second.node, TaskGoHome, action(2))]
        driver.spin_until(lambda: driver.detects(1) and driver.detects(2), "both clients to be seen")
        for action_client in clients:
            action_client.destroy()


def test_client_among_the_robots_is_detected(driver: Watching) -> None:
    with program("robot_9", "/factory") as client:
        action_client = ActionClient(client.node, TaskGoHome, action(1))
        driver.spin_until(lambda: driver.detects(1), "the client to be detected")
        action_client.destroy()


def test_client_that_arrived_since_the_last_check_is_detected(driver: Watching) -> None:
    with program("client") as client:
        action_client = ActionClient(client.node, TaskGoHome, action(1))
        driver.spin_until(lambda: driver.presence.has_client(action(1)), "the client to be seen")
        action_client.destroy()


def test_repeated_checks_leak_no_memory(driver: Watching) -> None:
    with program("client") as client:
        action_clients = [ActionClient(client.node, TaskGoHome, action(robot_id)) for robot_id in range(1, 11)]
        driver.spin_until(lambda: driver.detects(10), "the clients to be seen")
        for _ in range(200):
            driver.presence.update()
        before_mb = rss_mb(os.getpid())  # includes what the first checks allocate
        for _ in range(2000):
            driver.presence.update()
        assert rss_mb(os.getpid()) - before_mb < 1.0
        for action_client in action_clients:
            action_client.destroy()
