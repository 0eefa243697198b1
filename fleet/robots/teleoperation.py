"""Teleoperation of a robot: the latest cmd_vel, until it times out."""

from fleet.geometry import Twist2D


class Teleoperation:
    """The commanded twist of one teleoperated robot.

    Parameters
    ----------
    timeout_s : how long a twist applies without renewal
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._twist: Twist2D | None = None
        self._commanded_ns = 0

    def drive(self, twist: Twist2D, now_ns: int) -> None:
        """Accept a twist that arrived at `now_ns`."""
        self._twist = twist
        self._commanded_ns = now_ns

    def release(self) -> None:
        """Forget the twist: the robot is not teleoperated until the next one."""
        self._twist = None

    def twist(self, now_ns: int) -> Twist2D | None:
        """Return the twist that applies at `now_ns`, or None while the robot is not teleoperated."""
        age_s = (now_ns - self._commanded_ns) * 1e-9
        return self._twist if 0.0 <= age_s <= self._timeout_s else None
