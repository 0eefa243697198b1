"""What a robot of the demonstration did: its tasks, how well it arrived, how long it waited for others."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from fleet.client.sent_goal import GoalState, SentGoal
from fleet.geometry import Pose2D

POSITION_LIMIT_M = 0.03
HEADING_LIMIT_RAD = math.radians(6.0)


@dataclass(slots=True)
class Performance:
    """One task of the demonstration: its goal, and the robot's true pose at the end.

    Parameters
    ----------
    waited_s : how long the robot has waited for others, by its latest status
    """

    goal: Pose2D
    sent: SentGoal
    truth: Pose2D | None = None
    waited_s: float = 0.0

    @property
    def position_error_m(self) -> float | None:
        """Distance between the goal and the true pose at the end; None before the end."""
        return None if self.truth is None else self.truth.distance_to(self.goal)

    @property
    def heading_error_rad(self) -> float | None:
        """Absolute heading error between the goal and the true pose at the end; None before the end."""
        return None if self.truth is None else abs(self.truth.heading_error_to(self.goal))

    @property
    def fault(self) -> str:
        """Why the task did not succeed, or that the robot missed its goal; "" for a good one."""
        position_m, heading_rad = self.position_error_m, self.heading_error_rad
        if position_m is None or heading_rad is None:
            return "no end"
        if not (self.sent.state is GoalState.SUCCEEDED and self.sent.success):
            return self.sent.reason
        if position_m > POSITION_LIMIT_M or heading_rad > HEADING_LIMIT_RAD:
            return "not where it should be"
        return ""


@dataclass(slots=True)
class RobotRecord:
    """Everything that one robot did.

    Parameters
    ----------
    task_count : how many tasks it was to perform
    performances : those that were sent
    contacts : how often it touched something; None if that is not known
    """

    robot_id: int
    task_count: int
    performances: list[Performance] = field(default_factory=list)
    contacts: int | None = None

    @property
    def done_count(self) -> int:
        """How many tasks ended where they should."""
        return sum(not one.fault for one in self.performances)

    @property
    def is_good(self) -> bool:
        """Whether it has done all its tasks and touched nothing."""
        return self.done_count == self.task_count and self.contacts == 0

    @property
    def worst_position_m(self) -> float | None:
        """The largest position error at the end of a task."""
        return max(
            (one.position_error_m for one in self.performances if one.position_error_m is not None), default=None
        )

    @property
    def worst_heading_rad(self) -> float | None:
        """The largest heading error at the end of a task."""
        errors_rad = (one.heading_error_rad for one in self.performances)
        return max((error_rad for error_rad in errors_rad if error_rad is not None), default=None)

    @property
    def driving_s(self) -> float:
        """How long its tasks that are over took, in total."""
        return sum(one.sent.duration_s for one in self.performances)

    @property
    def waited_s(self) -> float:
        """How long it waited for others, in total."""
        return sum(one.waited_s for one in self.performances)

    @property
    def fault(self) -> str:
        """Why its first task that failed did; "" if all are good so far."""
        return next((f"{one.sent.kind.value}: {one.fault}" for one in self.performances if one.fault), "")


def contact_count(records: Sequence[RobotRecord]) -> int | None:
    """Return how often all robots together touched something; None if that is not known of some."""
    counts = [record.contacts for record in records if record.contacts is not None]
    return sum(counts) if len(counts) == len(records) else None
