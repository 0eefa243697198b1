"""A topic that is read as bytes."""

from std_msgs.msg import Empty

from fleet.watch.taken_topic import TakenTopic
from harness.ros.program import program


def test_node_forgets_topics_that_are_not_read_any_more() -> None:
    with program("reading") as reading:
        known = reading.node.default_callback_group.entities
        before = len(known)
        for _ in range(3):
            TakenTopic(reading.node, Empty, "/read_for_a_while").destroy()
        assert len(known) == before
        assert not list(reading.node.subscriptions)
