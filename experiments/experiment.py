"""What an experiment is: a fleet in a world, tasks and faults over time, and what differs from run to run."""

from dataclasses import dataclass
from enum import Enum

from fleet import tasks
from fleet.config import FleetConfig
from fleet.geometry import Pose2D
from fleet.localization import Estimate
from fleet.paths.path_file import PathFile
from fleet.paths.placement import Placement, placed
from fleet.tasks import TaskKind, TaskRequest
from simulator.config import WorldConfig

_ORIGIN = Pose2D(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A task, and when a robot is given it.

    Parameters
    ----------
    at_s : since the begin, or since the task `after` has ended
    after : another task's id; "" for none
    places : where it leads, in the fleet's frame; none for follow_path and go_home
    path : of follow_path
    """

    task_id: str
    robot_id: int
    at_s: float
    after: str
    kind: TaskKind
    places: tuple[Pose2D, ...] = ()
    path: PathFile | None = None

    def request(self, fleet: FleetConfig, home: Pose2D, estimate: Estimate | None) -> TaskRequest | None:
        """Return what the fleet is asked, by a robot that believes to be at a pose; None if it must know and does not.

        Raises
        ------
        PathError
            The limits of the fleet do not allow the path's speed.
        """
        if self.kind is TaskKind.GO_TO:
            return tasks.go_to(self.task_id, self.places[0])
        if self.kind is TaskKind.GO_HOME:
            return tasks.go_home(self.task_id, home)
        if self.path is None:
            return tasks.transport(self.task_id, self.places[0], self.places[1], fleet.tasks.dwell_s)
        if estimate is None and self.path.placement is not Placement.MAP:
            return None
        robot = _ORIGIN if estimate is None else estimate.pose
        lap = placed(self.path.lap, self.path.placement, robot)
        return tasks.follow_path(self.task_id, lap, fleet.following, self.path.speed_mps, self.path.laps)


class FaultKind(Enum):
    """What goes wrong, or what people do; the value is what the file says."""

    CUT_LINK = "cut_link"  # nothing gets through to a robot nor from it; of all: the connection is gone
    HIDE = "hide"  # motion capture does not see a robot, or none
    PUSH = "push"  # a robot is moved, as seen from itself
    TELEPORT = "teleport"  # a robot is put somewhere else
    BATTERY = "battery"  # a robot's battery has another voltage
    SLIP = "slip"  # a robot's wheels roll further or less
    CANCEL = "cancel"  # a task is canceled
    STOP = "stop"  # the fleet is stopped


@dataclass(frozen=True, slots=True)
class Fault:
    """One of them.

    Parameters
    ----------
    for_s : how long it lasts; None is to the end
    robot_id : whom it befalls; None is all
    task_id : of CANCEL
    pose : of PUSH, as seen from the robot, and of TELEPORT, in the map
    charge : of BATTERY
    left, right : of SLIP: how far the wheels roll of what they would
    """

    kind: FaultKind
    at_s: float
    for_s: float | None = None
    robot_id: int | None = None
    task_id: str = ""
    pose: Pose2D = _ORIGIN
    charge: float = 0.0
    left: float = 1.0
    right: float = 1.0


@dataclass(frozen=True, slots=True)
class Spread:
    """By how much runs differ: standard deviations of where robots begin, and of each wheel's gain."""

    position_m: float = 0.0
    heading_rad: float = 0.0
    wheel_gain: float = 0.0


@dataclass(frozen=True, slots=True)
class Experiment:
    """Everything that an experiment file says."""

    title: str
    world: WorldConfig
    fleet: FleetConfig
    duration_s: float
    repetitions: int
    record_hz: float
    spread: Spread
    tasks: tuple[TaskPlan, ...]
    faults: tuple[Fault, ...]
