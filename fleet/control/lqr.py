"""Linear-quadratic tracking, with gains that are optimal for lagging wheels.

As Klancar and Skrjanc, Tracking-error model-based predictive control for mobile robots in real time, Robotics and
Autonomous Systems 55, 2007, without constraints and with an infinite horizon. Linearized about a reference that
moves at (v, omega), the reference relative to the robot and the robot's excess speed (dv, dw) obey

    e_x' = omega e_y - dv           dv' = (c_v - dv) / tau
    e_y' = -omega e_x + v e_theta   dw' = (c_w - dw) / tau
    e_theta' = -dw

where c is what is commanded beyond the feed-forward. The law is v = v_f + c_v, omega = omega_f + c_w with c = -K e,
where K minimizes the sum of e' Q e + c' R c over all periods; Q and R contain the inverse squares of the weights. K
depends on v and omega; it is computed once for a grid of them (doubling algorithm; Anderson, Second-order convergent
algorithms for the steady-state Riccati equation, 1978) and interpolated in between.

Stability: at every point of the grid with v or omega not 0 the linearized loop is stable, as with every
linear-quadratic regulator. At rest e_y cannot be controlled and is left alone: a robot that stands still at its goal
would otherwise turn away from it until the two errors balance. Nothing is proven for large errors, so errors are
bounded before they are weighted.
"""

import math
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fleet.control.control_law import ControlInput
from fleet.control.tracker_config import LqrWeights
from fleet.geometry import Pose2D, Twist2D
from fleet.trajectories.trajectory import Reference

Array = NDArray[np.float64]
Gain = tuple[float, float, float, float, float, float, float, float, float, float]  # K, row by row
State = tuple[float, float, float, float, float]  # e

_FASTEST_MPS: Final = 0.16  # the grid goes from minus this ...
_SPEED_CELLS: Final = 8  # ... to plus this, in this many steps
_FASTEST_RADPS: Final = 3.5
_RATE_CELLS: Final = 14
_SPEEDS_MPS = tuple(np.linspace(-_FASTEST_MPS, _FASTEST_MPS, _SPEED_CELLS + 1).tolist())
_RATES_RADPS = tuple(np.linspace(-_FASTEST_RADPS, _FASTEST_RADPS, _RATE_CELLS + 1).tolist())
_DOUBLINGS = 12  # 2^12 periods are long enough for any gain to settle
_SLOWEST_MPS = 0.005  # gains at rest are those of a robot that barely moves
_LAG_MIN_S = 0.01
_FAR_M: Final = 0.03  # larger errors are clipped to this
_FAR_RAD: Final = 0.6


class Lqr:
    """The linear-quadratic law; `weights` are errors and corrections that count as equally bad."""

    def __init__(self, weights: LqrWeights) -> None:
        self._weights = weights
        self._lag_s = self._period_s = math.nan  # the lag and period for which ...
        self._gains: list[list[Gain]] = []  # ... these are the gains, by speed and rate

    def steer(self, control_input: ControlInput, reference: Reference, forward: Twist2D) -> Twist2D:
        """Return the twist that brings the robot to its reference and moves it along with it."""
        if control_input.lag_s != self._lag_s or control_input.period_s != self._period_s:
            self._lag_s, self._period_s = control_input.lag_s, control_input.period_s
            self._gains = _plain(self._weights, self._lag_s, self._period_s)
        correction = _correction(self._gains, reference.twist, _state(control_input, reference.pose, reference.twist))
        return Twist2D(forward.linear_mps - correction.linear_mps, forward.angular_radps - correction.angular_radps)


def schedule(weights: LqrWeights, lag_s: float, period_s: float) -> Array:
    """Return the gains K for the whole grid; (speeds, rates, 2, 5).

    Columns are e_x [m], e_y [m], e_theta [rad], dv [m/s], dw [rad/s]; rows are v [m/s] and omega [rad/s].
    """
    errors = np.array([weights.along_m, weights.cross_m, weights.heading_rad])
    q = np.diag([*errors**-2.0, 0.0, 0.0])
    r = np.diag(np.array([weights.linear_mps, weights.angular_radps]) ** -2.0)
    models = [[model(v, w, lag_s, period_s) for w in _RATES_RADPS] for v in _SPEEDS_MPS]
    a, b = (np.array([[pair[index] for pair in row] for row in models]) for index in (0, 1))
    gains = optimal_gain(a, b, q, r)  # all at once: one after the other would take longer than a tick may
    gains[len(_SPEEDS_MPS) // 2, len(_RATES_RADPS) // 2, :, 1] = 0.0
    return gains


def model(speed_mps: float, rate_radps: float, lag_s: float, period_s: float) -> tuple[Array, Array]:
    """Return (A, B) of the linearized errors over one period with the command held; (5, 5), (5, 2)."""
    lag_s = max(lag_s, _LAG_MIN_S)
    speed_mps = max(abs(speed_mps), _SLOWEST_MPS) * (-1.0 if speed_mps < 0.0 else 1.0)
    flow = np.zeros((7, 7))
    flow[0, 1], flow[1, 0], flow[1, 2] = rate_radps, -rate_radps, speed_mps
    flow[0, 3] = flow[2, 4] = -1.0
    flow[3, 3] = flow[4, 4] = -1.0 / lag_s
    flow[3, 5] = flow[4, 6] = 1.0 / lag_s
    transition = _exponential(flow * period_s)
    return transition[:5, :5], transition[:5, 5:]


def optimal_gain(a: Array, b: Array, q: Array, r: Array) -> Array:
    """Return K such that c = -K e minimizes the sum of e' Q e + c' R c for e+ = A e + B c; (..., 2, 5).

    A is (..., 5, 5), B (..., 5, 2), Q (5, 5) and R (2, 2).
    """
    g, h = b @ np.linalg.solve(r, _transposed(b)), q
    forward = a
    one = np.eye(len(q))
    for _ in range(_DOUBLINGS):
        inverse = np.linalg.inv(one + g @ h)
        step = forward @ inverse
        g, h = g + step @ g @ _transposed(forward), h + _transposed(forward) @ h @ inverse @ forward
        forward = step @ forward
    gain = np.linalg.solve(r + _transposed(b) @ h @ b, _transposed(b) @ h @ a)
    return np.asarray(gain, dtype=np.float64)


def _transposed(matrices: Array) -> Array:
    return np.swapaxes(matrices, -1, -2)


def _exponential(matrix: Array) -> Array:
    """Return the matrix exponential of a matrix with a norm of about 10, by scaling and squaring."""
    small = matrix / 2.0**10
    result = np.eye(len(matrix)) + small @ (np.eye(len(matrix)) + small / 2.0 @ (np.eye(len(matrix)) + small / 3.0))
    for _ in range(10):
        result = result @ result
    return result


@lru_cache(maxsize=16)
def _plain(weights: LqrWeights, lag_s: float, period_s: float) -> list[list[Gain]]:
    """Return the schedule as plain numbers, which are faster than arrays at this size; all robots share it."""
    gains: list[list[list[float]]] = schedule(weights, lag_s, period_s).reshape(len(_SPEEDS_MPS), -1, 10).tolist()
    return [[(k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8], k[9]) for k in rates] for rates in gains]


def _correction(gains: list[list[Gain]], twist: Twist2D, state: State) -> Twist2D:
    """Return K e with the gains interpolated at a twist; outside the grid, with the nearest gains."""
    i, x = _cell(twist.linear_mps, _FASTEST_MPS, _SPEED_CELLS)
    j, y = _cell(twist.angular_radps, _FASTEST_RADPS, _RATE_CELLS)
    slow, fast = gains[i], gains[i + 1]
    linear_1, angular_1 = _product(slow[j], state)
    linear_2, angular_2 = _product(slow[j + 1], state)
    linear_3, angular_3 = _product(fast[j], state)
    linear_4, angular_4 = _product(fast[j + 1], state)
    return Twist2D(
        (1.0 - x) * ((1.0 - y) * linear_1 + y * linear_2) + x * ((1.0 - y) * linear_3 + y * linear_4),
        (1.0 - x) * ((1.0 - y) * angular_1 + y * angular_2) + x * ((1.0 - y) * angular_3 + y * angular_4),
    )


def _product(gain: Gain, state: State) -> tuple[float, float]:
    """Return K e."""
    k11, k12, k13, k14, k15, k21, k22, k23, k24, k25 = gain
    ahead, aside, turned, faster, turning = state
    return (
        k11 * ahead + k12 * aside + k13 * turned + k14 * faster + k15 * turning,
        k21 * ahead + k22 * aside + k23 * turned + k24 * faster + k25 * turning,
    )


def _cell(value: float, end: float, cells: int) -> tuple[int, float]:
    """Return the index of the cell with a value, of equal cells from -end to end, and the place in it, 0 to 1."""
    bounded = min(max((value + end) * cells / (2.0 * end), 0.0), float(cells))
    index = min(int(bounded), cells - 1)
    return index, bounded - index


def _state(control_input: ControlInput, reference: Pose2D, twist: Twist2D) -> State:
    error = reference.relative_to(control_input.pose)
    return (
        _bounded(error.x_m, _FAR_M),
        _bounded(error.y_m, _FAR_M),
        _bounded(error.heading_rad, _FAR_RAD),
        control_input.twist.linear_mps - twist.linear_mps,
        control_input.twist.angular_radps - twist.angular_radps,
    )


def _bounded(value: float, bound: float) -> float:
    return min(max(value, -bound), bound)
