"""Waypoints between two stops, a smooth curve along them, and further waypoints at which a robot should stop."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fleet.paths.smoothing import MARGIN, SmoothCurve, joined, local_maximum, smoothed, triangular
from thymio_base.parts import Parts

Array = NDArray[np.float64]

BLOCK: Final = 1000  # samples that are smoothed at once

_FEWEST: Final = 8  # samples of a chain, less one
_EVEN: Final = 4  # samples in half of each half of the window that takes noise away, to measure it
_STRETCH_MAX: Final = 3.0

_SHARP_RAD: Final = 1.22  # 70 degrees; sharper corners are stops, ...
_SLIGHT_RAD: Final = 0.35  # ... and bends that turn by less are not
_CORNER_RAD: Final = 0.8  # a polyline turns by more at a corner, within the tolerance
_WIDE_ARM: Final = 3  # times the tolerance: how far away a sharp corner is still seen
_TIGHT_PER_M: Final = 12.0  # curvature of bends that may be corners
_SHORT: Final = 12  # times the tolerance; longer bends are curves, not corners

# a robot with the usual limits of `following`, for which a stop is compared with a bend
_SPEED_MPS: Final = 0.14
_ACCELERATION_MPS2: Final = 0.12
_WHEEL_MPS: Final = 0.155
_WHEEL_STEP_MPS: Final = 0.05
_HALF_AXLE_M: Final = 0.047
_TURN_RADPS: Final = 2.8
_TURN_RAMP_S: Final = 0.35


class WaypointChain:
    """Waypoints between two stops, or all of a closed path without stops, and a curve along them.

    Parameters
    ----------
    points : indices of the waypoints; for a whole closed path the last repeats the first
    points_m : their places, shape (n, 2)
    spacing_m : approximate spacing of samples

    Attributes
    ----------
    last : the index of the last sample
    samples_m : places along straight lines, evenly spaced, shape (last + 1, 2)
    samples : indices of the samples nearest to the waypoints
    stretch : factor by which noise lengthens the polyline
    curve : the smooth curve, with as many samples
    """

    def __init__(self, points: Sequence[int], points_m: Array, spacing_m: float) -> None:
        self.points = points
        self.points_m = points_m
        along_m = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points_m, axis=0).T))])
        self.last = max(_FEWEST, math.ceil(along_m[-1] / spacing_m))
        self.spacing_m = float(along_m[-1]) / self.last
        even_m = np.linspace(0.0, along_m[-1], self.last + 1)
        self.samples_m = np.stack([np.interp(even_m, along_m, points_m[:, axis]) for axis in (0, 1)], axis=1)
        self.samples: list[int] = np.rint(along_m / self.spacing_m).astype(np.intp).tolist()  # nearest to waypoints
        self.samples_m[self.samples] = points_m
        self.samples_m[0] = points_m[0]  # also where the second waypoint is nearest to the same sample
        self.stretch = self._stretch()
        heading_rad = math.atan2(*(points_m[-1] - points_m[0])[::-1])
        self.curve = SmoothCurve(self.samples_m, np.full(self.last + 1, heading_rad), np.zeros(self.last + 1))

    def smooth(self, is_closed: bool, tolerance_m: float) -> Parts[None]:
        """Compute the curve, block by block: each place only depends on nearby samples."""
        if len(self.points) == 2:
            return
        found: list[SmoothCurve] = []
        margin = round(MARGIN * self.stretch)
        for start in range(0, self.last + 1, BLOCK):
            end = min(start + BLOCK, self.last + 1)
            first, after = start - margin, end + margin
            if not is_closed:
                first, after = max(first, 0), min(after, self.last + 1)
            samples_m = self.samples_m[np.arange(first, after) % (self.last if is_closed else self.last + 1)]
            curve = yield from smoothed(samples_m, self.spacing_m, tolerance_m, self.stretch)
            found.append(curve.part(start - first, end - first))
        self.curve = joined(found).closed() if is_closed else joined(found)

    def points_between(self, first: int, after: int) -> Array:
        """Return the samples `first` to before `after`, and the waypoints between them."""
        low, high = bisect_right(self.samples, first), bisect_left(self.samples, after - 1)
        return np.concatenate([self.samples_m[first:after], self.points_m[low:high]])

    def _stretch(self) -> float:
        """Return the factor by which noise lengthens the polyline."""
        even_m = triangular(self.samples_m, _EVEN)
        evened_m = float(np.hypot(*np.diff(even_m, axis=0).T).sum())
        whole_m = self.spacing_m * (len(even_m) - 1)
        return min(max(whole_m / max(evened_m, self.spacing_m), 1.0), _STRETCH_MAX) if whole_m > 0.0 else 1.0

    def corners(self, is_closed: bool, tolerance_m: float) -> Parts[list[int]]:
        """Find the waypoints at which the polyline turns sharply and abruptly, in parts."""
        near = max(2, round(self.stretch * tolerance_m / self.spacing_m))
        reach = _WIDE_ARM * near
        index = np.arange(-reach - 2 * near, self.last + 1 + reach + 2 * near)
        samples_m = self.samples_m[index % self.last if is_closed else np.clip(index, 0, self.last)]
        even_m = triangular(samples_m, near)  # noise is not a corner
        yield
        wide = _turns_rad(even_m, reach)
        yield
        narrow = _turns_rad(samples_m, near)[reach + near : -reach - near]
        yield
        found: list[int] = []
        is_free = np.full(self.last + 1, fill_value=True)
        for sample in np.flatnonzero(wide > _SHARP_RAD)[np.argsort(-wide[wide > _SHARP_RAD], kind="stable")].tolist():
            if is_free[sample]:
                is_free[max(0, sample - reach) : sample + reach] = False
                found += self._tip(sample - near, sample + near, narrow)
        return found

    def slow_points(self, tolerance_m: float) -> list[int]:
        """Return the waypoints at which a robot should stop because the curve bends sharply there."""
        near = max(2, round(self.stretch * tolerance_m / self.spacing_m))
        tight = local_maximum(np.abs(self.curve.curvatures_per_m), 2 * near) > _TIGHT_PER_M
        edges = np.flatnonzero(np.diff(np.concatenate([[False], tight, [False]]).astype(np.int8)))
        narrow = _turns_rad(np.pad(self.samples_m, ((near, near), (0, 0)), mode="edge"), near)
        found = []
        for first, after in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            is_corner = after - first <= _SHORT * near
            if is_corner and self._is_for_stop(max(0, first - 2 * near), min(after + 2 * near, self.last)):
                found += self._tip(first, after, narrow)
        return found

    def _is_for_stop(self, first: int, last: int) -> bool:
        """Whether the bend between two samples is sharp, or takes longer than a stop."""
        turn_rad = abs(float(self.curve.headings_rad[last] - self.curve.headings_rad[first]))
        if turn_rad > _SHARP_RAD or turn_rad < _SLIGHT_RAD:
            return turn_rad > _SHARP_RAD
        stop_s = _SPEED_MPS / _ACCELERATION_MPS2 + turn_rad / _TURN_RADPS + _TURN_RAMP_S
        return self._bend_s(first, last) > stop_s

    def _bend_s(self, first: int, last: int) -> float:
        """Return about how much longer a bend takes than a straight line of the same length."""
        steps_m = np.hypot(*np.diff(self.curve.places_m[first : last + 1], axis=0).T)
        inner = np.maximum(np.abs(self.curve.curvatures_per_m[first:last]) * _HALF_AXLE_M, 1e-9)
        speeds_mps = np.minimum(np.minimum(_SPEED_MPS, _WHEEL_MPS / (1.0 + inner)), _WHEEL_STEP_MPS / inner)
        lost_mps = _SPEED_MPS - float(speeds_mps.min())
        slower_s = float(np.sum(steps_m / speeds_mps - steps_m / _SPEED_MPS))
        return slower_s + lost_mps**2 / (_SPEED_MPS * _ACCELERATION_MPS2)

    def _tip(self, first: int, last: int, turns_rad: Array) -> list[int]:
        """Return the waypoint between two samples at which the polyline turns most, if there is a corner."""
        low, high = bisect_left(self.samples, first), bisect_right(self.samples, last)
        if low >= high:
            return []
        inner_rad = turns_rad[self.samples[low:high]]
        most = int(np.argmax(inner_rad))
        is_inner = low + most < len(self.points) - 1 and (low + most > 0 or self.points[0] == self.points[-1])
        return [self.points[low + most]] if is_inner and inner_rad[most] > _CORNER_RAD else []


def _turns_rad(places_m: Array, arm: int) -> Array:
    """Return by how much a sequence of places turns at each, measured over `arm` places on both sides."""
    before, after = places_m[arm:-arm] - places_m[: -2 * arm], places_m[2 * arm :] - places_m[arm:-arm]
    crosses = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    turns_rad: Array = np.abs(np.arctan2(crosses, np.einsum("ij,ij->i", before, after)))
    return turns_rad
