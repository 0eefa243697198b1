"""The ROS entities of an accepted Aseba node, below {namespace}/aseba/."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from asebaros_msgs.msg import Constant, Event, NodeDescription
from asebaros_msgs.srv import GetDescription, GetVariable, SetVariable
from rclpy.node import Node as RosNode
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.subscription import Subscription
from rclpy.task import Future
from rclpy.time import Time

from aseba_link.aesl.program import Program
from aseba_link.bridge.acceptance import Admission
from aseba_link.bridge.variable_reader import VariableReader
from aseba_link.errors import AsebaLinkError
from aseba_link.host.link_events import UserEvent
from aseba_link.host.node import Node
from aseba_link.link.node_handle import NodeHandle
from aseba_link.ros.anonymous_events import EVENT_DEPTH
from aseba_link.wire.message import HOST_ID
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers
from thymio_base.ros.executors import retire_entity

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class BridgedNode:
    """Topics and services of a node; its events are served while a program runs.

    Parameters
    ----------
    ros : owns the entities
    handle : sends commands to the node
    reader : reads its variables
    node, admission : the node, and how it is served
    title : the node's name in diagnostics
    clock : returns the current instant
    answers : sends the answers of the services
    """

    def __init__(
        self,
        ros: RosNode,
        handle: NodeHandle,
        reader: VariableReader,
        *,
        node: Node,
        admission: Admission,
        title: str,
        clock: Callable[[], Instant],
        answers: Answers,
    ) -> None:
        self.node = node
        self.handle = handle
        self.admission = admission
        self.title = title
        self.program: Program | None = None
        self.is_running = False
        self.problem = ""
        self._ros = ros
        self._reader = reader
        self._clock = clock
        self._prefix = f"{admission.namespace}/aseba" if admission.namespace else "aseba"
        self._publishers: dict[str, Publisher] = {}
        self._subscriptions: list[Subscription] = []
        self._description = ros.create_publisher(NodeDescription, f"{self._prefix}/description", LATCHED)
        self._services = [
            answers.create_service(ros, GetDescription, f"{self._prefix}/get_description", self._on_get_description),
            answers.create_service(ros, GetVariable, f"{self._prefix}/get_variable", self._on_get_variable),
            answers.create_service(ros, SetVariable, f"{self._prefix}/set_variable", self._on_set_variable),
        ]
        self._publish_description()

    def run(self, program: Program) -> None:
        """Serve the events of a program that has started."""
        if program is not self.program:
            self._serve(program)
        self.program = program
        self.is_running = True
        self.problem = ""
        self._publish_description()

    def _serve(self, program: Program) -> None:
        """Create a topic for each event of a program; existing topics stay."""
        for topic in [topic for topic in self._publishers if topic not in program.topics]:
            self._ros.destroy_publisher(self._publishers.pop(topic))
        for subscription in self._subscriptions:
            retire_entity(self._ros, subscription)
        self._subscriptions = [
            self._ros.create_subscription(
                Event, f"{self._prefix}/events/{topic}", partial(self._on_event, rank, event.size), EVENT_DEPTH
            )
            for rank, (topic, event) in enumerate(zip(program.topics, program.script.events, strict=True))
        ]

    def publish_event(self, event: UserEvent) -> bool:
        """Publish an event of the running program; False if the program has no event of that rank."""
        if self.program is None or event.rank >= len(self.program.topics):
            return False
        topic = self.program.topics[event.rank]
        if topic not in self._publishers:
            name = f"{self._prefix}/events/{topic}"
            self._publishers[topic] = self._ros.create_publisher(Event, name, EVENT_DEPTH)
        message = Event(
            stamp=Time(nanoseconds=self._clock().to_ros(event.stamp_ns)).to_msg(),
            source=event.address.node_id,
            data=event.args,
        )
        self._publishers[topic].publish(message)
        return True

    def description(self) -> NodeDescription:
        """Return the description of the node and its program."""
        script = self.program.script if self.program is not None and self.is_running else None
        variables = self.handle.variables or self.node.description.variables
        return NodeDescription(
            id=self.node.address.node_id,
            name=self.node.description.name,
            constants=[Constant(name=name, value=value) for name, value in script.constants.items()] if script else [],
            events=[event.name for event in script.events] if script else [],
            variables=sorted(variable.name for variable in variables),
        )

    def destroy(self) -> None:
        """Leave the ROS graph; callers still waiting for a variable receive none."""
        self._reader.forget(self.node.address)
        for publisher in (*self._publishers.values(), self._description):
            self._ros.destroy_publisher(publisher)
        for subscription in self._subscriptions:
            retire_entity(self._ros, subscription)
        for service in self._services:
            retire_entity(self._ros, service)

    def _publish_description(self) -> None:
        self._description.publish(self.description())

    def _on_event(self, rank: int, size: int, message: Event) -> None:
        """Emit an event that another program published: its `source` is 0, whereas events of nodes have their id."""
        if message.source != HOST_ID:
            return
        data: Sequence[int] = list(message.data)
        if self.admission.rule.include_id_in_events:
            data = [self.node.address.node_id, *data]
        problem = ""
        if len(data) != size:
            problem = f"{len(data)} words for an event of {size}"
        elif not self.handle.emit(rank, data, is_urgent=False):
            problem = "an event is not sent, because no script runs, or the connection is too slow"
        if problem:  # events may arrive in floods; requests rarely do
            self._ros.get_logger().warning(f"{self.node.address}: {problem}", throttle_duration_sec=1.0)

    def _on_get_description(self, _: Any, response: GetDescription.Response) -> GetDescription.Response:
        response.description = self.description()
        return response

    def _on_get_variable(self, request: GetVariable.Request, response: GetVariable.Response) -> Any:
        """Respond once the node has answered; `data` is empty if it does not answer or has no such variable."""
        answered = Future()

        def answer(values: tuple[int, ...] | None) -> None:
            if values is None:
                self._refuse(f"no answer to the request for variable {request.variable!r}")
            answered.set_result(GetVariable.Response(data=values or ()))

        if self._reader.read(self.handle, request.variable, answer, self._clock().core_ns):
            return answered
        self._refuse(f"there is no variable {request.variable!r}, or the node cannot be reached")
        return response

    def _on_set_variable(self, request: SetVariable.Request, response: SetVariable.Response) -> SetVariable.Response:
        try:
            if not self.handle.set_variable(request.variable, list(request.data)):
                self._refuse(f"there is no variable {request.variable!r}, or the node cannot be reached")
        except AsebaLinkError as error:
            self._refuse(str(error))
        return response

    def _refuse(self, reason: str) -> None:
        self._ros.get_logger().warning(f"{self.node.address}: {reason}")
