"""Segments of nearly constant curvature, into which a leg of a path is divided to plan its speed.

The segments of a leg are kept piece by piece, as a piece often repeats in every lap: whatever follows from its segments
alone is then computed once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fleet.paths.path import Piece
from fleet.paths.piece_part import highest_mps
from fleet.trajectories.counted_work import Effort, Steps
from fleet.trajectories.limits import Limits

_AT_ONCE: Final = 50  # segments are found without a pause
_SEGMENT: Final = 30  # units of work for a segment, ...
_PIECE: Final = 20  # ... for a piece, ...
_KNOWN: Final = 4  # ... for a piece repeated from another lap ...
_LEG: Final = 20  # ... and for a leg


@dataclass(init=False, unsafe_hash=True, slots=True)
class CurvatureSegment:
    """A part of a leg, with bounds of its curvature.

    Parameters
    ----------
    length_m : arc length, > 0
    bend_per_m : the largest magnitude of its curvature
    sharpness_per_m2 : the largest magnitude of the curvature's change with arc length
    step_per_m : the jump of the curvature at its start
    is_uniform : whether the curvature is the same everywhere
    highest_mps : its highest speed
    """

    length_m: Final[float]
    bend_per_m: Final[float]
    sharpness_per_m2: Final[float]
    step_per_m: Final[float]
    is_uniform: Final[bool]
    highest_mps: Final[float]

    def __init__(
        self,
        length_m: float,
        bend_per_m: float,
        sharpness_per_m2: float,
        step_per_m: float,
        *,
        is_uniform: bool,
        highest_mps: float,
    ) -> None:
        self.length_m = length_m
        self.bend_per_m = bend_per_m
        self.sharpness_per_m2 = sharpness_per_m2
        self.step_per_m = step_per_m
        self.is_uniform = is_uniform
        self.highest_mps = highest_mps

    def shortened(self, length_m: float, step_per_m: float) -> "CurvatureSegment":
        """Return a part of the segment, with another curvature jump at its start."""
        return CurvatureSegment(
            length_m,
            self.bend_per_m,
            self.sharpness_per_m2,
            step_per_m,
            is_uniform=self.is_uniform,
            highest_mps=self.highest_mps,
        )


@dataclass(init=False, unsafe_hash=True, slots=True)
class Bound:
    """Bounds of the motion on a segment that follow from the limits.

    With the outer wheel's speed v (1 + |kappa| L / 2) = v `outer`, its acceleration is at most
    a `outer` + v^2 |kappa'| L / 2 = a `outer` + v^2 `swing`, which stays within `wheel_acceleration_mps2`.
    """

    length_m: Final[float]
    speed2_m2ps2: Final[float]  # of the highest speed
    entry2_m2ps2: Final[float]  # of the highest speed at its start
    acceleration_mps2: Final[float]
    wheel_acceleration_mps2: Final[float]
    outer: Final[float]
    swing_per_m: Final[float]
    is_uniform: Final[bool]

    def __init__(
        self,
        length_m: float,
        speed2_m2ps2: float,
        entry2_m2ps2: float,
        *,
        acceleration_mps2: float,
        wheel_acceleration_mps2: float,
        outer: float,
        swing_per_m: float,
        is_uniform: bool,
    ) -> None:
        self.length_m = length_m
        self.speed2_m2ps2 = speed2_m2ps2
        self.entry2_m2ps2 = entry2_m2ps2
        self.acceleration_mps2 = acceleration_mps2
        self.wheel_acceleration_mps2 = wheel_acceleration_mps2
        self.outer = outer
        self.swing_per_m = swing_per_m
        self.is_uniform = is_uniform

    def tightened(self, speed2_m2ps2: float, outer: float, swing_per_m: float) -> "Bound":
        """Return the bound with a lower highest speed, also at its start."""
        return Bound(
            self.length_m,
            speed2_m2ps2,
            speed2_m2ps2,
            acceleration_mps2=self.acceleration_mps2,
            wheel_acceleration_mps2=self.wheel_acceleration_mps2,
            outer=outer,
            swing_per_m=swing_per_m,
            is_uniform=self.is_uniform,
        )

    def reached2(self, speed2_m2ps2: float) -> float:
        """Return the squared speed at its end after the hardest acceleration from a squared speed at its start."""
        wheel = (speed2_m2ps2 * self.outer + 2.0 * self.length_m * self.wheel_acceleration_mps2) / (
            self.outer + 2.0 * self.length_m * self.swing_per_m
        )
        return min(speed2_m2ps2 + 2.0 * self.length_m * self.acceleration_mps2, wheel)

    @property
    def steady_acceleration_mps2(self) -> float:
        """The acceleration that is possible up to the highest speed."""
        spare_mps2 = self.wheel_acceleration_mps2 - self.swing_per_m * self.speed2_m2ps2
        return min(self.acceleration_mps2, spare_mps2 / self.outer)


class PieceSegments:
    """The segments of one piece, and its curvature at both ends."""

    def __init__(self, segments: list[CurvatureSegment], started_per_m: float, ended_per_m: float) -> None:
        self.segments: Final = segments
        self.started_per_m: Final = started_per_m
        self.ended_per_m: Final = ended_per_m
        self._stepped: list[CurvatureSegment] = segments

    def after_step(self, step_per_m: float) -> list[CurvatureSegment]:
        """Return the segments after a jump of the curvature; for the same jump the same list as before."""
        if step_per_m == 0.0:
            return self.segments
        if self._stepped[0].step_per_m != step_per_m:
            first = self.segments[0]
            self._stepped = [first.shortened(first.length_m, step_per_m), *self.segments[1:]]
        return self._stepped


class Segmentation:
    """Finds the segments of pieces; each piece is analysed once."""

    def __init__(self) -> None:
        self._known: Final[dict[int, tuple[Piece, PieceSegments]]] = {}  # by identity, with the piece to keep that
        self._effort: Final = Effort()

    def find(self, pieces: Sequence[Piece]) -> Steps[list[list[CurvatureSegment]]]:
        """Find the segments of a leg's pieces, in a list for each piece; in steps."""
        found: list[list[CurvatureSegment]] = []
        ended_per_m: float | None = None
        effort = self._effort
        effort.units += _LEG
        for piece in pieces:
            known = self._known.get(id(piece))
            if known is None:
                parts = yield from _segments_of(piece, effort)
                self._known[id(piece)] = (piece, parts)
            else:
                parts = known[1]
                effort.units += _KNOWN
            if effort.is_much:
                yield effort.take()
            step_per_m = 0.0 if ended_per_m is None else abs(parts.started_per_m - ended_per_m)
            found.append(parts.after_step(step_per_m))
            ended_per_m = parts.ended_per_m
        return found


def _segments_of(piece: Piece, effort: Effort) -> Steps[PieceSegments]:
    knots_m = piece.knots_m
    curvature_per_m = started_per_m = piece.sample(knots_m[0]).curvature_per_m
    segments: list[CurvatureSegment] = []
    effort.units += _PIECE
    for first in range(0, len(knots_m) - 1, _AT_ONCE):
        last = min(first + _AT_ONCE, len(knots_m) - 1)
        curvature_per_m = _add_segments(segments, piece, knots_m[first : last + 1])
        effort.units += _SEGMENT * (last - first)
        if effort.is_much:
            yield effort.take()
    return PieceSegments(segments, started_per_m, curvature_per_m)


def _add_segments(segments: list[CurvatureSegment], piece: Piece, knots_m: Sequence[float]) -> float:
    """Add the segments between knots; return the curvature at the last knot."""
    before, from_m, speed_mps = piece.sample(knots_m[0]), knots_m[0], highest_mps(piece)
    for to_m in knots_m[1:]:
        middle, after = piece.sample(0.5 * (from_m + to_m)), piece.sample(to_m)
        first, second, third = before.curvature_per_m, middle.curvature_per_m, after.curvature_per_m
        sharpness_per_m2 = max(abs(before.sharpness_per_m2), abs(middle.sharpness_per_m2), abs(after.sharpness_per_m2))
        unseen_per_m = 0.25 * (to_m - from_m) * sharpness_per_m2  # between two of the three samples
        bend_per_m = max(abs(first), abs(second), abs(third)) + unseen_per_m
        is_uniform = first == second == third
        segments.append(
            CurvatureSegment(
                to_m - from_m, bend_per_m, sharpness_per_m2, 0.0, is_uniform=is_uniform, highest_mps=speed_mps
            )
        )
        before, from_m = after, to_m
    return before.curvature_per_m


def bounds(parts: Sequence[CurvatureSegment], limits: Limits) -> list[Bound]:
    """Return the bounds on each segment that follow from the limits.

    Half of the wheels' acceleration is reserved for speeding up and braking: curvature changes take at most the other
    half. The speed can thus always follow a falling bound.
    """
    return [_bound(part, limits) for part in parts]


def _bound(part: CurvatureSegment, limits: Limits) -> Bound:
    speed_mps = min(limits.on_arc(part.bend_per_m)[0], part.highest_mps)
    swing_per_m = part.sharpness_per_m2 * limits.half_axle_m
    swinging2 = 0.5 * limits.wheel_acceleration_mps2 / swing_per_m if swing_per_m else speed_mps**2
    speed2 = min(speed_mps**2, swinging2)
    return Bound(
        part.length_m,
        speed2,
        min(speed2, limits.over_step(part.step_per_m) ** 2),
        acceleration_mps2=limits.acceleration_mps2,
        wheel_acceleration_mps2=limits.wheel_acceleration_mps2,
        outer=1.0 + part.bend_per_m * limits.half_axle_m,
        swing_per_m=swing_per_m,
        is_uniform=part.is_uniform,
    )
