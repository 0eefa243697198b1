"""What a vehicle knows of its robot, and the requests it may send to it."""

from dataclasses import dataclass, field
from enum import Enum, unique

from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.vda5050.order.order_fault import VehicleFault
from fleet.vda5050.order.route_steps import RouteStep


@unique
class RobotControl(Enum):
    """Who is in control of a robot; the value is the operating mode of versions 2 and 3."""

    STARTUP = "SERVICE", "STARTUP"  # the robot is not known yet
    AUTOMATIC = "AUTOMATIC", "AUTOMATIC"  # the master
    MANUAL = "MANUAL", "MANUAL"  # another client: by a task, a job, or teleoperation
    SERVICE = "SERVICE", "SERVICE"  # no client: the robot runs a script of its own


@dataclass(frozen=True, slots=True)
class RobotFacts:
    """A robot at one instant; two are equal if they differ in nothing that a master must hear of at once."""

    control: RobotControl = RobotControl.STARTUP
    pose: Pose2D | None = field(default=None, compare=False)  # in the fleet's frame; None if unknown
    is_localized: bool = False  # the pose can be relied on
    is_at_rest: bool = field(default=False, compare=False)  # known to stand
    is_ready: bool = field(default=False, compare=False)  # would accept a task now
    is_stopped: bool = False  # as the whole fleet is
    twist: Twist2D = field(default=STILL, compare=False)
    is_driving: bool = False
    battery_pct: float = 0.0  # the last known charge
    is_charging: bool = False
    faults: tuple[VehicleFault, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()  # types and texts beside faults: it waits for another robot


class RunState(Enum):
    """The state of a run, a task of the robot that drives steps of an order."""

    SENT = "sent"  # not yet answered
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"  # rejected, aborted or canceled

    @property
    def is_over(self) -> bool:
        """Whether the run has ended."""
        return self in (RunState.SUCCEEDED, RunState.FAILED)


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a robot reports of a run."""

    run_id: str
    state: RunState
    legs_done: int = 0
    legs: int = 0  # that it has; 0 if that is not known
    reason: str = ""  # of a failure, in the words of our interface
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
