"""/diagnostics of few sources and of many."""

import time
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor

from aseba_link.diagnostics import Diagnostics

DEADLINE_S = 20.0

pytestmark = pytest.mark.skipif(
    find_spec("diagnostic_updater") is not None, reason="diagnostic_updater publishes as it likes"
)


class Heard:
    """A program with sources of diagnostics, and what is heard of it."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node("program", context=self.context)
        self.diagnostics = Diagnostics(self.node, "hardware")
        self.arrays: list[DiagnosticArray] = []
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self.arrays.append, 100)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)

    def wait_for(self, names: set[str]) -> None:
        end_s = time.monotonic() + DEADLINE_S
        while {status.name for array in self.arrays for status in array.status} != names:
            assert time.monotonic() < end_s, f"heard {self.arrays} only"
            self._executor.spin_once(timeout_sec=0.05)

    def close(self) -> None:
        self.node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def heard() -> Iterator[Heard]:
    heard = Heard()
    yield heard
    heard.close()


def name_of(number: int) -> str:
    return f"robot_{number}"


def test_few_sources_are_told_at_once(heard: Heard) -> None:
    for number in range(5):
        heard.diagnostics.add(name_of(number), DiagnosticStatus)
    heard.wait_for({f"program: {name_of(number)}" for number in range(5)})
    assert [status.name for status in heard.arrays[0].status] == [f"program: {name_of(k)}" for k in range(5)]


def test_many_sources_are_told_in_parts(heard: Heard) -> None:
    for number in range(95):
        heard.diagnostics.add(name_of(number), DiagnosticStatus)
    heard.wait_for({f"program: {name_of(number)}" for number in range(95)})
    assert {len(array.status) for array in heard.arrays} == {9, 10}
