"""A logger that finds its caller quickly, for programs that log a line with each task."""

import sys
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.impl.logging_severity import LoggingSeverity
from rclpy.impl.rcutils_logger import RcutilsLogger

_CALLER = 2  # frames above `log`: the one of `info`, `warning` ... lies between


class DriverLogger(RcutilsLogger):  # type: ignore[misc]  # rclpy counts as not annotated
    """Logs as rclpy's logger does, but for what it knows of the caller: its frame, and no more.

    That one reads the caller's source for each line, and asks the file system where it lies: 0.4 ms. It also refuses
    two severities from one place in Python, as which all calls from compiled code appear, since that has no frames.
    """

    def log(self, message: str, severity: LoggingSeverity, **filters: Any) -> bool:
        """Log a message; return whether it was. With filters, such as `once`, it goes rclpy's way."""
        if filters:
            return bool(super().log(message, severity, **filters))
        if not self.is_enabled_for(severity):
            return False
        frame = sys._getframe(_CALLER)  # what inspect.currentframe() gives, and its f_back
        code = frame.f_code
        rclpy_implementation.rclpy_logging_rcutils_log(
            severity, self.name, message, code.co_name, code.co_filename, frame.f_lineno
        )
        return True
