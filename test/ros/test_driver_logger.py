"""A driver's log lines reach the listeners, with their source location."""

import inspect
from collections.abc import Iterator

import pytest
from rcl_interfaces.msg import Log
from rclpy.impl.logging_severity import LoggingSeverity

from harness.ros.program import Program, program
from thymio_base.ros.driver_logger import DriverLogger

QUESTION = "is anybody there?"


class LogListener:
    """A program, its logger, and its messages on /rosout."""

    def __init__(self, running: Program) -> None:
        self.logger = DriverLogger(running.node.get_logger().name)
        self._running = running
        self._lines: list[Log] = []
        running.node.create_subscription(Log, "/rosout", self._lines.append, 100)
        running.spin_until(self._is_answered, "what is logged")

    def wait_for(self, count: int) -> list[Log]:
        """Return the log, once it has this many lines."""
        self._running.spin_until(lambda: len(self._logged()) >= count, f"{count} lines")
        return self._logged()

    def _logged(self) -> list[Log]:
        return [line for line in self._lines if line.msg != QUESTION]

    def _is_answered(self) -> bool:
        self.logger.info(QUESTION)
        return bool(self._lines)


@pytest.fixture
def listener() -> Iterator[LogListener]:
    with program("logs") as running:
        yield LogListener(running)


def test_log_line_names_its_source_location(listener: LogListener) -> None:
    listener.logger.warning("wheels slip")
    (line,) = listener.wait_for(1)
    assert (line.name, line.msg, line.level) == ("logs", "wheels slip", LoggingSeverity.WARN)
    assert (line.function, line.file) == ("test_log_line_names_its_source_location", __file__)


def test_one_source_line_may_log_at_several_severities(listener: LogListener) -> None:
    for log in (listener.logger.info, listener.logger.warning, listener.logger.error):
        log("battery")
    levels = [line.level for line in listener.wait_for(3)]
    assert levels == [LoggingSeverity.INFO, LoggingSeverity.WARN, LoggingSeverity.ERROR]


def test_lines_below_the_level_are_not_logged(listener: LogListener) -> None:
    assert not listener.logger.debug("too much")
    assert listener.logger.info("enough")
    assert [line.msg for line in listener.wait_for(1)] == ["enough"]


def test_filters_are_those_of_rclpy(listener: LogListener) -> None:
    logged = [listener.logger.info("only now", once=True) for _ in range(3)]
    assert logged == [True, False, False]


def test_filters_know_the_lines_apart_that_log(listener: LogListener) -> None:
    for _ in range(3):
        listener.logger.warning("one is thrown out", throttle_duration_sec=3600.0)
        listener.logger.warning("another one too", throttle_duration_sec=1800.0)
    assert [line.msg for line in listener.wait_for(2)] == ["one is thrown out", "another one too"]


def test_throttled_lines_are_logged_without_searching_the_sources(
    listener: LogListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(inspect, "getframeinfo")
    logged = [listener.logger.error("refused", throttle_duration_sec=3600.0) for _ in range(2)]
    assert logged == [True, False]
