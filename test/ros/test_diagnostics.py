"""/diagnostics of few sources and of many."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from aseba_link.diagnostics import Diagnostics
from program import Program, program

pytestmark = pytest.mark.skipif(
    find_spec("diagnostic_updater") is not None, reason="diagnostic_updater publishes as it likes"
)


class Heard:
    """A program with sources of diagnostics, and what is heard of it."""

    def __init__(self, running: Program) -> None:
        self.diagnostics = Diagnostics(running.node, "hardware")
        self.arrays: list[DiagnosticArray] = []
        self._running = running
        running.node.create_subscription(DiagnosticArray, "/diagnostics", self.arrays.append, 100)

    def wait_for(self, names: set[str]) -> None:
        self._running.spin_until(lambda: self._names() == names, f"{names}")

    def _names(self) -> set[str]:
        return {status.name for array in self.arrays for status in array.status}


@pytest.fixture
def heard() -> Iterator[Heard]:
    with program("program") as running:
        yield Heard(running)


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
