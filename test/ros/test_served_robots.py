"""Interfaces of robots that come and go, bit by bit, and what robots tell that had nothing to tell when it was due."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node

from aseba_link.diagnostics import Source
from aseba_link.event import LinkEvent, NodeReady
from aseba_link.instant import Instant
from closed_loop import closed_loop
from experiments.lab import Lab
from fleet.attendance import Attendance
from fleet.conversions import time_from_ros
from fleet.robot_topics import POSE_QOS
from fleet.served_robots import ServedRobots
from program import Program, program

ROBOTS = 3
NO_TIME, TIME = 0.0, float("inf")


class Driver:
    """A lab whose robots are served on ROS; time goes on when the lab's does."""

    def __init__(self, folder: Path, running: Program) -> None:
        self.diagnosed: list[int] = []
        self.stamps_ns: dict[int, list[int]] = {}  # of the poses that were heard, by robot
        self.running = running
        self._events: list[LinkEvent] = []
        self._slot = 0
        self.lab: Lab = closed_loop(folder, ROBOTS, hear=self._events.extend)
        self.lab.start()
        logger, attendance = running.node.get_logger(), Attendance(running.node)
        self.robots = ServedRobots(
            self.lab.service, lambda: self.now, logger, attendance=attendance, diagnose=self._diagnose
        )

    @property
    def now(self) -> Instant:
        return Instant(self.lab.now_ns, self.lab.now_ns)

    def serve(self, *robot_ids: int) -> None:
        for robot_id in robot_ids:
            self.robots.serve(self.lab.config.robots[robot_id - 1])

    def tick(self, until_s: float = TIME) -> None:
        self.robots.step(self._slot, self.now, until_s)
        self._slot += 1

    def arrivals(self, node_id: int) -> list[LinkEvent]:
        """Return what the link told as a robot's node was ready."""
        return [each for each in self._events if isinstance(each, NodeReady) and each.node.address.node_id == node_id]

    def tick_until_heard(self, *robot_ids: int) -> None:
        """Let time pass until poses of robots are heard, in `stamps_ns`."""
        for robot_id in robot_ids:
            stamps_ns = self.stamps_ns.setdefault(robot_id, [])
            self.running.node.create_subscription(
                PoseStamped,
                f"/factory/robot_{robot_id}/pose",
                lambda pose, stamps_ns=stamps_ns: stamps_ns.append(time_from_ros(pose.header.stamp)),
                POSE_QOS,
            )

        def are_heard() -> bool:
            self.lab.run(0.1)
            self.tick()
            return all(self.stamps_ns[robot_id] for robot_id in robot_ids)

        self.running.spin_until(are_heard, "poses")

    def tick_without_news(self) -> None:
        """Let ticks pass in no time, of which one is a pose's."""
        for _ in range(4):
            self.tick()

    def topics(self) -> set[str]:
        """Return the topics with poses of robots that are there."""
        return {name for name, _ in self.running.node.get_topic_names_and_types() if name.endswith("/pose")}

    def _diagnose(self, robot_id: int, _: Source) -> None:
        self.diagnosed.append(robot_id)


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    with program("driver") as running:

        def node(name: str) -> Node:
            return Node(name, namespace="/factory", context=running.node.context, start_parameter_services=False)

        monkeypatch.setattr("fleet.served_robots.bare_node", node)
        driver = Driver(tmp_path, running)
        yield driver
        driver.robots.destroy()


def test_topics_of_all_are_made_first_and_then_the_rest_of_who_is_there(driver: Driver) -> None:
    driver.serve(1, 2, 3)
    driver.robots.on_events(driver.arrivals(3), driver.now)
    for _ in range(ROBOTS):
        driver.tick(NO_TIME)
    assert driver.diagnosed == []
    driver.running.spin_until(lambda: len(driver.topics()) == ROBOTS, "the topics of all robots")
    for _ in range(ROBOTS):
        driver.tick(NO_TIME)
    assert driver.diagnosed == [3, 1, 2]


def test_with_time_left_a_tick_makes_everything(driver: Driver) -> None:
    driver.serve(1, 2, 3)
    driver.tick()
    assert driver.diagnosed == [1, 2, 3]


def test_a_robot_that_is_left_before_its_interface_is_made_is_gone(driver: Driver) -> None:
    driver.serve(1, 2)
    for _ in range(2):
        driver.tick(NO_TIME)
    driver.robots.leave(1)
    driver.tick()
    assert driver.diagnosed == [2]
    driver.running.spin_until(lambda: driver.topics() == {"/factory/robot_2/pose"}, "robot 1 to be gone")


def test_a_pose_that_is_not_known_when_it_is_due_comes_with_the_next_tick(driver: Driver) -> None:
    driver.serve(1)
    driver.tick_until_heard(1)
    for _ in range(2):  # of these last ticks, one is and one is not that of a pose that is due
        driver.tick_without_news()
        driver.lab.run(0.1)
        driver.tick()
        latest = driver.lab.service.estimate(1)
        assert latest is not None
        stamp_ns = latest.stamp_ns
        driver.running.spin_until(
            lambda stamp_ns=stamp_ns: driver.stamps_ns[1][-1] == stamp_ns, "the pose that was late"
        )


def test_a_robot_that_is_left_while_its_pose_is_late_says_no_more(driver: Driver) -> None:
    driver.serve(1, 2)
    driver.tick_until_heard(1, 2)
    driver.tick_without_news()
    driver.robots.leave(1)
    left_ns = driver.lab.now_ns
    driver.lab.run(0.1)
    driver.tick()
    driver.running.spin_until(lambda: driver.stamps_ns[2][-1] > left_ns, "the other's pose")
    assert driver.stamps_ns[1][-1] <= left_ns
