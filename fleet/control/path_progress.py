"""Tracks a robot's progress on a path from its place alone: its current leg, or the turn before it."""

import math
from dataclasses import dataclass
from enum import Enum
from typing import Final, assert_never

from fleet.control.control_law import ControlInput
from fleet.geometry import Pose2D, wrap_angle
from fleet.paths.path import Leg, PathPoint
from fleet.trajectories.trajectory import TimedLeg, Trajectory

_AHEAD_M: Final = 0.1  # the search covers this distance ahead of the last place ...
_BEHIND_M: Final = 0.02  # ... and this distance behind it, in case the robot was pushed back
_ARRIVED_M: Final = 0.002  # a leg counts as done this close to its end
_TURNED_RAD: Final = 0.035  # a turn counts as done this close to its end, 2 degrees; driving removes the rest
_RUN_UP_M: Final = 0.02  # the planned speed is read at this distance from a leg's ends, so that the robot gets going
_LOST_RAD: Final = 0.8  # heading error above which the robot turns on the spot before it drives on


class PathActivity(Enum):
    """A robot's activity on its path."""

    TURNING = "turning"  # on the spot, before a leg or because of a large heading error
    DRIVING = "driving"  # along a leg
    ARRIVED = "arrived"  # at the end


@dataclass(init=False, unsafe_hash=True, slots=True)
class PathPlace:
    """A robot's place on its path.

    Parameters
    ----------
    leg : the robot's current leg, or the leg that follows its turn
    point : the closest place on the path
    remaining_m : remaining length of the leg
    speed_mps : the planned speed there, >= 0; 0 while turning
    remaining_rad : remaining angle of the turn, counter-clockwise positive; 0 unless turning
    """

    activity: Final[PathActivity]
    leg: Final[Leg]
    point: Final[PathPoint]
    remaining_m: Final[float]
    speed_mps: Final[float]
    remaining_rad: Final[float]

    def __init__(
        self,
        activity: PathActivity,
        leg: Leg,
        point: PathPoint,
        *,
        remaining_m: float,
        speed_mps: float,
        remaining_rad: float,
    ) -> None:
        self.activity = activity
        self.leg = leg
        self.point = point
        self.remaining_m = remaining_m
        self.speed_mps = speed_mps
        self.remaining_rad = remaining_rad


class Progress:
    """Tracks one robot's progress, which only grows unless the robot is pushed back a little.

    Turns are counted down from their planned angle, so that noise near 180 degrees cannot reverse their direction.

    Parameters
    ----------
    trajectory : defines the path; its times only define where to start
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self._trajectory = trajectory
        self._index = 0
        self._s_m = 0.0
        self._remaining_rad = 0.0  # of the current turn
        self._heading_rad: float | None = None
        self._activity = PathActivity.TURNING

    @property
    def leg(self) -> TimedLeg:
        """The robot's current leg, or the leg that follows its turn."""
        return self._trajectory.legs[self._index]

    @property
    def time_s(self) -> float:
        """The trajectory's time at the robot's place; while turning, the time within the turn."""
        match self._activity:
            case PathActivity.ARRIVED:
                return self._trajectory.duration_s
            case PathActivity.DRIVING:
                return self._trajectory.time_at(self._s_m)
            case PathActivity.TURNING:
                turned_rad = max(0.0, abs(self.leg.leg.turn_rad) - abs(self._remaining_rad))
                return self._leg_starts_s() + self.leg.turn.time_at(turned_rad)
            case _:
                assert_never(self._activity)

    def update(self, control_input: ControlInput) -> PathPlace:
        """Process the robot's pose; return its place on the path."""
        pose = control_input.pose
        if self._heading_rad is None:
            self._start(pose, control_input.time_s)
        else:
            self._remaining_rad -= wrap_angle(pose.heading_rad - self._heading_rad)
        self._heading_rad = pose.heading_rad
        if self._activity is PathActivity.TURNING and abs(self._remaining_rad) <= _TURNED_RAD:
            self._activity = PathActivity.DRIVING
        if self._activity is PathActivity.DRIVING:
            self._drive(pose)
        return self._place()

    def _start(self, pose: Pose2D, time_s: float) -> None:
        """Start at the trajectory's place at a given time."""
        self._index = min(self._trajectory.leg_index(time_s), len(self._trajectory.legs) - 1)
        self._s_m = self._trajectory.point_at(time_s)
        since_s = time_s - self._leg_starts_s()
        turned_rad = self.leg.turn.sample(since_s)[0]
        self._remaining_rad = pose.heading_error_to(self._trajectory.sample(time_s).pose)
        if since_s < self.leg.turn.duration_s:
            self._remaining_rad += math.copysign(abs(self.leg.leg.turn_rad) - turned_rad, self.leg.leg.turn_rad)

    def _drive(self, pose: Pose2D) -> None:
        leg, path = self.leg.leg, self._trajectory.path
        low_m, high_m = max(leg.from_s_m, self._s_m - _BEHIND_M), min(leg.to_s_m, self._s_m + _AHEAD_M)
        self._s_m = path.project_between(pose.x_m, pose.y_m, low_m, high_m, self._s_m)
        if leg.to_s_m - self._s_m <= _ARRIVED_M:
            self._next(pose)
            return
        error_rad = pose.heading_error_to(path.sample(self._s_m).pose)
        if abs(error_rad) > _LOST_RAD:
            self._activity, self._remaining_rad = PathActivity.TURNING, error_rad

    def _next(self, pose: Pose2D) -> None:
        self._s_m = self.leg.leg.to_s_m
        if self._index == len(self._trajectory.legs) - 1:
            self._activity = PathActivity.ARRIVED
            return
        before = self._trajectory.path.sample(self._s_m, arriving=True).pose
        self._index += 1
        self._activity = PathActivity.TURNING
        self._remaining_rad = pose.heading_error_to(before) + self.leg.leg.turn_rad

    def _place(self) -> PathPlace:
        leg, point = self.leg.leg, self._trajectory.path.sample(self._s_m)
        remaining_m = leg.to_s_m - self._s_m
        if self._activity is PathActivity.TURNING:
            return PathPlace(
                self._activity, leg, point, remaining_m=remaining_m, speed_mps=0.0, remaining_rad=self._remaining_rad
            )
        return PathPlace(
            self._activity, leg, point, remaining_m=remaining_m, speed_mps=self._planned_mps(), remaining_rad=0.0
        )

    def _planned_mps(self) -> float:
        """Return the planned speed slightly ahead, but never at the leg's very ends, where it is 0."""
        leg, margin_m = self.leg.leg, min(_RUN_UP_M, 0.5 * self.leg.leg.length_m)
        s_m = min(max(self._s_m, leg.from_s_m) + margin_m, leg.to_s_m - margin_m)
        return abs(self._trajectory.sample(self._trajectory.time_at(s_m)).twist.linear_mps)

    def _leg_starts_s(self) -> float:
        return self._trajectory.leg_start_s(self._index)
