"""Servers with one fault each, by name, with the case that must find it."""

import math
from collections.abc import Callable
from typing import Any, Final

from bench.conformance.reference_robot import Goal, Pose, ReferenceRobot, Request

MUTANTS: Final[dict[str, tuple[str, type[ReferenceRobot]]]] = {}


def mutant(case: str) -> Callable[[type[ReferenceRobot]], type[ReferenceRobot]]:
    """Return a decorator that registers a faulty server, with the case that must find it."""

    def enter(robot: type[ReferenceRobot]) -> type[ReferenceRobot]:
        MUTANTS[robot.__name__] = (case, robot)
        return robot

    return enter


def _published(case: str, name: str, topic: str, change: Callable[[ReferenceRobot, Request], object]) -> None:
    """Register a server that changes each message of a topic."""

    class Changed(ReferenceRobot):
        def __init__(self, publish: Callable[[str, Request], None], answer: Callable[[int, Request], None]) -> None:
            super().__init__(lambda one, body: publish(one, self.changed(one, body)), answer)

        def changed(self, one: str, body: Request) -> Request:
            if one == topic:
                change(self, body)
            return body

    Changed.__name__ = name
    mutant(case)(Changed)


def _refusing(case: str, name: str, *forgiven: str) -> None:
    """Register a server that ignores some reasons to reject a goal."""

    class Forgiving(ReferenceRobot):
        def refusal(self, uuid: str, goal: Request) -> str:
            reason = super().refusal(uuid, goal)
            return "" if reason in forgiven else reason

    Forgiving.__name__ = name
    mutant(case)(Forgiving)


def _slow(case: str, name: str, topic: str, period_s: float) -> None:
    """Register a server with a different period of a topic."""

    class Paced(ReferenceRobot):
        def periods(self) -> dict[str, float]:
            return {**super().periods(), topic: period_s}

    Paced.__name__ = name
    mutant(case)(Paced)


def _graph(case: str, name: str, change: Callable[[dict[str, Any]], object]) -> None:
    """Register a server with a different graph."""

    class Renamed(ReferenceRobot):
        def changed_graph(self, graph: dict[str, Any]) -> dict[str, Any]:
            change(graph)
            return graph

    Renamed.__name__ = name
    mutant(case)(Renamed)


def _set_value(body: Request, key: str, value: str) -> None:
    for pair in body["values"]:
        if pair["key"] == key:
            pair["value"] = value


_graph("A1", "NoTransport", lambda graph: graph["services"].pop("task_transport/_action/send_goal"))
_graph("A2", "OtherType", lambda graph: graph["topics"]["pose"].update(types=["geometry_msgs/msg/Pose"]))
_graph("A6", "VolatileStatus", lambda graph: graph["topics"]["status"]["publishers"][0].update(durability="volatile"))
_graph("A7", "BestEffort", lambda graph: graph["topics"]["pose"]["publishers"][0].update(reliability="best_effort"))
_graph("A8", "TwoServers", lambda graph: graph["services"]["assigned_task"].update(servers=2))
_slow("B1", "SlowPose", "pose", 0.2)
_slow("C1", "SlowStatus", "status", 2.0)
_slow("F10", "RareFeedback", "feedback", 1000.0)
_published(
    "B3",
    "FallingStamps",
    "pose",
    lambda robot, body: body["header"]["stamp"].update(nanosec=10**9 - 1 - int(robot.now_s * 1e7) % 10**9, sec=0),
)
_published(
    "B4", "OldStamps", "pose", lambda _, body: body["header"]["stamp"].update(sec=body["header"]["stamp"]["sec"] - 2)
)
_published("B5", "NoFrame", "pose", lambda _, body: body["header"].update(frame_id=""))
_published("B6", "NanPose", "pose", lambda _, body: body["pose"]["position"].update(z=math.nan))
_published("B7", "LongQuaternion", "pose", lambda _, body: body["pose"]["orientation"].update(w=1.4))
_published("B8", "Floating", "pose", lambda _, body: body["pose"]["position"].update(z=0.3))
_published("B9", "RepeatedStamps", "pose", lambda robot, body: body["header"]["stamp"].update(nanosec=0))
_published(
    "B11",
    "Drifting",
    "pose",
    lambda robot, body: body["pose"]["position"].update(x=body["pose"]["position"]["x"] + 0.01 * robot.now_s),
)
_published("C2", "OddLevel", "status", lambda _, body: body.update(level=3))
_published("C3", "OddOrder", "status", lambda _, body: body["values"].reverse())
_published("C4", "OddBattery", "status", lambda _, body: _set_value(body, "battery", "87 %"))
_published("C5", "OddBusy", "status", lambda _, body: _set_value(body, "busy", "false"))
_published(
    "C6", "NoneAsTask", "status", lambda robot, body: _set_value(body, "assigned_task", robot.assigned_task() or "none")
)
_published("C7", "Nameless", "status", lambda _, body: body.update(name=""))
_published("C8", "SilentWarning", "status", lambda _, body: body.update(level=1))
_published("C9", "NeverBusy", "status", lambda _, body: _set_value(body, "busy", "no"))
_published("C10", "DoubledKey", "status", lambda _, body: body["values"].append({"key": "busy", "value": "no"}))
_published("C13", "SilentEnd", "status", lambda _, body: _set_value(body, "last_result", ""))
_published("E23", "SilentRejection", "status", lambda _, body: _set_value(body, "reason", ""))
_published("A4", "OtherHardware", "status", lambda _, body: body.update(hardware_id="thymio"))
_published(
    "F9",
    "BackToExecuting",
    "task_go_to/status",
    lambda robot, body: [one.update(status=2) for one in body["status_list"] if one["status"] == 4 and robot.active],
)
_refusing("E3", "Overwriting", "BUSY")
_refusing("E6", "ForgetfulOfIds", "DUPLICATE_ID")
_refusing("E8", "AnyId", "BAD_ID")
_refusing("E11", "AnyFrame", "UNKNOWN_FRAME")
_refusing("E14", "AnyNumber", "NON_FINITE_POSE")
_refusing("E17", "AnyQuaternion", "BAD_QUATERNION")
_refusing("E21", "Endless", "OUT_OF_ARENA")


@mutant("C12")
class LateStatus(ReferenceRobot):
    """Names a task in its status three seconds late."""

    def status(self, values: dict[str, str]) -> Request:
        if self.active and self.now_s < self.active.accepted_s + 3.0:
            values = {**values, "assigned_task": ""}
        return super().status(values)


@mutant("D1")
class OddIdle(ReferenceRobot):
    """Answers "idle" without a task."""

    def assigned_task(self) -> str:
        return super().assigned_task() or "idle"


@mutant("D2")
class OddId(ReferenceRobot):
    """Cuts the id of a task."""

    def assigned_task(self) -> str:
        return super().assigned_task()[:4]


@mutant("D4")
class LateId(ReferenceRobot):
    """Names a task half a second late."""

    def assigned_task(self) -> str:
        is_new = self.active is not None and self.now_s < self.active.accepted_s + 0.5
        return "" if is_new else super().assigned_task()


@mutant("D5")
class ForgetsAtCancel(ReferenceRobot):
    """Forgets the id when a cancellation is accepted."""

    def assigned_task(self) -> str:
        return "" if self.active and self.active.state == 3 else super().assigned_task()


@mutant("D6")
class KeepsId(ReferenceRobot):
    """Keeps the task's id after the end."""

    last = ""

    def assigned_task(self) -> str:
        self.last = super().assigned_task() or self.last
        return self.last


@mutant("E1")
class RejectsAll(ReferenceRobot):
    """Rejects every goal."""

    def refusal(self, uuid: str, goal: Request) -> str:
        return "CLOSED"


@mutant("E7")
class SameUuid(ReferenceRobot):
    """Answers another goal with a known UUID as it answered the first."""

    def send_goal(self, action: str, body: Request) -> Request:
        if body["goal_id"]["uuid"] in self.goals:
            return {"accepted": True, "stamp": {"sec": 1, "nanosec": 0}}
        return super().send_goal(action, body)


@mutant("E10")
class AsciiIds(ReferenceRobot):
    """Drops non-ASCII characters from an id."""

    def assigned_task(self) -> str:
        return super().assigned_task().encode("ascii", "replace").decode()


@mutant("F1")
class NeverEnds(ReferenceRobot):
    """Executes a task for ever."""

    def drive(self, target: Pose, elapsed_s: float) -> bool:
        super().drive(target, elapsed_s)
        return False


@mutant("F2")
class AlwaysFalse(ReferenceRobot):
    """Reports success false when a goal has succeeded."""

    def result(self, goal: Goal) -> Request:
        return {"status": goal.state, "result": {"success": False}}


@mutant("F3")
class StopsShort(ReferenceRobot):
    """Succeeds 15 cm before the goal."""

    def drive(self, target: Pose, elapsed_s: float) -> bool:
        return super().drive(target, elapsed_s) or math.dist(self.pose[:2], target[:2]) < 0.15


@mutant("F6")
class NoTurn(ReferenceRobot):
    """Ignores the goal's heading."""

    def drive(self, target: Pose, elapsed_s: float) -> bool:
        return super().drive((target[0], target[1], self.pose[2]), elapsed_s)


@mutant("F5")
class Sleeper(ReferenceRobot):
    """Executes every task for at least four seconds."""

    def drive(self, target: Pose, elapsed_s: float) -> bool:
        return (
            super().drive(target, elapsed_s) and self.active is not None and self.now_s > self.active.accepted_s + 4.0
        )


@mutant("F7")
class ForgetsResults(ReferenceRobot):
    """Forgets results after ten seconds."""

    def get_result(self, uuid: str, number: int) -> None:
        if uuid in self.goals and self.now_s > self.goals[uuid].ended_s + 10.0:
            uuid = "0"
        super().get_result(uuid, number)


@mutant("F8")
class AnswersOnce(ReferenceRobot):
    """Returns a result only at the first request."""

    def result(self, goal: Goal) -> Request:
        state, goal.state = super().result(goal), goal.state
        was_asked, goal.uuid = goal.uuid == "asked", "asked"
        return {"status": 0, "result": {"success": False}} if was_asked else state


@mutant("F12")
class Rests(ReferenceRobot):
    """Rejects goals for two seconds after each end."""

    def refusal(self, uuid: str, goal: Request) -> str:
        ended_s = max((one.ended_s for one in self.goals.values() if one.ended_s < math.inf), default=-math.inf)
        return "RESTING" if self.now_s < ended_s + 2.0 else super().refusal(uuid, goal)


@mutant("G1")
class RejectsCancel(ReferenceRobot):
    """Rejects cancellations."""

    def cancel_goal(self, action: str, info: Request) -> Request:
        answer = super().cancel_goal(action, {**info, "goal_id": {"uuid": "9" * 32}})
        known = info["goal_id"]["uuid"] in self.goals
        return {"return_code": 1, "goals_canceling": []} if known else answer


@mutant("G2")
class CanceledSucceeds(ReferenceRobot):
    """Reports SUCCEEDED after a cancellation."""

    def end(self, goal: Goal, state: int) -> None:
        super().end(goal, 4)


@mutant("G3")
class DrivesOn(ReferenceRobot):
    """Drives on for a second after a cancellation has ended the task."""

    until_s = 0.0
    target: Pose = (0.0, 0.0, 0.0)

    def end(self, goal: Goal, state: int) -> None:
        if state == 5 and goal.legs:
            self.until_s, self.target = self.now_s + 1.5, goal.legs[0]
        super().end(goal, state)

    def step(self, now_s: float) -> None:
        if now_s < self.until_s:
            self.drive(self.target, now_s - self.now_s)
        super().step(now_s)


@mutant("G4")
class CanceledSuccess(ReferenceRobot):
    """Reports success true for canceled goals."""

    def result(self, goal: Goal) -> Request:
        return {"status": goal.state, "result": {"success": True}}


@mutant("G6")
class KnowsAll(ReferenceRobot):
    """Accepts the cancellation of a goal that it does not know."""

    def cancel_goal(self, action: str, info: Request) -> Request:
        return {**(answer := super().cancel_goal(action, info)), "return_code": answer["return_code"] % 2}


@mutant("G7")
class CancelsEnded(ReferenceRobot):
    """Reports no error when a goal that has ended is canceled."""

    def cancel_goal(self, action: str, info: Request) -> Request:
        return {**(answer := super().cancel_goal(action, info)), "return_code": answer["return_code"] % 3}


@mutant("G8")
class OneByOne(ReferenceRobot):
    """Does not support cancelling all goals."""

    def is_meant(self, goal: Goal, uuid: str, until_s: float) -> bool:
        return goal.uuid == uuid


@mutant("G9")
class IgnoresStamp(ReferenceRobot):
    """Cancels all goals, whatever the stamp."""

    def is_meant(self, goal: Goal, uuid: str, until_s: float) -> bool:
        return super().is_meant(goal, uuid, 0.0)


@mutant("H1")
class HomeIsHere(ReferenceRobot):
    """Takes its present place for its home."""

    def legs(self, action: str, goal: Request) -> list[Pose]:
        return [self.pose] if action == "task_go_home" else super().legs(action, goal)


@mutant("H3")
class Backwards(ReferenceRobot):
    """Visits the places of a transport in reverse order."""

    def legs(self, action: str, goal: Request) -> list[Pose]:
        return super().legs(action, goal)[::-1]


@mutant("H4")
class LooksAtStart(ReferenceRobot):
    """Does not check pose_to."""

    def refusal(self, uuid: str, goal: Request) -> str:
        return super().refusal(uuid, {key: value for key, value in goal.items() if key != "pose_to"})


class CustomersSimulator(ReferenceRobot):
    """The customer's simulator as documented, ten times as fast: tasks are timed sleeps.

    It accepts every goal; a newer task replaces the id of the older one, whose end clears it; after an accepted
    cancellation the task continues, and ends SUCCEEDED; feedback never comes; its status is volatile.
    """

    _SLEEPS: Final = {"task_go_to": 6.0, "task_go_home": 3.0, "task_transport": 9.0}

    def refusal(self, uuid: str, goal: Request) -> str:
        return "DUPLICATE_ID" if uuid in self.goals else ""

    def perform(self, goal: Goal, elapsed_s: float) -> None:
        """Do nothing: `step` ends every goal in its time."""

    def step(self, now_s: float) -> None:
        super().step(now_s)
        for goal in list(self.goals.values()):
            if goal.ended_s == math.inf and now_s >= goal.accepted_s + self._SLEEPS[goal.action]:
                self.end(goal, 4)
                self.active = None

    def publish_feedback(self) -> None:
        """Publish no feedback."""

    def status(self, values: dict[str, str]) -> Request:
        return {**super().status(values), "name": ""}

    def changed_graph(self, graph: dict[str, Any]) -> dict[str, Any]:
        graph["topics"]["status"]["publishers"][0]["durability"] = "volatile"
        return graph
