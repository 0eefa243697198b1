"""Whatever readers get, they return something or raise an error of their own."""

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator
from rclpy.serialization import serialize_message
from std_msgs.msg import Byte, Float32, UInt8

from bench.doors.command_door import command_door
from bench.doors.file_doors import file_door
from bench.doors.in_process import reader_doors
from bench.doors.reader_doors import Attempt, ReaderDoor
from bench.doors.requests.messages import Messages, message_class
from bench.doors.requests.words import WORDS

DOORS = {door.name: door for door in [*reader_doors(seed=1), command_door(seed=1)]}
FILES = file_door(seed=1)
TYPES = [PoseStamped, Byte, UInt8, Float32, message_class("thymio_fleet_interfaces/srv/SubmitJobs").Request]


def of_number(text: str) -> ReaderDoor:
    """A door to `float`, whose requests are the same text."""

    def make(_: Generator) -> tuple[object, Attempt]:
        return text, lambda: float(text) > 0.0

    return ReaderDoor("float", 1, make, (ValueError,))


@pytest.mark.parametrize("name", DOORS)
@settings(max_examples=40)  # `bench.doors` tries thousands
@given(number=st.integers(0, 2**40))
def test_reader_returns_or_raises_its_own_error(name: str, number: int) -> None:
    door = DOORS[name]
    door.trace.faults.clear()
    door.read(number)
    assert door.trace.faults == []


def test_check_and_program_agree_about_broken_files() -> None:
    for number in range(10):
        FILES.read(number)
    assert FILES.trace.faults == []


@pytest.mark.parametrize(("text", "counts"), [("1", (1, 0)), ("-1", (0, 1)), ("x", (0, 1))])
def test_answers_of_a_reader_are_counted(text: str, counts: tuple[int, int]) -> None:
    door = of_number(text)
    door.read(7)
    assert (door.row.accepted or 0, door.row.refused or 0) == counts
    assert door.row.is_clean


def test_error_that_is_not_the_readers_own_is_a_death_with_its_request() -> None:
    door = ReaderDoor("division", 1, lambda _: ("zero", lambda: 1 / 0 > 0), (ValueError,))
    door.read(7)
    assert door.row.deaths == 1
    assert "--from 7: 'zero'" in door.trace.faults[0]
    assert "ZeroDivisionError" in door.trace.faults[0]


@pytest.mark.parametrize("message_type", TYPES)
def test_bad_message_can_be_sent_and_depends_on_its_number_alone(message_type: type) -> None:
    messages = Messages(WORDS)
    for number in range(30):
        first, second = (messages.bad(message_type, np.random.default_rng(number)) for _ in range(2))
        assert serialize_message(first)
        assert repr(first) == repr(second)
