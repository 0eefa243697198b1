"""A node whose entities may leave at any time, whatever executor serves it."""

from typing import Any

from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.node import Node

from thymio_base.ros.driver_logger import DriverLogger


class EventlessNode(Node):
    """A node that requests no events for its publishers and subscriptions, such as those of incompatible QoS.

    An event queued for an entity that has left ends the process: rclpy's EventsExecutor drops it without Python's lock.
    What is lost is a warning of incompatible QoS, which the other side gives too.
    """

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self._logger = DriverLogger(self.get_logger().name)  # replaces that of rclpy's Node; get_logger() returns it

    def create_publisher(self, *args: Any, **options: Any) -> Any:
        """Create a publisher."""
        options.setdefault("event_callbacks", PublisherEventCallbacks(use_default_callbacks=False))
        return super().create_publisher(*args, **options)

    def create_subscription(self, *args: Any, **options: Any) -> Any:
        """Create a subscription."""
        options.setdefault("event_callbacks", SubscriptionEventCallbacks(use_default_callbacks=False))
        return super().create_subscription(*args, **options)
