"""Reasons for refusing a request to a running simulation."""

from enum import Enum

from simulator.errors import SimulatorError


class Refusal(Enum):
    """The reason why a request was refused."""

    NOT_FOUND = "not found"
    WRONG_STATE = "wrong state"
    ALREADY_THERE = "already there"
    UNSUPPORTED = "unsupported"  # requests of this kind are never fulfilled
    BAD_VALUE = "bad value"
    BAD_PLACE = "bad place"
    BAD_NAME = "bad name"
    NAME_TAKEN = "name taken"
    UNKNOWN_KIND = "no kind"  # the kind of a new entity does not exist
    BAD_DESCRIPTION = "bad description"  # that of a new entity


class RefusedError(SimulatorError):
    """A request cannot be fulfilled; the message names the entity and the value."""

    def __init__(self, refusal: Refusal, message: str) -> None:
        super().__init__(message)
        self.refusal = refusal
