"""The clock by which a robot drives its way."""

import math
from typing import Final

from fleet.geometry import Pose2D
from fleet.timetable.motion import UniformMotion
from fleet.timetable.way import Way

_BRAKE_S: Final = 0.3  # the clock stops and starts within this time, as wheels do from full speed
_SLOW_MPS: Final = 0.05  # least speed for converting a distance behind into lateness
_TRACKED_M: Final = 0.01  # a robot this far behind its reference does not yet count as late


class WayClock:
    """Runs while a robot may drive on, and stops while others go first.

    Parameters
    ----------
    way : the robot's way

    Attributes
    ----------
    delay_s : how late the clock is
    rate : how fast it runs, from 0 to 1
    behind_s : how late the robot is beyond the clock
    off_m : how far the robot is beside or ahead of its place by the clock
    entered_s : how late the way is in the timetable
    agreed_s : time after its start up to which all other drivers know the way
    is_held : whether the robot must not start yet
    """

    def __init__(self, way: Way) -> None:
        self.way: Final = way
        self.delay_s = 0.0
        self.rate = 1.0
        self.behind_s = 0.0
        self.off_m = 0.0
        self.entered_s = 0.0
        self.agreed_s = -math.inf
        self.is_held = False

    def grown(self, way: Way, shift_s: float, parts_s: float) -> "WayClock":
        """Return the clock of a way that differs from `parts_s` on, where the same places come `shift_s` earlier."""
        clock = WayClock(way)
        clock.delay_s, clock.rate, clock.behind_s, clock.off_m = self.delay_s, self.rate, self.behind_s, self.off_m
        clock.agreed_s, clock.is_held = min(self.agreed_s, parts_s) - shift_s, self.is_held
        return clock

    @property
    def late_s(self) -> float:
        """How late the robot is."""
        return self.delay_s + self.behind_s

    def time_s(self, now_s: float) -> float:
        """Return the time on the trajectory."""
        return now_s - self.way.start_s - self.delay_s

    @property
    def start_s(self) -> float:
        """When the way starts, as planned."""
        return self.way.start_s

    @property
    def way_motions(self) -> list[UniformMotion]:
        """The motions of the way, as planned."""
        return self.way.motions

    def place(self, now_s: float) -> Pose2D:
        """Return where the robot should be."""
        return self.way.trajectory.sample(self.time_s(now_s)).pose

    def hold(self, now_s: float, period_s: float) -> None:
        """Stay at the start for a period; brake if the robot is already on its way."""
        if self.is_held or self.time_s(now_s) <= 0.0:
            self.is_held, self.rate = True, 0.0
            self.delay_s = max(self.delay_s, now_s + period_s - self.way.start_s)
        else:
            self.run(period_s, False)

    def run(self, period_s: float, may_run: bool) -> None:
        """Run for a period, or brake."""
        if self.is_held:
            self.is_held, self.rate = False, 1.0  # the trajectory itself starts at rest
        step = period_s / _BRAKE_S
        self.rate = min(1.0, self.rate + step) if may_run else max(0.0, self.rate - step)
        self.delay_s += (1.0 - self.rate) * period_s

    def note_pose(self, pose: Pose2D, now_s: float) -> None:
        """Note where the robot is."""
        reference = self.way.trajectory.sample(self.time_s(now_s))
        speed_mps = reference.twist.linear_mps
        robot = pose.relative_to(reference.pose)
        if speed_mps == 0.0:
            self.behind_s, self.off_m = 0.0, math.sqrt(robot.x_m * robot.x_m + robot.y_m * robot.y_m)
            return
        behind_m = -robot.x_m if speed_mps > 0.0 else robot.x_m
        self.behind_s = max(0.0, behind_m - _TRACKED_M) / max(abs(speed_mps), _SLOW_MPS)
        ahead_m = max(0.0, -behind_m)
        self.off_m = math.sqrt(ahead_m * ahead_m + robot.y_m * robot.y_m)

    def note_progress(self, plan_time_s: float, now_s: float) -> None:
        """Note the robot's place on the way, as the trajectory's time, if its law tracks only the path."""
        self.delay_s = now_s - self.way.start_s - plan_time_s
