"""Connects scenarios to a server on ROS, and records everything received with its arrival time."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from tempfile import TemporaryFile
from typing import Any, Final

import rclpy
from action_msgs.msg import GoalStatusArray
from action_msgs.srv import CancelGoal
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.context import Context
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rosgraph_msgs.msg import Clock

from conformance.record.run_record import ObservationKind, ServerRecording
from conformance.ros.load_meter import LoadMeter
from conformance.ros.message_values import to_message, to_values
from thymio_base.ros.executors import ExecutorKind, create_executor, spin_once

_SLICE_S: Final = 0.01
_READY_S: Final = 5.0
_HOOK_S: Final = 90.0
_SLOWEST: Final = 20.0  # multiple of its length after which a wait ends, in case simulated time stops


class RosPort:
    """Talks to one server; keeps all entities until the end, since rclpy receives nothing while one is destroyed.

    Parameters
    ----------
    setup
        set-up of the run; `namespace` is the robot's, or the name of an action, with `goal`
    actions
        action types by the names that scenarios use
    header
        header of the recording
    is_stopped
        returns whether the user wants the run to end; a wait then raises KeyboardInterrupt
    """

    def __init__(
        self,
        setup: Mapping[str, Any],
        actions: Mapping[str, Any],
        header: Mapping[str, Any],
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.recording = ServerRecording({**header, "setup": dict(setup)})
        self.answers: dict[int, dict[str, Any]] = {}
        self.latest: dict[str, dict[str, Any]] = {}
        self._setup, self._actions, self._is_stopped = setup, actions, is_stopped
        self._namespace = str(setup["namespace"])
        self._context = Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node(f"conformance_{os.getpid()}", context=self._context)
        self._executor = create_executor(ExecutorKind.WAITING, self._context)
        self._executor.add_node(self._node)
        self._clients: dict[str, Any] = {}
        self._subscriptions: list[Any] = []
        self._crowd: list[Any] = []
        self._count = 0
        self._load = LoadMeter()
        self._start_s = time.monotonic()
        self._clock_s: float | None = None
        self._is_simulated = False
        self._sim_start_s = 0.0
        self._listen()

    def find(self, timeout_s: float) -> bool:
        """Wait for the server; return whether it appears in time."""
        name = next(iter(self._actions))
        return self.wait(lambda: self._client(f"{name}/send_goal").service_is_ready() or bool(self.latest), timeout_s)

    def meet(self) -> None:
        """Wait for the server's services and topics, as far as they exist, and choose the clock."""
        names = [f"{name}/{kind}" for name in self._actions for kind in ("send_goal", "cancel_goal", "get_result")]
        names += [] if self._setup["action"] else ["assigned_task"]
        clients = [self._client(name) for name in names]
        self.wait(lambda: all(client.service_is_ready() for client in clients), _READY_S)
        self.wait(lambda: {"pose", "status"} <= self.latest.keys() or bool(self._setup["action"]), _READY_S)
        if self._is_simulated:
            self._sim_start_s = (self._clock_s or 0.0) - self.now_s()

    def has_simulator(self) -> bool:
        """Whether services of a simulator are on the graph."""
        return any(name.startswith("/simulator/") for name, _ in self._node.get_service_names_and_types())

    def now_s(self) -> float:
        """Return the seconds since the start, in simulated time if the server follows it."""
        if self._is_simulated and self._sim_start_s and self._clock_s is not None:
            return self._clock_s - self._sim_start_s
        return time.monotonic() - self._start_s

    def stamp_s(self) -> float:
        """Return the time for stamps of messages."""
        return self._clock_s if self._is_simulated and self._clock_s is not None else time.time()

    def wait(self, until: Callable[[], bool], timeout_s: float) -> bool:
        """Serve until a condition holds; return whether it does in time."""
        end_s, last_s = self.now_s() + timeout_s, time.monotonic() + _SLOWEST * timeout_s
        self._load.rest()
        while not until():
            if self._is_stopped():
                raise KeyboardInterrupt
            left_s = end_s - self.now_s()
            if left_s <= 0.0 or time.monotonic() > last_s:
                return False
            slice_s = min(_SLICE_S, left_s)
            spin_once(self._executor, slice_s)
            self._load.passed(slice_s)
            if (reading := self._load.reading()) is not None:
                self._record(ObservationKind.LOAD, "machine", dict(reading))
        return True

    def call(self, service: str, request: Mapping[str, Any], label: str = "") -> int:
        """Call a service; the answer is recorded when it arrives."""
        client = self._client(service)
        message = to_message(client.srv_type.Request, request)
        self._count += 1
        number = self._count
        self._record(ObservationKind.REQUEST, service, dict(request), number=number, label=label)
        client.call_async(message).add_done_callback(lambda future: self._on_answer(number, service, future.result()))
        return number

    def listen_late(self, topic: str, label: str, *, is_durable: bool) -> None:
        """Add a subscription whose messages are recorded under a label."""
        self._note({"late": label})
        durability = DurabilityPolicy.TRANSIENT_LOCAL if is_durable else DurabilityPolicy.VOLATILE
        quality = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=durability)
        self._subscribe(PoseStamped if topic == "pose" else DiagnosticStatus, topic, label, quality)

    def read_graph(self) -> None:
        """Record names, types and quality of service below the namespace."""
        self.wait(lambda: False, 1.0)
        node, prefix = self._node, self._namespace + "/"
        topics = {
            name.removeprefix(prefix): {"types": types, **self._endpoints(name)}
            for name, types in node.get_topic_names_and_types()
            if name.startswith(prefix) and node.get_publishers_info_by_topic(name)
        }
        services = {
            name.removeprefix(prefix): {"types": types, "servers": node.count_services(name)}
            for name, types in node.get_service_names_and_types()
            if name.startswith(prefix) and node.count_services(name)
        }
        self._record(ObservationKind.GRAPH, "graph", {"topics": topics, "services": services})

    def crowd(self, count: int) -> bool:
        """Add subscribers that never read, or remove them."""
        if count:
            context = Context()
            rclpy.init(args=[], context=context, signal_handler_options=SignalHandlerOptions.NO)
            node = rclpy.create_node(f"conformance_crowd_{os.getpid()}", context=context)
            quality = QoSProfile(depth=5, reliability=ReliabilityPolicy.RELIABLE)
            name = f"{self._namespace}/pose"
            kept = [node.create_subscription(PoseStamped, name, print, quality) for _ in range(count)]
            self._crowd = [context, node, kept]
        elif self._crowd:
            self._leave()
        self._load.rest()
        self._note({"crowd": "there" if count else "gone"})
        return True

    def run_hook(self, name: str, facts: Mapping[str, float] | None = None) -> bool:
        """Run a command of the set-up file, and keep receiving meanwhile."""
        command, started_s = self._setup["hooks"][name], self.now_s()
        environment = os.environ | {key: f"{value:.4f}" for key, value in (facts or {}).items()}
        with (
            TemporaryFile() as errors,  # not a pipe, which a program that the command starts and leaves would keep open
            subprocess.Popen(
                command,
                shell=True,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            ) as process,
        ):
            is_done = self.wait(lambda: process.poll() is not None, _HOOK_S)
            if not is_done:
                process.kill()
            errors.seek(0)
            problem = errors.read().decode(errors="replace")[-300:] if is_done else "no end"
        done = process.returncode == 0
        problem = "" if done else problem or command
        self._record(ObservationKind.HOOK, name, {"done": done, "problem": problem, "started_s": started_s})
        return done

    def close(self) -> None:
        """Leave the graph."""
        self._leave()
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def _leave(self) -> None:
        if self._crowd:
            context, node, _ = self._crowd
            self._crowd = []
            node.destroy_node()
            context.try_shutdown()

    def _listen(self) -> None:
        if not self._setup["action"]:
            self._subscribe(PoseStamped, "pose", "pose")
            self._subscribe(DiagnosticStatus, "status", "status")
        for name, kind in self._actions.items():
            self._subscribe(GoalStatusArray, f"{name}/status", f"{name}/status")
            self._subscribe(kind.Impl.FeedbackMessage, f"{name}/feedback", f"{name}/feedback")
        self._subscriptions.append(self._node.create_subscription(Clock, "/clock", self._on_clock, 10))

    def _subscribe(self, kind: Any, topic: str, name: str, quality: QoSProfile | None = None) -> None:
        """Record a topic's messages; fall back to best effort, with a note, if the server does not offer reliable."""

        def on_incompatible(_: Any) -> None:
            if quality is None:
                self._record(
                    ObservationKind.NOTE, "quality", {"text": f"{topic} is not offered with reliable, volatile"}
                )
                best_effort = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
                self._subscribe(kind, topic, name, best_effort)

        self._subscriptions.append(
            self._node.create_subscription(
                kind,
                self._full_name(topic),
                lambda message: self._on_message(topic, name, message),
                quality or QoSProfile(depth=20),
                event_callbacks=SubscriptionEventCallbacks(incompatible_qos=on_incompatible),
            )
        )

    def _client(self, service: str) -> Any:
        if service not in self._clients:
            action, _, kind = service.rpartition(":")[2].rpartition("/")
            impl = self._actions[action].Impl if action else None
            types = {"send_goal": "SendGoalService", "get_result": "GetResultService"}
            type_of = CancelGoal if kind == "cancel_goal" else getattr(impl, types[kind]) if impl else _assigned_task()
            self._clients[service] = client = self._node.create_client(type_of, self._full_name(service))
            if ":" in service:
                self.wait(client.service_is_ready, _READY_S)
        return self._clients[service]

    def _full_name(self, name: str) -> str:
        """Return a full name on the graph; entities of an action are below `_action`, `/other:` means another robot."""
        namespace, is_other, rest = name.rpartition(":")
        root = namespace if is_other else self._namespace
        action, is_below, entity = rest.rpartition("/")
        if not is_below:
            return f"{root}/{rest}"
        return f"{root}/_action/{entity}" if self._setup["action"] else f"{root}/{action}/_action/{entity}"

    def _endpoints(self, name: str) -> dict[str, Any]:
        own = (
            one for one in self._node.get_subscriptions_info_by_topic(name) if one.node_name == self._node.get_name()
        )
        return {
            "publishers": list(self._publishers(name)),
            "own_hash": next((_hash(one) for one in own), ""),
        }

    def _publishers(self, name: str) -> Iterator[dict[str, str]]:
        for one in self._node.get_publishers_info_by_topic(name):
            yield {
                "node": f"{one.node_namespace.rstrip('/')}/{one.node_name}",
                "reliability": one.qos_profile.reliability.name.lower(),
                "durability": one.qos_profile.durability.name.lower(),
                "hash": _hash(one),
            }

    def _on_answer(self, number: int, service: str, answer: Any) -> None:
        if answer is not None:
            self.answers[number] = values = to_values(answer)
            self._record(ObservationKind.ANSWER, service, values, number=number)

    def _on_message(self, topic: str, name: str, message: Any) -> None:
        values = to_values(message)
        if topic == "pose":
            stamp = message.header.stamp
            stamp_s = stamp.sec + stamp.nanosec * 1e-9
            if self._clock_s is not None and not self._sim_start_s:
                self._is_simulated = abs(stamp_s - self._clock_s) < abs(stamp_s - time.time())
            values["age_s"] = self.stamp_s() - stamp_s
        self.latest[topic] = values
        self._record(ObservationKind.MESSAGE, name, values)

    def _on_clock(self, message: Clock) -> None:
        self._clock_s = message.clock.sec + message.clock.nanosec * 1e-9

    def _note(self, body: dict[str, Any]) -> None:
        self._record(ObservationKind.NOTE, "kit", {"text": "", **body})

    def _record(
        self, kind: ObservationKind, name: str, body: dict[str, Any], *, number: int = 0, label: str = ""
    ) -> None:
        self.recording.add(self.now_s(), kind, name, body, number=number, label=label)


def _hash(endpoint: Any) -> str:
    """Return the hash of an endpoint's type; "" if the distribution or the other side does not provide it."""
    found = getattr(endpoint, "topic_type_hash", None)
    value = bytes(getattr(found, "value", b""))
    return value.hex() if any(value) else ""


def _assigned_task() -> Any:
    from ricaip_interfaces.srv import AssignedTask  # noqa: PLC0415  not needed for a run against any action

    return AssignedTask
