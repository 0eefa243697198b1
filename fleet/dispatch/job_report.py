"""The report on a job that clients get."""

from dataclasses import dataclass

from fleet.dispatch.records.job import JobState


@dataclass(frozen=True, slots=True)
class JobReport:
    """A job at one instant.

    Parameters
    ----------
    words : the job in words
    robot_id : the robot that performs it, has it next, or performed it last; 0 without one
    place : number of its robot's jobs before it; -1 unless it is planned
    priority : its priority, raised by age
    eta_s : planned time until its end; negative if it is not known
    progress : progress of the running attempt, from 0 to 1
    attempts : number of attempts so far
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
