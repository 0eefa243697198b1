"""Trajectories along paths that have grown: equal to the former one up to where that brakes for its end.

The last leg of the former trajectory, and everything after it, is planned again. If that leg is long, the plan starts
from rest some way behind the robot: bounds along the path determine its speed at the robot, so it is the same. So the
cost does not grow with the driven distance.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fleet.paths.path import Path, Piece
from fleet.paths.remaining_path import pieces_from, pieces_until
from fleet.trajectories.counted_work import Steps
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import planning_fastest
from fleet.trajectories.trajectory import TimedLeg, Trajectory

_PIECES_A_STEP: Final = 50
_NOTHING_M: Final = 1e-9
_RUN_UP_M: Final = 0.3  # from rest behind the robot, ...
_RUN_UPS: Final = 2.0  # ... and this many times the distance to the highest speed
_AHEAD_S: Final = 0.3  # robots and their commands are predicted for less
_EVERY_S: Final = 0.1
_DRIVES_MPS: Final = 0.01
_SAME_M: Final = 0.003
_SAME_RAD: Final = 0.02
_SAME_MPS: Final = 0.004
_SAME_RADPS: Final = 0.05


@dataclass(frozen=True, slots=True)
class GrownTrajectory:
    """A trajectory that can replace a former one: at t it is where the former one is at t + `shift_s`."""

    trajectory: Trajectory
    shift_s: float
    _from_m: float  # of the former path

    def aligned(self, former: Trajectory, time_s: float) -> "GrownTrajectory":
        """Return the trajectory, shifted to match the former one's position at a time; its ramps may take longer."""
        if abs(former.sample(time_s).twist.linear_mps) < _DRIVES_MPS:
            return self
        here_s = self.trajectory.time_at(former.point_at(time_s) - self._from_m)
        return GrownTrajectory(self.trajectory, time_s - here_s, self._from_m)

    def continues(self, former: Trajectory, time_s: float) -> bool:
        """Whether a robot can switch from the former trajectory at `time_s` without any change of motion."""
        times_s = (time_s + _EVERY_S * index for index in range(round(_AHEAD_S / _EVERY_S) + 1))
        return all(self._is_same(former, at_s, twist=True) for at_s in times_s)

    def parts_s(self, former: Trajectory, time_s: float) -> float:
        """Return about when, after a time of the former trajectory, the two start to differ in position."""
        low_s, high_s = time_s, former.duration_s
        while high_s - low_s > _EVERY_S:
            middle_s = 0.5 * (low_s + high_s)
            if self._is_same(former, middle_s, twist=False):
                low_s = middle_s
            else:
                high_s = middle_s
        return low_s

    def _is_same(self, former: Trajectory, time_s: float, *, twist: bool) -> bool:
        before, now = former.sample(time_s), self.trajectory.sample(time_s - self.shift_s)
        is_here = before.pose.distance_to(now.pose) <= _SAME_M
        is_here = is_here and abs(before.pose.heading_error_to(now.pose)) <= _SAME_RAD
        return is_here and (
            not twist
            or (
                abs(before.twist.linear_mps - now.twist.linear_mps) <= _SAME_MPS
                and abs(before.twist.angular_radps - now.twist.angular_radps) <= _SAME_RADPS
            )
        )


def growing(
    former: Trajectory, time_s: float, left_at_m: float, then: Sequence[Piece], limits: Limits
) -> Steps[GrownTrajectory | None]:
    """Plan a trajectory that leaves the path of a former one at an arc length, and continues along some pieces.

    Returns None if a robot that is at `time_s` of the former trajectory is too far for that.
    """
    yield 1 + len(then) // _PIECES_A_STEP
    path, legs = former.path, former.legs
    current = min(former.leg_index(time_s), len(legs) - 1)
    here_m = former.point_at(time_s)
    last = next((i for i, timed in enumerate(legs) if timed.leg.to_s_m >= left_at_m - _NOTHING_M), len(legs) - 1)
    if current > last or here_m >= left_at_m:
        return None
    is_turning = time_s < former.leg_start_s(current) + legs[current].turn.duration_s
    run_up_m = _RUN_UP_M + _RUN_UPS * limits.speed_mps**2 / limits.acceleration_mps2
    start_m = legs[current].leg.from_s_m
    starts_behind = current == last and not is_turning and here_m - start_m > run_up_m
    if starts_behind:
        start_m = here_m - run_up_m
    kept = _pieces_between(path, start_m, left_at_m, turns=not starts_behind)
    longer = Path([*kept, *then], joined_from=0)
    timed = [
        TimedLeg(leg, former.legs[index].turn, former.legs[index].drive)
        for index, leg in enumerate(longer.legs[: last - current], start=current)
    ]
    yield len(longer.pieces) // _PIECES_A_STEP
    rest_m = longer.legs[last - current].from_s_m
    planned = yield from planning_fastest(Path(_from_leg(longer, rest_m), joined_from=0), limits)
    for index, leg in enumerate(longer.legs[last - current :]):
        again = planned.legs[index]
        keeps_turn = index == 0 and not starts_behind
        timed.append(TimedLeg(leg, legs[last].turn if keeps_turn else again.turn, again.drive))
    trajectory = Trajectory(longer, timed)
    return GrownTrajectory(trajectory, former.leg_start_s(current), start_m).aligned(former, time_s)


def _pieces_between(path: Path, from_m: float, to_m: float, *, turns: bool) -> list[Piece]:
    """Return the pieces of a path between two arc lengths; with `turns`, also turns at the first one."""
    kept, first = pieces_until(path, to_m), bisect_left(path.starts_m, from_m - _NOTHING_M)
    if turns or first == 0:
        return kept[first:]
    before = Path(kept[first - 1 :], joined_from=0)
    return list(pieces_from(before, from_m - path.starts_m[first - 1]))


def _from_leg(path: Path, from_m: float) -> Sequence[Piece]:
    """Return the pieces from the start of a leg on, including its turns."""
    return path.pieces[bisect_left(path.starts_m, from_m - _NOTHING_M) :]
