"""Actuation as it is: wheel speeds are whole motor units, start late, and follow with a lag.

A wheel that turns at w and was told u obeys after the latency d, and then as a first-order lag tau:

    w'(t) = (u(t - d) - w(t)) / tau

While u is constant for h seconds, exactly: w(h) = u + (w - u) exp(-h / tau), and the wheel rolls
u h + (w - u) tau (1 - exp(-h / tau)).

`Actuation` replays the commands that were sent through this model. So it tells where the robot will be once the next
command begins to act, which is where a control law has to look (a Smith predictor without its plant model's feedback;
Smith, Closer control of loops with dead time, 1957). It learns d from what the wheels report: where they changed speed
later than the model by delta, they rolled less by delta times the change of speed, which is a linear regression on
delta; its error is only as large as the changes of speed are rare.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from aseba_link.thymio import speed_to_raw
from fleet.calibration import WheelCalibration
from fleet.drive import HALT, Drive, WheelSpeeds
from fleet.geometry import Pose2D, Twist2D
from fleet.tracker_config import ActuationConfig

_LATENCY_MAX_S = 0.4
_LATENCY_STD_S = 0.08  # of the configured latency
_LATENCY_DRIFT_S = 3e-4  # by which it may change from one report to the next
_TRAVEL_STD_M = 5e-4  # of what wheels report, mostly because the report's instant is unsure by 5 ms
_TELLING_MPS = 0.002  # smaller changes of speed between two reports are mostly rounding
_GAP = 0.5  # reports whose durations fit so badly to their stamps are not neighbours
_BLOCKED_STDS = 6.0  # a residual beyond is a wheel that slips or is held, and says nothing either


@dataclass(init=False, unsafe_hash=True, slots=True)
class Motion:
    """Where a robot is, or will be, and how it moves there."""

    pose: Final[Pose2D]
    twist: Final[Twist2D]

    def __init__(self, pose: Pose2D, twist: Twist2D) -> None:
        self.pose = pose
        self.twist = twist


@dataclass(init=False, unsafe_hash=True, slots=True)
class Outlook:
    """How a robot moves now, and will move when a command that is sent now begins to act.

    Parameters
    ----------
    now, then : how it moves, in the fleet's frame
    ahead_s : how far `then` lies ahead, >= 0
    period_s : for how long a command will be held, > 0
    lag_s : the time constant with which wheels will obey, >= 0
    """

    now: Final[Motion]
    then: Final[Motion]
    ahead_s: Final[float]
    period_s: Final[float]
    lag_s: Final[float]

    def __init__(self, now: Motion, then: Motion, ahead_s: float, period_s: float, lag_s: float) -> None:
        self.now = now
        self.then = then
        self.ahead_s = ahead_s
        self.period_s = period_s
        self.lag_s = lag_s


def at_once(now: Motion, period_s: float) -> Outlook:
    """Return the outlook of a robot whose wheels obey at once."""
    return Outlook(now, now, 0.0, period_s, 0.0)


@dataclass(frozen=True, slots=True)
class WheelResponse:
    """First-order lag between what a wheel is told and what it does; `lag_s` >= 0, 0 obeys at once."""

    lag_s: float

    def after(self, speed_mps: float, target_mps: float, duration_s: float) -> tuple[float, float]:
        """Return (speed in m/s, distance rolled in m) after `duration_s` >= 0 seconds at one target."""
        if self.lag_s <= 0.0:
            return target_mps, target_mps * duration_s
        decay = math.exp(-duration_s / self.lag_s)
        missing_mps = speed_mps - target_mps
        return target_mps + missing_mps * decay, target_mps * duration_s + missing_mps * self.lag_s * (1.0 - decay)


def motor_units(speeds: WheelSpeeds, wheels: WheelCalibration, dead_band_raw: int) -> tuple[int, int]:
    """Return the motor targets, left and right, nearest to wheel speeds.

    Motors do not turn below `dead_band_raw` units: there the nearer of standing and just turning is taken.
    """
    left_raw = speed_to_raw(speeds.left_mps, wheels.left_unit_mps)
    right_raw = speed_to_raw(speeds.right_mps, wheels.right_unit_mps)
    return _outside(left_raw, dead_band_raw), _outside(right_raw, dead_band_raw)


def unit_speeds(units_raw: tuple[int, int], wheels: WheelCalibration) -> WheelSpeeds:
    """Return the wheel speeds that motor targets stand for."""
    return WheelSpeeds(units_raw[0] * wheels.left_unit_mps, units_raw[1] * wheels.right_unit_mps)


class Actuation:
    """Knows what one robot's wheels were told and therefore do; learns how late they do it.

    Parameters
    ----------
    drive : the robot's drive
    config : latency to begin with, lag, and whether the latency is learned
    """

    def __init__(self, drive: Drive, config: ActuationConfig) -> None:
        self._drive = drive
        self._config = config
        self._response = WheelResponse(config.lag_s)
        self._latency_s = config.latency_s
        self._variance_s2 = _LATENCY_STD_S**2
        self._sent_ns: list[int] = []
        self._sent: list[WheelSpeeds] = []
        self._speeds = HALT
        self._modelled_ns: int | None = None

    @property
    def lag_s(self) -> float:
        """Time constant of the motors."""
        return self._config.lag_s

    @property
    def latency_s(self) -> float:
        """How long after it was sent a command begins to act, as far as is known."""
        return self._latency_s

    @property
    def latency_std_s(self) -> float:
        """Standard deviation of the latency."""
        return math.sqrt(self._variance_s2)

    def on_sent(self, speeds: WheelSpeeds, now_ns: int) -> None:
        """Take in what the wheels were told; repetitions need not be told."""
        if self._sent and self._sent[-1] == speeds:
            return
        self._sent_ns.append(now_ns)
        self._sent.append(speeds)

    def on_wheels(self, left_m: float, right_m: float, duration_s: float, stamp_ns: int) -> None:
        """Take in what each wheel rolled, in metres, during the `duration_s` seconds before `stamp_ns`."""
        before_ns, before = self._modelled_ns, self._speeds
        if before_ns is None:
            before_ns = stamp_ns - round(duration_s * 1e9)
        if stamp_ns <= before_ns:
            return
        modelled_left_m = modelled_right_m = 0.0
        for chunk_s, target in self._told(before_ns, stamp_ns):
            self._speeds, left, right = self._rolled(self._speeds, target, chunk_s)
            modelled_left_m, modelled_right_m = modelled_left_m + left, modelled_right_m + right
        self._modelled_ns = stamp_ns
        stretch = duration_s / ((stamp_ns - before_ns) * 1e-9)  # the robot's clock against the one of the stamps
        if self._config.learns_latency and abs(stretch - 1.0) < _GAP:
            self._learn(left_m - stretch * modelled_left_m, before.left_mps - self._speeds.left_mps)
            self._learn(right_m - stretch * modelled_right_m, before.right_mps - self._speeds.right_mps)
        self._forget()

    def restart(self, now_ns: int) -> None:
        """Forget what was sent: the robot stands still."""
        self._sent_ns.clear()
        self._sent.clear()
        self._speeds = HALT
        self._modelled_ns = now_ns

    def predict(self, pose: Pose2D, stamp_ns: int, until_ns: int) -> Motion:
        """Return where a robot that was at `pose` at `stamp_ns` is at `until_ns`, and how it moves then.

        The latest report of the wheels is taken to be not later than `stamp_ns`.
        """
        speeds = self._speeds
        for chunk_s, target in self._told(min(self._modelled_ns or stamp_ns, stamp_ns), stamp_ns):
            speeds, _, _ = self._rolled(speeds, target, chunk_s)
        for chunk_s, target in self._told(stamp_ns, until_ns):
            speeds, left_m, right_m = self._rolled(speeds, target, chunk_s)
            pose = self._drive.advance(pose, left_m, right_m)
        return Motion(pose, self._drive.twist(speeds))

    def acts_ns(self, now_ns: int) -> int:
        """Return when a command that is sent now will begin to act."""
        return now_ns + self._latency_ns

    @property
    def _latency_ns(self) -> int:
        return round(self._latency_s * 1e9)

    def _rolled(self, speeds: WheelSpeeds, target: WheelSpeeds, duration_s: float) -> tuple[WheelSpeeds, float, float]:
        left_mps, left_m = self._response.after(speeds.left_mps, target.left_mps, duration_s)
        right_mps, right_m = self._response.after(speeds.right_mps, target.right_mps, duration_s)
        return WheelSpeeds(left_mps, right_mps), left_m, right_m

    def _told(self, from_ns: int, until_ns: int) -> Iterator[tuple[float, WheelSpeeds]]:
        """Yield (seconds, what the wheels then obey) from one instant to another, in order."""
        index = bisect_right(self._sent_ns, from_ns - self._latency_ns)
        while from_ns < until_ns:
            target = self._sent[index - 1] if index else HALT
            next_ns = self._sent_ns[index] + self._latency_ns if index < len(self._sent) else until_ns
            end_ns = min(next_ns, until_ns)
            yield (end_ns - from_ns) * 1e-9, target
            from_ns, index = end_ns, index + 1

    def _learn(self, residual_m: float, slowing_mps: float) -> None:
        """Correct the latency by one wheel that rolled `residual_m` more than modelled while it slowed down."""
        if abs(slowing_mps) < _TELLING_MPS:
            return
        variance_m2 = slowing_mps**2 * self._variance_s2 + _TRAVEL_STD_M**2
        if residual_m**2 > _BLOCKED_STDS**2 * variance_m2:
            return
        gain = self._variance_s2 * slowing_mps / variance_m2
        self._latency_s = min(_LATENCY_MAX_S, max(0.0, self._latency_s + gain * residual_m))
        self._variance_s2 += _LATENCY_DRIFT_S**2 - gain * slowing_mps * self._variance_s2

    def _forget(self) -> None:
        """Drop commands that can no longer matter, however late they act."""
        oldest_ns = (self._modelled_ns or 0) - round(2e9 * _LATENCY_MAX_S)
        kept = max(0, bisect_right(self._sent_ns, oldest_ns) - 1)
        del self._sent_ns[:kept], self._sent[:kept]


def _outside(units_raw: int, dead_band_raw: int) -> int:
    if units_raw == 0 or abs(units_raw) >= dead_band_raw:
        return units_raw
    return 0 if 2 * abs(units_raw) < dead_band_raw else int(math.copysign(dead_band_raw, units_raw))
