"""The shipped layouts for RViz and Foxglove name topics that driver and simulator publish, with types they can show."""

import re
from collections.abc import Iterator

import pytest
from rclpy.qos import DurabilityPolicy
from rclpy.topic_endpoint_info import TopicEndpointInfo

from harness.layouts import foxglove_topics, rviz_topics
from harness.ros.running_fleet import RunningFleet, running_fleet

SETTINGS = "driver: {publish: {tf: true, description: true}}"


@pytest.fixture(scope="module")
def drawn_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    """A fleet with the settings of docs/visualization.md."""
    yield from running_fleet(tmp_path_factory.mktemp("fleet"), SETTINGS)


def publisher_of(topic: str, fleet: RunningFleet) -> TopicEndpointInfo:
    """Return a publisher of a topic; the fleet has two of the eight robots."""
    name = re.sub(r"/robot_\d+/", "/robot_1/", topic)
    fleet.wait_for(lambda: fleet.client.node.count_publishers(name) > 0, f"a publisher of {name}")
    return fleet.client.node.get_publishers_info_by_topic(name)[0]


@pytest.mark.parametrize(("topic", "kind", "is_latched"), sorted(set(rviz_topics())))
def test_every_display_of_rviz_has_its_topic(
    topic: str, kind: str, is_latched: bool, drawn_fleet: RunningFleet
) -> None:
    publisher = publisher_of(topic, drawn_fleet)
    assert publisher.topic_type == kind
    assert is_latched == (publisher.qos_profile.durability is DurabilityPolicy.TRANSIENT_LOCAL)


FOXGLOVE_TOPICS = list(foxglove_topics())


@pytest.mark.parametrize(("topic", "kinds"), FOXGLOVE_TOPICS, ids=[topic for topic, _ in FOXGLOVE_TOPICS])
def test_every_panel_of_foxglove_has_its_topic(topic: str, kinds: set[str], drawn_fleet: RunningFleet) -> None:
    kind = publisher_of(topic, drawn_fleet).topic_type
    assert kind in (kinds or {kind})


@pytest.mark.parametrize("topic", ["/tf", "/tf_static"])
def test_transforms_are_published(topic: str, drawn_fleet: RunningFleet) -> None:
    assert publisher_of(topic, drawn_fleet).topic_type == "tf2_msgs/msg/TFMessage"
