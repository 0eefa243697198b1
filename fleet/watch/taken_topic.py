"""A topic whose messages are taken when its reader wants them, as bytes or decoded: no executor serves it."""

from collections.abc import Iterator
from typing import Any, Final

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription

LATEST: Final = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)  # acknowledgements cost writers
_LATCHED: Final = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_VOLATILE: Final = QoSProfile(depth=1, durability=DurabilityPolicy.VOLATILE)


class TakenTopic:
    """A subscription whose messages are taken by the thread that also destroys it: its handle needs no protection.

    Parameters
    ----------
    node : owns the subscription, and has no executor
    message_type : the ROS type
    name : the topic's name
    qos : None is reliable, with the latest earlier message if all publishers offer that

    Attributes
    ----------
    received_ns : when the middleware received the latest message of `take_message`, in Unix time
    """

    def __init__(self, node: Node, message_type: Any, name: str, qos: QoSProfile | None = None) -> None:
        self._node = node
        self._type = message_type
        self._name = name
        self._is_adapting = qos is None
        self.received_ns = 0
        self._subscription = self._subscribe(qos or _LATCHED)

    def adapt(self) -> None:
        """Match the QoS offered by all publishers: a subscription that requests more receives nothing."""
        if not self._is_adapting:
            return
        offered = [info.qos_profile.durability for info in self._node.get_publishers_info_by_topic(self._name)]
        if not offered:
            return
        is_latched = all(durability == DurabilityPolicy.TRANSIENT_LOCAL for durability in offered)
        qos = _LATCHED if is_latched else _VOLATILE
        if qos.durability != self._subscription.qos_profile.durability:
            self._node.destroy_subscription(self._subscription)
            self._subscription = self._subscribe(qos)

    def take(self) -> bytes | None:
        """Return the next message as bytes; None if there is none."""
        received = self._subscription.handle.take_message(self._type, True)
        return None if received is None else bytes(received[0])

    def take_all(self) -> Iterator[bytes]:
        """Yield every message that has arrived."""
        while (data := self.take()) is not None:
            yield data

    def take_message(self) -> Any:
        """Return the next message; None if there is none."""
        received = self._subscription.handle.take_message(self._type, False)
        if received is None:
            return None
        message, info = received
        self.received_ns = info["received_timestamp"]
        return message

    def destroy(self) -> None:
        """Leave the graph."""
        self._node.destroy_subscription(self._subscription)

    def _subscribe(self, qos: QoSProfile) -> Subscription:
        group = MutuallyExclusiveCallbackGroup()  # the node's own group would keep it forever
        return self._node.create_subscription(self._type, self._name, _unread, qos, callback_group=group)


def message_from_bytes(data: bytes, message_type: Any) -> Any:
    """Return a serialized message; None if the bytes are not one of this type."""
    try:
        return deserialize_message(data, message_type)
    except RuntimeError:  # RMWError is one
        return None


def _unread(_: Any) -> None:
    """Stand in for a callback: no executor serves the node."""
