"""The earliest times on a path that a robot may not leave: where it stops to let others pass.

The path is cut into short parts. As with a chain of lines, arrivals at the end of each part are found for each
interval in which nobody takes that place; between parts a robot goes on, or stops at the cost of its brakes. The stops
found are put into the path, which is then timed exactly.
"""

import math
from itertools import pairwise
from typing import Final

from fleet.paths.path import Path
from fleet.paths.remaining_path import with_stops
from fleet.routing.chain_timing import earliest
from fleet.timetable.motion import Interval, UniformMotion
from fleet.timetable.occupancy import HORIZON_S, Occupancy, free, free_until
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import plan_fastest
from fleet.trajectories.trajectory import Trajectory

_PART_M: Final = 0.05
_WAIT_S: Final = 0.01  # shorter waits are rounding


class _Passage:
    """A passage through the end of a part, in one of the intervals in which nobody takes the place."""

    def __init__(self, time_s: float, until_s: float, before: "_Passage | None", wait_s: float) -> None:
        self.time_s: Final = time_s
        self.until_s: Final = until_s
        self.before: Final = before
        self.wait_s: Final = wait_s  # at the start of the part


def earliest_along(path: Path, limits: Limits, occupancy: Occupancy, start_s: float) -> Trajectory | None:
    """Return the earliest trajectory along a path that meets nobody, from `start_s` on; None if none is found.

    It looks as far ahead as ways are planned.
    """
    plan = plan_fastest(path, limits)
    stop_s = limits.speed_mps / limits.acceleration_mps2
    stops_m = _stops(plan, occupancy, start_s, stop_s)
    if stops_m is None:
        return None
    return earliest(with_stops(path, stops_m), limits, occupancy, start_s)


def _stops(plan: Trajectory, occupancy: Occupancy, start_s: float, stop_s: float) -> list[float] | None:
    """Return the arc lengths at which the robot must wait; None if it cannot get through."""
    places_m = _places(plan)
    start = plan.path.start
    until_s = free_until(occupancy.taken(start.x_m, start.y_m), start_s)
    passages = [_Passage(start_s, until_s, None, 0.0)]
    for from_m, to_m in pairwise(places_m):
        passages = _after(_part(plan, from_m, to_m), passages, occupancy, stop_s)
    last = min(passages, key=_time_s, default=None)
    return None if last is None else _waits(places_m, last)


def _places(plan: Trajectory) -> list[float]:
    """Return the arc lengths between which the path is cut."""
    end_m = plan.point_at(HORIZON_S)
    count = math.ceil(end_m / _PART_M)
    return [index * _PART_M for index in range(count)] + [end_m]


def _part(plan: Trajectory, from_m: float, to_m: float) -> UniformMotion:
    """Return the motion of one part, as if it started at 0 s; turns on the spot are driven slowly through."""
    first = plan.path.sample(from_m).pose
    last = plan.path.sample(to_m, arriving=True).pose
    duration_s = max(plan.time_at(to_m) - plan.time_at(from_m), 1e-6)
    vx_mps, vy_mps = (last.x_m - first.x_m) / duration_s, (last.y_m - first.y_m) / duration_s
    return UniformMotion(Interval(0.0, duration_s), first.x_m, first.y_m, vx_mps, vy_mps)


def _after(part: UniformMotion, passages: list[_Passage], occupancy: Occupancy, stop_s: float) -> list[_Passage]:
    """Return the earliest passage after a part in each interval in which nobody takes its end."""
    places = free(occupancy.taken(part.x_m + part.vx_mps * part.end_s, part.y_m + part.vy_mps * part.end_s), -math.inf)
    gaps = free(occupancy.short_departures(part, -math.inf), -math.inf)
    best: dict[int, _Passage] = {}
    for before in passages:
        for gap in gaps:
            departed_s = max(gap.start_s, before.time_s)
            wait_s = departed_s - before.time_s
            if wait_s > _WAIT_S:
                departed_s += stop_s
            if departed_s >= before.until_s:
                break
            if departed_s >= gap.end_s:
                continue
            _keep(best, places, _Passage(departed_s + part.end_s, math.inf, before, wait_s))
    return [best[index] for index in sorted(best)]


def _keep(best: dict[int, _Passage], places: list[Interval], passage: _Passage) -> None:
    """Keep a passage if it is the earliest one in its interval."""
    for index, place in enumerate(places):
        if place.start_s - 1e-9 <= passage.time_s < place.end_s:
            known = best.get(index)
            if known is None or passage.time_s < known.time_s:
                best[index] = _Passage(passage.time_s, place.end_s, passage.before, passage.wait_s)


def _waits(places_m: list[float], last: _Passage) -> list[float]:
    """Return where the robot waits, in order."""
    stops_m: list[float] = []
    passage = last
    index = len(places_m) - 1
    while passage.before is not None:
        index -= 1
        if passage.wait_s > _WAIT_S and places_m[index] > 0.0:
            stops_m.append(places_m[index])
        passage = passage.before
    stops_m.reverse()
    return stops_m


def _time_s(passage: _Passage) -> float:
    return passage.time_s
