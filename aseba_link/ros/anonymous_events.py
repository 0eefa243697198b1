"""The topic aseba/anonymous_events: events with unknown names, from nodes and to all nodes."""

from collections.abc import Callable

from asebaros_msgs.msg import AnonymousEvent as AnonymousEventMessage
from rclpy.node import Node as RosNode
from rclpy.time import Time

from aseba_link.errors import MessageError
from aseba_link.host.link_events import AnonymousEvent, UserEvent
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.wire.message import HOST_ID
from thymio_base.instant import Instant

EVENT_DEPTH = 100


class AnonymousEvents:
    """Publishes events of nodes, and sends the events published by other programs to all nodes."""

    def __init__(self, ros: RosNode, link: AsebaLink, clock: Callable[[], Instant]) -> None:
        self._ros = ros
        self._link = link
        self._clock = clock
        self._publisher = ros.create_publisher(AnonymousEventMessage, "aseba/anonymous_events", EVENT_DEPTH)
        ros.create_subscription(AnonymousEventMessage, "aseba/anonymous_events", self._on_message, EVENT_DEPTH)

    def publish(self, event: UserEvent | AnonymousEvent) -> None:
        """Publish an event of a node."""
        stamp = Time(nanoseconds=self._clock().to_ros(event.stamp_ns)).to_msg()
        message = AnonymousEventMessage(stamp=stamp, source=event.address.node_id, type=event.rank, data=event.args)
        self._publisher.publish(message)

    def _on_message(self, message: AnonymousEventMessage) -> None:
        """Emit an event that another program published: its `source` is 0, whereas events of nodes have their id."""
        if message.source != HOST_ID:
            return
        try:
            self._link.broadcast(message.type, list(message.data))
        except MessageError as error:
            self._ros.get_logger().warning(f"aseba/anonymous_events: {error}", throttle_duration_sec=1.0)
