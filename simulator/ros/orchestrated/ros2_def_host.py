"""The orchestrator of ros2_def as an alternative to the conductor, if a ROS workspace contains it.

It names a node by namespace and name: /stack/multi_thymio_driver. It does not know which node published a message, so
its records contain topics only.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from orchestrator.lib import Orchestrator
from orchestrator.orchestrator_lib.model_loader import load_launch_config_schema, load_models, load_node_config_schema
from orchestrator_interfaces.msg import Status
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from rclpy.task import Future
from rclpy.time import Time
from rosgraph_msgs.msg import Clock

from simulator.conductor.node_model import NodeModel, TopicTrigger, intercepted_name
from simulator.errors import ConductorError
from simulator.ros.orchestrated.ros_conductor import CLOCK_TOPIC, Caller, InterceptionRecorder, Passed
from thymio_base.ros.executors import spin_once
from thymio_base.ros.stamps import time_to_ros
from thymio_base.texts.json_text import read_json

_QOS: Final = QoSProfile(depth=10)
_SLICE_S: Final = 0.05
_NOBODY: Final = Caller("", "")


class Ros2DefHost:
    """Conducts a stack with the orchestrator of ros2_def.

    Parameters
    ----------
    nodes : the data provider's node, and one for the orchestrator
    executor : serves both
    launch_file : the launch configuration; the paths in it are absolute
    provider : the data provider's entry in the launch configuration
    message_type : type of the topics that the data provider reads
    hear : takes their serialized messages, with the topic
    recorder : records what is passed on
    patience_s : time to wait for the next permission
    """

    def __init__(
        self,
        nodes: tuple[Node, Node],
        executor: Executor,
        launch_file: Path,
        provider: NodeModel,
        *,
        message_type: Any,
        hear: Callable[[str, bytes], None],
        recorder: InterceptionRecorder,
        patience_s: float,
    ) -> None:
        own, node = nodes
        self._node: Final = own
        self._executor: Final = executor
        self._recorder: Final = recorder
        self._patience_s: Final = patience_s
        self._time_ns = 0
        self._publishers: Final[dict[str, Publisher]] = {CLOCK_TOPIC: own.create_publisher(Clock, CLOCK_TOPIC, _QOS)}
        status = own.create_publisher(Status, "/status", _QOS)
        self._read(provider, message_type, hear, lambda: status.publish(Status(node_name=provider.name)))
        launch_config = read_json(launch_file.read_text(encoding="utf-8"))
        load_launch_config_schema()
        models = load_models(launch_config, load_node_config_schema())
        self._orchestrator: Final = Orchestrator(node, executor, models, intercepted_topic_callback=self._note)

    def _read(
        self, provider: NodeModel, message_type: Any, hear: Callable[[str, bytes], None], end: Callable[[], None]
    ) -> None:
        def reader(topic: str) -> Callable[[bytes], None]:
            def on_message(data: bytes) -> None:
                hear(topic, data)
                end()

            return on_message

        for callback in provider.callbacks:
            if isinstance(callback.trigger, TopicTrigger):
                topic = callback.trigger.topic
                name = intercepted_name(provider.name, topic)
                self._node.create_subscription(message_type, name, reader(topic), _QOS, raw=True)

    def begin(self) -> None:
        """See `DataHost.begin`."""
        self._orchestrator.initialize_ros_communication()
        end_s = time.monotonic() + self._patience_s
        while not self._publishers[CLOCK_TOPIC].get_subscription_count() and time.monotonic() < end_s:
            spin_once(self._executor, _SLICE_S)
        self._wait(self._orchestrator.wait_until_time_publish_allowed(Time(nanoseconds=0)), "to begin")
        self._publishers[CLOCK_TOPIC].publish(Clock())

    def publish(self, topic: str, message_type: Any, message: Any) -> None:
        """See `DataHost.publish`."""
        data = message if isinstance(message, bytes) else serialize_message(message)
        if topic not in self._publishers:
            self._publishers[topic] = self._node.create_publisher(message_type, topic, _QOS)
        publisher = self._publishers[topic]
        self._wait(self._orchestrator.wait_until_publish_allowed(topic), f"to publish on {topic}")
        if not self._is_intercepted(topic):
            self._recorder.note_output(self._time_ns, _NOBODY, Passed(topic, message_type, data))
        publisher.publish(data)

    def set_time(self, now_ns: int) -> None:
        """See `DataHost.set_time`."""
        self._wait(self._orchestrator.wait_until_time_publish_allowed(Time(nanoseconds=now_ns)), "to set the time")
        self._time_ns = now_ns
        self._publishers[CLOCK_TOPIC].publish(Clock(clock=time_to_ros(now_ns)))

    def wait_for_state(self) -> None:
        """See `DataHost.wait_for_state`."""
        self._wait(self._orchestrator.wait_until_dataprovider_state_update_allowed(), "to change the state")

    def wait_for_rest(self) -> None:
        """See `DataHost.wait_for_rest`."""
        self._wait(self._orchestrator.wait_until_pending_actions_complete(), "to end")

    def _is_intercepted(self, topic: str) -> bool:
        return topic in self._orchestrator.interception_subs

    def _wait(self, future: Future, what: str) -> None:
        end_s = time.monotonic() + self._patience_s
        while not future.done():
            if time.monotonic() > end_s:
                raise ConductorError(f"ros2_def has not permitted {what} for {self._patience_s:g} s")
            spin_once(self._executor, _SLICE_S)

    def _note(self, topic: str, message_type: Any, message: Any) -> None:
        data = message if isinstance(message, bytes) else serialize_message(message)
        if topic != CLOCK_TOPIC:
            self._recorder.note_output(self._time_ns, _NOBODY, Passed(topic, message_type, data))
