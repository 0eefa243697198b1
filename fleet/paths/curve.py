"""A curve, neither arc nor line, defined by evenly spaced knots.

Between two knots it is the polynomial of degree 5 that matches their places, directions and curvatures. With knots h
apart on a curve of curvature kappa it deviates by about h (kappa h)^5 / 46080 (Hermite interpolation, error
x^(6) h^6 / (6! 2^6)), which is below a nanometre for h = 5 mm and radii above 2 cm.
"""

import math
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fleet.geometry import Pose2D
from fleet.paths.path import PathPoint
from thymio_base.parts import Parts

Array = NDArray[np.float64]

_NEWTON_STEPS = 8
_CONVERGED_M = 1e-13
_AT_ONCE = 2000  # polynomials that are computed in a part of the work
_READ = 64  # polynomials that are read from arrays at once: reading single numbers from lists is ten times as fast
_STEEPEST = 0.1  # 1 - kappa d is taken as at least this: no infinite steps near the centre of a curve

# of degree 5 on [0, 1], by value, first and second derivative at 0, then at 1
_HERMITE = np.array(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.5, 0.0, 0.0, 0.0],
        [-10.0, -6.0, -1.5, 10.0, -4.0, 0.5],
        [15.0, 8.0, 1.5, -15.0, 7.0, -1.0],
        [-6.0, -3.0, -0.5, 6.0, -3.0, 0.5],
    ]
)

_Span: TypeAlias = list[float]  # coefficients of x, then of y, each by rising power


class Curve:
    """A curve that is driven forward; build it with `curve_through`.

    Parameters
    ----------
    spacing_m : arc length between two knots
    places_m : knots, shape (n + 1, 2), in the path's frame
    spans : the n polynomials between them: coefficients of x and of y by rising power, shape (n, 2, 6)
    """

    def __init__(self, spacing_m: float, places_m: Array, spans: Array) -> None:
        self.spacing_m: Final = spacing_m
        self._places_m: Final = places_m
        self._spans: Final = spans
        self._count: Final[int] = len(spans)
        self._read: Final[list[list[_Span]]] = [[]] * math.ceil(self._count / _READ)  # some of them; [] is unread

    def __reduce__(self) -> tuple[type["Curve"], tuple[float, Array, Array]]:
        return Curve, (self.spacing_m, self._places_m, self._spans)

    @property
    def length_m(self) -> float:
        """Arc length."""
        return self.spacing_m * self._count

    @property
    def turn_rad(self) -> float:
        """Return 0: it does not turn on the spot."""
        return 0.0

    @property
    def is_backward(self) -> bool:
        """Return False: it is driven forward."""
        return False

    @property
    def knots_m(self) -> tuple[float, ...]:
        """Arc lengths of its knots."""
        return tuple(self.spacing_m * index for index in range(self._count + 1))

    @property
    def start(self) -> Pose2D:
        """Pose at its start."""
        return self.sample(0.0).pose

    @property
    def end(self) -> Pose2D:
        """Pose at its end."""
        return self.sample(self.length_m).pose

    def sample(self, s_m: float) -> PathPoint:
        """Return the place at an arc length."""
        place = s_m / self.spacing_m
        index = min(max(int(place), 0), self._count - 1)
        u = place - index
        x0, x1, x2, x3, x4, x5, y0, y1, y2, y3, y4, y5 = self._span(index)
        dx = x1 + u * (2.0 * x2 + u * (3.0 * x3 + u * (4.0 * x4 + u * 5.0 * x5)))
        dy = y1 + u * (2.0 * y2 + u * (3.0 * y3 + u * (4.0 * y4 + u * 5.0 * y5)))
        ddx = 2.0 * x2 + u * (6.0 * x3 + u * (12.0 * x4 + u * 20.0 * x5))
        ddy = 2.0 * y2 + u * (6.0 * y3 + u * (12.0 * y4 + u * 20.0 * y5))
        jx = 6.0 * x3 + u * (24.0 * x4 + u * 60.0 * x5)
        jy = 6.0 * y3 + u * (24.0 * y4 + u * 60.0 * y5)
        rate2 = dx * dx + dy * dy
        rate = math.sqrt(rate2)
        curvature_per_m = (dx * ddy - dy * ddx) / (rate2 * rate)
        bending = (dx * jy - dy * jx) / (rate2 * rate) - 3.0 * curvature_per_m * (dx * ddx + dy * ddy) / rate2
        pose = Pose2D(
            x0 + u * (x1 + u * (x2 + u * (x3 + u * (x4 + u * x5)))),
            y0 + u * (y1 + u * (y2 + u * (y3 + u * (y4 + u * y5)))),
            math.atan2(dy, dx),
        )
        return PathPoint(pose, curvature_per_m, s_m, bending / rate)

    def closest(self, x_m: float, y_m: float, from_m: float, to_m: float) -> float:
        """Return the arc length in [from_m, to_m] that is closest to a place.

        Newton's method from the nearest knot: with the offset d to the left, the foot moves by ahead / (1 - kappa d).
        """
        first = max(0, math.floor(from_m / self.spacing_m))
        last = min(self._count, math.ceil(to_m / self.spacing_m))
        away_m = self._places_m[first : last + 1] - (x_m, y_m)
        s_m = self.spacing_m * (first + int(np.argmin(np.einsum("ij,ij->i", away_m, away_m))))
        s_m = min(max(s_m, from_m), to_m)
        for _ in range(_NEWTON_STEPS):
            point = self.sample(s_m)
            local = Pose2D(x_m, y_m, 0.0).relative_to(point.pose)
            step_m = local.x_m / max(_STEEPEST, 1.0 - point.curvature_per_m * local.y_m)
            before_m, s_m = s_m, min(max(s_m + step_m, from_m), to_m)
            if abs(s_m - before_m) < _CONVERGED_M:
                break
        return s_m

    def moved(self, frame: Pose2D) -> "Curve":
        """Return the curve in the frame where `frame` is the pose of this curve's frame."""
        cosine, sine = math.cos(frame.heading_rad), math.sin(frame.heading_rad)
        turn = np.array([[cosine, -sine], [sine, cosine]])
        spans = turn @ self._spans
        shift_m = np.array([frame.x_m, frame.y_m])
        spans[:, :, 0] += shift_m
        return Curve(self.spacing_m, self._places_m @ turn.T + shift_m, spans)

    def _span(self, index: int) -> _Span:
        """Return the polynomial after a knot."""
        part = index // _READ
        spans = self._read[part]
        if not spans:
            spans = self._spans[part * _READ : (part + 1) * _READ].reshape(-1, 12).tolist()
            self._read[part] = spans
        return spans[index - part * _READ]


def curve_through(places_m: Array, headings_rad: Array, curvatures_per_m: Array, length_m: float) -> Parts[Curve]:
    """Compute the curve through evenly spaced knots; many of them take several parts.

    Parameters
    ----------
    places_m
        Shape (n + 1, 2), n > 0.
    headings_rad
        Directions there, shape (n + 1,).
    curvatures_per_m
        Curvatures there, shape (n + 1,).
    length_m
        Arc length from the first knot to the last.
    """
    spacing_m = length_m / (len(places_m) - 1)
    tangents = np.stack([np.cos(headings_rad), np.sin(headings_rad)], axis=1)
    normals = np.stack([-tangents[:, 1], tangents[:, 0]], axis=1)
    knots = np.stack([places_m, spacing_m * tangents, spacing_m**2 * curvatures_per_m[:, None] * normals], axis=1)
    spans: list[Array] = []
    for first in range(0, len(knots) - 1, _AT_ONCE):
        yield
        some = knots[first : first + _AT_ONCE + 1]
        spans.append(np.einsum("pk,nka->nap", _HERMITE, np.concatenate([some[:-1], some[1:]], axis=1)))
    return Curve(spacing_m, places_m, np.concatenate(spans))
