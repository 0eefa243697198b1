"""A minimal correct server of the interface, without ROS: requests and messages are dicts, and time is passed in."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

ACTIONS: Final = ("task_go_to", "task_go_home", "task_transport")
FRAME: Final = "map"
STAMP_S: Final = 1_700_000_000.0  # of the start
_SPEED_MPS, _TURN_RADPS, _ARENA_M, _STOPPING_S = 0.08, 2.5, 3.0, 0.2
_EXECUTING, _CANCELING, _SUCCEEDED, _CANCELED = 2, 3, 4, 5
_UNKNOWN, _TERMINATED = 2, 3  # codes of cancellations
_HOME: Final = (0.0, 0.0, 0.0)

Request = dict[str, Any]
Pose = tuple[float, float, float]  # x, y [m], heading [rad]


@dataclass
class Goal:
    """An accepted goal; `waiting` are the requests for its result."""

    uuid: str
    task_id: str
    action: str
    legs: list[Pose]
    accepted_s: float
    state: int = _EXECUTING
    canceled_s: float = math.inf
    ended_s: float = math.inf
    waiting: list[int] = field(default_factory=list)


class ReferenceRobot:
    """Serves one robot.

    Parameters
    ----------
    publish
        publishes a message on a topic
    answer
        answers a request by its number
    """

    def __init__(self, publish: Callable[[str, Request], None], answer: Callable[[int, Request], None]) -> None:
        self.publish, self.answer = publish, answer
        self.pose: Pose = _HOME
        self.goals: dict[str, Goal] = {}
        self.used_ids: set[str] = set()
        self.active: Goal | None = None
        self.reason, self.last_result = "", ""
        self.now_s = 0.0
        self._due_s = {"pose": 0.0, "status": 0.0, "feedback": 0.0}

    def request(self, service: str, body: Request, number: int) -> None:
        """Take a request; its answer may come later."""
        action, _, kind = service.rpartition("/")
        match kind:
            case "send_goal":
                self.answer(number, self.send_goal(action, body, self.now_s))
            case "cancel_goal":
                self.answer(number, self.cancel_goal(action, body["goal_info"]))
            case "get_result":
                self.get_result(body["goal_id"]["uuid"], number)
            case _:
                self.answer(number, {"id": self.assigned_task()})

    def assigned_task(self) -> str:
        return self.active.task_id if self.active else ""

    def send_goal(self, action: str, body: Request, now_s: float) -> Request:
        uuid, goal = body["goal_id"]["uuid"], body["goal"]
        self.reason = self.refusal(uuid, goal)
        if not self.reason:
            self.start(Goal(uuid, goal["task_id"], action, self.legs(action, goal), now_s))
        return {"accepted": not self.reason, "stamp": stamp(STAMP_S + now_s)}

    def refusal(self, uuid: str, goal: Request) -> str:
        task_id = goal["task_id"]
        if uuid in self.goals or task_id in self.used_ids:
            return "DUPLICATE_ID"
        if self.active:
            return "BUSY"
        if not task_id or len(task_id) > 128 or not task_id.isprintable():
            return "BAD_ID"
        poses = (goal[key] for key in ("goal_pose", "pose_from", "pose_to") if key in goal)
        return next((reason for pose in poses if (reason := self.pose_refusal(pose))), "")

    def pose_refusal(self, message: Request) -> str:
        position, turn = message["pose"]["position"], message["pose"]["orientation"]
        numbers = [float(value) for value in (position["x"], position["y"], *turn.values())]
        if not all(map(math.isfinite, numbers)):
            return "NON_FINITE_POSE"
        if message["header"]["frame_id"] not in (FRAME, ""):
            return "UNKNOWN_FRAME"
        if abs(math.sqrt(sum(value**2 for value in numbers[2:])) - 1.0) > 0.1 or math.hypot(*numbers[2:4]) > 0.09:
            return "BAD_QUATERNION"
        return "OUT_OF_ARENA" if max(abs(numbers[0]), abs(numbers[1])) > _ARENA_M else ""

    def legs(self, action: str, goal: Request) -> list[Pose]:
        if action == "task_go_home":
            return [_HOME]
        return [_place(goal[key]) for key in ("goal_pose", "pose_from", "pose_to") if key in goal]

    def start(self, goal: Goal) -> None:
        self.goals[goal.uuid] = self.active = goal
        self.used_ids.add(goal.task_id)
        self.publish_goals()

    def cancel_goal(self, action: str, info: Request) -> Request:
        uuid, until_s = info["goal_id"]["uuid"], info["stamp"]["sec"] + info["stamp"]["nanosec"] * 1e-9
        is_any = not uuid.strip("0")
        if not is_any and (uuid not in self.goals or self.goals[uuid].action != action):
            return {"return_code": _UNKNOWN, "goals_canceling": []}
        if not is_any and self.goals[uuid].state > _CANCELING:
            return {"return_code": _TERMINATED, "goals_canceling": []}
        chosen = [goal for goal in self.goals.values() if self.is_meant(goal, uuid, until_s) and goal.action == action]
        for goal in chosen:
            self.begin_cancel(goal)
        self.publish_goals()
        return {"return_code": 0, "goals_canceling": [{"goal_id": {"uuid": goal.uuid}} for goal in chosen]}

    def is_meant(self, goal: Goal, uuid: str, until_s: float) -> bool:
        if goal.state > _CANCELING:
            return False
        is_any = not uuid.strip("0")
        return goal.uuid == uuid or (is_any and (until_s == 0.0 or STAMP_S + goal.accepted_s <= until_s))

    def begin_cancel(self, goal: Goal) -> None:
        goal.state, goal.canceled_s = _CANCELING, min(goal.canceled_s, self.now_s)

    def get_result(self, uuid: str, number: int) -> None:
        goal = self.goals.get(uuid)
        if goal is None:
            self.answer(number, {"status": 0, "result": {"success": False}})
        elif goal.state > _CANCELING:
            self.answer(number, self.result(goal))
        else:
            goal.waiting.append(number)

    def result(self, goal: Goal) -> Request:
        return {"status": goal.state, "result": {"success": goal.state == _SUCCEEDED}}

    def end(self, goal: Goal, state: int) -> None:
        goal.state, goal.ended_s = state, self.now_s
        self.last_result = {_SUCCEEDED: "SUCCEEDED", _CANCELED: "CANCELED"}.get(state, "ABORTED")
        if self.active is goal:
            self.active = None
        self.publish_goals()
        for number in goal.waiting:
            self.answer(number, self.result(goal))

    def step(self, now_s: float) -> None:
        """Drive until now, and publish what is due."""
        elapsed_s, self.now_s = now_s - self.now_s, now_s
        if self.active:
            self.perform(self.active, elapsed_s)
        for name, period_s in self.periods().items():
            if now_s >= self._due_s[name] - 1e-6:
                self._due_s[name] = max(self._due_s[name] + period_s, now_s)
                getattr(self, f"publish_{name}")()

    def periods(self) -> dict[str, float]:
        return {"pose": 0.1, "status": 1.0, "feedback": 0.5}

    def perform(self, goal: Goal, elapsed_s: float) -> None:
        if goal.state == _CANCELING:
            if self.now_s >= goal.canceled_s + _STOPPING_S:
                self.end(goal, _CANCELED)
            return
        if self.drive(goal.legs[0], elapsed_s):
            goal.legs.pop(0)
        if not goal.legs:
            self.end(goal, _SUCCEEDED)

    def drive(self, target: Pose, elapsed_s: float) -> bool:
        """Drive and turn towards a place; return whether it is reached."""
        x_m, y_m, heading_rad = self.pose
        away_m, turn_rad = math.dist(self.pose[:2], target[:2]), math.remainder(target[2] - heading_rad, math.tau)
        share = 1.0 if away_m <= _SPEED_MPS * elapsed_s else _SPEED_MPS * elapsed_s / away_m
        turned_rad = max(-_TURN_RADPS * elapsed_s, min(_TURN_RADPS * elapsed_s, turn_rad))
        x_m, y_m = x_m + share * (target[0] - x_m), y_m + share * (target[1] - y_m)
        self.pose = (x_m, y_m, heading_rad + turned_rad)
        return share == 1.0 and turned_rad == turn_rad

    def publish_pose(self) -> None:
        x_m, y_m, heading_rad = self.pose
        turn = {"x": 0.0, "y": 0.0, "z": math.sin(heading_rad / 2), "w": math.cos(heading_rad / 2)}
        pose = {"position": {"x": x_m, "y": y_m, "z": 0.0}, "orientation": turn}
        self.publish("pose", {"header": {"stamp": stamp(STAMP_S + self.now_s), "frame_id": FRAME}, "pose": pose})

    def publish_status(self) -> None:
        values = {"battery": "ok", "busy": "yes" if self.active else "no", "assigned_task": self.assigned_task()}
        values |= {"reason": self.reason, "last_result": self.last_result}
        self.publish("status", self.status(values))

    def status(self, values: dict[str, str]) -> Request:
        pairs = [{"key": key, "value": value} for key, value in values.items()]
        return {"level": 0, "name": "robot_1", "hardware_id": "robot_1", "message": "", "values": pairs}

    def publish_feedback(self) -> None:
        if self.active:
            self.publish(f"{self.active.action}/feedback", {"goal_id": {"uuid": self.active.uuid}, "feedback": {}})

    def publish_goals(self) -> None:
        for action in ACTIONS:
            goals = [goal for goal in list(self.goals.values())[-20:] if goal.action == action]
            entries = [
                {"goal_info": {"goal_id": {"uuid": goal.uuid}, "stamp": stamp(goal.accepted_s)}, "status": goal.state}
                for goal in goals
            ]
            self.publish(f"{action}/status", {"status_list": entries})


def stamp(time_s: float) -> dict[str, int]:
    """Return a time as a stamp."""
    return {"sec": int(time_s), "nanosec": int(time_s % 1.0 * 1e9)}


def _place(message: Request) -> Pose:
    position, turn = message["pose"]["position"], message["pose"]["orientation"]
    return position["x"], position["y"], 2.0 * math.atan2(turn["z"], turn["w"])
