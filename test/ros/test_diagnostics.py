"""/diagnostics with few sources and with many."""

from collections.abc import Iterator

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from harness.ros.program import Program, program
from thymio_base.ros.diagnostics import Diagnostics


class DiagnosticsListener:
    """A program with sources of diagnostics, and the messages received from it."""

    def __init__(self, running: Program) -> None:
        self.diagnostics = Diagnostics(running.node, "lab")
        self.arrays: list[DiagnosticArray] = []
        self._running = running
        running.node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 100)

    def wait_for(self, names: set[str]) -> None:
        self._running.spin_until(lambda: self._names() == names, f"{names}")

    def _on_diagnostics(self, array: DiagnosticArray) -> None:
        if array.status[0].message != "Node starting up":  # diagnostic_updater's first message of each source
            self.arrays.append(array)

    def _names(self) -> set[str]:
        return {status.name for array in self.arrays for status in array.status}


@pytest.fixture
def listener() -> Iterator[DiagnosticsListener]:
    with program("program") as running:
        yield DiagnosticsListener(running)


def name_of(number: int) -> str:
    return f"robot_{number}"


def test_few_sources_are_published_in_one_message(listener: DiagnosticsListener) -> None:
    for number in range(5):
        listener.diagnostics.add(name_of(number), DiagnosticStatus)
    listener.wait_for({f"program: {name_of(number)} on lab" for number in range(5)})
    assert [status.name for status in listener.arrays[0].status] == [f"program: {name_of(k)} on lab" for k in range(5)]


def test_many_sources_are_split_over_several_messages(listener: DiagnosticsListener) -> None:
    for number in range(95):
        listener.diagnostics.add(name_of(number), DiagnosticStatus)
    listener.wait_for({f"program: {name_of(number)} on lab" for number in range(95)})
    assert {len(array.status) for array in listener.arrays} == {9, 10}
