"""What the fleet tells of one robot: a snapshot from which status, services and tables are all made."""

from dataclasses import dataclass
from enum import Enum

from fleet.battery import BatteryLevel
from fleet.deviation import CrossTrack
from fleet.estimator import Localization
from fleet.laws.law import TrackingError
from fleet.reason import Reason
from fleet.tasks import TaskKind, TaskState
from fleet.tracker_config import LawName


class Level(Enum):
    """Overall level, with the values of diagnostic_msgs/DiagnosticStatus that the customer's interface uses."""

    OK = 0
    WARN = 1
    ERROR = 2


class LinkState(Enum):
    """Whether the robot is reached; the value is what status shows."""

    CONNECTED = "connected"  # it runs our script and reports
    STALE = "stale"  # it is connected, and its reports stay away
    LOST = "lost"  # it is not there, or does not run our script


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """How a task ended; `reason` is None unless it was aborted, `cross_track` unless the robot drove."""

    robot_id: int
    task_id: str
    kind: TaskKind
    state: TaskState
    reason: Reason | None
    cross_track: CrossTrack | None = None

    def __str__(self) -> str:
        return self.state.value if self.reason is None else f"{self.state.value}:{self.reason.value}"


@dataclass(frozen=True, slots=True)
class RobotStatus:
    """One robot at one instant; `task_id` is "" when it is idle, `tracking_error` None while it does not drive."""

    robot_id: int
    level: Level
    message: str
    battery: BatteryLevel
    battery_percent: int
    task_id: str
    state: str
    progress: float
    eta_s: float
    reason: str
    last_outcome: TaskOutcome | None
    localization: Localization
    link: LinkState
    law: LawName
    tracking_error: TrackingError | None

    @property
    def is_busy(self) -> bool:
        """Whether a task is assigned, one that is being canceled included."""
        return self.task_id != ""
