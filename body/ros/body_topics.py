"""The topics of a body: all variables of a topic share one subscription or one message."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from rclpy.publisher import Publisher

from body.coupling.coupler import Commands
from body.description.message_fields import Read, Write, fill_arrays, reader, writer
from body.description.message_labels import fill_names, stamp_writer
from body.description.robot_tree import BodyVariable
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BodyState
from body.ros.message_types import COMMAND_QOS, STATE_QOS, RosMessageTypes
from thymio_base.ros.fenced_node import FencedNode

LARGEST_VALUE: Final = 1e12  # largest accepted number in a message, so that sums stay finite
_WARNING_S = 5.0  # shortest time between two warnings about the same kind of message


@dataclass(frozen=True, slots=True)
class _CommandTopic:
    publisher: Publisher
    message: Any  # reused for each publication
    writes: tuple[tuple[int, Write], ...]
    write_stamp: Callable[[Any, Any], None] | None


class BodyTopics:
    """Reads the state variables from messages, and publishes the commands.

    Parameters
    ----------
    node : node of the topics
    layout : the body's layout
    clock_ns : returns the time on the core's clock
    """

    def __init__(self, node: FencedNode, layout: BodyLayout, clock_ns: Callable[[], int]) -> None:
        self._node = node
        self._clock_ns = clock_ns
        self._types = RosMessageTypes()
        self._values = np.array([one.init for one in layout.variables], dtype=np.float64)
        self._stamps_ns = np.zeros(len(layout.variables), dtype=np.int64)
        self._commands: dict[str, _CommandTopic] = {}
        by_topic: dict[tuple[str, bool], list[tuple[int, BodyVariable]]] = {}
        for index, variable in enumerate(layout.variables):
            by_topic.setdefault((variable.topic, variable.is_command), []).append((index, variable))
        for (topic, is_command), variables in by_topic.items():
            (self._publish_to if is_command else self._subscribe)(topic, variables)

    @property
    def state(self) -> BodyState:
        """Present state of all variables."""
        return BodyState(self._values.copy(), self._stamps_ns.copy())

    def publish(self, commands: Commands) -> None:
        """Publish the driven commands, one message per topic; a failure does not affect other topics."""
        for name in sorted(commands.topics):
            with self._node.fence.around(f"the command {name}"):
                topic = self._commands[name]
                for index, write in topic.writes:
                    write(topic.message, float(commands.values[index]))
                if topic.write_stamp is not None:
                    topic.write_stamp(topic.message, self._node.get_clock().now().to_msg())
                topic.publisher.publish(topic.message)

    def _subscribe(self, topic: str, variables: list[tuple[int, BodyVariable]]) -> None:
        reads = tuple((index, reader(variable.path)) for index, variable in variables)
        message_type = self._types.load(variables[0][1].message_type)
        self._node.create_subscription(message_type, topic, partial(self._on_state, topic, reads), STATE_QOS)

    def _publish_to(self, topic: str, variables: list[tuple[int, BodyVariable]]) -> None:
        message_type = variables[0][1].message_type
        message = self._types.create(message_type)
        own = [variable for _, variable in variables]
        fill_arrays(message, own, self._types)
        fill_names(message, own, self._types)
        publisher = self._node.create_publisher(self._types.load(message_type), topic, COMMAND_QOS)
        writes = tuple((index, writer(variable.path, self._types)) for index, variable in variables)
        self._commands[topic] = _CommandTopic(publisher, message, writes, stamp_writer(own, self._types))

    def _on_state(self, topic: str, reads: tuple[tuple[int, Read], ...], message: Any) -> None:
        now_ns = self._clock_ns()
        for index, read in reads:
            try:
                value = read(message)
            except IndexError:
                self._warn(f"a message of {topic} is shorter than the URDF says: its variables stay unknown")
                continue
            if abs(value) <= LARGEST_VALUE:  # not for nan
                self._values[index] = value
                self._stamps_ns[index] = now_ns
            else:
                self._warn(f"a message of {topic} has the value {value:g}: its variable stays as it is")

    def _warn(self, text: str) -> None:
        self._node.get_logger().warning(text, throttle_duration_sec=_WARNING_S)
