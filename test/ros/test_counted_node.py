"""Callbacks that an orchestrator counts end for it, also by an exception."""

import time
from collections.abc import Iterator

import pytest
import rclpy
from orchestrator_interfaces.msg import Status
from rclpy.node import Node
from std_msgs.msg import String

from fleet.ros.orchestrated.completion import CompletionError
from fleet.ros.orchestrated.counted_node import CountedNode
from fleet.ros.orchestrated.declared_callbacks import DeclaredCallbacks
from thymio_base.ros.executors import create_executor, spin_once

pytestmark = pytest.mark.fenced  # messages of a test may reach the node in the next one

DEADLINE_S = 30.0
CALLBACK = {"name": "work", "trigger": "/in", "outputs": ["/out"]}


class Stage:
    """A counted node, and another one that triggers its callback and hears what it says."""

    def __init__(self) -> None:
        self.statuses: list[list[str]] = []
        self.node = CountedNode("counted", DeclaredCallbacks({"callbacks": [CALLBACK]}))
        self._out = self.node.create_publisher(String, "/out", 10)
        self.node.create_subscription(String, "/in", self._on_message, 10)
        self._other = Node("other")
        self._other.create_subscription(Status, "/status", self._on_status, 100)
        self._other.create_subscription(String, "/out", lambda _: None, 10)
        self._in = self._other.create_publisher(String, "/in", 10)
        self._executor = create_executor()
        self._executor.add_node(self.node)
        self._executor.add_node(self._other)

    def until_it_says(self, omitted: list[str], text: str) -> None:
        """Trigger the callback until the node says that it has ended."""
        end_s = time.monotonic() + DEADLINE_S
        while omitted not in self.statuses:
            assert time.monotonic() < end_s
            self._in.publish(String(data=text))
            spin_once(self._executor, 0.05)

    def close(self) -> None:
        self.node.destroy_node()
        self._other.destroy_node()
        self._executor.shutdown()

    def _on_status(self, status: Status) -> None:
        self.statuses.append(list(status.omitted_outputs))

    def _on_message(self, message: String) -> None:
        if message.data == "defect":
            raise ValueError("a defect")
        for _ in range(int(message.data)):
            self._out.publish(message)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    rclpy.init()
    stage = Stage()
    yield stage
    stage.close()
    rclpy.try_shutdown()


def test_callback_that_raises_has_ended_without_its_outputs(stage: Stage) -> None:
    stage.until_it_says(["/out"], "defect")
    assert stage.node.fence.counts.get("work")


def test_callback_that_breaks_the_rules_ends_the_program(stage: Stage) -> None:
    with pytest.raises(CompletionError, match="publishes twice on /out"):
        stage.until_it_says(["never"], "2")
