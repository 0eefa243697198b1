"""Results of the demonstration: how jobs ended, how near robots came to their goals, how long they waited."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import JobState
from fleet.geometry import Pose2D

POSITION_LIMIT_M = 0.03
HEADING_LIMIT_RAD = math.radians(6.0)


@dataclass(slots=True)
class TrueArrival:
    """Deviation of a robot from a goal: `truth` is its true pose there, None before it was seen."""

    goal: Pose2D
    truth: Pose2D | None = None

    def note(self, truth: Pose2D) -> None:
        """Note where the robot is; the pose with the smallest error counts, by the larger of both errors in limits."""
        if self.truth is None or self._badness(truth) < self._badness(self.truth):
            self.truth = truth

    @property
    def position_error_m(self) -> float:
        """Distance between the goal and the true pose; infinite before that was seen."""
        return math.inf if self.truth is None else self.truth.distance_to(self.goal)

    @property
    def heading_error_rad(self) -> float:
        """Absolute heading error between the goal and the true pose; infinite before that was seen."""
        return math.inf if self.truth is None else abs(self.truth.heading_error_to(self.goal))

    @property
    def is_good(self) -> bool:
        """Whether the robot was where it should be."""
        return self.truth is not None and self._badness(self.truth) <= 1.0

    def _badness(self, truth: Pose2D) -> float:
        heading_rad = abs(truth.heading_error_to(self.goal))
        return max(truth.distance_to(self.goal) / POSITION_LIMIT_M, heading_rad / HEADING_LIMIT_RAD)


@dataclass(slots=True)
class Performance:
    """One job of the demonstration, as performed by its robot.

    Parameters
    ----------
    report : the job's latest state
    arrival : arrival of its robot at the job's last place
    waited_s : how long the robot has waited for others, by its latest status
    """

    report: JobReport
    arrival: TrueArrival
    waited_s: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return bool(self.report.ended_ns)

    @property
    def fault(self) -> str:
        """Why the job did not succeed, or that the robot missed its goal; "" for a good one."""
        if not self.is_over:
            return "no end"
        if self.report.state is not JobState.SUCCEEDED:
            return f"{self.report.reason or self.report.state.value} {self.report.detail}".strip()
        return "" if self.arrival.is_good else "not where it should be"


@dataclass(slots=True)
class RobotRecord:
    """All results of one robot.

    Parameters
    ----------
    home : its arrival at home, after all jobs
    performances : the jobs that it performed
    contacts : how often it touched something; None if that is not known
    """

    robot_id: int
    home: TrueArrival
    performances: list[Performance] = field(default_factory=list)
    contacts: int | None = None

    @property
    def done_count(self) -> int:
        """Number of jobs without a fault."""
        return sum(not one.fault for one in self.performances)

    @property
    def is_good(self) -> bool:
        """Whether it has done all its jobs well, is at home, and touched nothing."""
        return not self.fault and self.contacts == 0

    @property
    def arrivals(self) -> list[TrueArrival]:
        """Its arrivals at the ends of jobs, and at home."""
        return [*(one.arrival for one in self.performances if one.is_over), self.home]

    @property
    def waited_s(self) -> float:
        """Total time that it waited for others."""
        return sum(one.waited_s for one in self.performances)

    @property
    def fault(self) -> str:
        """Why its first failed job failed, or that it is not at home; "" if all is good."""
        failed = next((f"{one.report.words}: {one.fault}" for one in self.performances if one.fault), "")
        return failed or ("" if self.home.is_good else "not at home")


def contact_count(records: Sequence[RobotRecord]) -> int | None:
    """Return how often robots touched something, in total; None if any count is unknown."""
    counts = [record.contacts for record in records if record.contacts is not None]
    return sum(counts) if len(counts) == len(records) else None
