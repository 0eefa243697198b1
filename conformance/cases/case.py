"""A case, and how its verdict comes from a recording."""

from collections.abc import Callable, Mapping
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
    unclear,
    verdict_of,
)
from conformance.record.run_record import ServerRecording
from conformance.record.window import Window
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
    """A requirement.

    Parameters
    ----------
    address : its name, which never gets another meaning
    scenario : what is done meanwhile
    is_general : whether it holds for every action server
    """

    address: str
    level: Obligation
    requirement: str
    scenario: str
    judge: Judge
    is_general: bool = False

    @property
    def order(self) -> tuple[str, int]:
        """Its place in lists."""
        return self.address[0], whole_number(self.address[1:])


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a case, and where in the recording its scenario is."""

    case: ServerCase
    verdict: CaseVerdict
    finding: Finding
    start_s: float
    end_s: float
    tries: int


class CaseTable:
    """Collects cases by the decorator `case`."""

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
    """Return the verdict on a case: of several tries, the first one that is conclusive."""
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
