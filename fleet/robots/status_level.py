"""The levels of a status; clients use them too, without the rest of a status."""

from enum import Enum


class Level(Enum):
    """Overall level, with the values of diagnostic_msgs/DiagnosticStatus that the customer's interface uses."""

    OK = 0
    WARN = 1
    ERROR = 2
