"""Imports ROS message types by their names in a URDF."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from rclpy.qos import QoSProfile, ReliabilityPolicy


class RosMessageTypes:
    """Imports message types such as "sensor_msgs.msg.JointState"."""

    def load(self, message_type: str) -> Any:
        """Return the message class; None if it cannot be imported."""
        module, _, name = message_type.rpartition(".")
        try:
            return getattr(import_module(module), name, None)
        except Exception:  # a module that is not a package of messages may raise anything
            return None

    def fields(self, message_type: str) -> Mapping[str, str] | None:
        """Return the fields of a type with their rosidl types; None if there is no such type."""
        found = self.load(message_type)
        return None if not hasattr(found, "get_fields_and_field_types") else found.get_fields_and_field_types()

    def create(self, message_type: str) -> Any:
        """Return a new message."""
        return self.load(message_type)()


STATE_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)  # compatible with reliable publishers, too
COMMAND_QOS = QoSProfile(depth=1)  # reliable: compatible with both kinds of subscriptions
