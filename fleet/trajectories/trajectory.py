"""A trajectory: a path with times."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.paths.path import Leg, Path, PathPoint
from fleet.paths.sorted_values import SortedValues
from fleet.trajectories.profile import Profile


@dataclass(init=False, unsafe_hash=True, slots=True)
class Acceleration2D:
    """Change of a twist [m/s^2 and rad/s^2; body frame]: forward and counter-clockwise."""

    linear_mps2: Final[float]
    angular_radps2: Final[float]

    def __init__(self, linear_mps2: float, angular_radps2: float) -> None:
        self.linear_mps2 = linear_mps2
        self.angular_radps2 = angular_radps2


STEADY: Final = Acceleration2D(0.0, 0.0)


@dataclass(init=False, unsafe_hash=True, slots=True)
class Reference:
    """Desired pose and motion of the robot at an instant."""

    pose: Final[Pose2D]
    twist: Final[Twist2D]
    acceleration: Final[Acceleration2D]

    def __init__(self, pose: Pose2D, twist: Twist2D, acceleration: Acceleration2D = STEADY) -> None:
        self.pose = pose
        self.twist = twist
        self.acceleration = acceleration

    def slowed(self, rate: float) -> "Reference":
        """Return the reference while the trajectory's time runs more slowly, by a factor."""
        twist, acceleration = self.twist, self.acceleration
        slower = Acceleration2D(rate * rate * acceleration.linear_mps2, rate * rate * acceleration.angular_radps2)
        return Reference(self.pose, slowed(twist, rate), slower)


def slowed(twist: Twist2D, rate: float) -> Twist2D:
    """Return a fraction of a twist; all of it at the rate 1."""
    return twist if rate == 1.0 else Twist2D(rate * twist.linear_mps, rate * twist.angular_radps)


@dataclass(init=False, slots=True, eq=False)
class TimedLeg:
    """A leg of a path with times: first its turn on the spot, then its drive."""

    leg: Final[Leg]
    turn: Final[Profile]
    drive: Final[Profile]

    def __init__(self, leg: Leg, turn: Profile, drive: Profile) -> None:
        self.leg = leg
        self.turn = turn
        self.drive = drive

    @property
    def duration_s(self) -> float:
        """Time from rest to rest."""
        return self.turn.duration_s + self.drive.duration_s


class Trajectory:
    """A path with times; it starts and ends at rest.

    Parameters
    ----------
    path : the driven path
    legs : that path's legs, in order, with times

    Attributes
    ----------
    legs : as given
    duration_s : time from the start to the end of the path
    """

    def __init__(self, path: Path, legs: Iterable[TimedLeg]) -> None:
        self.path = path
        self.legs = tuple(legs)
        self._ends_m = SortedValues(timed.leg.to_s_m for timed in self.legs)
        self._ends_s = SortedValues(accumulate(leg.duration_s for leg in self.legs))
        self.duration_s = self._ends_s.numbers[-1]

    def sample(self, t_s: float) -> Reference:
        """Return the reference at a time after the start; before and after the motion, at rest at the path's ends."""
        if t_s <= 0.0:
            return Reference(self.path.start, STILL)
        if t_s >= self.duration_s:
            return Reference(self.path.end, STILL)
        timed, since_s = self._at(t_s)
        if since_s < timed.turn.duration_s:
            return self._turning(timed, since_s)
        driven_m, speed_mps, acceleration_mps2 = timed.drive.sample(since_s - timed.turn.duration_s)
        s_m = min(timed.leg.from_s_m + driven_m, timed.leg.to_s_m)
        point = self.path.sample(s_m, arriving=s_m == timed.leg.to_s_m)
        return _moving(point, speed_mps, acceleration_mps2)

    def point_at(self, t_s: float) -> float:
        """Return the arc length reached at a time after the start."""
        if t_s >= self.duration_s:
            return self.path.length_m
        timed, since_s = self._at(t_s)
        return timed.leg.from_s_m + timed.drive.sample(since_s - timed.turn.duration_s)[0]

    def time_at(self, s_m: float) -> float:
        """Return the time at which an arc length is reached; at a turn on the spot, the time before the turn."""
        index = self._ends_m.rank_below(s_m)
        if index == len(self.legs):
            return self.duration_s
        timed, start_s = self.legs[index], self.leg_start_s(index)
        driven_m = s_m - timed.leg.from_s_m
        return start_s if driven_m <= 0.0 else start_s + timed.turn.duration_s + timed.drive.time_at(driven_m)

    def leg_index(self, t_s: float) -> int:
        """Return the index of the leg at a time after the start; the number of legs after the end."""
        return self._ends_s.rank(t_s)

    def leg_start_s(self, index: int) -> float:
        """Return the start time of a leg, including its turn."""
        return self._ends_s.numbers[index - 1] if index > 0 else 0.0

    def is_waiting(self, t_s: float) -> bool:
        """Whether the robot waits at a time: before the start, or in a leg that starts with a wait."""
        if t_s < 0.0 or t_s >= self.duration_s:
            return t_s < 0.0
        timed, since_s = self._at(t_s)
        return since_s < timed.turn.wait_s

    def _at(self, t_s: float) -> tuple[TimedLeg, float]:
        """Return the leg at a time before the end, and the time since its start."""
        index = self._ends_s.rank(t_s)
        return self.legs[index], t_s - self.leg_start_s(index)

    def _turning(self, timed: TimedLeg, since_s: float) -> Reference:
        sign = math.copysign(1.0, timed.leg.turn_rad)
        turned_rad, rate_radps, acceleration_radps2 = timed.turn.sample(since_s)
        before = self.path.sample(timed.leg.from_s_m, arriving=True).pose if timed.leg.from_s_m else self.path.start
        return Reference(
            before.along_arc(0.0, sign * turned_rad),
            Twist2D(0.0, sign * rate_radps),
            Acceleration2D(0.0, sign * acceleration_radps2),
        )


def _moving(point: PathPoint, speed_mps: float, acceleration_mps2: float) -> Reference:
    """Return the reference at a place of the path: omega = kappa s', omega' = kappa s'' + kappa' s'^2."""
    sense = -1.0 if point.is_backward else 1.0
    return Reference(
        point.pose,
        Twist2D(sense * speed_mps, point.curvature_per_m * speed_mps),
        Acceleration2D(
            sense * acceleration_mps2,
            point.curvature_per_m * acceleration_mps2 + point.sharpness_per_m2 * speed_mps * speed_mps,
        ),
    )
