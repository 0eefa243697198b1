"""A case, and its verdict on a recording."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from conformance.record.finding import (
    CaseVerdict,
    Finding,
    NotSeenError,
    Obligation,
    Outcome,
    TooSoonError,
    absent,
    holds,
    unclear,
    unmet,
    verdict_of,
)
from conformance.record.run_record import ServerRecording
from conformance.record.window import GoalSeen, Window
from thymio_base.texts.decimal_text import whole_number

Judge = Callable[[Window], Finding]
CHAPTERS: Final = {
    "A": "Graph",
    "B": "Pose",
    "C": "Status",
    "D": "Assigned task",
    "E": "Acceptance",
    "F": "Execution",
    "G": "Cancel",
    "H": "Home and transport",
    "I": "Several clients and robots",
    "K": "Faults",
}


@dataclass(frozen=True, slots=True)
class ServerCase:
    """A requirement on servers, and the function that judges it.

    Parameters
    ----------
    address : permanent name, such as E1; its meaning never changes
    scenario : scenario that the judged recording shows
    is_general : whether the requirement applies to any action server
    """

    address: str
    level: Obligation
    requirement: str
    scenario: str
    judge: Judge
    is_general: bool = False

    @property
    def order(self) -> tuple[str, int]:
        """Sort key: chapter and number."""
        return self.address[0], whole_number(self.address[1:])


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a case, and the span of its scenario in the recording."""

    case: ServerCase
    verdict: CaseVerdict
    finding: Finding
    start_s: float
    end_s: float
    tries: int


class CaseTable:
    """Collects cases with the decorator `case`."""

    def __init__(self) -> None:
        self.cases: dict[str, ServerCase] = {}

    def case(
        self, address: str, level: Obligation, scenario: str, requirement: str, *, is_general: bool = False
    ) -> Callable[[Judge], Judge]:
        """Return a decorator that makes a function the judge of a case."""

        def add(judge: Judge) -> Judge:
            assert address not in self.cases, address
            self.cases[address] = ServerCase(address, level, requirement, scenario, judge, is_general)
            return judge

        return add


def judged(case: ServerCase, recording: ServerRecording, setup: Mapping[str, Any], why_not: str = "") -> Judgement:
    """Return the verdict on a case, by the first conclusive try of its scenario."""
    if case.address in setup["unsupported"] or case.scenario in setup["unsupported"]:
        why_not = "declared unsupported in the set-up file"
    windows = [Window(events, setup) for events in recording.tries(case.scenario)]
    if not windows or why_not:
        finding = absent(why_not) if why_not else unclear("its scenario was not performed")
        return Judgement(case, verdict_of(case.level, finding.outcome, is_strict=False), finding, 0.0, 0.0, 0)
    findings = [_finding(case, window) for window in windows]
    clear = (index for index, finding in enumerate(findings) if finding.outcome is not Outcome.UNCLEAR)
    index = next(clear, len(findings) - 1)
    verdict = verdict_of(case.level, findings[index].outcome, is_strict=bool(setup["strict"]))
    return Judgement(case, verdict, findings[index], *windows[index].span_s, index + 1)


def _finding(case: ServerCase, window: Window) -> Finding:
    try:
        return case.judge(window)
    except NotSeenError as reason:
        return Finding(Outcome.UNCLEAR, str(reason), may_clear=isinstance(reason, TooSoonError))
    except Exception as error:  # a server may have sent what no judge expects
        return Finding(Outcome.BROKEN, f"the judge failed: {type(error).__name__}: {error}")


def rejected(window: Window, *labels: str) -> Finding:
    """Judge whether all of these goals were rejected."""
    goals = [window.goal(label) for label in labels]
    wrong = [f"{goal.label}: {_answer(goal)}" for goal in goals if goal.is_accepted is not False]
    return _in_time(window, goals, holds(not wrong, "rejected", ", ".join(wrong) or "rejected"))


def accepted(window: Window, label: str, *, although_unwell: bool = False) -> Finding:
    """Judge whether a goal was accepted; a rejection is reported with the reason in status."""
    goal = window.goal(label)
    after_s = goal.sending.answered_s or 0.0
    told = window.statuses_within(after_s, after_s + 2.0) if goal.is_accepted is False else []
    reason = told[0].value("reason") or told[0].message if told else ""
    how = _answer(goal) + (f"; status says {reason!r}" if reason else "")
    finding = _in_time(window, [goal], holds(goal.is_accepted is True, "accepted", how))
    return finding if although_unwell else window.unless_unwell(finding, goal.sending.sent_s)


def next_accepted(window: Window, first: str, following: str) -> Finding:
    """Judge whether the next goal was accepted within 1 s of the first goal's end."""
    end_s, goal = window.accepted(first).ended_s, window.goal(following)
    if not goal.is_accepted:
        return unmet("accepted within 1 s", "no answer" if goal.is_accepted is None else "rejected")
    return window.within(goal.accepted_s - goal.sending.sent_s, 1.0, "accepted", end_s)


def reached_already(window: Window, label: str) -> Finding:
    """Judge whether a goal at the robot's own place succeeded within 2 s."""
    goal = window.accepted(label)
    if not goal.has_result or goal.status != 4:
        return unmet("SUCCEEDED within 2 s", goal.end_text if goal.has_result else "no result")
    return window.within(goal.ended_s - goal.accepted_s, 2.0, "SUCCEEDED", goal.accepted_s)


def _in_time(window: Window, goals: Sequence[GoalSeen], finding: Finding) -> Finding:
    """Return a finding about answers; if answers are missing on a busy machine, it is unclear."""
    silent = [goal.sending.sent_s for goal in goals if goal.is_accepted is None]
    return window.unless_busy(finding, silent[0], silent[0] + 5.0) if silent else finding


def _answer(goal: GoalSeen) -> str:
    return {None: "no answer within 5 s", False: "rejected", True: "accepted"}[goal.is_accepted]
