"""Cases of chapter K: faults, caused and repaired by commands of the set-up file."""

import math
from typing import Final

from conformance.cases.case import CaseTable, accepted, rejected
from conformance.record.finding import Finding, Obligation, TooSoonError, holds, unmet
from conformance.record.window import ENDS, StatusSeen, Window

TABLE: Final = CaseTable()
case = TABLE.case


def _since_s(window: Window, hook: str) -> float:
    """Return the start of a hook's command, which may take effect before it ends."""
    return float(window.hook(hook).body["started_s"])


def _told(window: Window, hook: str, limit_s: float, level: int, what: str) -> Finding:
    """Judge whether status had a level in time after a hook."""
    start_s = window.hook(hook).at_s
    told = [one for one in window.statuses_within(_since_s(window, hook), math.inf) if one.level == level]
    if not told:
        latest = [one.level for one in window.statuses_within(start_s, math.inf)]
        return unmet(f"{what} within {limit_s:g} s", f"levels {sorted(set(latest))}")
    return window.within(max(0.0, told[0].at_s - start_s), limit_s, f"{what}: {told[0].message!r}", start_s)


def _ended(window: Window, hook: str, statuses: tuple[int, ...], limit_s: float) -> Finding:
    """Judge whether the running task ended in time after a hook, with one of these statuses."""
    start_s, goal = window.hook(hook).at_s, window.accepted("running")
    expected = f"{' or '.join(ENDS[status] for status in statuses)} within {limit_s:g} s"
    if not goal.has_result:
        return unmet(expected, "no result")
    if goal.ended_s < _since_s(window, hook):
        raise TooSoonError("the task ended before the fault")
    if goal.status not in statuses:
        return unmet(expected, goal.end_text)
    return window.within(max(0.0, goal.ended_s - start_s), limit_s, ENDS[goal.status], start_s)


def _taken(window: Window, hook: str) -> Finding:
    window.hook(hook)
    return accepted(window, "after", although_unwell=True)


@case("K1", Obligation.SHOULD, "link_lost", "status is ERROR within 4.5 s when the link is lost")
def _says_lost(window: Window) -> Finding:
    return _told(window, "cut_link", 4.5, 2, "ERROR")


@case("K2", Obligation.SHOULD, "link_lost", "the task of a robot without a link is ABORTED")
def _aborted(window: Window) -> Finding:
    return _ended(window, "cut_link", (6,), 12.0)


@case("K3", Obligation.SHOULD, "link_lost", "goals are rejected while the link is lost")
def _rejects_lost(window: Window) -> Finding:
    window.hook("cut_link")
    return rejected(window, "while lost")


@case("K4", Obligation.SHOULD, "link_lost", "a robot without a link keeps its interfaces")
def _stays(window: Window) -> Finding:
    window.hook("cut_link")
    names = set(window.graph["topics"]) | set(window.graph["services"])
    missing = {"pose", "status", "assigned_task"} - names
    return holds(not missing, "all of them", f"missing: {', '.join(sorted(missing))}" if missing else "all are there")


@case("K5", Obligation.SHOULD, "link_lost", "a robot whose link is back accepts tasks within 10 s")
def _back(window: Window) -> Finding:
    return _taken(window, "mend_link")


@case("K6", Obligation.SHOULD, "pose_lost", "an unknown pose is not published, and never with a new stamp")
def _silent(window: Window) -> Finding:
    late = window.poses_within(window.hook("hide").at_s + 3.5, _since_s(window, "show"))
    return holds(not late, "silence 3.5 s after the robot was hidden", f"{len(late)} poses")


@case("K7", Obligation.SHOULD, "stop", "stop ends the task, and goals are accepted once resumed")
def _stops(window: Window) -> Finding:
    ended = _ended(window, "stop", (5, 6), 2.0)
    return ended if ended.expected else _taken(window, "resume")


@case("K8", Obligation.SHOULD, "terminated", "a server that is terminated ends its goals within 3 s")
def _ends_goals(window: Window) -> Finding:
    return _ended(window, "terminate", (5, 6), 3.0)


@case("K9", Obligation.SHOULD, "killed", "a server that was killed and started again is idle, and accepts tasks")
def _starts_again(window: Window) -> Finding:
    told = [call.answer.get("id") for call in window.calls_of("assigned_task", "restarted") if call.answer is not None]
    if told and told[0]:
        return unmet('""', f"assigned_task {told[0]!r}")
    return _taken(window, "start")


@case("K10", Obligation.SHOULD, "battery", "battery and level follow a battery that is low, then critical")
def _battery(window: Window) -> Finding:
    low_s, critical_s = window.hook("battery_low").at_s, window.hook("battery_critical").at_s
    low = _latest(window, low_s, critical_s)
    critical = _latest(window, critical_s, _since_s(window, "battery_full"))
    found = [(one.value("battery"), one.level) for one in (low, critical)]
    return holds(found == [("low", 1), ("critical", 2)], "low and WARN, critical and ERROR", f"{found[0]}, {found[1]}")


def _latest(window: Window, start_s: float, end_s: float) -> StatusSeen:
    told = window.statuses_within(start_s, end_s)
    if not told:
        raise TooSoonError("no status arrived")
    return told[-1]


@case("K11", Obligation.SHOULD, "occupied", "a goal that another robot occupies ends with a reason")
def _occupied(window: Window) -> Finding:
    window.hook("occupy")
    goal = window.goal("taken")
    return _ends_with_reason(window, "taken") if goal.is_accepted else holds(True, "", "rejected")


@case("K12", Obligation.SHOULD, "blocked", "a robot whose way is blocked gives up, with a reason")
def _blocked(window: Window) -> Finding:
    window.hook("block")
    return _ends_with_reason(window, "blocked")


def _ends_with_reason(window: Window, label: str) -> Finding:
    goal = window.accepted(label)
    if not goal.has_result:
        return unmet("ABORTED with a reason", f"no end within {window.setup['timeout_s']:g} s")
    told = window.statuses_within(goal.ended_s, math.inf)
    reasons = [value for one in told for key, value in one.pairs if "reason" in key and value]
    text = f"{goal.end_text}, reason {reasons[0] if reasons else 'none'}"
    return holds(goal.status == 6 and bool(reasons), "ABORTED with a reason", text)
