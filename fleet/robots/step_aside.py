"""How a robot without a task steps aside to let another one pass: it drives away, waits there, and drives back."""

from typing import Final

from fleet.actuation.wheel_response import MotionForecast
from fleet.control.tracker_config import TrackerConfig
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.settings.config import FleetConfig
from fleet.tasks.leg_planner import LegPlanner
from fleet.tasks.legs import DriveLeg
from fleet.tasks.tracker import Tracker


class StepAside:
    """Drives a robot to places aside, and back to where it stood.

    Parameters
    ----------
    stood : where the robot stood, and returns to
    fleet : limits of motion and tolerances
    planner : plans the drives

    Attributes
    ----------
    is_over : whether the robot is back, or cannot drive on
    place : where it drives, or stands by now
    """

    def __init__(self, stood: Pose2D, fleet: FleetConfig, planner: LegPlanner) -> None:
        self.stood: Final = stood
        self.is_over = False
        self.place = stood
        self._fleet: Final = fleet
        self._planner: Final = planner
        self._tracker: Tracker | None = None
        self._returns = False

    @property
    def waits(self) -> bool:
        """Whether the robot stands aside."""
        return self._tracker is None

    @property
    def returns(self) -> bool:
        """Whether the robot is on its way back."""
        return self._returns

    def leave(self, place: Pose2D, tracker: TrackerConfig) -> None:
        """Drive to a place aside."""
        self._drive(place, tracker)
        self._returns = False

    def come_back(self, tracker: TrackerConfig) -> None:
        """Drive back."""
        self._drive(self.stood, tracker)
        self._returns = True

    def wait(self) -> None:
        """Stand where the robot is."""
        self._planner.give_up()
        self._tracker = None

    def step(self, forecast: MotionForecast, now_ns: int) -> Twist2D:
        """Return the twist to command now."""
        tracker = self._tracker
        if tracker is None:
            return STILL
        twist = tracker.step(forecast, now_ns)
        if tracker.is_done(now_ns):
            self.wait()
            self.is_over = self._returns
        elif tracker.stalled_s(now_ns) > self._fleet.tasks.no_progress_s:
            self.is_over = True
        return twist

    def hold(self) -> None:
        """Note that the robot cannot drive now."""
        if self._tracker is not None:
            self._tracker.pause()

    def _drive(self, goal: Pose2D, tracker: TrackerConfig) -> None:
        self.place = goal
        self._planner.give_up()
        self._tracker = Tracker(DriveLeg(goal), self._fleet.motion, tracker, self._fleet.tasks, self._planner)
