"""Robots that perform tasks by the clock alone: they need a distance's time for each drive, and always arrive."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from fleet.geometry import Pose2D
from fleet.reason import Explanation, Reason
from fleet.robots.readiness import Readiness
from fleet.robots.robot_status import TaskOutcome
from fleet.tasks.legs import STANDING, following_leg
from fleet.tasks.task import TaskRequest, TaskState
from fleet.work.work import Work

SPEED_MPS = 0.1
DRAIN_PER_S = 1e-3
CHARGE_PER_S = 2e-3  # at the poses of `ScriptedRobots.chargers`


@dataclass(slots=True)
class ScriptedRobot:
    """One robot: `is_able`, `has_way`, `refusal` are what it answers next; `charge` falls while it has a task."""

    robot_id: int
    home: Pose2D
    pose: Pose2D
    is_able: bool = True
    is_stopped: bool = False
    has_way: bool = True
    refusal: Explanation | None = None
    task: TaskRequest | None = None
    leg: int = 0
    leg_left_s: float = 0.0
    is_canceling: bool = False
    charge: float | None = None
    last_outcome: TaskOutcome | None = None
    given: list[str] = field(default_factory=list)


class ScriptedRobots:
    """A fleet of them; tests advance its time."""

    def __init__(self, starts: Mapping[int, Pose2D]) -> None:
        self.travel_steps = 0
        self.unused_share = 1.0
        self.search_steps = 0  # for each goal
        self._left_steps: dict[tuple[float, float], int] = {}
        self.chargers: list[Pose2D] = []
        self.wall_x_m = math.inf
        self.faulty_x_m = math.nan  # whatever begins or ends there makes an exception
        self.robots = {robot_id: ScriptedRobot(robot_id, pose, pose) for robot_id, pose in starts.items()}

    def readiness(self, now_ns: int) -> list[Readiness]:
        """Return all robots."""
        return [
            Readiness(
                robot_id=robot.robot_id,
                home=robot.home,
                pose=robot.pose,
                is_able=robot.is_able and not robot.is_stopped,
                may_drive=robot.is_able and not robot.is_stopped and robot.task is None,
                is_stopped=robot.is_stopped,
                task_id="" if robot.task is None else robot.task.task_id,
                leg=robot.leg,
                task_end=None if robot.task is None else _end_of(robot.task),
                eta_s=robot.leg_left_s,
                has_way=robot.has_way,
                charge=robot.charge,
                drain_per_s=DRAIN_PER_S,
                last_outcome=robot.last_outcome,
            )
            for robot in self.robots.values()
        ]

    def travel_s(self, start: Pose2D, goal: Pose2D) -> float:
        """Return the time of a straight drive; infinite through the wall."""
        self.travel_steps += 1
        if start.x_m == self.faulty_x_m:
            raise ZeroDivisionError("scripted")
        return math.inf if not self.has_way(start, goal) else start.distance_to(goal) / SPEED_MPS

    def search_travel(self, goal: Pose2D, count: int) -> bool:
        """Search as long as is scripted."""
        key = (goal.x_m, goal.y_m)
        left = self._left_steps.get(key, self.search_steps)
        done = min(left, count)
        self.travel_steps += done
        self._left_steps[key] = left - done
        return left <= count

    def has_way(self, start: Pose2D, goal: Pose2D) -> bool:
        """Return whether two poses are on the same side of the wall."""
        return (start.x_m < self.wall_x_m) == (goal.x_m < self.wall_x_m)

    def give(self, robot_id: int, request: TaskRequest, now_ns: int) -> Explanation | None:
        """Give a task to a robot."""
        if any(place.x_m == self.faulty_x_m for place in request.places()):
            raise ZeroDivisionError("scripted")
        robot = self.robots[robot_id]
        if robot.refusal is not None:
            return robot.refusal
        assert robot.task is None, f"robot {robot_id} performs {robot.task}"
        robot.given.append(request.task_id)
        robot.task, robot.leg, robot.is_canceling = request, 0, False
        robot.leg_left_s = self._leg_s(robot)
        return None

    def send_aside(self, robot_id: int, work: Work, now_ns: int) -> None:
        """Let a robot without a task wait where work leads; it is there at once."""
        assert self.robots[robot_id].task is None
        self.robots[robot_id].pose = work.places[-1].pose

    def take(self, robot_id: int, task_id: str, now_ns: int) -> None:
        """Cancel a task."""
        robot = self.robots[robot_id]
        if robot.task is not None and robot.task.task_id == task_id:
            robot.is_canceling = True

    def advance(self, seconds: float) -> list[TaskOutcome]:
        """Let time pass; return the tasks that ended."""
        for robot in self.robots.values():
            self._charge(robot, seconds)
        return [outcome for robot in self.robots.values() if (outcome := self._step(robot, seconds)) is not None]

    def abort(self, robot_id: int, reason: Reason) -> TaskOutcome:
        """End a robot's task for a reason; return how it ended."""
        return self._end(self.robots[robot_id], TaskState.ABORTED, reason)

    def _charge(self, robot: ScriptedRobot, seconds: float) -> None:
        if robot.charge is None:
            return
        if robot.task is not None:
            robot.charge -= DRAIN_PER_S * seconds
        elif any(robot.pose.distance_to(charger) < 0.05 for charger in self.chargers):
            robot.charge += CHARGE_PER_S * seconds
        robot.charge = min(max(robot.charge, 0.0), 1.0)

    def _step(self, robot: ScriptedRobot, seconds: float) -> TaskOutcome | None:
        if robot.task is None:
            return None
        if robot.is_canceling:
            return self._end(robot, TaskState.CANCELED)
        leg = robot.task.legs[robot.leg]
        if not isinstance(leg, STANDING) and robot.leg_left_s > seconds:
            robot.pose = _between(robot.pose, leg.goal, seconds / robot.leg_left_s)
        robot.leg_left_s -= seconds
        if robot.leg_left_s > 0.0:
            return None
        if not isinstance(leg, STANDING):
            robot.pose = leg.goal
        robot.leg = following_leg(robot.task.legs, robot.leg)
        if robot.leg == len(robot.task.legs):
            return self._end(robot, TaskState.SUCCEEDED)
        robot.leg_left_s = self._leg_s(robot)
        return None

    def _leg_s(self, robot: ScriptedRobot) -> float:
        assert robot.task is not None
        leg = robot.task.legs[robot.leg]
        return leg.duration_s if isinstance(leg, STANDING) else self.travel_s(robot.pose, leg.goal)

    def _end(self, robot: ScriptedRobot, state: TaskState, reason: Reason | None = None) -> TaskOutcome:
        assert robot.task is not None
        task, leg = robot.task, min(robot.leg, len(robot.task.legs) - 1)
        outcome = TaskOutcome(robot.robot_id, task.task_id, task.kind, state, reason, detail="scripted", leg=leg)
        robot.task, robot.leg, robot.last_outcome = None, 0, outcome
        return outcome


def _between(start: Pose2D, goal: Pose2D, share: float) -> Pose2D:
    x_m = start.x_m + share * (goal.x_m - start.x_m)
    return Pose2D(x_m, start.y_m + share * (goal.y_m - start.y_m), start.heading_rad)


def _end_of(request: TaskRequest) -> Pose2D:
    return list(request.places())[-1]
