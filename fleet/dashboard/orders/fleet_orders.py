"""Orders of users, one object for each robot or each change of jobs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from fleet.dispatch.records.job import Job
from fleet.geometry import Pose2D
from fleet.work.work import Work


class Verb(Enum):
    """What a user asks for; the value is its name on the wire."""

    GO_TO = "go_to"
    GO_HOME = "go_home"
    TRANSPORT = "transport"
    FOLLOW_PATH = "follow_path"
    FOLLOW_ROUTE = "follow_route"
    DOCK = "dock"
    SUBMIT = "submit"
    CHANGE_JOBS = "change_jobs"
    CANCEL = "cancel"
    STOP = "stop"
    RESUME = "resume"
    LAW = "law"
    IDENTIFY = "identify"
    DRIVE = "drive"
    STATION = "station"
    REMOVE_STATION = "remove_station"
    ACKNOWLEDGE = "acknowledge"
    DISMISS = "dismiss"
    NAME = "name"
    KEY = "key"
    PUSH = "push"
    LINK = "link"
    BATTERY = "battery"
    TELEPORT = "teleport"

    @property
    def words(self) -> str:
        """Its name for people."""
        return self.value.replace("_", " ")


@dataclass(frozen=True, slots=True)
class TaskOrder:
    """Give a robot a task; if `is_unaimed`, the goal's heading is the direction from which it arrives."""

    robot_id: int
    work: Work
    is_unaimed: bool = False


@dataclass(frozen=True, slots=True)
class SubmitOrder:
    """Submit a job to the fleet."""

    job: Job


class JobChange(Enum):
    """A change of open jobs; the value is that of ChangeJobs."""

    CANCEL = "cancel"
    HOLD = "hold"
    RELEASE = "release"


@dataclass(frozen=True, slots=True)
class ChangeJobsOrder:
    """Change jobs of the fleet."""

    job_ids: tuple[str, ...]
    change: JobChange


@dataclass(frozen=True, slots=True)
class CancelOrder:
    """Cancel the robot's task, whoever sent it."""

    robot_id: int


@dataclass(frozen=True, slots=True)
class LawOrder:
    """Choose the control law and its gains, by their names in fleet.yaml."""

    robot_id: int
    law: str
    gains: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IdentifyOrder:
    """Light up and beep."""

    robot_id: int


@dataclass(frozen=True, slots=True)
class PushOrder:
    """Push a simulated robot in a direction of its own frame."""

    robot_id: int
    distance_m: float
    heading_rad: float


class SimulatedLink(Enum):
    """How a simulated robot is linked; the value is its name on the wire."""

    CONNECTED = "connected"
    SILENT = "silent"  # out of range: nothing gets through
    DISCONNECTED = "disconnected"  # unplugged: hosts notice at once


@dataclass(frozen=True, slots=True)
class LinkOrder:
    """Cut or join the link of a simulated robot."""

    robot_id: int
    link: SimulatedLink


@dataclass(frozen=True, slots=True)
class BatteryOrder:
    """Set the charge of a simulated robot's battery, 0 to 1."""

    robot_id: int
    charge: float


@dataclass(frozen=True, slots=True)
class TeleportOrder:
    """Move a simulated robot at once."""

    robot_id: int
    pose: Pose2D


SimulationOrder: TypeAlias = PushOrder | LinkOrder | BatteryOrder | TeleportOrder
RobotOrder: TypeAlias = TaskOrder | CancelOrder | LawOrder | IdentifyOrder | SimulationOrder
JobOrder: TypeAlias = SubmitOrder | ChangeJobsOrder
FleetOrder: TypeAlias = RobotOrder | JobOrder
