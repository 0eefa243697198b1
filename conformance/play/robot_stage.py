"""The building blocks of scenarios: goals, results, cancellations and questions."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from conformance.play.port import ServerPort
from conformance.record.finding import NotSeenError
from conformance.record.run_record import ObservationKind
from conformance.record.window import NO_ID

ANSWER_S: Final = 5.0  # longest wait for the answer of a service
GO_TO: Final = "task_go_to"
GO_HOME: Final = "task_go_home"
TRANSPORT: Final = "task_transport"
GENERAL: Final = "action"  # the only action of a run with `--action`


@dataclass(slots=True)
class OwnGoal:
    """A sent goal, and the numbers of the calls for its answer and its results."""

    label: str
    action: str
    uuid: str
    number: int
    results: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class GoalPlace:
    """A pose on the floor [m, rad]."""

    x_m: float
    y_m: float
    heading_rad: float
    frame: str

    def ahead(self, distance_m: float, direction_rad: float, heading_rad: float | None = None) -> "GoalPlace":
        """Return the place at a distance, in a direction relative to this place's heading."""
        angle_rad = self.heading_rad + direction_rad
        heading_rad = self.heading_rad if heading_rad is None else heading_rad
        x_m, y_m = self.x_m + distance_m * math.cos(angle_rad), self.y_m + distance_m * math.sin(angle_rad)
        return GoalPlace(x_m, y_m, heading_rad, self.frame)

    def message(self, stamp_s: float = 0.0) -> dict[str, Any]:
        """Return the place as a PoseStamped."""
        half_rad = self.heading_rad / 2.0
        return {
            "header": {"stamp": stamp(stamp_s), "frame_id": self.frame},
            "pose": {
                "position": {"x": self.x_m, "y": self.y_m, "z": 0.0},
                "orientation": {"x": 0.0, "y": 0.0, "z": math.sin(half_rad), "w": math.cos(half_rad)},
            },
        }


def _xy(place: GoalPlace) -> tuple[float, float]:
    return place.x_m, place.y_m


def stamp(time_s: float) -> dict[str, int]:
    """Return a time as a ROS stamp."""
    sec = math.floor(time_s)
    return {"sec": sec, "nanosec": min(999_999_999, round((time_s - sec) * 1e9))}


class ScenarioStage:
    """Sends goals to one robot, or to one action, and remembers those that have not ended.

    Parameters
    ----------
    port
        connection to the server
    setup
        the run's set-up
    prefix
        prefix of all task ids and goal UUIDs; differs in each run, since servers remember ids
    """

    def __init__(self, port: ServerPort, setup: Mapping[str, Any], prefix: str) -> None:
        self.port = port
        self.setup = setup
        self.timeout_s = float(setup["timeout_s"])
        self.is_general = bool(setup.get("action"))
        self._prefix = prefix
        self._count = 0
        self._open: list[OwnGoal] = []
        self._start: GoalPlace | None = None
        self._direction_rad: float | None = None
        self.first: OwnGoal | None = None  # goal whose result is requested again at the end of the run

    def sleep(self, duration_s: float) -> None:
        """Let time pass."""
        self.port.wait(lambda: False, duration_s)

    def note(self, text: str) -> None:
        """Record a note about the kit's own actions."""
        self.port.recording.add(self.port.now_s(), ObservationKind.NOTE, "kit", {"text": text})

    def place(self) -> GoalPlace:
        """Return the robot's place; raise NotSeenError if it publishes no pose."""
        if not self.port.wait(lambda: "pose" in self.port.latest, ANSWER_S):
            raise NotSeenError("no pose arrives, so no goal can be near the robot")
        body = self.port.latest["pose"]
        position, quaternion = body["pose"]["position"], body["pose"]["orientation"]
        heading_rad = 2.0 * math.atan2(float(quaternion["z"]), float(quaternion["w"]))
        return GoalPlace(
            float(position["x"]), float(position["y"]), heading_rad, self.setup["frame"] or body["header"]["frame_id"]
        )

    @property
    def start(self) -> GoalPlace:
        """The robot's place when it is first needed in the run."""
        if self._start is None:
            self._start = self.place()
        return self._start

    def directions(self) -> list[float]:
        """Return the directions from the start in which there may be room; only the known direction, if any [rad]."""
        if self._direction_rad is not None:
            return [self._direction_rad]
        reach_m = float(self.setup["reach_m"])
        every = [0.0, math.pi / 2, -math.pi / 2, math.pi]
        return [one for one in every if self._is_inside(self.start.ahead(reach_m, one))]

    def keep_direction(self, direction_rad: float) -> None:
        """Drive in this direction from now on, since the server accepts goals there."""
        self._direction_rad = direction_rad

    def two(self) -> tuple[GoalPlace, GoalPlace]:
        """Return the two places between which the robot drives, the farther first."""
        directions = self.directions()
        if not directions:
            raise NotSeenError("the area of the set-up file has no room for a goal `reach_m` away from the robot")
        start, here = self.start, self.place()
        quarter_rad = start.heading_rad + math.pi / 2  # fast robots take longer that way
        other = start.ahead(float(self.setup["reach_m"]), directions[0], quarter_rad)
        near, far = sorted((start, other), key=lambda place: math.dist(_xy(here), _xy(place)))
        return far, near

    def away(self) -> GoalPlace:
        """Return the farther of the two places."""
        return self.two()[0]

    def task_id(self) -> str:
        """Return a new id."""
        self._count += 1
        return f"{self._prefix}-{self._count}"

    def go_to(self, place: GoalPlace, **changes: Any) -> dict[str, Any]:
        """Return a goal of `task_go_to`."""
        return {"task_id": self.task_id(), "goal_pose": place.message(self.port.stamp_s()), **changes}

    def good(self) -> tuple[str, dict[str, Any]]:
        """Return a goal that takes the robot a while, and its action."""
        if not self.is_general:
            return GO_TO, self.go_to(self.away())
        goal = dict(self.setup["goal"])
        return GENERAL, goal | ({"task_id": self.task_id()} if "task_id" in goal else {})

    def send(self, label: str, action: str, goal: Mapping[str, Any], uuid: str = "") -> OwnGoal:
        """Send a goal without waiting for its answer."""
        self._count += 1
        uuid = uuid or f"{self._prefix.encode().hex()[-16:]:0>16}{self._count:016x}"
        number = self.port.call(f"{action}/send_goal", {"goal_id": {"uuid": uuid}, "goal": goal}, label)
        sent = OwnGoal(label, action, uuid, number)
        self._open.append(sent)
        return sent

    def is_accepted(self, sent: OwnGoal) -> bool:
        """Wait for the answer to a goal, and request its result if it was accepted."""
        self.port.wait(lambda: sent.number in self.port.answers, ANSWER_S)
        accepted = bool(self.port.answers.get(sent.number, {}).get("accepted"))
        if accepted and not sent.results:
            self.request_result(sent)
        return accepted

    def request_result(self, sent: OwnGoal) -> int:
        """Ask for the result of a goal; return the number of the call."""
        sent.results.append(self.port.call(f"{sent.action}/get_result", {"goal_id": {"uuid": sent.uuid}}, sent.label))
        return sent.results[-1]

    def has_ended(self, sent: OwnGoal) -> bool:
        """Whether the result of a goal has arrived."""
        return any(number in self.port.answers for number in sent.results)

    def wait_for_end(self, sent: OwnGoal, timeout_s: float | None = None, ask_s: float | None = None) -> bool:
        """Wait for a goal's result, asking for the assigned task every `ask_s`; return whether it arrives in time."""
        end_s = self.port.now_s() + (self.timeout_s if timeout_s is None else timeout_s)
        while not self.has_ended(sent) and self.port.now_s() < end_s:
            if ask_s is not None:
                self.ask("during")
            self.port.wait(lambda: self.has_ended(sent), min(ask_s or math.inf, end_s - self.port.now_s()))
        return self.has_ended(sent)

    def run(self, label: str, action: str, goal: Mapping[str, Any], ask_s: float | None = None) -> OwnGoal:
        """Send a goal, and wait for its end if it is accepted."""
        sent = self.send(label, action, goal)
        if self.is_accepted(sent):
            self.wait_for_end(sent, ask_s=ask_s)
        return sent

    def cancel(self, sent: OwnGoal, label: str = "cancel") -> int:
        """Cancel a goal without waiting for the answer; return the number of the call."""
        return self.cancel_id(sent.action, sent.uuid, label)

    def cancel_id(self, action: str, uuid: str = NO_ID, label: str = "cancel", stamp_s: float = 0.0) -> int:
        """Cancel a goal, or all goals up to a time; return the number of the call."""
        info = {"goal_id": {"uuid": uuid}, "stamp": stamp(stamp_s)}
        return self.port.call(f"{action}/cancel_goal", {"goal_info": info}, label)

    def answered(self, number: int) -> dict[str, Any] | None:
        """Wait for the answer to a call, and return it; None if there is no answer in time."""
        self.port.wait(lambda: number in self.port.answers, ANSWER_S)
        return self.port.answers.get(number)

    def ask(self, label: str) -> str | None:
        """Return the assigned task; None without an answer."""
        answer = self.answered(self.port.call("assigned_task", {}, label))
        return None if answer is None else str(answer.get("id", ""))

    def end_all(self) -> bool:
        """Cancel all goals of this run that have not ended; return whether all end in time."""
        self._wait_for_open(ANSWER_S, lambda sent: sent.number in self.port.answers)
        running = [sent for sent in self._open if self._runs(sent)]
        for sent in running:
            if not sent.results:
                self.request_result(sent)
            self.cancel(sent, "end")
        self._open = running
        has_ended = self._wait_for_open(self.timeout_s, self.has_ended)
        self._open = [sent for sent in running if not self.has_ended(sent)]
        return has_ended

    def settle(self) -> None:
        """Wait until the robot is idle; raise NotSeenError if it stays busy."""
        if not self.end_all():
            raise NotSeenError("a goal of the previous case has not ended, so this case cannot be judged")
        if not self.is_general and not self.port.wait(self._is_idle, self.timeout_s):
            raise NotSeenError("the robot is busy with another client's task")

    def wait_for_value(self, key: str, value: str, timeout_s: float) -> bool:
        """Wait until status has a value; return whether it does in time."""
        pair = {"key": key, "value": value}
        return self.port.wait(lambda: pair in self.port.latest.get("status", {}).get("values", []), timeout_s)

    def _is_idle(self) -> bool:
        values = self.port.latest.get("status", {}).get("values", [])
        return {"key": "busy", "value": "yes"} not in values

    def _runs(self, sent: OwnGoal) -> bool:
        answer = self.port.answers.get(sent.number)
        return not self.has_ended(sent) and (answer is None or bool(answer.get("accepted")))

    def _wait_for_open(self, timeout_s: float, is_done: Callable[[OwnGoal], bool]) -> bool:
        return self.port.wait(lambda: all(map(is_done, self._open)), timeout_s)

    def _is_inside(self, place: GoalPlace) -> bool:
        area = self.setup["area"]
        return not area or (
            area["x_min_m"] <= place.x_m <= area["x_max_m"] and area["y_min_m"] <= place.y_m <= area["y_max_m"]
        )
