"""Which bodies are near each other: looked up anew only when something has moved far enough to matter."""

import math

import numpy as np
from numpy.typing import NDArray

from simulator.bodies import Bodies, Indices

Array = NDArray[np.float64]

_SLACK_M = 0.3  # pairs are listed that are further apart by this, so that the list holds for a while


class Neighbours:
    """Pairs of bodies whose outlines may be closer to each other than some distance.

    Parameters
    ----------
    bodies : all of them
    movers : how many of the first may move; pairs without one of these are left out
    wanted : (b,) bodies that count as the second of a pair
    within_m : the distance
    """

    def __init__(self, bodies: Bodies, movers: int, wanted: NDArray[np.bool_], within_m: float) -> None:
        self._bodies = bodies
        self._movers = movers
        self._wanted = wanted
        self._within_m = within_m
        self._seen_m: Array = np.full((movers, 2), np.inf)
        self._pairs: Indices = np.zeros((0, 2), dtype=np.intp)
        self._gaps: Array = np.zeros(0)  # of the pairs, when they were asked for last
        self._strayed_m = 0.0  # how far along an axis something has moved since pairs were listed

    def pairs(self, poses: Array) -> Indices:
        """Return the pairs, each once, (p, 2): the first index is the lower one; in the order of the table."""
        places = poses[: self._movers, :2]
        self._strayed_m = float(np.abs(places - self._seen_m).max(initial=0.0))
        if not self._strayed_m < 0.25 * _SLACK_M:
            self._seen_m = places.copy()
            self._strayed_m = 0.0
            self._pairs = self._listed(poses)
        if not len(self._pairs):
            self._gaps = np.zeros(0)
            return self._pairs
        self._gaps = self._gaps_m(poses, self._pairs[:, 0], self._pairs[:, 1])
        return self._pairs[self._gaps < self._within_m]

    def gap_m(self) -> float:
        """Return at least how far apart those pairs were that were not among the last ones."""
        unlisted_m = self._within_m + _SLACK_M - 2.0 * math.sqrt(2.0) * self._strayed_m  # both may have strayed
        return float(self._gaps[self._gaps >= self._within_m].min(initial=unlisted_m))

    def _listed(self, poses: Array) -> Indices:
        first = np.arange(self._movers)[:, None]
        second = np.arange(len(poses))[None, :]
        near = self._gaps_m(poses, first, second) < self._within_m + _SLACK_M
        near &= (first < second) & self._wanted & self._wanted[: self._movers, None]
        near &= self._bodies.mobility[: self._movers, :1].astype(bool) | self._bodies.mobility[:, 0].astype(bool)
        return np.argwhere(near)

    def _gaps_m(self, poses: Array, first: Indices, second: Indices) -> Array:
        """Return at least how far apart the outlines are: what is between circles about them, or circle and wall."""
        bodies = self._bodies
        across_x, across_y = poses[first, 0] - poses[second, 0], poses[first, 1] - poses[second, 1]
        span_x, span_y = bodies.spans[second, 0], bodies.spans[second, 1]
        length = np.maximum(span_x**2 + span_y**2, 1e-12)
        share = np.minimum(np.maximum((across_x * span_x + across_y * span_y) / length, -1.0), 1.0)
        apart = np.hypot(across_x - share * span_x, across_y - share * span_y)
        gaps: Array = apart - bodies.reaches[first] - bodies.reaches[second]
        return gaps
