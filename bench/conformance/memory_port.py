"""Connects the kit's scenarios to a server in memory, on simulated time: minutes take a second."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bench.conformance.reference_robot import ACTIONS, STAMP_S, ReferenceRobot
from conformance.record.run_record import ObservationKind, ServerRecording

_STEP_S: Final = 0.005
_TYPES: Final = {"task_go_to": "TaskGoTo", "task_go_home": "TaskGoHome", "task_transport": "TaskTransport"}
MakeRobot = Callable[[Callable[[str, dict[str, Any]], None], Callable[[int, dict[str, Any]], None]], ReferenceRobot]


class MemoryPort:
    """Serves the scenarios from a robot in memory; hooks do nothing and are not offered."""

    def __init__(self, make_robot: MakeRobot, setup: Mapping[str, Any]) -> None:
        self.recording = ServerRecording({"setup": dict(setup)})
        self.answers: dict[int, dict[str, Any]] = {}
        self.latest: dict[str, dict[str, Any]] = {}
        self._now_s = 0.0
        self._requests: dict[int, str] = {}
        self._late: dict[str, list[str]] = {}
        self.robot = make_robot(self._publish, self._answer)

    def now_s(self) -> float:
        return self._now_s

    def stamp_s(self) -> float:
        return STAMP_S + self._now_s

    def wait(self, until: Callable[[], bool], timeout_s: float) -> bool:
        end_s = self._now_s + timeout_s
        while not until():
            if self._now_s >= end_s:
                return False
            self.step()
        return True

    def step(self) -> None:
        """Advance the server by a moment."""
        self._now_s += _STEP_S
        self.robot.step(self._now_s)

    def call(self, service: str, request: Mapping[str, Any], label: str = "") -> int:
        number = len(self._requests) + 1
        self._requests[number] = service
        self.recording.add(self._now_s, ObservationKind.REQUEST, service, dict(request), number=number, label=label)
        self.robot.request(service, dict(request), number)
        return number

    def listen_late(self, topic: str, label: str, *, is_durable: bool) -> None:
        self._note({"late": label})
        self._late.setdefault(topic, []).append(label)
        if (
            is_durable
            and topic in self.latest
            and self.graph()["topics"][topic]["publishers"][0]["durability"] == ("transient_local")
        ):
            self.recording.add(self._now_s, ObservationKind.MESSAGE, label, self.latest[topic])

    def read_graph(self) -> None:
        self.recording.add(self._now_s, ObservationKind.GRAPH, "graph", self.graph())

    def crowd(self, count: int) -> bool:
        self._note({"crowd": "there" if count else "gone"})
        return True

    def run_hook(self, name: str, facts: Mapping[str, float] | None = None) -> bool:
        return False

    def graph(self) -> dict[str, Any]:
        """Return the graph, which a faulty server may change in `changed_graph`."""
        one = {"node": "/server", "reliability": "reliable", "hash": "", "durability": "volatile"}
        topics = {
            "pose": {"types": ["geometry_msgs/msg/PoseStamped"], "publishers": [dict(one)], "own_hash": ""},
            "status": {
                "types": ["diagnostic_msgs/msg/DiagnosticStatus"],
                "publishers": [{**one, "durability": "transient_local"}],
                "own_hash": "",
            },
        }
        services: dict[str, Any] = {"assigned_task": {"types": ["ricaip_interfaces/srv/AssignedTask"], "servers": 1}}
        for action in ACTIONS:
            kind = f"ricaip_interfaces/action/{_TYPES[action]}_SendGoal"
            services[f"{action}/_action/send_goal"] = {"types": [kind], "servers": 1}
        graph = {"topics": topics, "services": services}
        change = getattr(self.robot, "changed_graph", None)
        return change(graph) if change else graph

    def _publish(self, topic: str, body: dict[str, Any]) -> None:
        if topic == "pose":
            stamp = body["header"]["stamp"]
            body = {**body, "age_s": self.stamp_s() - stamp["sec"] - stamp["nanosec"] * 1e-9}
        self.latest[topic] = body
        for name in (topic, *self._late.get(topic, ())):
            self.recording.add(self._now_s, ObservationKind.MESSAGE, name, body)

    def _answer(self, number: int, body: dict[str, Any]) -> None:
        self.answers[number] = body
        self.recording.add(self._now_s, ObservationKind.ANSWER, self._requests[number], body, number=number)

    def _note(self, body: dict[str, Any]) -> None:
        self.recording.add(self._now_s, ObservationKind.NOTE, "kit", {"text": "", **body})
