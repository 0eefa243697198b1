"""Interfaces of robots that appear and leave, created step by step, and poses that were unknown when due."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import PoseStamped
from thymio_fleet_interfaces.msg import RobotPoses

from aseba_link.host.link_events import LinkEvent, NodeReady
from experiments.lab.lab import Lab
from fleet.interface.names import POSES_TOPIC, action_name
from fleet.interface.quality import POSE_QOS, POSES_READER_QOS
from fleet.ros.edge.client_presence import ClientPresence
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.fleet_topics.poses_topic import PosesTopic
from fleet.ros.served_robots import BareNode, ServedRobots
from fleet.service.request_queue import RequestQueue
from fleet.work.kinds import KINDS
from harness.closed_loop import closed_loop
from harness.ros.program import Program, program
from thymio_base.fence import Fence
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers
from thymio_base.ros.diagnostics import Source
from thymio_base.ros.stamps import time_from_ros

ROBOTS = 3
NO_TIME, TIME = 0.0, float("inf")


class Driver:
    """A lab whose robots are served on ROS; its time is the lab's."""

    def __init__(self, folder: Path, running: Program) -> None:
        self.diagnosed: list[int] = []
        self.stamps_ns: dict[int, list[int]] = {}  # stamps of the poses received, by robot
        self.running = running
        self._events: list[LinkEvent] = []
        self._slot = 0
        self.lab: Lab = closed_loop(folder, ROBOTS, on_link_events=self._events.extend)
        self.lab.start()
        logger, presence = running.node.get_logger(), ClientPresence(running.node)
        answers = Answers(lambda: self.lab.now_ns)
        self.robots = ServedRobots(
            Edge(self.lab.service, lambda: self.now, logger, answers, RequestQueue(10, 10)),
            presence=presence,
            diagnose=self._diagnose,
            node_for=lambda robot: BareNode(robot.name, Fence(), running.node.context),
            poses=PosesTopic(running.node, self.lab.config.frame),
        )

    @property
    def now(self) -> Instant:
        return Instant(self.lab.now_ns, self.lab.now_ns)

    def serve(self, *robot_ids: int) -> None:
        for robot_id in robot_ids:
            self.robots.serve(self.lab.config.robots[robot_id - 1])

    def tick(self, until_s: float = TIME) -> None:
        self.robots.publish_poses(self._slot, self.now)
        self.robots.step(self._slot, self.now, until_s)
        self._slot += 1

    def arrivals(self, node_id: int) -> list[LinkEvent]:
        """Return the link's events that report a robot's node as ready."""
        return [each for each in self._events if isinstance(each, NodeReady) and each.node.address.node_id == node_id]

    def tick_until_received(self, *robot_ids: int) -> None:
        """Let time pass until poses of robots have arrived in `stamps_ns`."""
        for robot_id in robot_ids:
            stamps_ns = self.stamps_ns.setdefault(robot_id, [])
            self.running.node.create_subscription(
                PoseStamped,
                f"/factory/robot_{robot_id}/pose",
                lambda pose, stamps_ns=stamps_ns: stamps_ns.append(time_from_ros(pose.header.stamp)),
                POSE_QOS,
            )

        def are_received() -> bool:
            self.lab.run(0.1)
            self.tick()
            return all(self.stamps_ns[robot_id] for robot_id in robot_ids)

        self.running.spin_until(are_received, "poses")

    def tick_without_news(self) -> None:
        """Run ticks without passing time; a pose is due at one of them."""
        for _ in range(4):
            self.tick()

    def topics(self) -> set[str]:
        """Return the existing pose topics of robots."""
        return {name for name, _ in self.running.node.get_topic_names_and_types() if name.endswith("/pose")}

    def _diagnose(self, robot_id: int, _: Source) -> None:
        self.diagnosed.append(robot_id)


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with program("driver") as running:
        driver = Driver(tmp_path, running)
        yield driver
        driver.robots.destroy()


def test_topics_of_all_robots_are_created_before_the_rest_of_connected_ones(driver: Driver) -> None:
    driver.serve(1, 2, 3)
    driver.robots.on_events(driver.arrivals(3), driver.now)
    for _ in range(ROBOTS):
        driver.tick(NO_TIME)
    assert driver.diagnosed == []
    driver.running.spin_until(lambda: len(driver.topics()) == ROBOTS, "the topics of all robots")
    for _ in range(ROBOTS):
        driver.tick(NO_TIME)
    assert driver.diagnosed == [3, 1, 2]


def test_tick_with_time_left_creates_everything(driver: Driver) -> None:
    driver.serve(1, 2, 3)
    driver.tick()
    assert driver.diagnosed == [1, 2, 3]


def test_robot_that_comes_later_gets_its_interface_over_several_ticks_as_others_drive(driver: Driver) -> None:
    driver.serve(1)
    driver.tick()
    driver.serve(2)
    ticks = 0
    while driver.diagnosed == [1]:
        driver.tick(NO_TIME)
        ticks += 1
    assert driver.diagnosed == [1, 2]
    assert ticks > len(KINDS)  # an action in each


def test_robot_released_while_its_interface_is_created_may_come_back(driver: Driver) -> None:
    driver.serve(1)
    driver.tick()
    driver.serve(2)
    for _ in range(4):
        driver.tick(NO_TIME)
    driver.robots.leave(2)
    driver.serve(2)
    for _ in range(60):
        driver.tick()
    assert driver.diagnosed == [1, 2]
    own = {"/factory/robot_2/assigned_task", *(f"{action_name(2, kind)}/_action/send_goal" for kind in KINDS)}
    names = driver.running.node.get_service_names_and_types_by_node
    driver.running.spin_until(lambda: own <= {name for name, _ in names("robot_2", "/factory")}, "all services")


def test_robot_released_before_its_interface_is_complete_disappears(driver: Driver) -> None:
    driver.serve(1, 2)
    for _ in range(2):
        driver.tick(NO_TIME)
    driver.robots.leave(1)
    driver.tick()
    assert driver.diagnosed == [2]
    driver.running.spin_until(lambda: driver.topics() == {"/factory/robot_2/pose"}, "robot 1 to be gone")


def test_pose_unknown_when_due_is_published_at_the_next_tick(driver: Driver) -> None:
    driver.serve(1)
    driver.tick_until_received(1)
    for _ in range(2):  # a pose is due at one of these last ticks, and not at the other
        driver.tick_without_news()
        driver.lab.run(0.1)
        driver.tick()
        latest = driver.lab.service.robot(1).telemetry.estimate
        assert latest is not None
        stamp_ns = latest.stamp_ns
        driver.running.spin_until(
            lambda stamp_ns=stamp_ns: driver.stamps_ns[1][-1] == stamp_ns, "the pose that was late"
        )


def test_robot_released_with_a_late_pose_publishes_nothing_more(driver: Driver) -> None:
    driver.serve(1, 2)
    driver.tick_until_received(1, 2)
    driver.tick_without_news()
    driver.robots.leave(1)
    left_ns = driver.lab.now_ns
    driver.lab.run(0.1)
    driver.tick()
    driver.running.spin_until(lambda: driver.stamps_ns[2][-1] > left_ns, "the other's pose")
    assert driver.stamps_ns[1][-1] <= left_ns


def test_poses_of_all_robots_are_published_together_once_more(driver: Driver) -> None:
    together: list[RobotPoses] = []
    driver.running.node.create_subscription(RobotPoses, POSES_TOPIC, together.append, POSES_READER_QOS)
    driver.serve(1, 2)
    driver.tick_until_received(1, 2)

    def are_the_same() -> bool:
        driver.lab.run(0.1)
        driver.tick()
        found: dict[int, set[int]] = {1: set(), 2: set()}
        for message in together:
            for robot_id, stamp_ns in zip(message.robots, message.stamps_ns, strict=True):
                found[robot_id].add(stamp_ns)
        return all(len(found[robot_id] & set(driver.stamps_ns[robot_id])) > 5 for robot_id in (1, 2))

    driver.running.spin_until(are_the_same, "the same poses on both topics")
    estimate = driver.lab.service.robot(2).telemetry.estimate
    assert estimate is not None
    latest = next(message for message in reversed(together) if 2 in message.robots)
    place = latest.robots.index(2)
    assert latest.header.frame_id == driver.lab.config.frame
    assert (latest.xs_m[place], latest.ys_m[place]) == pytest.approx((estimate.pose.x_m, estimate.pose.y_m), abs=1e-3)
    assert latest.headings_rad[place] == pytest.approx(estimate.pose.heading_rad, abs=1e-2)
