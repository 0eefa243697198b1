"""A minimal correct server of the interface, without ROS: requests and messages are dicts, and time is passed in."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

ACTIONS: Final = ("task_go_to", "task_go_home", "task_transport")
STAMP_S: Final = 1_700_000_000.0  # time stamp of the start
_FRAME, _HOME, _SPEED_MPS, _TURN_RADPS, _ARENA_M, _STOPPING_S = "map", (0.0, 0.0, 0.0), 0.08, 2.5, 3.0, 0.2
_EXECUTING, _CANCELING, _SUCCEEDED, _CANCELED = 2, 3, 4, 5

Request = dict[str, Any]
Pose = tuple[float, float, float]  # x, y [m], heading [rad]


@dataclass
class Goal:
    """An accepted goal; `waiting` are the pending requests for its result."""

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
    """Serves one robot: `publish` publishes on a topic, and `answer` answers a request by its number."""

    def __init__(self, publish: Callable[[str, Request], None], answer: Callable[[int, Request], None]) -> None:
        self.publish, self.answer = publish, answer
        self.pose: Pose = _HOME
        self.goals: dict[str, Goal] = {}
        self.active: Goal | None = None
        self.reason, self.last_result, self.now_s = "", "", 0.0
        self._due_s = {"pose": 0.0, "status": 0.0, "feedback": 0.0}

    def request(self, service: str, body: Request, number: int) -> None:
        """Take a request; a request for a result is answered at the goal's end."""
        action, _, kind = service.rpartition("/")
        if kind == "get_result":
            self.get_result(body["goal_id"]["uuid"], number)
        elif kind == "assigned_task":
            self.answer(number, {"id": self.assigned_task()})
        else:
            self.answer(number, getattr(self, kind)(action, body.get("goal_info", body)))

    def assigned_task(self) -> str:
        return self.active.task_id if self.active else ""

    def send_goal(self, action: str, body: Request) -> Request:
        uuid, goal = body["goal_id"]["uuid"], body["goal"]
        self.reason = self.refusal(uuid, goal)
        if not self.reason:
            self.active = Goal(uuid, goal["task_id"], action, self.legs(action, goal), self.now_s)
            self.goals[uuid] = self.active
            self.publish_goals()
        return {"accepted": not self.reason, "stamp": _stamp(STAMP_S + self.now_s)}

    def refusal(self, uuid: str, goal: Request) -> str:
        task_id = goal["task_id"]
        if uuid in self.goals or task_id in [known.task_id for known in self.goals.values()]:
            return "DUPLICATE_ID"
        if self.active:
            return "BUSY"
        if not task_id or len(task_id) > 128 or not task_id.isprintable():
            return "BAD_ID"
        return next((reason for pose in _poses(goal) if (reason := self.pose_refusal(pose))), "")

    def pose_refusal(self, message: Request) -> str:
        position, turn = message["pose"]["position"], message["pose"]["orientation"]
        numbers = [float(value) for value in (position["x"], position["y"], *turn.values())]
        if not all(map(math.isfinite, numbers)):
            return "NON_FINITE_POSE"
        if message["header"]["frame_id"] not in (_FRAME, ""):
            return "UNKNOWN_FRAME"
        if abs(math.hypot(*numbers[2:]) - 1.0) > 0.1 or math.hypot(*numbers[2:4]) > 0.09:
            return "BAD_QUATERNION"
        return "OUT_OF_ARENA" if max(map(abs, numbers[:2])) > _ARENA_M else ""

    def legs(self, action: str, goal: Request) -> list[Pose]:
        return [_HOME] if action == "task_go_home" else [_place(pose) for pose in _poses(goal)]

    def cancel_goal(self, action: str, info: Request) -> Request:
        uuid, until_s = info["goal_id"]["uuid"], info["stamp"]["sec"] + info["stamp"]["nanosec"] * 1e-9
        goals = {one.uuid: one for one in self.goals.values() if one.action == action}
        chosen = [one for one in goals.values() if one.state <= _CANCELING and self.is_meant(one, uuid, until_s)]
        for goal in chosen:
            goal.state, goal.canceled_s = _CANCELING, min(goal.canceled_s, self.now_s)
        self.publish_goals()
        code = 0 if chosen or not uuid.strip("0") else 3 if uuid in goals else 2  # terminated, unknown
        return {"return_code": code, "goals_canceling": [{"goal_id": {"uuid": goal.uuid}} for goal in chosen]}

    def is_meant(self, goal: Goal, uuid: str, until_s: float) -> bool:
        is_of_all = not uuid.strip("0") and (until_s == 0.0 or STAMP_S + goal.accepted_s <= until_s)
        return goal.uuid == uuid or is_of_all

    def get_result(self, uuid: str, number: int) -> None:
        goal = self.goals.get(uuid)
        if goal is not None and goal.state <= _CANCELING:
            goal.waiting.append(number)
        else:
            self.answer(number, self.result(goal) if goal else {"status": 0, "result": {"success": False}})

    def result(self, goal: Goal) -> Request:
        return {"status": goal.state, "result": {"success": goal.state == _SUCCEEDED}}

    def end(self, goal: Goal, state: int) -> None:
        goal.state, goal.ended_s = state, self.now_s
        self.last_result = "SUCCEEDED" if state == _SUCCEEDED else "CANCELED"
        self.active = None if self.active is goal else self.active
        self.publish_goals()
        for number in goal.waiting:
            self.answer(number, self.result(goal))

    def step(self, now_s: float) -> None:
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
        if goal.state == _CANCELING and self.now_s >= goal.canceled_s + _STOPPING_S:
            self.end(goal, _CANCELED)
        elif goal.state == _EXECUTING and self.drive(goal.legs[0], elapsed_s):
            goal.legs.pop(0)
            if not goal.legs:
                self.end(goal, _SUCCEEDED)

    def drive(self, target: Pose, elapsed_s: float) -> bool:
        """Drive and turn towards a place; return whether it is reached."""
        (x_m, y_m, heading_rad), most_rad = self.pose, _TURN_RADPS * elapsed_s
        away_m, turn_rad = math.dist(self.pose[:2], target[:2]), math.remainder(target[2] - heading_rad, math.tau)
        share = 1.0 if away_m <= _SPEED_MPS * elapsed_s else _SPEED_MPS * elapsed_s / away_m
        turned_rad = max(-most_rad, min(most_rad, turn_rad))
        self.pose = (x_m + share * (target[0] - x_m), y_m + share * (target[1] - y_m), heading_rad + turned_rad)
        return share == 1.0 and turned_rad == turn_rad

    def publish_pose(self) -> None:
        x_m, y_m, half_rad = self.pose[0], self.pose[1], self.pose[2] / 2.0
        turn = {"x": 0.0, "y": 0.0, "z": math.sin(half_rad), "w": math.cos(half_rad)}
        pose = {"position": {"x": x_m, "y": y_m, "z": 0.0}, "orientation": turn}
        self.publish("pose", {"header": {"stamp": _stamp(STAMP_S + self.now_s), "frame_id": _FRAME}, "pose": pose})

    def publish_status(self) -> None:
        values = {"battery": "ok", "busy": "yes" if self.active else "no", "assigned_task": self.assigned_task()}
        self.publish("status", self.status({**values, "reason": self.reason, "last_result": self.last_result}))

    def status(self, values: dict[str, str]) -> Request:
        pairs = [{"key": key, "value": value} for key, value in values.items()]
        return {"level": 0, "name": "robot_1", "hardware_id": "robot_1", "message": "", "values": pairs}

    def publish_feedback(self) -> None:
        if self.active:
            self.publish(f"{self.active.action}/feedback", {"goal_id": {"uuid": self.active.uuid}, "feedback": {}})

    def publish_goals(self) -> None:
        for action in ACTIONS:
            goals = [one for one in list(self.goals.values())[-20:] if one.action == action]
            entries = [{"goal_info": {"goal_id": {"uuid": one.uuid}}, "status": one.state} for one in goals]
            self.publish(f"{action}/status", {"status_list": entries})


def _stamp(time_s: float) -> dict[str, int]:
    return {"sec": int(time_s), "nanosec": int(time_s % 1.0 * 1e9)}


def _poses(goal: Request) -> list[Request]:
    return [goal[key] for key in ("goal_pose", "pose_from", "pose_to") if key in goal]


def _place(message: Request) -> Pose:
    position, turn = message["pose"]["position"], message["pose"]["orientation"]
    return position["x"], position["y"], 2.0 * math.atan2(turn["z"], turn["w"])
