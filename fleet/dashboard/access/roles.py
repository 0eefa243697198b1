"""The roles of sessions, and what each may do."""

from collections.abc import Sequence
from enum import Enum
from typing import Final

from fleet.dashboard.orders.fleet_orders import Verb


class Role(Enum):
    """What a session may do; each role includes those before it."""

    VIEWER = "viewer"  # sees
    OPERATOR = "operator"  # sends tasks, stops, resumes
    TEACHER = "teacher"  # makes faults, in simulation

    def __init__(self, _: str) -> None:
        self.rank = len(type(self).__members__)  # its place in the order, from 0

    def includes(self, other: "Role") -> bool:
        """Whether it may do what another role may."""
        return self.rank >= other.rank


_FAULTS: Final = (Verb.PUSH, Verb.LINK, Verb.BATTERY, Verb.TELEPORT)
_EVERYBODY: Final = (Verb.NAME, Verb.KEY)


def least_role(verb: Verb, *, viewers_may_stop: bool) -> Role:
    """Return the lowest role that may command a verb."""
    if verb in _EVERYBODY or (verb is Verb.STOP and viewers_may_stop):
        return Role.VIEWER
    return Role.TEACHER if verb in _FAULTS else Role.OPERATOR


def allowed_verbs(role: Role, *, viewers_may_stop: bool, is_simulation: bool) -> Sequence[str]:
    """Return the verbs that a role may command, for pages."""
    verbs = [verb for verb in Verb if role.includes(least_role(verb, viewers_may_stop=viewers_may_stop))]
    return [verb.value for verb in verbs if is_simulation or verb not in _FAULTS]


def role_problem(verb: Verb, role: Role, *, viewers_may_stop: bool) -> str:
    """Return why a role may not command a verb, "" if it may."""
    least = least_role(verb, viewers_may_stop=viewers_may_stop)
    if role.includes(least):
        return ""
    return f"{_a(role).capitalize()} may not {verb.words}: it takes the key of {_a(least)}."


def _a(role: Role) -> str:
    return f"{'an' if role is Role.OPERATOR else 'a'} {role.value}"


def is_fault(verb: Verb) -> bool:
    """Whether a verb exists only in simulation."""
    return verb in _FAULTS
