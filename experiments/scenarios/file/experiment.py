"""An experiment: a fleet in a world, tasks and faults over time, and the variation between runs."""

from dataclasses import dataclass
from enum import Enum

from fleet.geometry import ORIGIN, Pose2D
from fleet.settings.config import FleetConfig
from fleet.work.work import Work
from simulator.world.config import WorldConfig


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A task, and the time when it is assigned to a robot.

    Parameters
    ----------
    robot_id : robot that performs it; None for a job, which any robot may perform
    at_s : time since the start, or since the end of the task `after`
    after : id of the preceding task; "" for none
    work : the robot's work; poses are in the fleet's frame
    """

    task_id: str
    robot_id: int | None
    at_s: float
    after: str
    work: Work


class FaultKind(Enum):
    """Kinds of failures and of people's actions; the value is the name in the file."""

    CUT_LINK = "cut_link"  # no messages reach a robot or come from it; for all robots, the connection is closed
    HIDE = "hide"  # motion capture does not see a robot, or any robot
    PUSH = "push"  # a robot is moved, in its own frame
    TELEPORT = "teleport"  # a robot is placed somewhere else
    BATTERY = "battery"  # the charge of a robot's battery changes
    SLIP = "slip"  # a robot's wheels roll further or less
    CANCEL = "cancel"  # a task is canceled
    STOP = "stop"  # the fleet is stopped


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    Parameters
    ----------
    for_s : duration; None means to the end of the run
    robot_id : affected robot; None means all robots
    task_id : task of CANCEL
    pose : pose of PUSH in the robot's frame, or of TELEPORT in the map
    charge : charge of BATTERY
    left, right : factors of SLIP on the wheels' travel
    """

    kind: FaultKind
    at_s: float
    for_s: float | None = None
    robot_id: int | None = None
    task_id: str = ""
    pose: Pose2D = ORIGIN
    charge: float = 0.0
    left: float = 1.0
    right: float = 1.0


@dataclass(frozen=True, slots=True)
class StartSpread:
    """Variation between runs: standard deviations of the robots' start and of each wheel's gain."""

    position_m: float = 0.0
    heading_rad: float = 0.0
    wheel_gain: float = 0.0


@dataclass(frozen=True, slots=True)
class Experiment:
    """The content of an experiment file."""

    title: str
    world: WorldConfig
    fleet: FleetConfig
    duration_s: float
    repetitions: int
    record_hz: float
    spread: StartSpread
    tasks: tuple[TaskPlan, ...]
    faults: tuple[Fault, ...]
