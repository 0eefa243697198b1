"""Segments of nearly constant curvature, into which a leg of a path is cut to plan its speed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fleet.paths.path import Leg, Path, Piece
from fleet.trajectories.limits import Limits


@dataclass(frozen=True, slots=True)
class CurvatureSegment:
    """A part of a leg, with bounds of its curvature.

    Parameters
    ----------
    length_m : arc length, > 0
    bend_per_m : the largest magnitude of its curvature
    sharpness_per_m2 : the largest magnitude of the curvature's change with arc length
    step_per_m : the jump of the curvature at its start
    is_uniform : whether the curvature is the same everywhere
    """

    length_m: float
    bend_per_m: float
    sharpness_per_m2: float
    step_per_m: float
    is_uniform: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """What the limits allow on a segment.

    With the outer wheel's speed v (1 + |kappa| L / 2) = v `outer`, its acceleration is at most
    a `outer` + v^2 |kappa'| L / 2 = a `outer` + v^2 `swing`, which stays within `wheel_acceleration_mps2`.
    """

    length_m: float
    speed2_m2ps2: float  # of the highest speed
    entry2_m2ps2: float  # of the highest speed at its start
    acceleration_mps2: float
    wheel_acceleration_mps2: float
    outer: float
    swing_per_m: float
    is_uniform: bool

    def reached2(self, speed2_m2ps2: float) -> float:
        """Return the squared speed at its end after the hardest acceleration from a squared speed at its start."""
        wheel = (speed2_m2ps2 * self.outer + 2.0 * self.length_m * self.wheel_acceleration_mps2) / (
            self.outer + 2.0 * self.length_m * self.swing_per_m
        )
        return min(speed2_m2ps2 + 2.0 * self.length_m * self.acceleration_mps2, wheel)

    @property
    def steady_acceleration_mps2(self) -> float:
        """The acceleration that is allowed up to the highest speed."""
        spare_mps2 = self.wheel_acceleration_mps2 - self.swing_per_m * self.speed2_m2ps2
        return min(self.acceleration_mps2, spare_mps2 / self.outer)


def curvature_segments(path: Path, leg: Leg) -> list[CurvatureSegment]:
    """Return the segments of one leg."""
    found: list[CurvatureSegment] = []
    ended_per_m: float | None = None
    known: dict[int, _PieceSegments] = {}  # a piece is often the same in every lap
    for piece in path.pieces_of(leg):
        parts = known.get(id(piece))
        if parts is None:
            parts = known[id(piece)] = _segments_of(piece)
        first = parts.segments[0]
        step_per_m = 0.0 if ended_per_m is None else abs(parts.started_per_m - ended_per_m)
        found.append(first if step_per_m == 0.0 else replace(first, step_per_m=step_per_m))
        found += parts.segments[1:]
        ended_per_m = parts.ended_per_m
    return found


@dataclass(frozen=True, slots=True)
class _PieceSegments:
    """The segments of one piece, and its curvature at both ends."""

    segments: list[CurvatureSegment]
    started_per_m: float
    ended_per_m: float


def _segments_of(piece: Piece) -> _PieceSegments:
    curvatures_per_m, sharpnesses_per_m2 = _sampled(piece)
    segments: list[CurvatureSegment] = []
    for index, (from_m, to_m) in enumerate(pairwise(piece.knots_m)):
        bends_per_m = curvatures_per_m[2 * index : 2 * index + 3]
        sharpness_per_m2 = max(map(abs, sharpnesses_per_m2[2 * index : 2 * index + 3]))
        unseen_per_m = 0.25 * (to_m - from_m) * sharpness_per_m2  # between two of the three samples
        bend_per_m = max(map(abs, bends_per_m)) + unseen_per_m
        is_uniform = min(bends_per_m) == max(bends_per_m)
        segments.append(CurvatureSegment(to_m - from_m, bend_per_m, sharpness_per_m2, 0.0, is_uniform))
    return _PieceSegments(segments, curvatures_per_m[0], curvatures_per_m[-1])


def _sampled(piece: Piece) -> tuple[list[float], list[float]]:
    """Return curvature and sharpness of a piece at its knots and midway between them."""
    places_m = [piece.knots_m[0]]
    for from_m, to_m in pairwise(piece.knots_m):
        places_m += [0.5 * (from_m + to_m), to_m]
    points = [piece.sample(place_m) for place_m in places_m]
    return [point.curvature_per_m for point in points], [point.sharpness_per_m2 for point in points]


def bounds(parts: Sequence[CurvatureSegment], limits: Limits) -> list[Bound]:
    """Return what the limits allow on each segment.

    Half of the wheels' acceleration is reserved for speeding up and braking: the curvature's change takes at most the
    other half. The speed can thus always follow a falling bound.
    """
    known: dict[int, Bound] = {}  # segments repeat in every lap
    found: list[Bound] = []
    for part in parts:
        bound = known.get(id(part))
        if bound is None:
            bound = known[id(part)] = _bound(part, limits)
        found.append(bound)
    return found


def _bound(part: CurvatureSegment, limits: Limits) -> Bound:
    speed_mps, _ = limits.on_arc(part.bend_per_m)
    swing_per_m = part.sharpness_per_m2 * limits.half_axle_m
    swinging2 = 0.5 * limits.wheel_acceleration_mps2 / swing_per_m if swing_per_m else speed_mps**2
    speed2 = min(speed_mps**2, swinging2)
    return Bound(
        part.length_m,
        speed2,
        min(speed2, limits.over_step(part.step_per_m) ** 2),
        limits.acceleration_mps2,
        limits.wheel_acceleration_mps2,
        1.0 + part.bend_per_m * limits.half_axle_m,
        swing_per_m,
        part.is_uniform,
    )
