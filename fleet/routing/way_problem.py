"""What a way is planned for: the journey, where robots can drive, and when others are where."""

from typing import Final

from fleet.routing.journey import Journey
from fleet.routing.roadmap import Roadmap
from fleet.routing.times_to_goal import TimesToGoal
from fleet.timetable.occupancy import Occupancy


class WayProblem:
    """One robot's journey among others.

    Parameters
    ----------
    roadmap : where to drive
    occupancy : when other robots are where
    journey : from where to where
    start_s : the earliest departure
    times : to the goal, without other robots; computed when they are needed
    """

    def __init__(
        self, roadmap: Roadmap, occupancy: Occupancy, journey: Journey, start_s: float, times: TimesToGoal
    ) -> None:
        self.roadmap: Final = roadmap
        self.occupancy: Final = occupancy
        self.journey: Final = journey
        self.start_s: Final = start_s
        self.times: Final = times
