"""A driver's log lines reach the listeners, with their source location."""

from collections.abc import Iterator

import pytest
from rcl_interfaces.msg import Log
from rclpy.impl.logging_severity import LoggingSeverity

from harness.ros.program import Program, program
from thymio_base.ros.driver_logger import DriverLogger

QUESTION = "is anybody there?"


class Heard:
    """A program, its logger, and its messages on /rosout."""

    def __init__(self, running: Program) -> None:
        self.logger = DriverLogger(running.node.get_logger().name)
        self._running = running
        self._lines: list[Log] = []
        running.node.create_subscription(Log, "/rosout", self._lines.append, 100)
        running.spin_until(self._is_answered, "what is logged")

    def wait_for(self, count: int) -> list[Log]:
        """Return the log, once it has this many lines."""
        self._running.spin_until(lambda: len(self._said()) >= count, f"{count} lines")
        return self._said()

    def _said(self) -> list[Log]:
        return [line for line in self._lines if line.msg != QUESTION]

    def _is_answered(self) -> bool:
        self.logger.info(QUESTION)
        return bool(self._lines)


@pytest.fixture
def heard() -> Iterator[Heard]:
    with program("logs") as running:
        yield Heard(running)


def test_a_line_tells_where_it_comes_from(heard: Heard) -> None:
    heard.logger.warning("wheels slip")
    (line,) = heard.wait_for(1)
    assert (line.name, line.msg, line.level) == ("logs", "wheels slip", LoggingSeverity.WARN)
    assert (line.function, line.file) == ("test_a_line_tells_where_it_comes_from", __file__)


def test_one_place_may_log_at_several_severities(heard: Heard) -> None:
    for log in (heard.logger.info, heard.logger.warning, heard.logger.error):
        log("battery")
    levels = [line.level for line in heard.wait_for(3)]
    assert levels == [LoggingSeverity.INFO, LoggingSeverity.WARN, LoggingSeverity.ERROR]


def test_lines_below_the_level_are_not_logged(heard: Heard) -> None:
    assert not heard.logger.debug("too much")
    assert heard.logger.info("enough")
    assert [line.msg for line in heard.wait_for(1)] == ["enough"]


def test_filters_are_those_of_rclpy(heard: Heard) -> None:
    logged = [heard.logger.info("only now", once=True) for _ in range(3)]
    assert logged == [True, False, False]
