"""Pairs of bodies near each other; the list is renewed only when a body has moved far enough."""

import math
from collections.abc import Sequence
from typing import Final

from simulator.physics.bodies import Bodies

Pair = tuple[int, int]

_SLACK_M: Final = 0.3  # pairs are listed up to this much further apart, so that the list stays valid longer
_DIAGONAL: Final = math.sqrt(2.0)


class Neighbours:
    """Pairs of bodies whose outlines may be closer than a given distance.

    Parameters
    ----------
    bodies : all bodies
    movers : number of bodies that may move, which come first; pairs of other bodies are left out
    included : whether each body is considered
    within_m : the distance
    """

    def __init__(self, bodies: Bodies, movers: int, included: Sequence[bool], within_m: float) -> None:
        self._included: list[bool] = list(included)
        self._can_move: list[bool] = [mobility[0] > 0.0 for mobility in bodies.mobility]
        self._reaches_m: list[float] = bodies.reaches
        self._spans_x: list[float] = [span_m[0] for span_m in bodies.spans]
        self._spans_y: list[float] = [span_m[1] for span_m in bodies.spans]
        self._movers = movers
        self._within_m = within_m
        self._listed_places: list[float] = []  # places when pairs were listed
        self._listed: list[Pair] = []
        self._gap_m = 0.0  # the smallest gap of the listed pairs that are not near
        self._strayed_m = 0.0  # largest motion along an axis since pairs were last listed

    def pairs(self, places: list[float]) -> list[Pair]:
        """Return each pair once, lower index first, in the order of the table.

        Parameters
        ----------
        places
            x, y and heading of each body, concatenated
        """
        self._strayed_m = self._stray_m(places)
        if not self._strayed_m < 0.25 * _SLACK_M:
            self._listed_places = places[: 3 * self._movers]
            self._strayed_m = 0.0
            self._list(places)
        near: list[Pair] = []
        self._gap_m = math.inf
        for pair in self._listed:
            gap_m = self._between_m(places, pair[0], pair[1])
            if gap_m < self._within_m:
                near.append(pair)
            else:
                self._gap_m = min(self._gap_m, gap_m)
        return near

    def gap_m(self) -> float:
        """Return a lower bound of the gaps of all pairs that the last call of `pairs` left out."""
        unlisted_m = self._within_m + _SLACK_M - 2.0 * _DIAGONAL * self._strayed_m  # both may have strayed
        return min(self._gap_m, unlisted_m)

    def _stray_m(self, places: list[float]) -> float:
        """Return the largest motion of any body along an axis since pairs were last listed."""
        if len(self._listed_places) != 3 * self._movers:
            return math.inf
        furthest_m = 0.0
        for mover in range(self._movers):
            for number in (3 * mover, 3 * mover + 1):
                furthest_m = max(furthest_m, abs(places[number] - self._listed_places[number]))
        return furthest_m

    def _list(self, places: list[float]) -> None:
        """List the pairs that are near or may soon be."""
        self._listed = []
        limit_m = self._within_m + _SLACK_M
        for first in range(self._movers):
            if not self._included[first]:
                continue
            for second in range(first + 1, len(self._included)):
                if not self._included[second] or not (self._can_move[first] or self._can_move[second]):
                    continue
                if self._between_m(places, first, second) < limit_m:
                    self._listed.append((first, second))

    def _between_m(self, places: list[float], first: int, second: int) -> float:
        """Return a lower bound of a pair's gap, between circles around the outlines or a circle and a wall."""
        across_x, across_y = places[3 * first] - places[3 * second], places[3 * first + 1] - places[3 * second + 1]
        span_x, span_y = self._spans_x[second], self._spans_y[second]
        if span_x != 0.0 or span_y != 0.0:
            share = (across_x * span_x + across_y * span_y) / (span_x * span_x + span_y * span_y)
            share = min(max(share, -1.0), 1.0)
            across_x, across_y = across_x - share * span_x, across_y - share * span_y
        apart_m = math.sqrt(across_x * across_x + across_y * across_y)
        return apart_m - self._reaches_m[first] - self._reaches_m[second]
