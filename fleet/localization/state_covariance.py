"""Covariance of pose and wheel gains, written out: plain numbers take half the time of small arrays."""

from dataclasses import dataclass
from typing import Final

Triple = tuple[float, float, float]  # of x, y and heading
Row = tuple[float, float, float, float, float]
Upper = tuple[
    float, float, float, float, float, float, float, float, float, float, float, float, float, float, float
]  # fmt: skip


@dataclass(init=False, slots=True)
class StateCovariance:
    """A symmetric matrix; x and y in m, h is the heading in rad, l and r are the gains.

    `upper` is its upper triangle, row by row: xx, xy, xh, xl, xr, yy, yh, yl, yr, hh, hl, hr, ll, lr, rr.
    """

    upper: Final[Upper]

    def __init__(self, upper: Upper) -> None:
        self.upper = upper

    @property
    def position(self) -> tuple[float, float, float]:
        """The covariances xx, xy and yy."""
        return self.upper[0], self.upper[1], self.upper[5]

    @property
    def heading(self) -> float:
        """The variance of the heading."""
        return self.upper[9]

    @property
    def gains(self) -> tuple[float, float, float]:
        """The covariances ll, lr and rr."""
        return self.upper[12], self.upper[13], self.upper[14]

    @property
    def rows(self) -> tuple[Row, ...]:
        """The whole matrix."""
        _, _, _, xl, xr, _, _, yl, yr, _, hl, hr, ll, lr, rr = self.upper
        return self.x_row, self.y_row, self.heading_row, (xl, yl, hl, ll, lr), (xr, yr, hr, lr, rr)

    @property
    def x_row(self) -> Row:
        """The covariances with x."""
        return self.upper[0], self.upper[1], self.upper[2], self.upper[3], self.upper[4]

    @property
    def y_row(self) -> Row:
        """The covariances with y."""
        return self.upper[1], self.upper[5], self.upper[6], self.upper[7], self.upper[8]

    @property
    def heading_row(self) -> Row:
        """The covariances with the heading."""
        return self.upper[2], self.upper[6], self.upper[9], self.upper[10], self.upper[11]

    def propagated(self, by_heading: tuple[float, float], by_left: Triple, by_right: Triple) -> "StateCovariance":
        """Return F P F' after a motion: F has the derivatives of x and y by the heading, and of all three by the gains.

        Below, xl is the covariance of the new x and the left gain, and x_h that of the new x and the old heading.
        """
        oxx, oxy, oxh, oxl, oxr, oyy, oyh, oyl, oyr, ohh, ohl, ohr, ll, lr, rr = self.upper
        a, b = by_heading
        lx, ly, lh = by_left
        rx, ry, rh = by_right
        xl, xr = oxl + a * ohl + lx * ll + rx * lr, oxr + a * ohr + lx * lr + rx * rr
        yl, yr = oyl + b * ohl + ly * ll + ry * lr, oyr + b * ohr + ly * lr + ry * rr
        hl, hr = ohl + lh * ll + rh * lr, ohr + lh * lr + rh * rr
        x_h = oxh + a * ohh + lx * ohl + rx * ohr
        y_h = oyh + b * ohh + ly * ohl + ry * ohr
        h_h = ohh + lh * ohl + rh * ohr
        x_x = oxx + a * oxh + lx * oxl + rx * oxr
        x_y = oxy + a * oyh + lx * oyl + rx * oyr
        y_y = oyy + b * oyh + ly * oyl + ry * oyr
        xx, xy = x_x + a * x_h + lx * xl + rx * xr, x_y + b * x_h + ly * xl + ry * xr
        yy = y_y + b * y_h + ly * yl + ry * yr
        xh, yh, hh = x_h + lh * xl + rh * xr, y_h + lh * yl + rh * yr, h_h + lh * hl + rh * hr
        return StateCovariance((xx, xy, xh, xl, xr, yy, yh, yl, yr, hh, hl, hr, ll, lr, rr))

    def plus(self, by_left: Triple, left_m2: float, by_right: Triple, right_m2: float) -> "StateCovariance":
        """Return the covariance plus the wheels' errors, given their variances and the pose's derivatives."""
        xx, xy, xh, xl, xr, yy, yh, yl, yr, hh, hl, hr, ll, lr, rr = self.upper
        lx, ly, lh = by_left
        rx, ry, rh = by_right
        lvx, lvy, lvh = left_m2 * lx, left_m2 * ly, left_m2 * lh
        rvx, rvy, rvh = right_m2 * rx, right_m2 * ry, right_m2 * rh
        xx, xy, xh = xx + lvx * lx + rvx * rx, xy + lvx * ly + rvx * ry, xh + lvx * lh + rvx * rh
        yy, yh, hh = yy + lvy * ly + rvy * ry, yh + lvy * lh + rvy * rh, hh + lvh * lh + rvh * rh
        return StateCovariance((xx, xy, xh, xl, xr, yy, yh, yl, yr, hh, hl, hr, ll, lr, rr))

    def inflated(self, x: float, y: float, h: float) -> "StateCovariance":
        """Return the covariance with variances added to x, y and heading."""
        xx, xy, xh, xl, xr, yy, yh, yl, yr, hh, hl, hr, ll, lr, rr = self.upper
        return StateCovariance((xx + x, xy, xh, xl, xr, yy + y, yh, yl, yr, hh + h, hl, hr, ll, lr, rr))

    def drifted(self, left: float, right: float) -> "StateCovariance":
        """Return the covariance with variances added to the gains."""
        xx, xy, xh, xl, xr, yy, yh, yl, yr, hh, hl, hr, ll, lr, rr = self.upper
        return StateCovariance((xx, xy, xh, xl, xr, yy, yh, yl, yr, hh, hl, hr, ll + left, lr, rr + right))

    def with_gains(self, gains: tuple[float, float, float]) -> "StateCovariance":
        """Return the covariance with the gains' covariances replaced: ll, lr and rr."""
        xx, xy, xh, xl, xr, yy, yh, yl, yr, hh, hl, hr, _, _, _ = self.upper
        ll, lr, rr = gains
        return StateCovariance((xx, xy, xh, xl, xr, yy, yh, yl, yr, hh, hl, hr, ll, lr, rr))

    def corrected(self, shares: Row, variance: float) -> "StateCovariance":
        """Return P - p p' / v, where p is the covariance of the state with the measurement, and v its variance."""
        xx, xy, xh, xl, xr, yy, yh, yl, yr, hh, hl, hr, ll, lr, rr = self.upper
        x, y, h, left, right = shares
        kx, ky, kh, kl, kr = x / variance, y / variance, h / variance, left / variance, right / variance
        xx, xy, xh, xl, xr = xx - kx * x, xy - kx * y, xh - kx * h, xl - kx * left, xr - kx * right
        yy, yh, yl, yr = yy - ky * y, yh - ky * h, yl - ky * left, yr - ky * right
        hh, hl, hr = hh - kh * h, hl - kh * left, hr - kh * right
        ll, lr, rr = ll - kl * left, lr - kl * right, rr - kr * right
        return StateCovariance((xx, xy, xh, xl, xr, yy, yh, yl, yr, hh, hl, hr, ll, lr, rr))


def diagonal(x: float, y: float, h: float, left: float, right: float) -> StateCovariance:
    """Return the covariance of independent errors with these variances."""
    return StateCovariance((x, 0.0, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, h, 0.0, 0.0, left, 0.0, right))
