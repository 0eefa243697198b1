"""Cases of chapter F: execution and end of tasks."""

import itertools
import math
from typing import Final

from conformance.cases.case import CaseTable, next_accepted, reached_already
from conformance.record.finding import Finding, NotSeenError, Obligation, TooSoonError, holds, seen, unmet
from conformance.record.window import ENDS, STATES, GoalSeen, PoseSeen, Window, gaps

TABLE: Final = CaseTable()
case = TABLE.case
_LEGAL: Final = {1: {2, 3, 4, 5, 6}, 2: {3, 4, 5, 6}, 3: {4, 5, 6}, 4: set[int](), 5: set[int](), 6: set[int]()}
_STILL_M: Final = 0.015  # largest travel of a stationary robot, including pose noise


@case("F1", Obligation.MUST, "reach", "an accepted goal ends once, in time", is_general=True)
def _ends(window: Window) -> Finding:
    goal = window.accepted("place")
    limit_s = float(window.setup["timeout_s"])
    if not goal.has_result:
        return unmet(f"an end within {limit_s:g} s", "no result")
    ends = {STATES[state] for _, state in goal.states if state in ENDS} | {ENDS.get(goal.status, "no end")}
    return holds(
        len(ends) == 1 and ends <= set(ENDS.values()), "one end", f"{', '.join(sorted(ends))}: {goal.end_text}"
    )


@case("F2", Obligation.MUST, "reach", "success is true if and only if the goal SUCCEEDED")
def _success(window: Window) -> Finding:
    ended = [goal for goal in window.goals.values() if goal.is_accepted and goal.has_result]
    if not ended:
        raise NotSeenError("no goal has ended")
    wrong = [goal for goal in ended if goal.success is not (goal.status == 4)]
    return holds(not wrong, "they agree", (wrong or ended)[0].end_text)


def _target(goal: GoalSeen) -> tuple[float, float, float]:
    """Return the target of a goal: x, y [m] and heading [rad]."""
    pose = goal.sending.request["goal"]["goal_pose"]["pose"]
    heading_rad = 2.0 * math.atan2(float(pose["orientation"]["z"]), float(pose["orientation"]["w"]))
    return float(pose["position"]["x"]), float(pose["position"]["y"]), heading_rad


def _heading_rad(pose: PoseSeen) -> float:
    return 2.0 * math.atan2(pose.quaternion[2], pose.quaternion[3])


def _turned_rad(one_rad: float, other_rad: float) -> float:
    return abs(math.remainder(one_rad - other_rad, math.tau))


@case("F3", Obligation.SHOULD, "reach", "the robot is within the tolerance of a goal that has succeeded")
def _at_goal(window: Window) -> Finding:
    goal = window.succeeded("place")
    pose, (x_m, y_m, _) = window.pose_at_end(goal), _target(goal)
    away_m, limit_m = math.dist(pose.position[:2], (x_m, y_m)), float(window.setup["tolerance_m"])
    return holds(away_m <= limit_m, f"at most {limit_m * 1e3:.0f} mm away", f"{away_m * 1e3:.0f} mm away")


@case("F4", Obligation.SHOULD, "reach", "the robot stands still once a goal has succeeded")
def _stands(window: Window) -> Finding:
    goal = window.succeeded("turn")
    after = window.poses_within(goal.ended_s)
    if len(after) < 3:
        raise TooSoonError("too few poses arrived after the end")
    moved_m = max(math.dist(one.position[:2], after[0].position[:2]) for one in after)
    return holds(moved_m <= _STILL_M, f"at most {_STILL_M * 1e3:.0f} mm", f"{moved_m * 1e3:.0f} mm")


@case("F5", Obligation.SHOULD, "reach", "a goal that is already reached succeeds within 2 s")
def _reached_already(window: Window) -> Finding:
    return reached_already(window, "already")


@case("F6", Obligation.SHOULD, "reach", "the heading of the goal counts: the robot turns on the spot")
def _heading(window: Window) -> Finding:
    goal = window.succeeded("turn")
    off_deg = math.degrees(_turned_rad(_heading_rad(window.pose_at_end(goal)), _target(goal)[2]))
    limit_deg = float(window.setup["tolerance_deg"])
    return holds(off_deg <= limit_deg, f"at most {limit_deg:g} degrees off", f"{off_deg:.0f} degrees off")


@case("F7", Obligation.MUST, "late_result", "a result can be fetched half a minute after the end", is_general=True)
def _kept(window: Window) -> Finding:
    asked = window.calls_of("/get_result")
    if not asked:
        raise NotSeenError("the run has no goal that ended")
    status = int((asked[-1].answer or {}).get("status", 0))
    return holds(status in ENDS, "a result", STATES.get(status, "?") if asked[-1].answer else "no answer")


@case("F8", Obligation.MUST, "reach", "a result requested twice is the same both times", is_general=True)
def _same_twice(window: Window) -> Finding:
    goal = window.accepted("place")
    assert goal.ended_s
    answers = [one.answer for one in goal.results]
    if len(answers) < 2:
        raise NotSeenError("it was requested only once")
    if answers[1] is None:
        return unmet("the same answer", "no second answer within 5 s")
    return holds(answers[0] == answers[1], "the same answer", "the same" if answers[0] == answers[1] else str(answers))


@case("F9", Obligation.MUST, "reach", "the action's status topic shows only legal steps", is_general=True)
def _legal(window: Window) -> Finding:
    goals = [goal for goal in window.goals.values() if goal.states]
    if not any(goal.is_accepted for goal in window.goals.values()):
        raise NotSeenError("no goal was accepted")
    if not goals:
        return unmet("the goal on the action's status topic", "the topic is silent, or lists no goal")
    wrong = []
    for goal in goals:
        states = [
            state for index, (_, state) in enumerate(goal.states) if not index or state != goal.states[index - 1][1]
        ]
        steps = itertools.pairwise(states)
        wrong += [f"{STATES.get(a, a)} to {STATES.get(b, b)}" for a, b in steps if b not in _LEGAL.get(a, set())]
    return holds(not wrong, "legal steps", wrong[0] if wrong else f"legal steps of {len(goals)} goals")


@case("F10", Obligation.SHOULD, "reach", "feedback comes at least every 2 s while a task is executed")
def _feedback(window: Window) -> Finding:
    goal = window.accepted("place")
    times = [
        goal.accepted_s,
        *(at_s for at_s in goal.feedback_s if goal.accepted_s < at_s < goal.ended_s),
        goal.ended_s,
    ]
    longest_s = max(gaps(times))
    finding = holds(longest_s <= 2.2 * window.patience, "every 2 s", f"none for {longest_s:.1f} s")
    return window.unless_busy(finding, goal.accepted_s, goal.ended_s)


@case("F11", Obligation.INFO, "reach", "feedback and progress")
def _progress(window: Window) -> Finding:
    goal = window.accepted("place")
    keys = [key for key, _ in window.statuses[-1].pairs if key in ("progress", "eta_s")] if window.statuses else []
    return seen(
        f"{len(goal.feedback_s)} feedback messages; in status: {', '.join(keys) or 'neither progress nor eta_s'}"
    )


@case("F12", Obligation.MUST, "reach", "the next goal is accepted within 1 s of the end", is_general=True)
def _next(window: Window) -> Finding:
    return next_accepted(window, "place", "next" if window.setup.get("action") else "already")


@case("F13", Obligation.SHOULD, "series", "short goals in a row are all accepted and all succeed")
def _series(window: Window) -> Finding:
    goals = list(window.goals.values())
    if not goals:
        raise NotSeenError("no goal was sent")
    lost = [goal for goal in goals if not goal.is_accepted or not goal.has_result or goal.status != 4]
    finding = holds(not lost, f"{len(goals)} of {len(goals)}", f"{len(goals) - len(lost)} of {len(goals)} succeeded")
    return window.unless_unwell(finding, lost[0].sending.sent_s) if lost else finding
