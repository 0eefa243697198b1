"""The findings of judges, and the verdicts that follow."""

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Obligation(Enum):
    """How binding a case is."""

    MUST = "must"  # required by the published text or by the design of actions
    SHOULD = "should"  # not required by the text, but makes robots easier to use
    INFO = "info"  # recorded only, never wrong


class CaseVerdict(Enum):
    """The verdict on a case."""

    PASS = "PASS"
    FAIL = "FAIL"
    NON_STRICT = "NON-STRICT"  # a should-case is not met; counts as a failure in strict runs
    INFO = "INFO"  # the server's behaviour, without a judgement
    UNSUPPORTED = "UNSUPPORTED"  # declared absent, or not observable here
    INCONCLUSIVE = "INCONCLUSIVE"  # something other than the server prevented a judgement
    ERROR = "ERROR"  # a defect of the kit


class Outcome(Enum):
    """Outcome of a judge."""

    MET = "met"
    UNMET = "unmet"
    SEEN = "seen"  # outcome of informative cases
    ABSENT = "absent"  # there is nothing to judge
    UNCLEAR = "unclear"  # the observations are not reliable enough to judge
    BROKEN = "broken"  # the judge itself failed


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of a judge.

    Parameters
    ----------
    expected : expected behaviour in words; "" if nothing was expected
    actual : observed behaviour in words
    may_clear : whether another try may be conclusive: the machine was busy, or something ended too soon
    """

    outcome: Outcome
    actual: str
    expected: str = ""
    may_clear: bool = False


class NotSeenError(Exception):
    """The judged event did not happen, for a reason that the case does not judge."""


class TooSoonError(NotSeenError):
    """The judged event was over before it could be observed; another try may succeed."""


def met(actual: str) -> Finding:
    """Return the finding of a requirement that is met."""
    return Finding(Outcome.MET, actual)


def unmet(expected: str, actual: str) -> Finding:
    """Return the finding of a requirement that is not met."""
    return Finding(Outcome.UNMET, actual, expected)


def seen(actual: str) -> Finding:
    """Return the finding of an informative case."""
    return Finding(Outcome.SEEN, actual)


def absent(reason: str) -> Finding:
    """Return the finding of a case that does not apply, with the reason."""
    return Finding(Outcome.ABSENT, reason)


def unclear(reason: str) -> Finding:
    """Return the finding of a case that cannot be judged, with the reason."""
    return Finding(Outcome.UNCLEAR, reason)


def holds(condition: bool, expected: str, actual: str) -> Finding:
    """Return the finding of a requirement that is met if the condition holds."""
    return met(actual) if condition else unmet(expected, actual)


_VERDICTS: Final = {
    Outcome.MET: CaseVerdict.PASS,
    Outcome.UNMET: CaseVerdict.FAIL,  # for must-cases
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
