"""Exceptions for tasks and jobs that did not succeed."""

from typing import Final

from fleet.errors import FleetError
from fleet.reason import Reason

_REASONS: Final = {reason.value: reason for reason in Reason}


class TaskError(FleetError):
    """A task or a job did not succeed; str() is a sentence.

    Parameters
    ----------
    who : "robot 3", or the id of a job
    text : the reason that its server gives: "OUT_OF_ARENA: y = 2.203, at most 2.120"

    Attributes
    ----------
    reason : the reason as an enum member; None if the server gives no known reason
    detail : the numbers behind it, and what to try; "" if the server does not give any
    """

    def __init__(self, who: str, text: str) -> None:
        word, _, detail = text.partition(": ")
        self.who: Final = who
        self.reason: Final = _REASONS.get(word)
        self.detail: Final = text if self.reason is None else detail
        super().__init__(f"{who}: {text}")

    def __reduce__(self) -> tuple[type["TaskError"], tuple[str, str]]:
        return type(self), (self.who, str(self).removeprefix(f"{self.who}: "))


class TaskRejectedError(TaskError, ValueError):
    """The task or the job was not accepted; nothing has moved."""


class TaskAbortedError(TaskError, RuntimeError):
    """The task or the job was accepted, but could not be completed."""


class TaskCanceledError(TaskError, RuntimeError):
    """Another client, or a person, canceled the task or the job."""
