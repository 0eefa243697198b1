"""Errors of the fleet; failures of robots are outcomes (`fleet.reason`), not errors."""

from collections.abc import Collection
from typing import Final

from fleet.reason import Explanation, Reason
from thymio_base.number_text import which_are_text

HOW_TO_START: Final = "is a fleet running? `thymio-fleet up` starts a simulated one"


class FleetError(Exception):
    """Base of every error raised by `fleet`."""


class ConfigError(FleetError, ValueError):
    """A fleet configuration has problems; the message lists all of them, one per line."""


class PathError(FleetError, ValueError):
    """A path cannot be built, or cannot be driven within the limits; the message says which and why."""


class WaysError(FleetError, ValueError):
    """Another driver's report about its robots cannot be true; the message says what."""


class BookError(FleetError, OSError):
    """The book of jobs cannot be opened, read or written; the message says which and why."""


class JobRefusedError(FleetError, ValueError):
    """Jobs are not accepted, or not changed; the message says which, why and what to try."""


class UnknownRobotError(FleetError, KeyError):
    """A robot ID is not in the configuration."""

    def __init__(self, robot_id: int, path: str, known_ids: Collection[int] = ()) -> None:
        super().__init__(robot_id)
        known = f"; {which_are_text('robot', known_ids)}" if known_ids else ""
        self._text = f"robot {robot_id} is not in {path}{known}"

    def __str__(self) -> str:
        return self._text


class NoServerError(FleetError, ConnectionError):
    """No server answers on the interface of a robot."""


class NotServedError(NoServerError):
    """No driver serves a robot, while others are served."""

    def __init__(self, robot_id: int, served_ids: Collection[int]) -> None:
        super().__init__(f"robot {robot_id} is not served; {which_are_text('robot', served_ids)}")


class CalibrationError(FleetError, RuntimeError):
    """A robot could not be measured; the message says why."""


class BringupError(FleetError, RuntimeError):
    """A robot was lost during the bring-up, or a report of one cannot be read; the message says why."""


class GoalRejectedError(FleetError, ValueError):
    """A goal message cannot become a task; `reason` says why in the interface's words, `explanation` in full."""

    def __init__(self, reason: Reason, text: str) -> None:
        self.explanation = Explanation(reason, text)
        self.reason = reason
        super().__init__(str(self.explanation))
