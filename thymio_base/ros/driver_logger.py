"""A logger that finds its caller quickly, and writes the JSON log, too."""

import os
import sys
from typing import Any

from rclpy.impl import rcutils_logger
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.impl.logging_severity import LoggingSeverity
from rclpy.impl.rcutils_logger import RcutilsLogger

from thymio_base.logs.json_log import log_line

_CALLER = 2  # frames above `log`: the one of `info`, `warning` ... lies between

rcutils_logger._internal_callers.append(os.path.realpath(__file__))  # so that filters know our callers apart


class DriverLogger(RcutilsLogger):
    """Logs like rclpy's logger, but identifies the caller by its frame alone.

    For each line, rclpy's logger reads the caller's source and looks up its path in the file system: 0.4 ms. It also
    rejects two severities from one source line; compiled code has no frames, so all its calls seem to be on one line.
    """

    def log(self, message: str, severity: LoggingSeverity, **filters: Any) -> bool:
        """Log a message and return whether it was logged; with filters, such as `once`, rclpy's logger does it."""
        if filters:
            is_logged = bool(super().log(message, severity, **filters))
            if is_logged:
                log_line(int(severity), self.name, message)
            return is_logged
        if not self.is_enabled_for(severity):
            return False
        frame = sys._getframe(_CALLER)  # what inspect.currentframe() gives, and its f_back
        code = frame.f_code
        rclpy_implementation.rclpy_logging_rcutils_log(
            severity, self.name, message, code.co_name, code.co_filename, frame.f_lineno
        )
        log_line(int(severity), self.name, message)
        return True
