"""The problem of planning one way: the journey, the roadmap, and the other robots."""

from typing import Final

from fleet.routing.journey import Journey
from fleet.routing.roadmap import Roadmap
from fleet.routing.times_to_goal import TimesToGoal
from fleet.timetable.occupancy import Occupancy


class WayProblem:
    """One robot's journey among others.

    Parameters
    ----------
    roadmap : where robots can drive
    occupancy : where other robots are, and when
    journey : the robot's journey
    start_s : the earliest departure
    times : driving times to the goal without other robots; computed on demand
    """

    def __init__(
        self, roadmap: Roadmap, occupancy: Occupancy, journey: Journey, start_s: float, times: TimesToGoal
    ) -> None:
        self.roadmap: Final = roadmap
        self.occupancy: Final = occupancy
        self.journey: Final = journey
        self.start_s: Final = start_s
        self.times: Final = times
