"""Ends the tasks of robots whose steps raise, so that the others drive on."""

from typing import Final

from fleet.robots.robot import Robot
from fleet.robots.robot_status import TaskOutcome
from thymio_base.fence import Fence


class RobotFence:
    """Catches the exceptions of single robots in the tick.

    Parameters
    ----------
    fence : records the exceptions

    Attributes
    ----------
    outcomes : interrupted tasks, until they are taken
    """

    def __init__(self, fence: Fence) -> None:
        self.fence: Final = fence
        self.outcomes: list[TaskOutcome] = []

    def catch(self, robot: Robot, error: Exception, now_ns: int) -> None:
        """Note an exception of a robot's step, stop the robot, and end its task."""
        text = self.fence.note(f"robot {robot.config.id}", error)
        outcome = robot.fail(text, now_ns)
        if outcome is not None:
            self.outcomes.append(outcome)

    def take_outcomes(self) -> list[TaskOutcome]:
        """Return the tasks that were interrupted since the last call."""
        taken, self.outcomes = self.outcomes, []
        return taken
