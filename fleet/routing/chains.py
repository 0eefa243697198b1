"""Chains of straight lines, with turns on the spot between them."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from fleet.geometry import wrap_angle
from fleet.paths.path import Path, Piece
from fleet.paths.pieces import Line, Turn
from fleet.paths.polyline import short_turn
from fleet.routing.journey import Journey

_SHORTEST_M: Final = 0.005  # shorter lines are left out


def turning_s(angle_rad: float, rate_radps: float, acceleration_radps2: float) -> float:
    """Return how long a turn on the spot takes, from rest to rest."""
    angle_rad = abs(angle_rad)
    if angle_rad * acceleration_radps2 >= rate_radps * rate_radps:
        return angle_rad / rate_radps + rate_radps / acceleration_radps2
    return 2.0 * math.sqrt(angle_rad / acceleration_radps2)


class Chain:
    """Straight lines from corner to corner.

    If the robot may drive backward, the directions of the lines are chosen for the least total turning time.

    Parameters
    ----------
    corners : corners between start and goal of the journey
    journey : start, goal and limits

    Attributes
    ----------
    places : start, corners and goal, without places that almost coincide with the previous
    bearings_rad : bearings of the lines between them
    are_backward : whether the lines are driven backward
    """

    def __init__(self, corners: Sequence[tuple[float, float]], journey: Journey) -> None:
        start, goal = journey.start, journey.goal
        self.places: Final = _apart([(start.x_m, start.y_m), *corners, (goal.x_m, goal.y_m)])
        self.bearings_rad: Final = [math.atan2(y2 - y1, x2 - x1) for (x1, y1), (x2, y2) in pairwise(self.places)]
        self.are_backward: Final = _directions(self.bearings_rad, journey)
        self._start: Final = start
        self._goal: Final = goal

    @property
    def turns_rad(self) -> list[float]:
        """The turns before each line, and at the goal."""
        turns_rad: list[float] = []
        heading_rad = self._start.heading_rad
        for bearing_rad, is_backward in zip(self.bearings_rad, self.are_backward, strict=True):
            turns_rad.append(short_turn(heading_rad, bearing_rad + math.pi if is_backward else bearing_rad))
            heading_rad = wrap_angle(heading_rad + turns_rad[-1])
        turns_rad.append(short_turn(heading_rad, self._goal.heading_rad))
        return turns_rad

    @property
    def path(self) -> Path:
        """The path along the lines, with a stop at each corner."""
        pieces: list[Piece] = []
        here = self._start
        turns_rad = self.turns_rad
        for (x_m, y_m), turn_rad, is_backward in zip(self.places[1:], turns_rad[:-1], self.are_backward, strict=True):
            turn = Turn(here, turn_rad)
            away_x_m, away_y_m = x_m - here.x_m, y_m - here.y_m
            line = Line(turn.end, math.sqrt(away_x_m * away_x_m + away_y_m * away_y_m), is_backward)
            pieces += [turn, line]
            here = line.end
        pieces.append(Turn(here, turns_rad[-1]))
        return Path(pieces)


def _apart(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the places without those that almost coincide with the previous."""
    kept = places[:1]
    for x_m, y_m in places[1:]:
        away_x_m, away_y_m = x_m - kept[-1][0], y_m - kept[-1][1]
        if math.sqrt(away_x_m * away_x_m + away_y_m * away_y_m) >= _SHORTEST_M:
            kept.append((x_m, y_m))
    return kept


def _directions(bearings: list[float], journey: Journey) -> list[bool]:
    """Return for each line whether to drive it backward, for the least turning time."""
    if not journey.backward:
        return [False] * len(bearings)
    rate_radps, acceleration_radps2 = journey.limits.on_the_spot()
    headings = [(journey.start.heading_rad, journey.start.heading_rad)]
    headings += [(bearing_rad, bearing_rad + math.pi) for bearing_rad in bearings]
    headings.append((journey.goal.heading_rad, journey.goal.heading_rad))
    costs_s = (0.0, 0.0)
    choices: list[tuple[bool, bool]] = []  # for each line, forward and backward: whether the previous is backward
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
