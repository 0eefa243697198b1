"""The events of one scenario for judges: poses, statuses, goals, and the load of the machine."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from conformance.record.finding import Finding, NotSeenError, Outcome, TooSoonError, met, unclear, unmet
from conformance.record.run_record import Observation, ObservationKind

NO_ID: Final = "0" * 32
ENDS: Final = {4: "SUCCEEDED", 5: "CANCELED", 6: "ABORTED"}
STATES: Final = {0: "UNKNOWN", 1: "ACCEPTED", 2: "EXECUTING", 3: "CANCELING", **ENDS}
_PAUSE_S: Final = 0.05  # pause of the kit itself beyond which times are doubtful
_LEAST_IDLE: Final = 0.12  # idle share of the processors below which a server may have waited for one
_MOST_PRESSURE: Final = 0.15  # largest share of time with programs waiting for a processor, for the same reason
_AROUND_S: Final = 0.6
ORDER_S: Final = 0.1  # largest time by which answers of different services may overtake each other


@dataclass(frozen=True, slots=True)
class PoseSeen:
    """A pose, its arrival time, and the age of its stamp on arrival."""

    at_s: float
    frame: str
    stamp_s: float
    age_s: float
    position: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class StatusSeen:
    """A status and its arrival time."""

    at_s: float
    level: int
    name: str
    hardware_id: str
    message: str
    pairs: tuple[tuple[str, str], ...]

    def value(self, key: str) -> str:
        """Return a value; "" if the key is missing."""
        return dict(self.pairs).get(key, "")


@dataclass(frozen=True, slots=True)
class CallSeen:
    """A service call with request and answer; `answered_s` and `answer` are None without an answer."""

    name: str
    label: str
    sent_s: float
    request: Mapping[str, Any]
    answered_s: float | None = None
    answer: Mapping[str, Any] | None = None

    @property
    def took_s(self) -> float | None:
        """Time until the answer; None without an answer."""
        return None if self.answered_s is None else self.answered_s - self.sent_s


@dataclass(frozen=True, slots=True)
class GoalSeen:
    """A goal: its acceptance, results and cancellations."""

    label: str
    uuid: str
    task_id: str
    sending: CallSeen
    results: tuple[CallSeen, ...]
    cancels: tuple[CallSeen, ...]
    states: tuple[tuple[float, int], ...]  # from the action's status topic
    feedback_s: tuple[float, ...]

    @property
    def is_accepted(self) -> bool | None:
        """Whether the goal was accepted; None without an answer."""
        return None if self.sending.answer is None else bool(self.sending.answer.get("accepted"))

    @property
    def accepted_s(self) -> float:
        """Time of the acceptance; raises NotSeenError if the goal was not accepted."""
        if not self.is_accepted or self.sending.answered_s is None:
            how = "got no answer" if self.is_accepted is None else "was rejected"
            raise NotSeenError(f"the goal {self.label!r} {how}")
        return self.sending.answered_s

    @property
    def result(self) -> CallSeen:
        """First answered request of the result; raises NotSeenError if there is none."""
        found = next((result for result in self.results if result.answer is not None), None)
        if found is None:
            raise NotSeenError(f"the goal {self.label!r} had no result in time")
        return found

    @property
    def has_result(self) -> bool:
        """Whether the result has arrived."""
        return any(result.answer is not None for result in self.results)

    def has_result_before(self, at_s: float | None) -> bool:
        """Whether the goal had ended, or may have ended, by a time."""
        return at_s is None or (self.has_result and self.ended_s - ORDER_S < at_s)

    @property
    def ended_s(self) -> float:
        """Arrival of the result, which was requested on acceptance."""
        ended_s = self.result.answered_s
        assert ended_s is not None
        return ended_s

    @property
    def status(self) -> int:
        """Goal status in the result."""
        return int((self.result.answer or {}).get("status", 0))

    @property
    def success(self) -> bool | None:
        """Field `success` of the result; None if there is no such field."""
        found = (self.result.answer or {}).get("result", {}).get("success")
        return found if isinstance(found, bool) else None

    @property
    def end_text(self) -> str:
        """End of the goal in words."""
        success = "" if self.success is None else f", success: {str(self.success).lower()}"
        return f"{STATES.get(self.status, '?')} ({self.status}){success} after {self.ended_s - self.accepted_s:.1f} s"


class Window:
    """Reads the events of one scenario.

    Parameters
    ----------
    events
        events of the scenario
    setup
        the run's set-up
    """

    def __init__(self, events: Sequence[Observation], setup: Mapping[str, Any]) -> None:
        self.events = events
        self.setup = setup
        self.patience = float(setup.get("patience", 1.0))

    @cached_property
    def poses(self) -> list[PoseSeen]:
        """All poses."""
        return [_pose(event) for event in self.messages("pose")]

    @cached_property
    def statuses(self) -> list[StatusSeen]:
        """All statuses."""
        return [_status(event.at_s, event.body) for event in self.messages("status")]

    def messages(self, name: str) -> list[Observation]:
        """Return the messages of a topic, or of a late subscription by its label."""
        return [event for event in self.events if event.kind is ObservationKind.MESSAGE and event.name == name]

    def of_kind(self, kind: ObservationKind, name: str = "") -> list[Observation]:
        """Return events of a kind."""
        return [event for event in self.events if event.kind is kind and name in ("", event.name)]

    @cached_property
    def graph(self) -> dict[str, Any]:
        """The latest reading of the graph."""
        found = self.of_kind(ObservationKind.GRAPH)
        if not found:
            raise NotSeenError("the graph was not read")
        return found[-1].body

    @cached_property
    def calls(self) -> list[CallSeen]:
        """All calls, with their answers."""
        answers = {event.number: event for event in self.of_kind(ObservationKind.ANSWER)}
        return [_call(event, answers.get(event.number)) for event in self.of_kind(ObservationKind.REQUEST)]

    def calls_of(self, service: str, label: str = "") -> list[CallSeen]:
        """Return the calls of services whose names end with a text."""
        return [call for call in self.calls if call.name.endswith(service) and label in ("", call.label)]

    @cached_property
    def goals(self) -> dict[str, GoalSeen]:
        """All goals by their labels."""
        states: dict[str, list[tuple[float, int]]] = {}
        beats: dict[str, list[float]] = {}
        for event in self.of_kind(ObservationKind.MESSAGE):
            if event.name.endswith("/status"):
                for entry in event.body.get("status_list", []):
                    uuid = str(entry["goal_info"]["goal_id"]["uuid"])
                    states.setdefault(uuid, []).append((event.at_s, int(entry["status"])))
            elif event.name.endswith("/feedback"):
                beats.setdefault(str(event.body["goal_id"]["uuid"]), []).append(event.at_s)
        return {call.label: self._goal(call, states, beats) for call in self.calls_of("/send_goal")}

    def goal(self, label: str) -> GoalSeen:
        """Return a goal; raise NotSeenError if it was not sent."""
        if label not in self.goals:
            raise NotSeenError(f"the goal {label!r} was not sent{self._why()}")
        return self.goals[label]

    def accepted(self, label: str) -> GoalSeen:
        """Return an accepted goal; raise NotSeenError if it was not accepted."""
        goal = self.goal(label)
        assert goal.accepted_s
        return goal

    def succeeded(self, label: str) -> GoalSeen:
        """Return a successful goal; raise NotSeenError if it did not succeed."""
        goal = self.accepted(label)
        if goal.status != 4:
            raise NotSeenError(f"the goal {label!r} ended {goal.end_text}")
        return goal

    def pose_at_end(self, goal: GoalSeen) -> PoseSeen:
        """Return the pose that arrived closest to the end of a goal."""
        near = self.poses_within(goal.ended_s - 0.3, goal.ended_s + 0.6)
        if not near:
            raise TooSoonError("no pose arrived around the end")
        return min(near, key=lambda pose: abs(pose.at_s - goal.ended_s))

    def asked(self, after_s: float = -math.inf, until_s: float = math.inf) -> list[tuple[float, float, str]]:
        """Return times of question and answer, and the id, of each `assigned_task` call sent within an interval."""
        return [
            (call.sent_s, call.answered_s, str(call.answer.get("id", "")))
            for call in self.calls_of("assigned_task")
            if call.answer is not None and call.answered_s is not None and after_s <= call.sent_s <= until_s
        ]

    def asked_during(self, goal: GoalSeen, after_s: float, until_s: float = math.inf) -> list[str]:
        """Return the answers of `assigned_task` that were certainly given while a goal was executed."""
        until_s = min(until_s, goal.ended_s if goal.has_result else self.span_s[1])
        found = [task_id for _, answered_s, task_id in self.asked(after_s) if answered_s < until_s - ORDER_S]
        if not found:
            raise TooSoonError("the task ended before it could be asked for")
        return found

    def statuses_within(self, after_s: float, until_s: float) -> list[StatusSeen]:
        """Return the statuses that arrived within an interval."""
        return [status for status in self.statuses if after_s <= status.at_s <= until_s]

    def poses_within(self, after_s: float, until_s: float = math.inf) -> list[PoseSeen]:
        """Return the poses that arrived within an interval."""
        return [pose for pose in self.poses if after_s <= pose.at_s <= until_s]

    def hook(self, name: str) -> Observation:
        """Return the first run of a hook's command; raise NotSeenError if it did not run or failed."""
        found = self.of_kind(ObservationKind.HOOK, name)
        if not found:
            raise NotSeenError(f"the hook {name!r} did not run{self._why()}")
        if not found[0].body.get("done"):
            raise NotSeenError(f"the hook {name!r} failed: {found[0].body.get('problem', '')}")
        return found[0]

    def need_poses(self, count: int = 2) -> list[PoseSeen]:
        """Return all poses; raise NotSeenError if they are too few to judge."""
        if len(self.poses) < count:
            message = f"; its status says: {self.statuses[-1].message}" if self.statuses else ""
            raise NotSeenError(f"only {len(self.poses)} poses arrived{message}")
        return self.poses

    def need_statuses(self, count: int = 1) -> list[StatusSeen]:
        """Return all statuses; raise NotSeenError if they are too few to judge."""
        if len(self.statuses) < count:
            raise NotSeenError(f"only {len(self.statuses)} statuses arrived")
        return self.statuses

    def busy(self, start_s: float, end_s: float) -> str:
        """Return why times in an interval are doubtful; "" if the kit and the machine had enough processor time."""
        loads = [
            event
            for event in self.of_kind(ObservationKind.LOAD)
            if event.at_s >= start_s - _AROUND_S and event.at_s - event.body["over_s"] <= end_s + _AROUND_S
        ]
        longest_s = max((event.body["pause_s"] for event in loads), default=0.0)
        if longest_s > _PAUSE_S:
            return f"the kit itself paused for {longest_s * 1e3:.0f} ms"
        idle = min((event.body["idle"] for event in loads), default=1.0)
        if idle < _LEAST_IDLE:
            return f"only {idle:.0%} of this machine's processors were free"
        pressure = max((event.body.get("pressure", 0.0) for event in loads), default=0.0)
        return f"programs waited for a processor {pressure:.0%} of the time" if pressure > _MOST_PRESSURE else ""

    def within(self, took_s: float, limit_s: float, what: str, start_s: float) -> Finding:
        """Judge whether something was in time; on a busy machine, lateness is unclear."""
        limit_s *= self.patience
        text = f"{what} after {took_s:.3g} s"
        if took_s <= limit_s:
            return met(text)
        return self.unless_busy(unmet(f"{what} within {limit_s:g} s", text), start_s, start_s + took_s)

    def unless_busy(self, finding: Finding, start_s: float, end_s: float) -> Finding:
        """Return a finding that depends on time; unclear if it is unmet and the machine was busy."""
        reason = self.busy(start_s, end_s)
        if not reason or finding.outcome is not Outcome.UNMET:
            return finding
        return Finding(Outcome.UNCLEAR, f"{finding.actual}, but {reason}", may_clear=True)

    def unless_unwell(self, finding: Finding, at_s: float) -> Finding:
        """Return a finding about a task that should be accepted; unclear if unmet while the robot reports a problem."""
        start = self.events[0] if self.events and self.events[0].body.get("status") else None
        before = [_status(start.at_s, start.body["status"])] if start else []
        near = [*before, *self.statuses_within(at_s - 1.5, at_s + 2.0)]
        told = [one for one in near if one.level > 0 and one.message]
        if finding.outcome is not Outcome.UNMET or not told:
            return finding
        return unclear(f"{finding.actual}, but the robot says: {told[0].message}")

    @property
    def span_s(self) -> tuple[float, float]:
        """Times of the first and the last event."""
        return (self.events[0].at_s, self.events[-1].at_s) if self.events else (0.0, 0.0)

    def _goal(
        self, call: CallSeen, states: Mapping[str, list[tuple[float, int]]], beats: Mapping[str, list[float]]
    ) -> GoalSeen:
        uuid = str(call.request["goal_id"]["uuid"])
        action = call.name.removesuffix("/send_goal")
        cancels = [
            cancel
            for cancel in self.calls_of("/cancel_goal")
            if cancel.name.startswith(action + "/") and cancel.request["goal_info"]["goal_id"]["uuid"] in (uuid, NO_ID)
        ]
        return GoalSeen(
            call.label,
            uuid,
            str(call.request["goal"].get("task_id", "")),
            call,
            tuple(one for one in self.calls_of("/get_result") if one.request["goal_id"]["uuid"] == uuid),
            tuple(cancels),
            tuple(states.get(uuid, ())),
            tuple(beats.get(uuid, ())),
        )

    def _why(self) -> str:
        notes = self.of_kind(ObservationKind.NOTE)
        return f": {notes[-1].body['text']}" if notes else ""


def gaps(times: Iterable[float]) -> list[float]:
    """Return the intervals between times."""
    return [later - earlier for earlier, later in pairwise(times)]


def _call(event: Observation, answer: Observation | None) -> CallSeen:
    if answer is None:
        return CallSeen(event.name, event.label, event.at_s, event.body)
    return CallSeen(event.name, event.label, event.at_s, event.body, answer.at_s, answer.body)


def _pose(event: Observation) -> PoseSeen:
    header, pose = event.body["header"], event.body["pose"]
    position, quaternion = pose["position"], pose["orientation"]
    return PoseSeen(
        event.at_s,
        header["frame_id"],
        header["stamp"]["sec"] + header["stamp"]["nanosec"] * 1e-9,
        float(event.body.get("age_s", 0.0)),
        (float(position["x"]), float(position["y"]), float(position["z"])),
        (float(quaternion["x"]), float(quaternion["y"]), float(quaternion["z"]), float(quaternion["w"])),
    )


def _status(at_s: float, body: Mapping[str, Any]) -> StatusSeen:
    level = body["level"]
    pairs = tuple((str(pair["key"]), str(pair["value"])) for pair in body["values"])
    return StatusSeen(at_s, int(level), body["name"], body["hardware_id"], body["message"], pairs)
