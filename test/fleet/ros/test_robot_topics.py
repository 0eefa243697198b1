"""What a robot publishes: each pose once, and its status in one message that is reused."""

import copy
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

from experiments.lab.lab import Lab
from fleet.geometry import Pose2D
from fleet.localization.belief import Gains
from fleet.ros.robot_topics import RobotTopics
from fleet.tasks.task import go_to
from harness.closed_loop import closed_loop
from thymio_base.instant import Instant
from thymio_base.ros.stamped_poses import read_pose


class Outlet:
    """A publisher that records its messages."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def publish(self, message: Any) -> None:
        self.messages.append(copy.deepcopy(message))


class Outlets:
    """A node whose publishers record their messages."""

    def __init__(self) -> None:
        self.by_topic: dict[str, Outlet] = {}

    def create_publisher(self, _: type, topic: str, __: object) -> Outlet:
        return self.by_topic.setdefault(topic, Outlet())


class Robot:
    """Robot 1 of a lab, and its topics."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.node = Outlets()
        self.topics = RobotTopics(lab.service, lab.config.robots[0], self.node, lambda: self.now)

    @property
    def now(self) -> Instant:
        return Instant(self.lab.now_ns, self.lab.now_ns)

    @property
    def poses(self) -> list[bytes]:
        return self.node.by_topic["/factory/robot_1/pose"].messages

    @property
    def statuses(self) -> list[DiagnosticStatus]:
        return self.node.by_topic["/factory/robot_1/status"].messages


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    return Robot(closed_loop(tmp_path))


def value(status: DiagnosticStatus, key: str) -> str:
    return next(pair.value for pair in status.values if pair.key == key)


def test_robot_that_never_reported_has_no_pose_to_publish(robot: Robot) -> None:
    assert robot.topics.publish_pose(robot.now)
    assert robot.poses == []


def test_pose_stays_due_until_there_is_a_newer_one_to_publish(robot: Robot) -> None:
    robot.lab.start()
    assert robot.topics.publish_pose(robot.now)
    assert not robot.topics.publish_pose(robot.now)
    robot.lab.run(0.1)
    assert robot.topics.publish_pose(robot.now)
    first, second = map(read_pose, robot.poses)
    assert first.stamp_ns < second.stamp_ns <= robot.lab.now_ns


def test_status_reports_the_present_state_only(robot: Robot) -> None:
    robot.lab.start()
    robot.topics.publish_status(robot.now)
    robot.lab.service.assign(1, go_to("crate 7", Pose2D(1.2, 1.0, 0.0)), robot.lab.now_ns)
    robot.topics.publish_status(robot.now)
    robot.lab.service.robot(1).cancel("crate 7", robot.lab.now_ns)
    robot.lab.run(1.0)
    robot.topics.publish_status(robot.now)
    assert [value(status, "assigned_task") for status in robot.statuses] == ["", "crate 7", ""]
    assert [value(status, "busy") for status in robot.statuses] == ["no", "yes", "no"]
    assert [status.name for status in robot.statuses] == ["robot_1"] * 3


def test_diagnostics_repeat_only_a_new_status(robot: Robot) -> None:
    robot.lab.start()
    robot.topics.publish_status(robot.now)
    robot.lab.service.assign(1, go_to("crate 7", Pose2D(1.2, 1.0, 0.0)), robot.lab.now_ns)
    assert value(robot.topics.diagnostic(), "assigned_task") == ""
    robot.lab.run(2.0)
    assert value(robot.topics.diagnostic(), "assigned_task") == "crate 7"


def test_diagnostics_follow_the_status_and_the_wheels_in_one_message(robot: Robot) -> None:
    robot.lab.start()
    robot.topics.publish_status(robot.now)
    message = robot.topics.diagnostic()
    keys = [pair.key for pair in message.values]
    robot.lab.service.robot(1).chassis.gains = Gains(1.02, 1.0)
    robot.lab.service.assign(1, go_to("crate 7", Pose2D(1.2, 1.0, 0.0)), robot.lab.now_ns)
    robot.topics.publish_status(robot.now)
    assert robot.topics.diagnostic() is message
    assert [value(message, key) for key in ("assigned_task", "wheel_gain_left_pct")] == ["crate 7", "+2.00"]
    assert [pair.key for pair in message.values] == keys
