"""A client of all programs on the ROS graph, which finds their doors by type, new doors included."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.experimental import EventsExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from type_description_interfaces.srv import GetTypeDescription

from bench.doors.requests.messages import Messages
from thymio_base.ros.executors import spin_once

# deep enough for all answers that arrive at once
_QUEUE: Final = QoSProfile(depth=200, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)
_DISCOVERY_S: Final = 5.0
_ASK_S: Final = 2.0
_FORGOTTEN_S: Final = 0.1  # within which the executor releases destroyed entities
_SETTLED_S: Final = 2.0  # without anything new
_OWN_NODE: Final = "doors"


class RosAccess:
    """A node that lists and uses services and topics of other nodes."""

    def __init__(self) -> None:
        rclpy.init()
        self.node = rclpy.create_node(_OWN_NODE)
        self._executor = EventsExecutor()
        self._clients: dict[str, Any] = {}
        self._publishers: dict[str, Any] = {}
        self.late_ms: list[float] = []
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, _QUEUE)
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self.node)
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown()

    def spin(self, duration_s: float) -> None:
        """Serve one event, or wait for one."""
        spin_once(self._executor, duration_s)

    def spin_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Serve until a condition holds; return whether it does."""
        end_s = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() >= end_s:
                return False
            self.spin(0.02)
        return True

    def settle(self, timeout_s: float) -> None:
        """Wait until no more services and topics appear."""
        known, changed_s, end_s = -1, time.monotonic(), time.monotonic() + timeout_s
        while time.monotonic() < min(end_s, changed_s + _SETTLED_S):
            self.spin_until(lambda: False, _SETTLED_S / 4.0)
            count = len(self.node.get_service_names_and_types()) + len(self.node.get_topic_names_and_types())
            if count != known:
                known, changed_s = count, time.monotonic()

    def services(self, program: str) -> list[tuple[str, str]]:
        """Return names and types of a program's services, those of actions and parameters included."""
        found = set()
        for name, namespace in self._nodes(program):
            for service, types in self.node.get_service_names_and_types_by_node(name, namespace):
                found.add((service, types[0]))
        return sorted(found)

    def topics(self, program: str) -> list[tuple[str, str]]:
        """Return names and types of the topics to which a program has subscribed."""
        found = set()
        for name, namespace in self._nodes(program):
            for topic, types in self.node.get_subscriber_names_and_types_by_node(name, namespace):
                found.add((topic, types[0]))
        return sorted(found)

    def client(self, name: str, service_type: Any) -> Any:
        """Return a client of a service, once it has found the service."""
        known = self._clients.get(name)
        if known is not None and known.srv_type is not service_type:  # another reacher has taken the name
            self.node.destroy_client(self._clients.pop(name))  # the middleware allows one type for a name
            del known
            self.spin_until(lambda: False, _FORGOTTEN_S)
        if name not in self._clients:
            self._clients[name] = self.node.create_client(service_type, name, qos_profile=_QUEUE)
        client = self._clients[name]
        self.spin_until(client.service_is_ready, _DISCOVERY_S)
        return client

    def exists(self, service: str, client: Any) -> bool:
        """Whether a client's service still has a server, or has one again: reachers may be deleted or replaced."""
        is_ours = self._clients.get(service) is client
        return is_ours and bool(client.service_is_ready())

    def publisher(self, name: str, message_type: Any) -> Any:
        """Return a publisher to a topic, once it has a subscriber."""
        known = self._publishers.get(name)
        if known is not None and known.msg_type is not message_type:
            self.node.destroy_publisher(self._publishers.pop(name))
            self.spin_until(lambda: False, _FORGOTTEN_S)
        if name not in self._publishers:
            self._publishers[name] = self.node.create_publisher(message_type, name, self._quality(name))
            self.spin_until(lambda: self._publishers[name].get_subscription_count() > 0, _DISCOVERY_S)
        return self._publishers[name]

    def forget_publishers(self) -> None:
        """Destroy all publishers, so that no starting program receives their kept messages."""
        for publisher in self._publishers.values():
            self.node.destroy_publisher(publisher)
        self._publishers.clear()

    def call(self, name: str, service_type: Any, request: Any, timeout_s: float) -> Any:
        """Return the answer to a request, None without one in time."""
        future = self.client(name, service_type).call_async(request)
        self.spin_until(future.done, timeout_s)
        return future.result() if future.done() else None

    def ask(self, name: str, timeout_s: float) -> bool:
        """Return whether a node answers a query of its types, which it can even while starting."""
        end_s = time.monotonic() + timeout_s
        while time.monotonic() < end_s:
            if self.call(f"/{name}/get_type_description", GetTypeDescription, GetTypeDescription.Request(), _ASK_S):
                return True
        return False

    def _quality(self, topic: str) -> QoSProfile:
        """Return a QoS that the topic's subscribers accept."""
        infos = self.node.get_subscriptions_info_by_topic(topic)
        keeps = any(info.qos_profile.durability is DurabilityPolicy.TRANSIENT_LOCAL for info in infos)
        return QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL) if keeps else _QUEUE

    def _nodes(self, program: str) -> list[tuple[str, str]]:
        nodes = set(self.node.get_node_names_and_namespaces())
        return sorted(one for one in nodes if one[0] != _OWN_NODE and program_of(*one) == program)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        values = (value for status in message.status for value in status.values)
        self.late_ms += [float(one.value) for one in values if one.key == "tick_late_ms"]


@dataclass(frozen=True, slots=True)
class RosTools:
    """Tools shared by all doors on the ROS graph.

    Parameters
    ----------
    ros : reaches the programs
    messages : makes requests
    seed : seed of the requests
    has_ended : returns whether a program has ended
    """

    ros: RosAccess
    messages: Messages
    seed: int
    has_ended: Callable[[], bool]


def program_of(name: str, namespace: str) -> str:
    """Return the program of a node."""
    own = {"thymio_simulator": "simulator", "asebaros": "bridge", "rbc_arm": "arm", "multi_thymio_driver": "driver"}
    if name.startswith("thymio_fleet_client"):
        return "dashboard"
    return "driver" if namespace == "/factory" else own.get(name, "coupler")
