"""The conductor on ROS: collects what nodes publish, and passes it to each reader when it is that reader's turn.

A node's subscriptions, including /clock, are remapped to topics of its own (`intercepted_name`). Nodes report on
/status which callbacks have ended without publishing. The data provider, a simulator, asks before it publishes, sets
the time, or steps; while it waits, the conductor serves ROS.

A callback that declares so may announce another configuration of the stack, by the service /announce_reconfig. Once
nothing more is expected, the conductor calls /request_reconfig; its server changes the nodes and answers with the
launch configuration to use from then on.
"""

import importlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from orchestrator_interfaces.msg import Status
from orchestrator_interfaces.srv import ReconfigurationAnnouncement, ReconfigurationRequest
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message, serialize_message
from rosgraph_msgs.msg import Clock

from simulator.conductor.callback_schedule import CallbackSchedule, ExpectedCallback
from simulator.conductor.launch_file import absolute
from simulator.conductor.node_model import NodeModel, TimerTrigger, intercepted_name
from simulator.errors import ConductorError
from thymio_base.ros.executors import spin_once
from thymio_base.ros.stamps import time_from_ros, time_to_ros

CLOCK_TOPIC: Final = "/clock"
STATUS_TOPIC: Final = "/status"
ANNOUNCE_SERVICE: Final = "/announce_reconfig"
REQUEST_SERVICE: Final = "/request_reconfig"
_QOS: Final = QoSProfile(depth=10)  # reliable, volatile: that of ros2_def
_SLICE_S: Final = 0.05
_WARNING_S: Final = 4.0  # without an answer
_SETTLING_S: Final = 0.3  # for nodes other than ours, which cannot report that they have found our subscriptions


@dataclass(frozen=True, slots=True)
class Caller:
    """A callback of a node, both by name."""

    node: str
    callback: str


@dataclass(frozen=True, slots=True)
class Passed:
    """A serialized message that is passed on."""

    topic: str
    type: Any
    data: bytes


class InterceptionRecorder(Protocol):
    """Records what is passed on."""

    def note_input(self, now_ns: int, caller: Caller, message: Passed) -> None:
        """Record the message that triggers a callback of a node."""

    def note_output(self, now_ns: int, caller: Caller, message: Passed) -> None:
        """Record a message published by a node's callback, or by the data provider, whose callback is ""."""


class RosConductor:
    """Conducts the nodes of a stack.

    Parameters
    ----------
    node : owns the conductor's publishers and subscriptions
    executor : serves it
    stack : the nodes to conduct
    provider : name of the data provider, the node of the stack in this process
    hear : takes the serialized messages for the data provider, with their topics
    recorder : records what is passed on
    patience_s : time to wait for a node's next answer, as it may be busy; after 4 s a warning says what is overdue
    load : returns the stack of a launch configuration, given package, possibly "", and file; raises ConductorError
    """

    def __init__(
        self,
        node: Node,
        executor: Executor,
        stack: Sequence[NodeModel],
        *,
        provider: str,
        hear: Callable[[str, bytes], None],
        recorder: InterceptionRecorder,
        patience_s: float,
        load: "Callable[[str, str], Sequence[NodeModel]] | None" = None,
    ) -> None:
        self._node: Final = node
        self._executor: Final = executor
        self._provider: Final = provider
        self._hear: Final = hear
        self._load: Final = load
        self._is_announced = False
        self._recorder: Final = recorder
        self._patience_s: Final = patience_s
        self._use(stack)
        self._publishers: Final[dict[tuple[str, str], Publisher]] = {}
        self._types: Final[dict[str, Any]] = {}
        self._intercepted: Final[set[str]] = set()
        self._time_ns = 0
        self._progress_s = time.monotonic()
        self._warned_s = 0.0  # start of the silence that was last warned of
        self._error: ConductorError | None = None
        node.create_subscription(Status, STATUS_TOPIC, self._on_status, QoSProfile(depth=100))
        node.create_service(ReconfigurationAnnouncement, ANNOUNCE_SERVICE, self._on_announcement)
        self._requests: Final = node.create_client(ReconfigurationRequest, REQUEST_SERVICE)

    def _use(self, stack: Sequence[NodeModel]) -> None:
        self._stack = list(stack)
        self._others = [one for one in stack if one.name != self._provider]
        self._schedule = CallbackSchedule(stack, self._stamp_ns)

    def begin(self, patience_s: float = 60.0) -> None:
        """Wait until every node subscribes to its inputs and publishes its outputs.

        Raises
        ------
        ConductorError
            Some nodes do not in time; the message names them.
        """
        self._wait_for(self._missing, patience_s)
        for topic in dict.fromkeys(one for node in self._others for call in node.callbacks for one in call.outputs):
            if topic not in self._intercepted:
                self._intercept(topic)
        for node in self._others:
            for topic in node.inputs:
                if (node.name, topic) not in self._publishers:
                    self._publishers[(node.name, topic)] = self._publisher(node, topic)
            if node.timers and (node.name, "") not in self._publishers:
                name = intercepted_name(node.name, CLOCK_TOPIC)
                self._publishers[(node.name, "")] = self._node.create_publisher(Clock, name, _QOS)
        self._wait_for(self._unmatched, patience_s)
        end_s = time.monotonic() + _SETTLING_S
        while time.monotonic() < end_s:
            spin_once(self._executor, _SLICE_S)

    def publish(self, topic: str, message_type: Any, message: Any) -> None:
        """Publish a message of the data provider, or its bytes, once all readers have processed the previous message.

        Raises
        ------
        ConductorError
            A node breaks the rules or does not answer.
        """
        self._wait_until(lambda: self._schedule.may_publish(topic))
        data = message if isinstance(message, bytes) else serialize_message(message)
        self._recorder.note_output(self._time_ns, Caller(self._provider, ""), Passed(topic, message_type, data))
        self._types[topic] = message_type
        self._schedule.offer(topic, data)
        self._pass_on()

    def set_time(self, now_ns: int) -> None:
        """Advance time once all due timers have been served.

        Raises
        ------
        ConductorError
            A node breaks the rules or does not answer.
        """
        self._wait_until(self._schedule.may_set_time)
        self._schedule.set_time(self._time_ns, now_ns, serialize_message(Clock(clock=time_to_ros(now_ns))))
        self._time_ns = now_ns
        self._pass_on()

    def wait_for_state(self) -> None:
        """Wait until every callback that affects the data provider's state has ended.

        Raises
        ------
        ConductorError
            A node breaks the rules or does not answer.
        """
        self._wait_until(self._schedule.may_change_state)

    def wait_for_rest(self) -> None:
        """Wait until no callback is running or expected.

        Raises
        ------
        ConductorError
            A node breaks the rules or does not answer.
        """
        self._wait_until(lambda: self._schedule.is_idle)

    def _wait_until(self, condition: Callable[[], bool]) -> None:
        self._progress_s = time.monotonic()
        while True:
            if self._error is not None:
                raise self._error
            if self._is_announced and self._schedule.is_idle:
                self._reconfigure()
            if not self._is_announced and condition():
                return
            silent_s = time.monotonic() - self._progress_s
            if silent_s > self._patience_s:
                raise ConductorError(self._silence(self._patience_s))
            if silent_s > _WARNING_S and self._warned_s != self._progress_s:
                self._warned_s = self._progress_s
                self._node.get_logger().warning(f"{self._silence(_WARNING_S)}; waiting for {self._patience_s:g} s")
            spin_once(self._executor, _SLICE_S)

    def _on_announcement(
        self, _: ReconfigurationAnnouncement.Request, response: ReconfigurationAnnouncement.Response
    ) -> ReconfigurationAnnouncement.Response:
        self._note(self._announce)
        return response

    def _announce(self) -> None:
        if not any(one.callback.may_reconfigure for one in self._schedule.running):
            text = "another configuration was announced, but no running callback declares may_cause_reconfiguration"
            raise ConductorError(text)
        self._is_announced = True

    def _reconfigure(self) -> None:
        """Request the next launch configuration, and conduct its nodes from now on."""
        self._wait_for(lambda: [] if self._requests.service_is_ready() else [f"{REQUEST_SERVICE} has no server"])
        answer = self._requests.call_async(ReconfigurationRequest.Request())
        self._wait_for(lambda: [] if answer.done() else [f"{REQUEST_SERVICE} has no answer"])
        result = answer.result()
        named = (result.new_launch_config_package, result.new_launch_config_filename)
        if self._load is None:
            raise ConductorError(f"there is no folder of launch configurations for {named}")
        stack = self._load(*named)
        _check_timers(self._stack, stack)
        for key in [one for one in self._publishers if one[0] not in {node.name for node in stack}]:
            self._node.destroy_publisher(self._publishers.pop(key))
        self._use(stack)
        self.begin(self._patience_s)
        self._is_announced = False
        self._progress_s = time.monotonic()

    def _stamp_ns(self, topic: str, data: object) -> int:
        return time_from_ros(deserialize_message(cast(bytes, data), self._types[topic]).header.stamp)

    def _silence(self, duration_s: float) -> str:
        """Return which nodes have not answered, and whether they are still on the graph."""
        present = {absolute(f"{namespace}/{name}") for name, namespace in self._node.get_node_names_and_namespaces()}
        words = [one.words + ("" if one.node.name in present else ", and is gone") for one in self._schedule.running]
        return f"no answer for {duration_s:g} s: {'; '.join(words) or 'no callback is running'}"

    def _pass_on(self) -> None:
        while ready := list(self._schedule.start_ready()):
            for one in ready:
                self._give(one)

    def _give(self, one: ExpectedCallback) -> None:
        message_type = self._types[one.topic] if one.topic else Clock
        topic, data = one.topic or CLOCK_TOPIC, cast(bytes, one.message)
        self._recorder.note_input(self._time_ns, _caller(one), Passed(topic, message_type, data))
        if one.node.name == self._provider:
            self._hear(topic, data)
            self._schedule.note_status(self._provider, ())
        else:
            self._publishers[(one.node.name, one.topic)].publish(data)

    def _intercept(self, topic: str) -> None:
        (info, *_) = self._node.get_publishers_info_by_topic(topic)
        message_type = self._types[topic] = _message_type(info.topic_type)

        def on_output(data: bytes) -> None:
            self._note(lambda: self._note_output(topic, data))
            self._pass_on()

        self._node.create_subscription(message_type, topic, on_output, _QOS, raw=True)
        self._intercepted.add(topic)

    def _note_output(self, topic: str, data: bytes) -> None:
        one = self._schedule.note_output(topic, data)
        self._recorder.note_output(self._time_ns, _caller(one), Passed(topic, self._types[topic], data))

    def _on_status(self, status: Status) -> None:
        name = absolute(status.node_name)
        self._note(lambda: self._schedule.note_status(name, map(absolute, status.omitted_outputs)))
        self._pass_on()

    def _note(self, what: Callable[[], None]) -> None:
        """Record an answer; an error is raised by the waiting method, not in the ROS callback."""
        self._progress_s = time.monotonic()
        try:
            what()
        except ConductorError as error:
            self._error = self._error or error

    def _publisher(self, node: NodeModel, topic: str) -> Publisher:
        name = intercepted_name(node.name, topic)
        (info, *_) = self._node.get_subscriptions_info_by_topic(name)
        message_type = _message_type(info.topic_type)
        if topic in node.stamped_inputs and not hasattr(message_type(), "header"):
            text = f"{info.topic_type} has no header, which a synchronizer needs"
            raise ConductorError(f"{node.name} reads {topic} with approximate_time_sync: {text}")
        return self._node.create_publisher(message_type, name, _QOS)

    def _wait_for(self, missing: Callable[[], list[str]], patience_s: float | None = None) -> None:
        patience_s = self._patience_s if patience_s is None else patience_s
        end_s = time.monotonic() + patience_s
        while words := missing():
            if time.monotonic() > end_s:
                raise ConductorError(f"missing after {patience_s:g} s: {'; '.join(words)}")
            spin_once(self._executor, _SLICE_S)

    def _unmatched(self) -> list[str]:
        """Return messages about subscriptions that our publishers have not reached yet."""
        return [
            f"{node_name} does not read {publisher.topic_name}"
            for (node_name, _), publisher in self._publishers.items()
            if not publisher.get_subscription_count()
        ]

    def _missing(self) -> list[str]:
        """Return messages about what is not on the graph yet."""
        missing: list[str] = []
        for node in self._others:
            inputs = [*node.inputs, *([CLOCK_TOPIC] if node.timers else [])]
            names = [intercepted_name(node.name, topic) for topic in inputs]
            missing += [f"{node.name} does not subscribe to {name}" for name in names if not self._has_reader(name)]
            outputs = dict.fromkeys(output for callback in node.callbacks for output in callback.outputs)
            missing += [
                f"{node.name} does not publish {topic}" for topic in outputs if not self._has_writer(node, topic)
            ]
        return missing

    def _has_reader(self, topic: str) -> bool:
        return bool(self._node.get_subscriptions_info_by_topic(topic))

    def _has_writer(self, node: NodeModel, topic: str) -> bool:
        infos = self._node.get_publishers_info_by_topic(topic)
        return any(absolute(f"{info.node_namespace}/{info.node_name}") == node.name for info in infos)


def _check_timers(before: Sequence[NodeModel], after: Sequence[NodeModel]) -> None:
    """Check that remaining nodes have no new timers, and that all timers are due when the data provider sets the time.

    Raises
    ------
    ConductorError
        A timer cannot be served.
    """
    known = {node.name: _periods_ns(node) for node in before}
    step_ns = math.gcd(*(period for periods in known.values() for period in periods))
    for node in after:
        for period_ns in sorted(_periods_ns(node) - known.get(node.name, set())):
            if node.name in known:
                raise ConductorError(
                    f"{node.name} has a new timer of {period_ns} ns; a remaining node may have no new timers"
                )
            if period_ns % step_ns:
                raise ConductorError(
                    f"{node.name}: its timer of {period_ns} ns is not a multiple of the {step_ns} ns of steps"
                )


def _periods_ns(node: NodeModel) -> set[int]:
    return {one.trigger.period_ns for one in node.timers if isinstance(one.trigger, TimerTrigger)}


def _caller(one: ExpectedCallback) -> Caller:
    return Caller(one.node.name, one.callback.name)


def _message_type(name: str) -> Any:
    """Return the class of a type such as geometry_msgs/msg/PoseStamped."""
    package, _, class_name = name.rpartition("/")
    return getattr(importlib.import_module(package.replace("/", ".")), class_name)
