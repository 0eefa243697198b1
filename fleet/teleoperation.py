"""Driving a robot by hand: the latest cmd_vel, which holds for a while and no longer."""

from fleet.geometry import Twist2D


class Teleoperation:
    """The twist that somebody wants of one robot.

    Parameters
    ----------
    timeout_s : a twist that is not renewed holds for so long
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._twist: Twist2D | None = None
        self._commanded_ns = 0

    def drive(self, twist: Twist2D, now_ns: int) -> None:
        """Take a twist that came at `now_ns`."""
        self._twist = twist
        self._commanded_ns = now_ns

    def release(self) -> None:
        """Forget the twist: nobody drives the robot until the next one."""
        self._twist = None

    def twist(self, now_ns: int) -> Twist2D | None:
        """Return the twist that holds at `now_ns`, or None while nobody drives the robot."""
        age_s = (now_ns - self._commanded_ns) * 1e-9
        return self._twist if 0.0 <= age_s <= self._timeout_s else None
