"""The motion of a robot that steps aside without a task: it drives away, waits there, and drives back on request."""

import math
from dataclasses import replace
from typing import Final

from fleet.actuation.wheel_response import MotionForecast
from fleet.control.tracker_config import TrackerConfig
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.reason import Explanation
from fleet.settings.config import FleetConfig, TasksConfig
from fleet.tasks.leg_planner import LegPlanner
from fleet.tasks.task import Task, TaskRequest, TaskState, go_to


class StepAside:
    """Performs tasks without a client or a deadline: to places aside, and back to where the robot was.

    Parameters
    ----------
    stood : the robot's initial pose, to which it returns
    fleet : limits of motion and tolerances
    planner : plans the drives

    Attributes
    ----------
    is_over : whether the robot is back, or cannot drive on
    explanation : why it could not drive on; None if it did
    place : the place aside to which it drives, or where it is
    task : its drive; None while the robot waits aside
    """

    def __init__(self, stood: Pose2D, fleet: FleetConfig, planner: LegPlanner) -> None:
        self.stood: Final = stood
        self.is_over = False
        self.explanation: Explanation | None = None
        self.place = stood
        self._fleet: Final = fleet
        self._tasks: Final[TasksConfig] = replace(fleet.tasks, deadline_min_s=math.inf)
        self._planner: Final = planner
        self.task: Task | None = None
        self._returns = False

    @property
    def waits(self) -> bool:
        """Whether the robot waits aside."""
        return self.task is None

    @property
    def returns(self) -> bool:
        """Whether the robot is on its way back."""
        return self._returns

    def leave(self, request: TaskRequest, tracker: TrackerConfig) -> None:
        """Perform a task that leads aside."""
        self._perform(request, tracker)
        self._returns = False

    def come_back(self, tracker: TrackerConfig) -> None:
        """Drive back."""
        self._perform(go_to("", self.stood), tracker)
        self._returns = True

    def wait(self) -> None:
        """Stay where the robot is."""
        self._planner.give_up()
        self.task = None

    def step(self, forecast: MotionForecast, now_ns: int) -> Twist2D:
        """Return the twist to command now."""
        task = self.task
        if task is None:
            return STILL
        twist = task.step(forecast, now_ns)
        if task.state is TaskState.SUCCEEDED:
            self.wait()
            self.is_over = self._returns
        elif task.is_ended:
            self.is_over = True
            self.explanation = task.explanation
        return twist

    def hold(self, now_ns: int) -> None:
        """Note that the robot cannot drive now."""
        if self.task is not None:
            self.task.hold(now_ns)

    def _perform(self, request: TaskRequest, tracker: TrackerConfig) -> None:
        self.place = request.end_place or self.stood
        self._planner.give_up()
        self.task = Task(request, self._fleet.motion, tracker, self._tasks, self._planner)
