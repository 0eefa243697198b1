"""Cases of chapter E: acceptance of goals."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from conformance.cases.case import CaseTable, accepted, rejected
from conformance.record.finding import (
    Finding,
    NotSeenError,
    Obligation,
    TooSoonError,
    absent,
    holds,
    met,
    seen,
    unclear,
    unmet,
)
from conformance.record.window import STATES, GoalSeen, Window

TABLE: Final = CaseTable()
case = TABLE.case
_QUATERNIONS: Final = ("quaternion of length 2", "tilted by 30 degrees")


_ACCEPTED: Final = (
    ("E12", "an empty frame is the fleet's", "empty frame"),
    ("E16", "a quaternion of length 1.05 is accepted", "length 1.05"),
    ("E18", "a height of 1 m is ignored", "z = 1 m"),
    ("E19", "a stamp of yesterday is accepted", "stamp of yesterday"),
)
_REJECTED: Final = (
    ("E8", "an empty task id is rejected", "empty id"),
    ("E9", "task ids of 129 characters, or with control characters, are rejected", "long id", "control characters"),
    ("E11", "an unknown frame is rejected", "unknown frame"),
    ("E13", "NaN and infinity in the position are rejected", "NaN in the position", "infinity in the position"),
    ("E14", "NaN in the quaternion is rejected", "NaN in the quaternion"),
    ("E17", "a quaternion of length 2, or tilted by 30 degrees, is rejected", *_QUATERNIONS),
    ("E21", "a place a kilometre away is rejected", "far away"),
    ("H4", "a transport with a bad pose_to is rejected at once", "bad pose_to"),
)


def _rejections(labels: Sequence[str], window: Window) -> Finding:
    return rejected(window, *labels)


def _answer(label: str, window: Window) -> Finding:
    return seen(accepted(window, label).actual)


for _address, _requirement, _label in _ACCEPTED:
    case(_address, Obligation.SHOULD, "acceptances", _requirement)(partial(accepted, label=_label))
for _address, _requirement, *_labels in _REJECTED:
    case(_address, Obligation.SHOULD, "refusals", _requirement)(partial(_rejections, _labels))
for _address, _label in (("E15", "quaternion of zeros"), ("E20", "stamp of tomorrow")):
    case(_address, Obligation.INFO, "acceptances", f"a {_label}")(partial(_answer, _label))


@case("E1", Obligation.MUST, "reach", "a good goal is accepted", is_general=True)
def _good(window: Window) -> Finding:
    return accepted(window, "place")


@case("E2", Obligation.SHOULD, "reach", "a goal is answered within 100 ms", is_general=True)
def _quick(window: Window) -> Finding:
    sending = window.goal("place").sending
    if sending.took_s is None:
        return unmet("an answer within 100 ms", "no answer within 5 s")
    return window.within(sending.took_s, 0.1, "the answer", sending.sent_s)


def _busy(window: Window, label: str) -> Finding:
    running = window.accepted("running")
    other = window.goal(label)
    if other.is_accepted is not None and running.has_result and running.ended_s < other.sending.sent_s:
        return unclear("the running task ended before the other goal was sent")
    if not other.is_accepted:
        is_undisturbed = running.has_result and running.status == 4
        end = running.end_text if running.has_result else "no end"
        return holds(is_undisturbed, "rejected, and the running task SUCCEEDED", f"rejected; the running task: {end}")
    return unmet("rejected, and the running task goes on", "accepted")


for _address, _label, _what in (
    ("E3", "same action", "a further goal of the same action"),
    ("E4", "other action", "a goal of another action"),
):
    case(_address, Obligation.SHOULD, "busy", f"a busy robot rejects {_what}, and continues its task")(
        partial(_busy, label=_label)
    )


@case("E5", Obligation.SHOULD, "others", "the id of another robot's task is rejected")
def _foreign_id(window: Window) -> Finding:
    mine = window.accepted("mine")
    calls = window.calls_of("/send_goal", "id of another robot's task")
    if not calls or calls[0].answer is None:
        return unclear("the other robot's server did not answer")
    if mine.has_result_before(calls[0].sent_s):
        raise TooSoonError("the task ended before its id was used again")
    how = "accepted" if calls[0].answer["accepted"] else "rejected"
    return window.unless_busy(holds(how == "rejected", "rejected", how), mine.accepted_s, calls[0].sent_s)


@case("E6", Obligation.SHOULD, "busy", "the id of a task that ended is rejected")
def _ended_id(window: Window) -> Finding:
    return rejected(window, "id of a task that ended")


@case("E7", Obligation.MUST, "same_uuid", "another goal with a known goal UUID is rejected", is_general=True)
def _known_uuid(window: Window) -> Finding:
    window.accepted("first")
    if window.goal("second").sending.request["goal"] == window.goal("first").sending.request["goal"]:
        second = window.goal(
            "second"
        )  # both goals of an action without task ids are the same: a second acceptance does no harm
        return seen("accepted again, the same goal") if second.is_accepted else met("rejected")
    return rejected(window, "second")


@case("E10", Obligation.MUST, "acceptances", "a task id of 64 bytes of UTF-8 comes back unchanged")
def _utf8(window: Window) -> Finding:
    goal = window.accepted("UTF-8")
    told = [call.answer.get("id") for call in window.calls_of("assigned_task", "UTF-8") if call.answer is not None]
    if not told or (not told[0] and goal.has_result):
        raise TooSoonError("the task ended before it could be asked for")
    return holds(told[0] == goal.task_id, repr(goal.task_id), repr(told[0]))


def _somerejected(window: Window) -> list[GoalSeen]:
    rejected = [goal for goal in window.goals.values() if goal.is_accepted is False]
    if not window.goals:
        raise NotSeenError("no bad goal was sent")
    return rejected


@case("E22", Obligation.SHOULD, "refusals", "a rejection does not change the assigned task")
def _unchanged(window: Window) -> Finding:
    if not _somerejected(window):
        return absent("no goal was rejected")
    asked = [call for call in window.calls_of("assigned_task") if call.label.startswith("rejected ") and call.answer]
    wrong = [str(call.answer["id"]) for call in asked if call.answer and call.label != f"rejected {call.answer['id']}"]
    return holds(not wrong, "the same task as before", f"{wrong[0]!r}" if wrong else "unchanged")


@case("E23", Obligation.SHOULD, "refusals", "status says within 1.2 s why a goal was rejected")
def _says_why(window: Window) -> Finding:
    goal = window.goal("far away")
    if goal.is_accepted is not False or goal.sending.answered_s is None:
        return absent("the goal was not rejected")
    before = [one for one in window.statuses if one.at_s < goal.sending.answered_s]
    known = set(before[-1].pairs) if before else None
    since_s = goal.sending.answered_s
    later = [one for one in window.statuses_within(since_s, since_s + 1.3 * window.patience) if one.at_s >= since_s]
    if not later:
        raise TooSoonError("no status arrived after the rejection")
    told = [value for one in later for key, value in one.pairs if "reason" in key and value]
    changed = [
        value for one in later for key, value in one.pairs if known is not None and value and (key, value) not in known
    ]
    finding = holds(bool(told or changed), "a reason in a value", (told or changed or ["nothing new in status"])[0])
    return window.unless_busy(finding, since_s, since_s + 1.3)


@case("E24", Obligation.INFO, "busy", "what a busy robot does with a further goal")
def _policy(window: Window) -> Finding:
    running, other = window.accepted("running"), window.goal("same action")
    if not other.is_accepted:
        return seen("rejects it")
    if running.has_result and running.status != 4:
        return seen(f"takes it, and ends the running task {STATES.get(running.status, '?')}")
    if running.has_result and other.has_result and other.ended_s > running.ended_s + 0.5:
        return seen("takes it, and both run to their ends: it replaces the running task silently, or waits")
    return seen("takes it; the running task reports no other end")


@case("E25", Obligation.SHOULD, "stop", "goals are rejected while the fleet is stopped")
def _stopped(window: Window) -> Finding:
    window.hook("stop")
    return rejected(window, "while stopped")
