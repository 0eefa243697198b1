"""Right of way: grants only motion after which every robot can still stop without touching anything.

Each robot owns the floor that its axle sweeps if it is told to stop now: until commands that are on their way act, and
while its wheels run out. As long as these sweeps are apart, nobody can touch anybody, whatever is commanded next. In
order of priority, a wanted twist extends a robot's sweep by what it adds; it is granted if the sweep stays apart from
all others, and from walls. Standing adds nothing, so it is always granted, and the sweeps stay apart by induction: the
braking-trajectory argument of safe replanning (Bekris and others, Safe distributed motion coordination for second-order
systems with different planning cycles, 2012).
"""

import math
from typing import Final

from fleet.floor.obstacles import Obstacles, Segment
from fleet.geometry import Pose2D, Twist2D

OBSTACLE: Final = -1  # in the way of a robot, instead of another robot
_SHARES: Final = [1.0, 0.5, 0.25]  # of the wanted speed, tried in this order
_ROUNDING_M: Final = 1e-6


class Stopping:
    """How a robot moves if it is told to stop now.

    Parameters
    ----------
    now : where it is
    then : where it is when a command that is sent now acts
    twist : how it moves then
    lag_s : with which its wheels follow commands
    period_s : until the next command can act
    """

    def __init__(self, now: Pose2D, then: Pose2D, twist: Twist2D, lag_s: float, period_s: float) -> None:
        self.now: Final = now
        self.then: Final = then
        self.twist: Final = twist
        self.lag_s: Final = lag_s
        self.period_s: Final = period_s


class Sweep:
    """The floor that a robot's axle sweeps until it stands, if it is told `twist` for one period and then to stop.

    With a first-order lag the way until it stands is that of its present speed during the lag, and of the commanded
    speed during the period. A tail that bends leaves the straight line by at most half the turned angle times its
    length.
    """

    def __init__(self, stopping: Stopping, twist: Twist2D) -> None:
        then = stopping.then
        rolled_m = stopping.lag_s * stopping.twist.linear_mps
        ahead_m = rolled_m + stopping.period_s * twist.linear_mps
        turned_rad = stopping.lag_s * stopping.twist.angular_radps + stopping.period_s * twist.angular_radps
        first_m, last_m = min(0.0, rolled_m, ahead_m), max(0.0, rolled_m, ahead_m)
        cosine, sine = math.cos(then.heading_rad), math.sin(then.heading_rad)
        now = stopping.now
        gone_m = abs(then.x_m - now.x_m) + abs(then.y_m - now.y_m)
        self._x_m: Final = now.x_m
        self._y_m: Final = now.y_m
        self._reach_m: Final = gone_m + last_m - first_m + 0.5 * (last_m - first_m) * abs(turned_rad)
        self.unsure_m: Final = 0.5 * (last_m - first_m) * abs(turned_rad)
        self.lines: Final = [
            Segment(stopping.now.x_m, stopping.now.y_m, then.x_m, then.y_m),
            Segment(
                then.x_m + first_m * cosine,
                then.y_m + first_m * sine,
                then.x_m + last_m * cosine,
                then.y_m + last_m * sine,
            ),
        ]

    def gap_m(self, other: "Sweep") -> float:
        """Return the distance between two sweeps, less what is unsure."""
        gap_m = math.inf
        for line in self.lines:
            for theirs in other.lines:
                gap_m = min(gap_m, line.gap_m(theirs))
        return gap_m - self.unsure_m - other.unsure_m

    def clearance_m(self, obstacles: Obstacles) -> float:
        """Return the distance from obstacles, less what is unsure."""
        clearance_m = math.inf
        for line in self.lines:
            clearance_m = min(clearance_m, obstacles.clearance_along_m(line))
        return clearance_m - self.unsure_m

    def is_far_from(self, other: "Sweep", apart_m: float) -> bool:
        """Whether two sweeps are certainly at least `apart_m` from each other."""
        reach_m = apart_m + self._reach_m + other._reach_m
        return abs(self._x_m - other._x_m) >= reach_m or abs(self._y_m - other._y_m) >= reach_m


class RightOfWay:
    """Grants twists to robots, one after the other; those that come first have priority.

    Parameters
    ----------
    obstacles : what stands on the floor
    apart_m : the distance that two axles always keep
    radius_m : the distance that an axle always keeps from obstacles
    """

    def __init__(self, obstacles: Obstacles, apart_m: float, radius_m: float) -> None:
        self._obstacles: Final = obstacles
        self._apart_m: Final = apart_m
        self._radius_m: Final = radius_m
        self._stoppings: dict[int, Stopping] = {}
        self._sweeps: dict[int, Sweep] = {}

    def start(self, stoppings: dict[int, Stopping]) -> None:
        """Start a tick: all robots that are on the floor own what they sweep if they stop."""
        self._stoppings = stoppings
        self._sweeps = {robot_id: Sweep(stopping, _STILL) for robot_id, stopping in stoppings.items()}

    def grant(self, robot_id: int, wanted: Twist2D) -> tuple[Twist2D, int | None]:
        """Return the twist that a robot may drive, and who is in the way of more."""
        stopping = self._stoppings.get(robot_id)
        if stopping is None or wanted.linear_mps == 0.0:
            return wanted, None
        in_the_way: int | None = None
        for share in _SHARES:
            twist = Twist2D(share * wanted.linear_mps, share * wanted.angular_radps)
            sweep = Sweep(stopping, twist)
            met = self._met_by(robot_id, sweep)
            if met is None:
                self._sweeps[robot_id] = sweep
                return twist, in_the_way
            in_the_way = met
        return Twist2D(0.0, wanted.angular_radps), in_the_way

    def _met_by(self, robot_id: int, sweep: Sweep) -> int | None:
        """Return who is in the way of a sweep; a robot that is too near already may only not come nearer."""
        before = self._sweeps[robot_id]
        for other_id, other in self._sweeps.items():
            if other_id == robot_id or sweep.is_far_from(other, self._apart_m):
                continue
            gap_m = sweep.gap_m(other)
            if gap_m < self._apart_m - _ROUNDING_M and gap_m < before.gap_m(other) - _ROUNDING_M:
                return other_id
        if self._obstacles:
            gap_m, needed_m = sweep.clearance_m(self._obstacles), self._radius_m - _ROUNDING_M
            if gap_m < needed_m and gap_m < before.clearance_m(self._obstacles) - _ROUNDING_M:
                return OBSTACLE
        return None


_STILL: Final = Twist2D(0.0, 0.0)
