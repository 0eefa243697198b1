"""What RViz and Foxglove need to show the fleet."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from fleet.ros.thymio_topics.robot_description import parse_joints
from harness.ros.running_fleet import RunningFleet, running_fleet

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.fixture(scope="module")
def shown_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    yield from running_fleet(tmp_path_factory.mktemp("fleet"), "driver: {publish: {tf: true, description: true}}")


def test_description_reaches_late_subscribers(shown_fleet: RunningFleet, tmp_path: Path) -> None:
    received: list[str] = []
    topic = "/factory/robot_2/robot_description"
    shown_fleet.client.node.create_subscription(String, topic, lambda message: received.append(message.data), LATCHED)
    shown_fleet.wait_for(lambda: bool(received), "a description")
    assert {joint.parent for joint in parse_joints(received[0])} == {"robot_2/base_link"}


def test_every_link_is_connected_to_the_map(shown_fleet: RunningFleet) -> None:
    parents: dict[str, str] = {}

    def on_transforms(message: TFMessage) -> None:
        parents.update({tf.child_frame_id: tf.header.frame_id for tf in message.transforms})

    def root(frame: str) -> str:
        while frame in parents:
            frame = parents[frame]
        return frame

    client = shown_fleet.client
    client.node.create_subscription(TFMessage, "/tf_static", on_transforms, LATCHED)
    client.node.create_subscription(TFMessage, "/tf", on_transforms, 100)
    frames = [
        f"robot_{robot_id}/{link}"
        for robot_id in RunningFleet.ROBOT_IDS
        for link in ("left_wheel_link", "right_wheel_link", "proximity_center_link", "laser_link", "body_link")
    ]
    shown_fleet.wait_for(lambda: all(root(frame) == "map" for frame in frames), "every link to hang on the map")


def test_robot_that_drives_has_its_reference_in_the_map(shown_fleet: RunningFleet) -> None:
    parents: dict[str, str] = {}

    def on_transforms(message: TFMessage) -> None:
        parents.update({tf.child_frame_id: tf.header.frame_id for tf in message.transforms})

    client = shown_fleet.client
    client.node.create_subscription(TFMessage, "/tf", on_transforms, 100)
    shown_fleet.wait_for(lambda: "robot_1/base_link" in parents, "transforms")
    assert "robot_1/reference" not in parents
    client.go_home(1)
    shown_fleet.wait_for(lambda: parents.get("robot_1/reference") == "map", "the reference of robot 1")
