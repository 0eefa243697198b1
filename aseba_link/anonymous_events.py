"""The topic aseba/anonymous_events: events whose names are not known, from nodes and to all of them."""

from collections.abc import Callable

from asebaros_msgs.msg import AnonymousEvent as AnonymousEventMessage
from rclpy.node import Node as RosNode
from rclpy.time import Time

from aseba_link.errors import MessageError
from aseba_link.event import AnonymousEvent, UserEvent
from aseba_link.instant import Instant
from aseba_link.link import AsebaLink
from aseba_link.message import HOST_ID

EVENT_DEPTH = 100


class AnonymousEvents:
    """Publishes events of nodes, and sends those that others publish to every node."""

    def __init__(self, ros: RosNode, link: AsebaLink, clock: Callable[[], Instant]) -> None:
        self._ros = ros
        self._link = link
        self._clock = clock
        self._publisher = ros.create_publisher(AnonymousEventMessage, "aseba/anonymous_events", EVENT_DEPTH)
        ros.create_subscription(AnonymousEventMessage, "aseba/anonymous_events", self._on_message, EVENT_DEPTH)

    def publish(self, event: UserEvent | AnonymousEvent) -> None:
        """Publish what a node said."""
        stamp = Time(nanoseconds=self._clock().to_ros(event.stamp_ns)).to_msg()
        message = AnonymousEventMessage(stamp=stamp, source=event.address.node_id, type=event.rank, data=event.args)
        self._publisher.publish(message)

    def _on_message(self, message: AnonymousEventMessage) -> None:
        """Emit what was published by others: `source` is 0, while what nodes said has their id."""
        if message.source != HOST_ID:
            return
        try:
            self._link.broadcast(message.type, list(message.data))
        except MessageError as error:
            self._ros.get_logger().warning(f"aseba/anonymous_events: {error}", throttle_duration_sec=1.0)
