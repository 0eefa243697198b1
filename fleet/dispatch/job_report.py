"""What clients are told of a job."""

from dataclasses import dataclass

from fleet.dispatch.records.job import JobState


@dataclass(frozen=True, slots=True)
class JobReport:
    """A job at one instant.

    Parameters
    ----------
    words : what is to be done
    robot_id : who performs it, has it next, or performed it last; 0 if nobody does
    place : how many jobs its robot performs before it; -1 unless it is planned
    priority : raised by age
    eta_s : planned time until its end; negative if it is not known
    progress : of the running attempt, from 0 to 1
    attempts : that were begun
    reason, detail : why it is held, waits or was aborted; "" otherwise
    submitted_ns, ended_ns : on the ROS clock; 0 until it has ended
    """

    job_id: str
    words: str
    state: JobState
    robot_id: int
    place: int
    priority: int
    eta_s: float
    progress: float
    attempts: int
    reason: str
    detail: str
    submitted_ns: int
    ended_ns: int
