"""The reported quality of a robot's pose: the pose, how well it is known, and why measured poses were rejected."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from fleet.geometry import Pose2D
from fleet.localization.belief import Spread


class Localization(Enum):
    """Quality of a robot's pose; the value is what status shows."""

    UNKNOWN = "unknown"  # nothing was reported yet
    ODOMETRY = "odometry"  # the wheels alone, because no pose source is configured
    TRACKED = "tracked"  # the pose source sees the robot
    DEGRADED = "degraded"  # the wheels alone, because the pose source is silent
    LOST = "lost"  # the pose source has been silent for too long


class Rejection(Enum):
    """Why a measured pose is rejected; the value is what status and logs show."""

    FUTURE = "stamped in the future"  # by more than the tolerated clock difference
    TOO_OLD = "too old"  # the wheel reports of that time are no longer logged
    DUPLICATE = "stamped like the one before"
    OUT_OF_ORDER = "older than the one before"
    OUTLIER = "too far from where the robot can be"
    TOO_FAR = "too far away"  # of the arena, or not finite
    UNKNOWN_FRAME = "in another frame"
    NON_FINITE = "not finite"
    BAD_QUATERNION = "wrongly oriented"  # not of unit length, or tilted
    UNREADABLE = "unreadable"  # no message of the expected type


@dataclass(init=False, unsafe_hash=True, slots=True)
class Estimate:
    """A pose in the fleet's frame at `stamp_ns`."""

    pose: Final[Pose2D]
    stamp_ns: Final[int]

    def __init__(self, pose: Pose2D, stamp_ns: int) -> None:
        self.pose = pose
        self.stamp_ns = stamp_ns


@dataclass(frozen=True, slots=True)
class PoseQuality:
    """Quality of a robot's pose, with the numbers of rejected poses of its pose source.

    `spread` is None before the first report; `age_s` is the age of the latest used pose, None without any; `refusal` is
    why the latest pose was not used, None if it was; `refusal_detail` gives its values, "" if there are none.
    """

    localization: Localization
    spread: Spread | None = None
    poses_hz: float = 0.0
    age_s: float | None = None
    rejected: Mapping[Rejection, int] = field(default_factory=dict)
    refusal: Rejection | None = None
    refusal_detail: str = ""

    @property
    def refusal_text(self) -> str:
        """Why the latest pose was not used, in words; "" if it was."""
        if self.refusal is None:
            return ""
        return f"{self.refusal.value} ({self.refusal_detail})" if self.refusal_detail else self.refusal.value

    @property
    def rejected_count(self) -> int:
        """Number of rejected poses."""
        return sum(self.rejected.values())
