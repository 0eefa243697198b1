"""A job: a request to the fleet, until it is given to a robot as a task."""

from dataclasses import dataclass
from enum import Enum

from fleet.work.work import Work


class Duty(Enum):
    """Whether a robot takes jobs; the value is what users write."""

    IN = "in"
    OUT = "out"  # none; a job that it performs goes to another robot, unless it carries something
    OUT_AFTER_JOB = "out_after_job"  # none after its current one


USUAL_PRIORITY = 5
USUAL_ATTEMPTS = 3


class JobState(Enum):
    """The state of a job; the last three are ends."""

    WAITING = "waiting"  # for its time, or for other jobs
    QUEUED = "queued"  # for a robot
    HELD = "held"  # until it is released
    ASSIGNED = "assigned"  # to a robot that is busy, as its next job
    EXECUTING = "executing"  # a robot performs it
    SUCCEEDED = "SUCCEEDED"
    CANCELED = "CANCELED"
    ABORTED = "ABORTED"

    @property
    def is_final(self) -> bool:
        """Whether the job is over."""
        return self in (JobState.SUCCEEDED, JobState.CANCELED, JobState.ABORTED)


@dataclass(frozen=True, slots=True)
class Job:
    """A job; instants are on the ROS clock [ns], 0 for none.

    Parameters
    ----------
    job_id : its id, forever unique in the fleet
    work : the robot's work
    robots : robots that may perform it; empty for any robot
    priority : its priority, from 0 to 9, the highest
    not_before_ns : the earliest start
    deadline_ns : when it should have succeeded at the latest
    is_aborted_late : whether it is aborted at the deadline
    after : jobs that must succeed before it
    after_any_end : whether any end of those jobs is enough
    attempts : number of robots that may try
    may_be_interrupted : whether a job of much higher priority may take its robot while that carries nothing
    """

    job_id: str
    work: Work
    robots: tuple[int, ...] = ()
    priority: int = USUAL_PRIORITY
    not_before_ns: int = 0
    deadline_ns: int = 0
    is_aborted_late: bool = False
    after: tuple[str, ...] = ()
    after_any_end: bool = False
    attempts: int = USUAL_ATTEMPTS
    may_be_interrupted: bool = True

    def allows(self, robot_id: int) -> bool:
        """Whether a robot may perform it."""
        return not self.robots or robot_id in self.robots
