"""A run over all doors reaches its end, whatever happens to the bench itself."""

from types import SimpleNamespace
from typing import Any

import pytest
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool, Trigger

from bench.doors import ros_access
from bench.doors.door import DoorRow, Trace
from bench.doors.doors_run import DoorsRun
from bench.doors.ros_access import RosAccess
from thymio_base.ros.private_domain import reserve_private_domain


class CountingDoor:
    """A door without programs; with a fault, it raises."""

    programs: tuple[str, ...] = ()

    def __init__(self, name: str, fault: Exception | None = None) -> None:
        self.name = name
        self.row = DoorRow(name)
        self.trace = Trace()
        self._fault = fault

    def run(self, first: int, duration_s: float) -> int:
        self.row.requests += 1
        if self._fault is not None:
            raise self._fault
        return first + 1


@pytest.fixture
def ros(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(ros_access, "_DISCOVERY_S", 0.0)  # nobody serves these names
    reserve_private_domain()
    access = RosAccess()
    yield access
    access.close()


def test_fault_of_the_bench_is_counted_and_the_other_doors_are_tried(
    ros: RosAccess, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bench.doors.doors_run.silent_programs", lambda *_: [])
    programs: Any = SimpleNamespace(names=[], deaths=lambda: [])
    doors = [CountingDoor("broken", RuntimeError("a type of another name")), CountingDoor("sound")]
    DoorsRun(programs, ros, doors).run(0.5, 0.01)
    broken, sound = (door.row for door in doors)
    assert (broken.bench_faults, broken.is_clean) == (broken.requests, False)
    assert (sound.bench_faults, sound.is_clean) == (0, True)
    assert "a type of another name" in capsys.readouterr().err


def test_name_may_change_its_type(ros: RosAccess) -> None:
    for service_type in (Trigger, SetBool, Trigger):
        assert ros.client("/changing", service_type).srv_type is service_type
    for message_type in (String, Bool, String):
        assert ros.publisher("/changing", message_type).msg_type is message_type
