"""The fleet's record of a job: its attempts, who holds it, its end. The book keeps these records."""

from dataclasses import dataclass, field
from enum import Enum

from fleet.dispatch.records.job import Job, JobState
from fleet.reason import Explanation
from fleet.tasks.task_kind import TaskKind

LOAD_LEG = 1  # of a transport: drive, load, drive, unload
UNLOAD_LEG = 3


class Hold(Enum):
    """Who holds a job; the value is what the book keeps."""

    NONE = ""
    USER = "user"
    STOP = "stop"  # the fleet was stopped: resume releases it
    RESTART = "restart"  # the driver ended while a robot was loaded or unloaded: the place of the load is unknown
    BOOK = "book"  # it waits for a job that the book cannot read


@dataclass(slots=True)
class Attempt:
    """The task that a robot performs for a job.

    Parameters
    ----------
    robot_id : the robot
    task_id : the job's id, followed by #2 and so on from the second attempt
    first_leg : the leg of the job at which it starts: 2 if the robot was already loaded
    leg : the current leg of the job
    started_ns : its start, on the ROS clock
    """

    robot_id: int
    task_id: str
    first_leg: int
    leg: int
    started_ns: int


@dataclass(frozen=True, slots=True)
class JobEnd:
    """The end of a job, with its time on the ROS clock; `explanation` is None unless it was aborted."""

    state: JobState
    ended_ns: int
    explanation: Explanation | None = None


@dataclass(slots=True)
class JobRecord:
    """A job and its outcome.

    Parameters
    ----------
    job : the job as submitted, with later changes of priority, robots and deadline
    number : increasing number of its submission
    submitted_ns : time of submission, on the ROS clock
    behind : the job that must start before it, as a user requested; "" without one
    hold : who holds it
    loaded_robot : the robot that carries its load; None without one
    attempt_count : number of attempts so far, including the running one
    attempt : the running attempt
    is_canceling : whether it ends as canceled once its robot has stopped
    failures : robots that failed, in order, and their reasons
    robot_id : the robot that performed it last
    end : how it ended
    original : the job as submitted, if it was changed later
    """

    job: Job
    number: int
    submitted_ns: int
    behind: str = ""
    hold: Hold = Hold.NONE
    loaded_robot: int | None = None
    attempt_count: int = 0
    attempt: Attempt | None = None
    is_canceling: bool = False
    failures: list[tuple[int, Explanation]] = field(default_factory=list)
    robot_id: int | None = None
    end: JobEnd | None = None
    original: Job | None = None

    @property
    def has_succeeded(self) -> bool:
        """Whether it has ended successfully."""
        return self.end is not None and self.end.state is JobState.SUCCEEDED

    @property
    def submitted(self) -> Job:
        """The job as it was submitted."""
        return self.original or self.job

    def change(self, job: Job) -> None:
        """Continue with a changed job."""
        self.original, self.job = self.submitted, job

    @property
    def job_id(self) -> str:
        """The job's id."""
        return self.job.job_id

    @property
    def is_open(self) -> bool:
        """Whether it has not ended."""
        return self.end is None

    @property
    def may_be_given(self) -> bool:
        """Whether its own state requires a robot."""
        return self.end is None and self.attempt is None and self.hold is Hold.NONE

    @property
    def next_leg(self) -> int:
        """The leg at which the next attempt starts."""
        return LOAD_LEG + 1 if self.loaded_robot is not None else 0

    def allows(self, robot_id: int) -> bool:
        """Whether a robot may perform the next attempt: only the robot with the load, if there is one."""
        if self.loaded_robot is not None:
            return robot_id == self.loaded_robot
        return self.job.allows(robot_id)

    def begin(self, robot_id: int, now_ns: int) -> Attempt:
        """Start an attempt of a robot; return it."""
        self.attempt_count += 1
        task_id = self.job_id if self.attempt_count == 1 else f"{self.job_id}#{self.attempt_count}"
        leg = self.next_leg
        self.attempt = Attempt(robot_id, task_id, leg, leg, now_ns)
        self.robot_id = robot_id
        return self.attempt

    def note_leg(self, leg: int) -> bool:
        """Note the current leg of its robot; return whether it is later than before.

        A dispatcher that has taken the book over may still receive an old report of another driver's robot, with an
        earlier leg than the book has; that changes nothing.
        """
        attempt = self.attempt
        if attempt is None or leg <= attempt.leg:
            return False
        attempt.leg = leg
        self.loaded_robot = attempt.robot_id if self.job.work.kind is TaskKind.TRANSPORT and leg > LOAD_LEG else None
        return True

    @property
    def is_handling(self) -> bool:
        """Whether its robot is being loaded or unloaded."""
        attempt = self.attempt
        is_transport = self.job.work.kind is TaskKind.TRANSPORT
        return is_transport and attempt is not None and attempt.leg in (LOAD_LEG, UNLOAD_LEG)

    def finish(self, state: JobState, now_ns: int, explanation: Explanation | None = None) -> None:
        """End the job."""
        self.attempt = None
        self.end = JobEnd(state, now_ns, explanation)
