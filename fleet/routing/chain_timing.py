"""The earliest times for a chain of straight lines: where the robot waits, so that it meets nobody."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from fleet.geometry import wrap_angle
from fleet.paths.path import Path, Piece
from fleet.paths.pieces import Line, Turn
from fleet.paths.polyline import short_turn
from fleet.routing.journey import Journey
from fleet.timetable.occupancy import HORIZON_S, Occupancy, free, free_until
from fleet.timetable.way import drive_motions
from fleet.trajectories.limits import Limits
from fleet.trajectories.profile import Phase, Profile
from fleet.trajectories.timing import plan_fastest
from fleet.trajectories.trajectory import TimedLeg, Trajectory

_SHORTEST_M: Final = 0.005  # shorter lines are left out


class _Arrival:
    """An arrival at the end of a leg, in one of the intervals in which nobody takes the place."""

    def __init__(self, time_s: float, until_s: float, before: "_Arrival | None", wait_s: float) -> None:
        self.time_s: Final = time_s
        self.until_s: Final = until_s
        self.before: Final = before
        self.wait_s: Final = wait_s  # before the leg


def turning_s(angle_rad: float, rate_radps: float, acceleration_radps2: float) -> float:
    """Return how long a turn on the spot takes, from rest to rest."""
    angle_rad = abs(angle_rad)
    if angle_rad * acceleration_radps2 >= rate_radps * rate_radps:
        return angle_rad / rate_radps + rate_radps / acceleration_radps2
    return 2.0 * math.sqrt(angle_rad / acceleration_radps2)


def chain_path(corners: Sequence[tuple[float, float]], journey: Journey) -> Path:
    """Return the path along straight lines from corner to corner, with turns on the spot; it stops at each corner.

    If the robot may drive backward, it drives each line in the direction with which all turns together are shortest.
    """
    start, goal = journey.start, journey.goal
    places = _apart([(start.x_m, start.y_m), *corners, (goal.x_m, goal.y_m)])
    bearings = [math.atan2(y2 - y1, x2 - x1) for (x1, y1), (x2, y2) in pairwise(places)]
    pieces: list[Piece] = []
    here = start
    for (x_m, y_m), bearing_rad, backward in zip(places[1:], bearings, _directions(bearings, journey), strict=True):
        turn = Turn(here, short_turn(here.heading_rad, bearing_rad + math.pi if backward else bearing_rad))
        away_x_m, away_y_m = x_m - here.x_m, y_m - here.y_m
        line = Line(turn.end, math.sqrt(away_x_m * away_x_m + away_y_m * away_y_m), backward)
        pieces += [turn, line]
        here = line.end
    pieces.append(Turn(here, short_turn(here.heading_rad, goal.heading_rad)))
    return Path(pieces)


def _apart(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the places without those that are hardly away from the one before."""
    kept = places[:1]
    for x_m, y_m in places[1:]:
        away_x_m, away_y_m = x_m - kept[-1][0], y_m - kept[-1][1]
        if math.sqrt(away_x_m * away_x_m + away_y_m * away_y_m) >= _SHORTEST_M:
            kept.append((x_m, y_m))
    return kept


def _directions(bearings: list[float], journey: Journey) -> list[bool]:
    """Return for each line whether it is driven backward, so that the turns take the least time."""
    if not journey.backward:
        return [False] * len(bearings)
    rate_radps, acceleration_radps2 = journey.limits.on_the_spot()
    headings = [(journey.start.heading_rad, journey.start.heading_rad)]
    headings += [(bearing_rad, bearing_rad + math.pi) for bearing_rad in bearings]
    headings.append((journey.goal.heading_rad, journey.goal.heading_rad))
    costs_s = (0.0, 0.0)
    choices: list[tuple[bool, bool]] = []  # for each heading, forward and backward: whether the one before is backward
    for before, after in pairwise(headings):
        ways_s = [
            [
                cost_s + turning_s(wrap_angle(to_rad - from_rad), rate_radps, acceleration_radps2)
                for from_rad, cost_s in zip(before, costs_s, strict=True)
            ]
            for to_rad in after
        ]
        choices.append((ways_s[0][1] < ways_s[0][0], ways_s[1][1] < ways_s[1][0]))
        costs_s = (min(ways_s[0]), min(ways_s[1]))
    directions: list[bool] = []
    backward = False
    for choice in reversed(choices):
        directions.append(backward)
        backward = choice[1] if backward else choice[0]
    directions.reverse()
    return directions[:-1]


def earliest(path: Path, limits: Limits, occupancy: Occupancy, start_s: float) -> Trajectory | None:
    """Return the earliest trajectory along a path with stops that meets nobody, from `start_s` on.

    It waits only where it stops; None if nothing helps. The robot can stand at its end for ever.
    """
    plan = plan_fastest(path, limits)
    arrival = _last_arrival(plan, occupancy, start_s)
    return None if arrival is None else _with_waits(plan, arrival)


def _last_arrival(plan: Trajectory, occupancy: Occupancy, start_s: float) -> _Arrival | None:
    start = plan.path.start
    until_s = free_until(occupancy.taken(start.x_m, start.y_m), start_s)
    arrivals = [_Arrival(start_s, until_s, None, 0.0)]
    leg_s = 0.0
    for timed in plan.legs:
        if leg_s > HORIZON_S:
            break
        arrivals = _after(plan, timed, leg_s, arrivals, occupancy)
        leg_s += timed.duration_s
    for arrival in arrivals:
        if math.isinf(arrival.until_s):
            return arrival
    return None


def _after(
    plan: Trajectory, timed: TimedLeg, leg_s: float, arrivals: list[_Arrival], occupancy: Occupancy
) -> list[_Arrival]:
    """Return the earliest arrival after a leg, planned at `leg_s`, in each interval in which nobody takes its end."""
    turn_s, drive_s = timed.turn.duration_s, timed.drive.duration_s
    if drive_s == 0.0:
        return [
            _Arrival(before.time_s + turn_s, before.until_s, before, 0.0)
            for before in arrivals
            if before.time_s + turn_s < before.until_s
        ]
    end = plan.path.sample(timed.leg.to_s_m, arriving=True).pose
    places = free(occupancy.taken(end.x_m, end.y_m), -math.inf)
    gaps = free(occupancy.departures(drive_motions(plan, timed, leg_s + turn_s)), -math.inf)
    best: dict[int, _Arrival] = {}
    for before in arrivals:
        ready_s = before.time_s + turn_s
        for gap in gaps:
            departed_s = max(gap.start_s, ready_s)
            if departed_s >= gap.end_s:
                continue
            if departed_s >= before.until_s:
                break
            arrived_s = departed_s + drive_s
            for index, place in enumerate(places):
                if place.start_s - 1e-9 <= arrived_s < place.end_s:
                    known = best.get(index)
                    if known is None or arrived_s < known.time_s:
                        best[index] = _Arrival(arrived_s, place.end_s, before, departed_s - ready_s)
    return [best[index] for index in sorted(best)]


def _with_waits(plan: Trajectory, last: _Arrival) -> Trajectory:
    waits_s: list[float] = []
    arrival = last
    while arrival.before is not None:
        waits_s.append(arrival.wait_s)
        arrival = arrival.before
    waits_s.reverse()
    waits_s += [0.0] * (len(plan.legs) - len(waits_s))  # what is too far ahead to be planned
    legs = [_delayed(timed, wait_s) for timed, wait_s in zip(plan.legs, waits_s, strict=True)]
    return Trajectory(plan.path, legs)


def _delayed(timed: TimedLeg, wait_s: float) -> TimedLeg:
    """Return a leg that starts with a wait."""
    if wait_s <= 0.0:
        return timed
    turn = Profile([Phase(wait_s, 0.0, 0.0), *timed.turn.phases], timed.turn.distance)
    return TimedLeg(timed.leg, turn, timed.drive)
