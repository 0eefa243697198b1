"""What a judge found, and the verdict that follows from it."""

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Obligation(Enum):
    """How binding a case is."""

    MUST = "must"  # the published text or the design of actions says so
    SHOULD = "should"  # the text leaves it open; robots are easier to use that way
    INFO = "info"  # recorded, never wrong


class CaseVerdict(Enum):
    """The verdict on a case."""

    PASS = "PASS"
    FAIL = "FAIL"
    NON_STRICT = "NON-STRICT"  # a should-case is not met; a failure in strict runs
    INFO = "INFO"  # what the server does
    UNSUPPORTED = "UNSUPPORTED"  # declared absent, or not observable here
    INCONCLUSIVE = "INCONCLUSIVE"  # something other than the server prevented a judgement
    ERROR = "ERROR"  # a defect of the kit


class Outcome(Enum):
    """What a judge says."""

    MET = "met"
    UNMET = "unmet"
    SEEN = "seen"  # of informative cases
    ABSENT = "absent"  # nothing there that could be judged
    UNCLEAR = "unclear"  # judged by nothing reliable
    BROKEN = "broken"  # the judge itself failed


@dataclass(frozen=True, slots=True)
class Finding:
    """What a judge found.

    Parameters
    ----------
    expected : in words; "" where nothing was expected
    actual : in words
    may_clear : whether another try may be clear: the machine was busy, or something was over too soon
    """

    outcome: Outcome
    actual: str
    expected: str = ""
    may_clear: bool = False


class NotSeenError(Exception):
    """What a case judges did not happen, for another reason than the one that it judges."""


class TooSoonError(NotSeenError):
    """What a case judges was over before it could be observed; another try may see it."""


def met(actual: str) -> Finding:
    """Return that a requirement is met."""
    return Finding(Outcome.MET, actual)


def unmet(expected: str, actual: str) -> Finding:
    """Return that a requirement is not met."""
    return Finding(Outcome.UNMET, actual, expected)


def seen(actual: str) -> Finding:
    """Return what a server does."""
    return Finding(Outcome.SEEN, actual)


def absent(reason: str) -> Finding:
    """Return why a case does not apply here."""
    return Finding(Outcome.ABSENT, reason)


def unclear(reason: str) -> Finding:
    """Return why a case cannot be judged."""
    return Finding(Outcome.UNCLEAR, reason)


def holds(condition: bool, expected: str, actual: str) -> Finding:
    """Return whether a requirement is met."""
    return met(actual) if condition else unmet(expected, actual)


_VERDICTS: Final = {
    Outcome.MET: CaseVerdict.PASS,
    Outcome.UNMET: CaseVerdict.FAIL,  # of what must be met
    Outcome.SEEN: CaseVerdict.INFO,
    Outcome.ABSENT: CaseVerdict.UNSUPPORTED,
    Outcome.UNCLEAR: CaseVerdict.INCONCLUSIVE,
    Outcome.BROKEN: CaseVerdict.ERROR,
}
_UNMET: Final = {
    Obligation.MUST: CaseVerdict.FAIL,
    Obligation.SHOULD: CaseVerdict.NON_STRICT,
    Obligation.INFO: CaseVerdict.INFO,
}


def verdict_of(level: Obligation, outcome: Outcome, *, is_strict: bool) -> CaseVerdict:
    """Return the verdict on a case."""
    verdict = _UNMET[level] if outcome is Outcome.UNMET else _VERDICTS[outcome]
    return CaseVerdict.FAIL if is_strict and verdict is CaseVerdict.NON_STRICT else verdict
