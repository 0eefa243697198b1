"""A logger that finds its caller quickly, and also writes the JSON log."""

import os
import sys
import time
from typing import Any

from rclpy.impl import rcutils_logger
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.impl.logging_severity import LoggingSeverity
from rclpy.impl.rcutils_logger import RcutilsLogger

from thymio_base.logs.json_log import log_line

_CALLER = 2  # frames above `log`; that of `info`, `warning` ... is in between

rcutils_logger._internal_callers.append(os.path.realpath(__file__))  # so that filters distinguish our callers


class DriverLogger(RcutilsLogger):
    """Logs like rclpy's logger, but identifies the caller by its frame alone.

    For each line, rclpy's logger reads the caller's source and looks up its path in the file system: 0.4 ms, and 50 ms
    for the first line with a filter, because `inspect` then looks up the files of all modules. It also rejects two
    severities from one source line; compiled code has no frames, so all its calls seem to be on one line.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._next_s: dict[tuple[str, int], float] = {}  # earliest time of the next line, by place in the sources

    def log(
        self, message: str, severity: LoggingSeverity, *, throttle_duration_sec: float = 0.0, **filters: Any
    ) -> bool:
        """Log a message, unless its place in the sources has logged within `throttle_duration_sec`.

        Return whether it was logged. Other filters, such as `once`, are left to rclpy's logger.
        """
        if filters:
            if throttle_duration_sec:
                filters["throttle_duration_sec"] = throttle_duration_sec
            is_logged = bool(super().log(message, severity, **filters))
            if is_logged:
                log_line(int(severity), self.name, message)
            return is_logged
        if not self.is_enabled_for(severity):
            return False
        frame = sys._getframe(_CALLER)  # equals the f_back of inspect.currentframe()
        code = frame.f_code
        if throttle_duration_sec and not self._may_log((code.co_filename, frame.f_lineno), throttle_duration_sec):
            return False
        rclpy_implementation.rclpy_logging_rcutils_log(
            severity, self.name, message, code.co_name, code.co_filename, frame.f_lineno
        )
        log_line(int(severity), self.name, message)
        return True

    def _may_log(self, place: tuple[str, int], pause_s: float) -> bool:
        now_s = time.monotonic()
        if now_s < self._next_s.get(place, now_s):
            return False
        self._next_s[place] = now_s + pause_s
        return True
