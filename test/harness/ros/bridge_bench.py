"""A bridge, and fake nodes on targets in memory, on one clock."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import rclpy
from asebaros_msgs.msg import Event
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.experimental import EventsExecutor

from aseba_link.aesl.compiler import ScriptCompiler
from aseba_link.aesl.program import Program, parse_program
from aseba_link.bridge.acceptance import Admission, Rule, admit
from aseba_link.errors import CompilerError
from aseba_link.host.link_events import LinkEvent
from aseba_link.host.node import Node, NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.ros.bridge import Bridge
from aseba_link.ros.load_services import LoadServices
from harness.aseba.fake_node import FakeNode, FakeTarget, dialer_to
from harness.aseba.link_bench import LinkBench
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers
from thymio_base.ros.diagnostics import Diagnostics
from thymio_base.ros.executors import spin_once

DEADLINE_S = 60.0


def program(name: str, *events: str, code: str = "") -> Program:
    """Return a program for Thymios with events of one word."""
    listed = "".join(f'<event name="{event}" size="1"/>' for event in events)
    return parse_program(name, f'<network>{listed}<node name="thymio-II">{code}</node></network>'.encode(), {})


class BridgeBench(LinkBench):
    """A bridge for nodes behind any number of targets, each in a namespace of its target: /t1, /t2 ..."""

    def __init__(self, *nodes: FakeNode, default: Program | None = None, loads: bool = True, **options: Any) -> None:
        self.rule = Rule(id_variable=options.pop("id_variable", ""))
        self.targets = {f"tcp:host;{index + 1}": FakeTarget(node) for index, node in enumerate(nodes)}
        script_for = (lambda _: None) if loads or default is None else ScriptCompiler(default.script)
        script_policy = ScriptPolicy(script_for, event_timeout_s=None, reclaims=False)
        self.dialer = dialer_to(*self.targets.values())
        link = AsebaLink(list(self.targets), script_policy, self.dialer)
        super().__init__(link, *self.targets.values(), step_ns=20_000_000)
        self._context = rclpy.Context()
        self._context.init()
        self.ros = rclpy.create_node("bench", context=self._context)
        self.client = rclpy.create_node("client", context=self._context)
        self._executor = EventsExecutor(context=self._context)
        for node in (self.ros, self.client):
            self._executor.add_node(node)
        answers = Answers(lambda: self.now_ns)
        self.bridge = Bridge(
            self.ros,
            self.link,
            admit=self._admit,
            program=default,
            loads=loads,
            diagnostics=Diagnostics(self.ros, "bench"),
            clock=lambda: Instant(self.now_ns, self.now_ns),
            answers=answers,
            **options,
        )
        LoadServices(self.ros, self.bridge, answers)

    def _admit(self, nodes: Sequence[Node]) -> Mapping[NodeAddress, Admission]:
        """Give each target a namespace."""
        return {
            node.address: replace(
                admit([self.rule], [node])[node.address], namespace=f"t{node.address.target.rpartition(';')[2]}"
            )
            for node in nodes
        }

    def step(self) -> list[LinkEvent]:
        """Let one step pass on the link; return what happened."""
        happened = super().step()
        self.bridge.handle(happened)
        return happened

    def load(self, requested: Program) -> list[str]:
        """Load a program to all nodes; return a list that fills with their problems, "" for none."""
        results: list[str] = []

        def on_result(problem: CompilerError | str | None) -> None:
            results.append("" if problem is None else str(problem))

        for node in self.bridge.select([]):
            self.bridge.load(requested, node, on_result)
        return results

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        """Serve callbacks and let time pass on the link until a condition holds."""
        deadline = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline, f"waited in vain for {what}"
            self.step()
            spin_once(self._executor, 0.01)

    def call(self, service_type: Any, name: str, **fields: Any) -> Any:
        """Return the future of a service's answer, once the request is sent."""
        client = self.client.create_client(service_type, name)
        assert client.wait_for_service(timeout_sec=DEADLINE_S), name
        return client.call_async(service_type.Request(**fields))

    def subscribe(self, message_type: Any, topic: str) -> list[Any]:
        """Return a list that fills with the messages of a topic."""
        messages: list[Any] = []
        self.client.create_subscription(message_type, topic, messages.append, 10)
        return messages

    def emit(self, target: str, rank: int) -> None:
        """Let the node of a target emit an event of one word."""
        node = self.targets[target].nodes[0]
        self.targets[target].send([replace(node.odometry(), type=rank, payload=b"\x07\0")])

    def event_arrives(self, target: str, rank: int, topic: str) -> None:
        """Wait until an event of a node is published on a topic."""
        events = self.subscribe(Event, topic)

        def has_arrived() -> bool:
            self.emit(target, rank)
            return bool(events)

        self.wait_for(has_arrived, f"an event on {topic}")

    def diagnostics(self) -> dict[str, str]:
        """Return the latest message of each status, by its name."""
        arrays = self.subscribe(DiagnosticArray, "/diagnostics")
        self.wait_for(lambda: len(arrays) > 0, "diagnostics")
        statuses = {status.name: status.message for status in arrays[-1].status}
        return {name.removeprefix("bench: ").removesuffix(" on bench"): text for name, text in statuses.items()}

    def close(self) -> None:
        """End everything."""
        self.link.close()
        for node in (self.ros, self.client):
            self._executor.remove_node(node)
            node.destroy_node()
        self._executor.shutdown()  # it keeps entities in the graph until then
        self._context.try_shutdown()
