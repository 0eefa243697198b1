"""What a vehicle must know of its robot, and what it may ask of it."""

from dataclasses import dataclass
from enum import Enum

from fleet.geometry import Pose2D
from fleet.vda5050.order.route_steps import RouteStep


class RobotControl(Enum):
    """Who is in control of a robot."""

    STARTUP = "startup"  # nothing is known of the robot yet
    AUTOMATIC = "automatic"  # the master
    MANUAL = "manual"  # somebody else: a task of another client, a job, or teleoperation
    SERVICE = "service"  # nobody: the robot runs a script of its own


@dataclass(frozen=True, slots=True)
class RobotFacts:
    """A robot at one instant.

    Parameters
    ----------
    control : who is in control
    pose : in the fleet's frame; None while it is not known
    is_at_rest : whether it is known to stand
    is_ready : whether it would accept a task now
    is_stopped : whether the whole fleet is stopped
    """

    control: RobotControl = RobotControl.STARTUP
    pose: Pose2D | None = None
    is_at_rest: bool = False
    is_ready: bool = False
    is_stopped: bool = False


class RunState(Enum):
    """The state of a run, a task of the robot that drives steps of an order."""

    SENT = "sent"  # not answered yet
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"  # rejected, aborted or canceled

    @property
    def is_over(self) -> bool:
        """Whether the robot performs it no more."""
        return self in (RunState.SUCCEEDED, RunState.FAILED)


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a robot reports of a run.

    Parameters
    ----------
    legs_done : how many legs are done
    legs : how many legs it has; 0 if that is not known
    reason, detail : of a failure, in the words of our interface
    """

    run_id: str
    state: RunState
    legs_done: int = 0
    legs: int = 0
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StartRun:
    """Start a run with steps."""

    run_id: str
    steps: tuple[RouteStep, ...]


@dataclass(frozen=True, slots=True)
class ExtendRun:
    """Append steps to a run that has `after` legs."""

    run_id: str
    after: int
    steps: tuple[RouteStep, ...]


@dataclass(frozen=True, slots=True)
class CancelRun:
    """Cancel a run."""

    run_id: str


RunRequest = StartRun | ExtendRun | CancelRun
