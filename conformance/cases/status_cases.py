"""Cases of chapters C and D: the topic `status`, and the service `assigned_task`."""

import math
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Final

from conformance.cases.case import CaseTable
from conformance.record.finding import Finding, NotSeenError, Obligation, TooSoonError, absent, holds, seen, unmet
from conformance.record.window import ENDS, ORDER_S, GoalSeen, StatusSeen, Window

TABLE: Final = CaseTable()
case = TABLE.case
_PERIOD_S: Final = 1.2  # period of status, with its tolerance
_FIRST: Final = ["battery", "busy", "assigned_task"]


def _reached(window: Window) -> GoalSeen:
    """Return the accepted goal near the robot."""
    return window.accepted("place")


@case("C1", Obligation.MUST, "idle", "status is published at 1 Hz, within 20 %")
def _rate(window: Window) -> Finding:
    statuses = window.need_statuses(3)
    mean_s = (statuses[-1].at_s - statuses[0].at_s) / (len(statuses) - 1)
    finding = holds(1 / 1.2 <= mean_s <= 1 / 0.8, "0.8 to 1.2 Hz", f"{1 / mean_s if mean_s else 0.0:.2f} Hz")
    return window.unless_busy(finding, *window.span_s)


@case("C3", Obligation.SHOULD, "idle", "battery, busy and assigned_task come first, in this order")
def _order(window: Window) -> Finding:
    keys = [key for key, _ in window.need_statuses()[-1].pairs][:3]
    return holds(keys == _FIRST, ", ".join(_FIRST), ", ".join(keys))


def _in(expected: str, read: Callable[[StatusSeen], str], window: Window) -> Finding:
    """Judge whether a value of each status is one of the expected words."""
    found = sorted({read(one) for one in window.need_statuses()})
    return holds(set(found) <= set(expected.replace(" or ", ", ").split(", ")), expected, ", ".join(map(repr, found)))


for _address, _requirement, _expected, _read in (
    ("C2", "level is OK, WARN or ERROR", "0, 1 or 2", lambda one: str(one.level)),
    ("C4", "battery is ok, low or critical", "ok, low or critical", lambda one: one.value("battery")),
    ("C5", "busy has the value no or yes", "no or yes", lambda one: one.value("busy")),
):
    case(_address, Obligation.MUST, "idle", _requirement)(partial(_in, _expected, _read))


@case("C6", Obligation.SHOULD, "idle", "assigned_task of an idle robot is present and empty")
def _no_task(window: Window) -> Finding:
    idle = [one for one in window.need_statuses() if one.value("busy") == "no"]
    wrong = [one.value("assigned_task") for one in idle if dict(one.pairs).get("assigned_task") != ""]
    return holds(not wrong, '""', f"{wrong[0]!r}" if wrong else '""')


@case("C7", Obligation.SHOULD, "idle", "status names the robot: hardware_id and name")
def _named(window: Window) -> Finding:
    latest = window.need_statuses()[-1]
    return holds(
        bool(latest.name and latest.hardware_id), "both", f"name {latest.name!r}, hardware_id {latest.hardware_id!r}"
    )


@case("C8", Obligation.SHOULD, "idle", "message says what is wrong when level is not OK")
def _message(window: Window) -> Finding:
    bad = [one for one in window.need_statuses() if one.level > 0]
    if not bad:
        return absent("level is OK all the time")
    silent = sum(not one.message for one in bad)
    return holds(silent == 0, "a message", f"{silent} of {len(bad)} messages are empty: {bad[0].message!r}")


@case("C9", Obligation.MUST, "reach", "while a task is executed, busy and assigned_task say so within a period")
def _agrees(window: Window) -> Finding:
    goal = _reached(window)
    end_s = goal.ended_s if goal.has_result else window.span_s[1]
    during = window.statuses_within(goal.accepted_s + _PERIOD_S * window.patience, end_s - 0.05)
    if not during:
        raise TooSoonError(f"the task ended after {end_s - goal.accepted_s:.1f} s, before the second status")
    wrong = [one for one in during if (one.value("busy"), one.value("assigned_task")) != ("yes", goal.task_id)]
    text = (
        f"busy {wrong[0].value('busy')!r}, assigned_task {wrong[0].value('assigned_task')!r}" if wrong else "they agree"
    )
    return window.unless_busy(holds(not wrong, f"busy yes, assigned_task {goal.task_id}", text), goal.accepted_s, end_s)


@case("C10", Obligation.SHOULD, "idle", "keys of status are unique, and values short: at most 1 kB")
def _keys(window: Window) -> Finding:
    pairs = window.need_statuses()[-1].pairs
    doubled = len(pairs) - len({key for key, _ in pairs})
    longest = max((len(value.encode()) for _, value in pairs), default=0)
    return holds(
        doubled == 0 and longest <= 1000, "unique and short", f"{doubled} repeated, the longest has {longest} bytes"
    )


@case("C11", Obligation.SHOULD, "idle", "a late subscriber gets the latest status at once")
def _latched(window: Window) -> Finding:
    note = next((one for one in window.events if one.body.get("late") == "late_status"), None)
    if note is None:
        raise NotSeenError("there was no late subscription")
    heard = window.messages("late_status")
    if not heard:
        return unmet("a status within 0.6 s", "none within 1.5 s")
    return window.within(heard[0].at_s - note.at_s, 0.6, "a status", note.at_s)


@case("C12", Obligation.SHOULD, "reach", "status says within 1.2 s that a task was accepted")
def _tells_acceptance(window: Window) -> Finding:
    goal = _reached(window)
    told = [one.at_s for one in window.statuses if one.value("assigned_task") == goal.task_id]
    if told:
        return window.within(max(0.0, told[0] - goal.accepted_s), _PERIOD_S, "the task is in status", goal.accepted_s)
    if goal.has_result and goal.ended_s - goal.accepted_s < _PERIOD_S * window.patience:
        raise TooSoonError("the task ended before the next status")
    return window.unless_busy(
        unmet("the task in status within 1.2 s", "it never was"), goal.accepted_s, goal.accepted_s + _PERIOD_S
    )


@case("C13", Obligation.SHOULD, "cancel", "status says within 1.2 s how a task ended")
def _tells_end(window: Window) -> Finding:
    goal = window.accepted("running")
    word = ENDS.get(goal.status, "?")
    told = [
        one.at_s
        for one in window.statuses_within(goal.ended_s - 0.1, math.inf)
        if any(word.lower() in value.lower() for _, value in one.pairs) or word.lower() in one.message.lower()
    ]
    if not told:
        return unmet(f"{word} in a value or in message", "no status says so")
    return window.within(max(0.0, told[0] - goal.ended_s), _PERIOD_S, f"{word} is in status", goal.ended_s)


@case("C14", Obligation.INFO, "idle", "further keys of status")
def _further(window: Window) -> Finding:
    keys = [key for key, _ in window.need_statuses()[-1].pairs]
    return seen(", ".join(key for key in keys if key not in _FIRST) or "none")


@case("D1", Obligation.MUST, "idle", 'assigned_task of an idle robot is ""')
def _idle(window: Window) -> Finding:
    ids = sorted({task_id for _, _, task_id in window.asked()})
    if not ids:
        return unmet('""', "the service does not answer")
    return holds(ids == [""], '""', ", ".join(map(repr, ids)))


@case("D2", Obligation.MUST, "reach", "assigned_task is the task's id while it is executed")
def _executing(window: Window) -> Finding:
    goal = _reached(window)
    return _only(window, goal, window.asked_during(goal, goal.accepted_s))


def _only(window: Window, goal: GoalSeen, told: list[str]) -> Finding:
    """Judge whether all answers are a goal's id; on a busy machine, "" may be early, any other id is wrong."""
    wrong = [task_id for task_id in told if task_id != goal.task_id]
    text = f"{len(wrong)} of {len(told)} answers: {wrong[0]!r}" if wrong else goal.task_id
    finding = holds(not wrong, goal.task_id, text)
    return finding if any(wrong) else window.unless_busy(finding, *window.span_s)


@case(
    "D3", Obligation.SHOULD, "idle", "assigned_task answers quickly: the median within 20 ms, all but one within 100 ms"
)
def _quick(window: Window) -> Finding:
    took = sorted(answered_s - sent_s for sent_s, answered_s, _ in window.asked())
    if len(took) < 10:
        raise NotSeenError(f"{len(took)} answers only")
    is_quick = median(took) <= 0.02 * window.patience and took[-2] <= 0.1 * window.patience
    text = f"median {median(took) * 1e3:.1f} ms, all but one within {took[-2] * 1e3:.0f} ms"
    return window.unless_busy(holds(is_quick, "20 ms and 100 ms", text), *window.span_s)


@case("D4", Obligation.SHOULD, "acceptances", "assigned_task is the task's id as soon as the acceptance arrives")
def _at_once(window: Window) -> Finding:
    accepted = {label: goal for label, goal in window.goals.items() if goal.is_accepted}
    told = [
        (goal, str(call.answer.get("id", "")))
        for label, goal in accepted.items()
        for call in window.calls_of("assigned_task", label)
        if call.answer is not None and not goal.has_result_before(call.answered_s)
    ]
    if not told:
        raise TooSoonError("each goal had ended before it could be asked for")
    wrong = [task_id for goal, task_id in told if task_id != goal.task_id]
    text = f"{len(wrong)} of {len(told)} times {wrong[0]!r}" if wrong else f"{len(told)} times"
    return window.unless_busy(holds(not wrong, "the task's id", text), *window.span_s)


@case("D5", Obligation.SHOULD, "cancel", "assigned_task keeps the id while the task is being canceled")
def _canceling(window: Window) -> Finding:
    goal = window.accepted("running")
    cancels = [one.answered_s for one in goal.cancels if one.label == "cancel" and one.answered_s is not None]
    if not cancels:
        raise NotSeenError("the cancellation was not answered")
    return _only(window, goal, window.asked_during(goal, cancels[0]))


@case("D6", Obligation.MUST, "reach", 'assigned_task is "" within 1 s of the result')
def _cleared(window: Window) -> Finding:
    goal = _reached(window)
    following = window.goals.get("already")
    ended = [following] if following is not None and following.has_result else [goal]
    end_s = ended[0].ended_s
    asked = [one for one in window.asked(end_s) if one[0] >= end_s]
    if not asked:
        raise NotSeenError("assigned_task was not called after the end")
    free = [answered_s for _, answered_s, task_id in asked if not task_id]
    if not free:
        return window.unless_busy(unmet('"" within 1 s', f"{asked[-1][2]!r} after 1 s"), end_s, end_s + 1.0)
    return window.within(free[0] - end_s, 1.0, '""', end_s)


@case(
    "D7",
    Obligation.MUST,
    "busy",
    'assigned_task is never "" while an accepted goal is executed, even when another goal ends',
)
def _never_empty(window: Window) -> Finding:
    running = [goal for goal in window.goals.values() if goal.is_accepted]
    if not running:
        raise NotSeenError("no goal was accepted")
    spans = [(goal.accepted_s + 0.05, _end(goal, window) - 2 * ORDER_S) for goal in running]
    empty = [
        sent_s
        for sent_s, answered_s, task_id in window.asked()
        if not task_id and any(start_s <= sent_s and answered_s <= end_s for start_s, end_s in spans)
    ]
    text = f'"" {empty[0] - spans[0][0]:.1f} s after the first acceptance' if empty else "an id all the time"
    return holds(not empty, "an id while a goal is executed", text)


def _end(goal: GoalSeen, window: Window) -> float:
    return goal.ended_s if goal.has_result else window.span_s[1]
