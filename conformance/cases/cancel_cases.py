"""Cases of chapter G: cancellation."""

import math
from typing import Final

from conformance.cases.case import CaseTable, next_accepted
from conformance.record.finding import Finding, NotSeenError, Obligation, TooSoonError, holds, seen, unclear, unmet
from conformance.record.window import ENDS, ORDER_S, CallSeen, GoalSeen, Window

TABLE: Final = CaseTable()
case = TABLE.case
_CODES: Final = {0: "ERROR_NONE", 1: "ERROR_REJECTED", 2: "ERROR_UNKNOWN_GOAL_ID", 3: "ERROR_GOAL_TERMINATED"}
_STANDS_M: Final = 0.012  # largest travel of a stationary robot in 0.3 s, including pose noise


def _cancellation(window: Window, label: str = "cancel") -> CallSeen:
    found = window.calls_of("/cancel_goal", label)
    if not found:
        raise NotSeenError(f"the cancellation {label!r} was not sent")
    return found[0]


def _code(call: CallSeen) -> str:
    if call.answer is None:
        return "no answer within 5 s"
    code = int(call.answer.get("return_code", -1))
    return f"{_CODES.get(code, code)}, {len(call.answer.get('goals_canceling', []))} goals"


def _cancels(call: CallSeen, goal: GoalSeen) -> bool:
    listed = (call.answer or {}).get("goals_canceling", [])
    return any(info["goal_id"]["uuid"] == goal.uuid for info in listed)


def _canceled(window: Window) -> tuple[GoalSeen, CallSeen]:
    """Return the goal that was canceled while running; raise NotSeenError if the cancellation was not accepted."""
    goal, call = window.accepted("running"), _cancellation(window)
    if goal.has_result and goal.ended_s < call.sent_s:
        raise TooSoonError("the task ended before it was canceled")
    if not _cancels(call, goal):
        raise NotSeenError(f"the cancellation was not accepted: {_code(call)}")
    return goal, call


@case("G1", Obligation.SHOULD, "cancel", "a cancellation is accepted within 100 ms")
def _accepted(window: Window) -> Finding:
    goal, call = window.accepted("running"), _cancellation(window)
    if goal.has_result and goal.ended_s < call.sent_s:
        return unclear("the task ended before it was canceled")
    if not _cancels(call, goal):
        return unmet("accepted within 100 ms", _code(call))
    return window.within(call.took_s or 0.0, 0.1, "accepted", call.sent_s)


@case("G2", Obligation.MUST, "cancel", "an accepted cancellation ends in CANCELED")
def _ends_canceled(window: Window) -> Finding:
    goal, call = _canceled(window)
    if not goal.has_result:
        return unmet("CANCELED (5)", f"no result within {window.setup['timeout_s']:g} s")
    text = f"{ENDS.get(goal.status, '?')} ({goal.status}) {goal.ended_s - call.sent_s:.1f} s after the cancellation"
    return holds(goal.status == 5, "CANCELED (5)", text)


@case("G3", Obligation.SHOULD, "cancel", "the robot is stationary within 0.5 s of an accepted cancellation")
def _stands(window: Window) -> Finding:
    _, call = _canceled(window)
    start_s = (call.answered_s or call.sent_s) + 0.6 * window.patience
    after = window.poses_within(start_s, start_s + 0.3)
    if len(after) < 2:
        raise TooSoonError("too few poses arrived after the cancellation")
    moved_m = math.dist(after[0].position[:2], after[-1].position[:2])
    following = window.goals.get("next")
    if following is not None and following.sending.sent_s < start_s + 0.3:
        return _stood_at_end(window, call, following.sending.sent_s)
    finding = holds(moved_m <= _STANDS_M, "it stands", f"it moves on: {moved_m * 1e3:.0f} mm in 0.3 s")
    return window.unless_busy(finding, call.sent_s, start_s)


def _stood_at_end(window: Window, call: CallSeen, until_s: float) -> Finding:
    """Judge by the last poses before the next goal, which was sent early because the task had ended."""
    poses = window.poses_within(until_s - 0.25, until_s + 0.15)
    if len(poses) < 2:
        raise TooSoonError("too few poses arrived before the next goal")
    moved_m = math.dist(poses[0].position[:2], poses[-1].position[:2])
    text = f"{moved_m * 1e3:.0f} mm in the 0.3 s around the end, {until_s - call.sent_s:.1f} s after the cancellation"
    return window.unless_busy(holds(moved_m <= 2 * _STANDS_M, "it stands", text), call.sent_s, until_s)


@case("G4", Obligation.MUST, "cancel", "the result of a canceled goal has success false")
def _no_success(window: Window) -> Finding:
    goal, _ = _canceled(window)
    if not goal.has_result:
        return unclear("there was no result")
    return holds(goal.success is False, "success: false", goal.end_text)


@case("G5", Obligation.SHOULD, "cancel", "a task that is being canceled stays assigned until it has ended")
def _keeps(window: Window) -> Finding:
    goal, call = _canceled(window)
    told = window.statuses_within(call.sent_s + ORDER_S, goal.ended_s - ORDER_S)
    wrong = [task_id for task_id in window.asked_during(goal, call.sent_s) if task_id != goal.task_id]
    wrong += [one.value("busy") for one in told if one.value("busy") != "yes"]
    text = f"{wrong[0]!r}" if wrong else "its id"
    return window.unless_busy(holds(not wrong, "its id, and busy yes", text), call.sent_s, goal.ended_s)


@case("G6", Obligation.MUST, "cancel", "canceling an unknown goal returns ERROR_UNKNOWN_GOAL_ID", is_general=True)
def _unknown(window: Window) -> Finding:
    call = _cancellation(window, "unknown")
    return holds((call.answer or {}).get("return_code") == 2, _CODES[2], _code(call))


@case("G7", Obligation.MUST, "cancel", "canceling a goal that has ended returns ERROR_GOAL_TERMINATED", is_general=True)
def _ended(window: Window) -> Finding:
    assert window.accepted("running").ended_s
    call = _cancellation(window, "ended")
    return holds((call.answer or {}).get("return_code") == 3, _CODES[3], _code(call))


@case("G8", Obligation.MUST, "cancel_all", "a cancellation without id and stamp applies to all goals", is_general=True)
def _all(window: Window) -> Finding:
    return _reaches(window, "every", "all")


@case(
    "G9",
    Obligation.MUST,
    "cancel_all",
    "a cancellation with a stamp applies to goals accepted until then",
    is_general=True,
)
def _stamped(window: Window) -> Finding:
    goal = window.accepted("stamped")
    if not window.calls_of("/cancel_goal", "earlier"):
        return unmet("a stamp of acceptance", "the acceptance has the stamp 0")
    if _cancels(_cancellation(window, "earlier"), goal):
        return unmet("only goals accepted until the stamp", "a goal accepted 10 s after the stamp was canceled")
    return _reaches(window, "stamped", "until its acceptance")


def _reaches(window: Window, label: str, cancellation: str) -> Finding:
    goal, call = window.accepted(label), _cancellation(window, cancellation)
    if goal.has_result and goal.status != 5 and goal.ended_s < (call.answered_s or call.sent_s):
        return unclear("the task ended before it was canceled")
    if window.setup.get("action") and (call.answer or {}).get("return_code") == 1:
        return seen("this server rejects cancellations")
    return holds(_cancels(call, goal), "the goal is listed", _code(call))


@case("G10", Obligation.SHOULD, "cancel", "canceling twice has the effect of canceling once", is_general=True)
def _twice(window: Window) -> Finding:
    goal, call = window.accepted("running"), _cancellation(window, "twice")
    if call.answer is None:
        return unmet("an answer", "none within 5 s")
    ends = {state for _, state in goal.states if state in ENDS} | {goal.status}
    is_fine = len(ends) == 1 and int(call.answer.get("return_code", -1)) in (0, 1, 3)
    return holds(is_fine, "one end, and no error except that it has ended", f"{_code(call)}; {goal.end_text}")


@case(
    "G11",
    Obligation.SHOULD,
    "race",
    "goals canceled 0 to 50 ms after they were sent end once, as CANCELED",
    is_general=True,
)
def _race(window: Window) -> Finding:
    goals = list(window.goals.values())
    if not goals:
        raise NotSeenError("no goal was sent")
    odd = [text for goal in goals if (text := _odd_end(goal, is_general=bool(window.setup.get("action"))))]
    return holds(
        not odd,
        "CANCELED, or never accepted",
        f"{len(odd)} of {len(goals)}: {odd[0]}" if odd else f"{len(goals)} times",
    )


def _odd_end(goal: GoalSeen, *, is_general: bool) -> str:
    """Return the fault in the end of a goal that was canceled at once; "" if there is none."""
    if goal.is_accepted is None:
        return "no answer"
    if not goal.is_accepted:
        return ""
    if not goal.has_result:
        return "accepted, and no end"
    ends = {state for _, state in goal.states if state in ENDS} | {goal.status}
    if len(ends) > 1:
        return "several ends: " + ", ".join(ENDS.get(end, "?") for end in sorted(ends))
    first = next((call for call in goal.cancels if call.answer is not None), None)
    was_heard = first is not None and _cancels(first, goal)
    if is_general or goal.status == 5 or not was_heard:
        return ""  # a cancellation that overtakes its goal is for an unknown goal
    return f"an accepted cancellation, and {goal.end_text}"


@case(
    "G12", Obligation.SHOULD, "cancel", "the next goal is accepted within 1 s of a cancellation's end", is_general=True
)
def _next(window: Window) -> Finding:
    return next_accepted(window, "running", "next")
