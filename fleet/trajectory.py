"""Trajectories: turn on the spot, drive straight, turn on the spot, each with a trapezoidal speed."""

import bisect
import math
from dataclasses import dataclass
from itertools import accumulate

from fleet.config import MotionConfig
from fleet.geometry import STILL, Pose2D, Twist2D, wrap_angle

_SHORTEST_STRAIGHT_M = 0.005  # nearer goals are reached by turning alone: their bearing is mostly noise


@dataclass(frozen=True, slots=True)
class Reference:
    """What the robot should do at one instant: where it should be, and how it should move."""

    pose: Pose2D
    twist: Twist2D


@dataclass(frozen=True, slots=True)
class Trapezoid:
    """Motion over `distance` >= 0 from rest to rest: accelerate, cruise, brake (a triangle where it is too short).

    Units are the caller's: metres or radians, with speed and acceleration to match, both > 0.
    """

    distance: float
    max_speed: float
    acceleration: float

    @property
    def peak_speed(self) -> float:
        """The highest speed that is reached."""
        return min(self.max_speed, math.sqrt(self.distance * self.acceleration))

    @property
    def duration_s(self) -> float:
        """Time from rest to rest: distance / peak speed + peak speed / acceleration."""
        peak = self.peak_speed
        return self.distance / peak + peak / self.acceleration if peak > 0.0 else 0.0

    def sample(self, time_s: float) -> tuple[float, float]:
        """Return (distance travelled, speed) at `time_s` after the start; before and after it stands still."""
        ramp_s = self.peak_speed / self.acceleration
        remaining_s = self.duration_s - time_s
        if time_s <= 0.0:
            return 0.0, 0.0
        if remaining_s <= 0.0:
            return self.distance, 0.0
        if time_s < ramp_s:
            return 0.5 * self.acceleration * time_s**2, self.acceleration * time_s
        if remaining_s < ramp_s:
            return self.distance - 0.5 * self.acceleration * remaining_s**2, self.acceleration * remaining_s
        return self.peak_speed * (time_s - 0.5 * ramp_s), self.peak_speed


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn on the spot at `start` by `angle_rad`, counter-clockwise positive."""

    start: Pose2D
    angle_rad: float
    profile: Trapezoid

    def sample(self, time_s: float) -> Reference:
        """Return the reference `time_s` after the segment's start."""
        sign = math.copysign(1.0, self.angle_rad)
        turned_rad, rate_radps = self.profile.sample(time_s)
        pose = Pose2D(self.start.x_m, self.start.y_m, wrap_angle(self.start.heading_rad + sign * turned_rad))
        return Reference(pose, Twist2D(0.0, sign * rate_radps))


@dataclass(frozen=True, slots=True)
class Straight:
    """Drive forward from `start` along its heading."""

    start: Pose2D
    profile: Trapezoid

    def sample(self, time_s: float) -> Reference:
        """Return the reference `time_s` after the segment's start."""
        travelled_m, speed_mps = self.profile.sample(time_s)
        return Reference(self.start.compose(Pose2D(travelled_m, 0.0, 0.0)), Twist2D(speed_mps, 0.0))


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Segments, one after the other; at least one."""

    segments: tuple[Turn | Straight, ...]
    end: Pose2D

    @property
    def duration_s(self) -> float:
        """Time from the start of the first segment to the end of the last."""
        return sum(segment.profile.duration_s for segment in self.segments)

    def sample(self, time_s: float) -> Reference:
        """Return the reference at `time_s`; after the end it stands still at the end."""
        ends_s = list(accumulate(segment.profile.duration_s for segment in self.segments))
        index = bisect.bisect_right(ends_s, time_s)
        if index == len(self.segments):
            return Reference(self.end, STILL)
        started_s = ends_s[index - 1] if index else 0.0
        return self.segments[index].sample(time_s - started_s)


def plan_to_pose(start: Pose2D, goal: Pose2D, motion: MotionConfig) -> Trajectory:
    """Return the trajectory that turns towards the goal, drives there forward and turns to the goal's heading.

    Turns go the short way round. A goal nearer than 5 mm is reached by one turn.
    """
    distance_m = start.distance_to(goal)
    if distance_m < _SHORTEST_STRAIGHT_M:
        here = Pose2D(start.x_m, start.y_m, goal.heading_rad)
        return Trajectory((_turn(start, goal.heading_rad, motion),), here)
    bearing_rad = start.bearing_to(goal)
    straight = Trapezoid(distance_m, motion.speed_mps, motion.acceleration_mps2)
    arrival = Pose2D(goal.x_m, goal.y_m, bearing_rad)
    return Trajectory(
        (
            _turn(start, bearing_rad, motion),
            Straight(Pose2D(start.x_m, start.y_m, bearing_rad), straight),
            _turn(arrival, goal.heading_rad, motion),
        ),
        goal,
    )


def _turn(start: Pose2D, heading_rad: float, motion: MotionConfig) -> Turn:
    angle_rad = wrap_angle(heading_rad - start.heading_rad)
    return Turn(start, angle_rad, Trapezoid(abs(angle_rad), motion.turn_radps, motion.turn_acceleration_radps2))
