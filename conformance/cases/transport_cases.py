"""Cases of chapters H and I: going home, transports, and several clients and robots."""

import math
from functools import partial
from typing import Final

from conformance.cases.case import CaseTable, accepted, reached_already
from conformance.record.finding import Finding, NotSeenError, Obligation, absent, holds, seen, unmet
from conformance.record.window import Window, gaps

TABLE: Final = CaseTable()
case = TABLE.case


@case("H1", Obligation.SHOULD, "home", "go_home ends at the same place, wherever the robot starts")
def _same_home(window: Window) -> Finding:
    ends = [window.pose_at_end(window.succeeded(label)) for label in ("home", "home again")]
    apart_m, limit_m = math.dist(ends[0].position[:2], ends[1].position[:2]), 2.0 * float(window.setup["tolerance_m"])
    aside_m = math.dist(window.pose_at_end(window.succeeded("aside")).position[:2], ends[1].position[:2])
    moved = f"; from {aside_m:.2f} m away" if aside_m > limit_m else "; the robot never moved away"
    is_same = apart_m <= limit_m and aside_m > limit_m
    return holds(is_same, f"at most {limit_m * 1e3:.0f} mm apart", f"{apart_m * 1e3:.0f} mm apart{moved}")


@case("H2", Obligation.SHOULD, "home", "go_home of a robot at home succeeds within 2 s")
def _at_home(window: Window) -> Finding:
    return reached_already(window, "at home")


@case("H3", Obligation.SHOULD, "transport", "transport visits pose_from, then pose_to")
def _in_order(window: Window) -> Finding:
    goal = window.succeeded("transport")
    limit_m = float(window.setup["tolerance_m"])
    poses = window.poses_within(goal.accepted_s, goal.ended_s + 0.3)
    visits = []
    for key in ("pose_from", "pose_to"):
        place = goal.sending.request["goal"][key]["pose"]["position"]
        xy = (float(place["x"]), float(place["y"]))
        there = [pose.at_s for pose in poses if math.dist(pose.position[:2], xy) <= limit_m]
        visits.append(there[-1 if key == "pose_to" else 0] if there else math.inf)
    is_right = visits[0] < visits[1] < math.inf
    text = " and ".join(f"{'never' if v == math.inf else f'{v - goal.accepted_s:.1f} s'}" for v in visits)
    return holds(is_right, "near pose_from, later near pose_to", f"near them after {text}")


@case("H5", Obligation.SHOULD, "transport", "a transport from a place to the same place is allowed")
def _same_place(window: Window) -> Finding:
    goal = window.goal("same place")
    if not goal.is_accepted or not goal.has_result:
        finding = unmet("SUCCEEDED", "rejected or not answered" if not goal.is_accepted else "no result")
    else:
        finding = holds(goal.status == 4, "SUCCEEDED", goal.end_text)
    return window.unless_unwell(finding, goal.sending.sent_s)


@case("H6", Obligation.INFO, "transport", "a transport with two frames, one of them empty")
def _two_frames(window: Window) -> Finding:
    return seen("accepted" if window.goal("two frames").is_accepted else "rejected")


@case("H7", Obligation.INFO, "transport", "how the cancellation of a transport is reported")
def _canceled(window: Window) -> Finding:
    goal = window.accepted("canceled")
    told = window.statuses_within(goal.ended_s, goal.ended_s + 1.5)
    return seen(f"{goal.end_text}; message: {told[-1].message!r}" if told else goal.end_text)


@case("H8", Obligation.SHOULD, "battery", "go_home is accepted with a critical battery")
def _home_critical(window: Window) -> Finding:
    window.hook("battery_critical")
    return accepted(window, "home", although_unwell=True)


@case("I1", Obligation.MUST, "others", "a goal for one robot does not affect another")
def _others_stay(window: Window) -> Finding:
    window.accepted("mine")
    calls = [call for call in window.calls_of("assigned_task") if call.label.startswith("other ")]
    told = [str(call.answer.get("id", "")) for call in calls if call.answer is not None]
    if len(told) < 2:
        raise NotSeenError("the other robot's server does not answer")
    return holds(told[0] == told[1], f"{told[0]!r} as before", f"{told[1]!r}")


@case("I2", Obligation.SHOULD, "others", "the other robot's server still answers a goal within 1 s")
def _others_answer(window: Window) -> Finding:
    calls = window.calls_of("/send_goal", "id of another robot's task")
    if not calls:
        raise NotSeenError("the other robot got no goal")
    if calls[0].took_s is None:
        return unmet("an answer within 1 s", "none within 5 s")
    return window.within(calls[0].took_s, 1.0, "the answer", calls[0].sent_s)


@case("I3", Obligation.SHOULD, "at_once", "of ten goals at the same instant one is accepted")
def _one_of_ten(window: Window) -> Finding:
    answers = [goal.is_accepted for goal in window.goals.values()]
    if not answers:
        raise NotSeenError("no goal was sent")
    if None in answers:
        return unmet("one accepted, nine rejected", f"{answers.count(None)} of {len(answers)} have no answer")
    finding = holds(answers.count(True) == 1, "one", f"{answers.count(True)} of {len(answers)}")
    return finding if True in answers else window.unless_unwell(finding, window.span_s[0] + 1.5)


@case("I4", Obligation.INFO, "others", "the task of a client that is killed")
def _killed_client(_: Window) -> Finding:
    return absent("not observable: the kit's own clients stay on the graph; `K` cases kill the server instead")


def _undelayed(window: Window, start: str) -> Finding:
    window.need_poses(10)
    notes = [event.at_s for event in window.events if event.body.get("crowd") == start]
    if not notes:
        return absent("this run cannot create further subscribers")
    start_s, end_s = notes[0], notes[0] + 4.0
    longest_s = max(gaps([start_s, *(pose.at_s for pose in window.poses_within(start_s, end_s)), end_s]))
    finding = holds(longest_s <= 0.5, "poses at least every 0.5 s", f"none for {longest_s:.2f} s")
    return window.unless_busy(finding, start_s, end_s)


for _address, _start, _requirement in (
    ("I5", "gone", "fifty leaving subscribers do not delay others"),
    ("I6", "there", "fifty subscribers that never read do not delay others"),
):
    case(_address, Obligation.SHOULD, "readers", _requirement)(partial(_undelayed, start=_start))
