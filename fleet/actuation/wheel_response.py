"""Model of the actuation: wheel speeds are whole motor units, respond after a latency, and follow with a lag.

A wheel that turns at w and is commanded u responds after the latency d, and then as a first-order lag tau:

    w'(t) = (u(t - d) - w(t)) / tau

While u is constant for h seconds, exactly: w(h) = u + (w - u) exp(-h / tau), and the wheel rolls
u h + (w - u) tau (1 - exp(-h / tau)).

`Actuation` replays the sent commands through this model. It thus predicts the robot's motion at the time when the next
command takes effect, which a control law needs (a Smith predictor without its plant model's feedback; Smith, Closer
control of loops with dead time, 1957). It learns d from the wheel reports: wheels that change speed later than the
model by delta roll less by delta times the change of speed, which is a linear regression on delta; its error is large
only if changes of speed are rare.
"""

import math
from dataclasses import dataclass
from typing import Final

from aseba_link.thymio.events import speed_to_raw
from fleet.control.tracker_config import ActuationConfig
from fleet.geometry import Pose2D, Twist2D
from fleet.wheels.differential_drive import HALT, DifferentialDrive, WheelSpeeds
from fleet.wheels.robot_calibration import WheelCalibration

_LATENCY_MAX_S: Final = 0.4
_LATENCY_STD_S: Final = 0.08  # of the configured latency
_LATENCY_DRIFT_S: Final = 3e-4  # possible change from one report to the next
_TRAVEL_STD_M: Final = 5e-4  # of reported wheel travel, mostly because the report's instant is uncertain by 5 ms
_INFORMATIVE_MPS: Final = 0.002  # smaller changes of speed between two reports are mostly rounding
_GAP: Final = 0.5  # reports whose durations disagree with their stamps by this much are not consecutive
_TOO_MANY: Final = 64  # commands to remember; some 16 can still matter
_BLOCKED_STDS: Final = 6.0  # a larger residual means that the wheel slips or is held, and is not informative either


@dataclass(init=False, unsafe_hash=True, slots=True)
class Motion:
    """A robot's current or future pose and twist."""

    pose: Final[Pose2D]
    twist: Final[Twist2D]

    def __init__(self, pose: Pose2D, twist: Twist2D) -> None:
        self.pose = pose
        self.twist = twist


@dataclass(init=False, unsafe_hash=True, slots=True)
class MotionForecast:
    """A robot's current motion, and its motion when a command sent now takes effect.

    Parameters
    ----------
    now, then : both motions, in the fleet's frame
    ahead_s : time from `now` to `then`, >= 0
    period_s : how long a command will be held, > 0
    lag_s : the time constant of the wheels' response, >= 0
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


def at_once(now: Motion, period_s: float) -> MotionForecast:
    """Return the forecast of a robot whose wheels respond at once."""
    return MotionForecast(now, now, 0.0, period_s, 0.0)


@dataclass(frozen=True, slots=True)
class WheelResponse:
    """First-order lag from commanded to actual wheel speed; `lag_s` >= 0, 0 obeys at once."""

    lag_s: float

    def after(self, speeds: WheelSpeeds, targets: WheelSpeeds, duration_s: float) -> tuple[WheelSpeeds, float, float]:
        """Return the speeds and the left and right wheel travel [m] after `duration_s` >= 0 at one target."""
        if self.lag_s <= 0.0:
            return targets, targets.left_mps * duration_s, targets.right_mps * duration_s
        decay = math.exp(-duration_s / self.lag_s)
        response_s = self.lag_s * (1.0 - decay)
        left_missing_mps = speeds.left_mps - targets.left_mps
        right_missing_mps = speeds.right_mps - targets.right_mps
        return (
            WheelSpeeds(targets.left_mps + left_missing_mps * decay, targets.right_mps + right_missing_mps * decay),
            targets.left_mps * duration_s + left_missing_mps * response_s,
            targets.right_mps * duration_s + right_missing_mps * response_s,
        )


def motor_units(speeds: WheelSpeeds, wheels: WheelCalibration, dead_band_raw: int) -> tuple[int, int]:
    """Return the motor targets, left and right, nearest to wheel speeds.

    Motors do not turn below `dead_band_raw` units: there, the nearer of 0 and that value is used.
    """
    left_raw = speed_to_raw(speeds.left_mps, wheels.left_unit_mps)
    right_raw = speed_to_raw(speeds.right_mps, wheels.right_unit_mps)
    return _outside(left_raw, dead_band_raw), _outside(right_raw, dead_band_raw)


def unit_speeds(units_raw: tuple[int, int], wheels: WheelCalibration) -> WheelSpeeds:
    """Return the wheel speeds that correspond to motor targets."""
    return WheelSpeeds(units_raw[0] * wheels.left_unit_mps, units_raw[1] * wheels.right_unit_mps)


@dataclass(init=False, slots=True)
class _Command:
    """Commanded wheel speeds, and the time of the command."""

    sent_ns: Final[int]
    speeds: Final[WheelSpeeds]

    def __init__(self, sent_ns: int, speeds: WheelSpeeds) -> None:
        self.sent_ns = sent_ns
        self.speeds = speeds


class Actuation:
    """Models one robot's wheels from the commands sent to them; learns their latency.

    Parameters
    ----------
    drive : the robot's drive
    config : initial latency, lag, and whether the latency is learned
    """

    def __init__(self, drive: DifferentialDrive, config: ActuationConfig) -> None:
        self._drive = drive
        self._learns_latency = config.learns_latency
        self._response = WheelResponse(config.lag_s)
        self._latency_s = config.latency_s
        self._variance_s2 = _LATENCY_STD_S**2
        self._sent: list[_Command] = []
        self._speeds = HALT
        self._modelled_ns: int | None = None

    @property
    def lag_s(self) -> float:
        """Time constant of the motors."""
        return self._response.lag_s

    @property
    def latency_s(self) -> float:
        """Estimated time from sending a command until it takes effect."""
        return self._latency_s

    @property
    def latency_std_s(self) -> float:
        """Standard deviation of the latency."""
        return math.sqrt(self._variance_s2)

    def on_sent(self, speeds: WheelSpeeds, now_ns: int) -> None:
        """Record the commanded wheel speeds; repetitions may be left out."""
        if self._sent:
            latest = self._sent[-1].speeds
            if latest.left_mps == speeds.left_mps and latest.right_mps == speeds.right_mps:
                return
        self._sent.append(_Command(now_ns, speeds))

    def on_wheels(self, left_m: float, right_m: float, duration_s: float, stamp_ns: int) -> None:
        """Process each wheel's travel, in metres, during the `duration_s` seconds before `stamp_ns`."""
        before = self._speeds
        before_ns = stamp_ns - int(duration_s * 1e9) if self._modelled_ns is None else self._modelled_ns
        if stamp_ns <= before_ns:
            return
        self._speeds, modelled_left_m, modelled_right_m = self._rolled(before, before_ns, stamp_ns)
        self._modelled_ns = stamp_ns
        clock_ratio = duration_s / ((stamp_ns - before_ns) * 1e-9)  # of the robot's clock against that of the stamps
        if self._learns_latency and abs(clock_ratio - 1.0) < _GAP:
            self._learn(left_m - clock_ratio * modelled_left_m, before.left_mps - self._speeds.left_mps)
            self._learn(right_m - clock_ratio * modelled_right_m, before.right_mps - self._speeds.right_mps)
        self._forget(stamp_ns)

    def restart(self, now_ns: int) -> None:
        """Forget all commands: the robot is at rest."""
        self._sent.clear()
        self._speeds = HALT
        self._modelled_ns = now_ns

    def predict(self, pose: Pose2D, stamp_ns: int, until_ns: int) -> Motion:
        """Return the motion at `until_ns` of a robot that was at `pose` at `stamp_ns`.

        The latest report of the wheels is assumed to be no later than `stamp_ns`.
        """
        speeds = self._speeds
        if self._modelled_ns is not None and self._modelled_ns < stamp_ns:
            speeds, _, _ = self._rolled(speeds, self._modelled_ns, stamp_ns)
        from_ns, index = stamp_ns, self._acting(stamp_ns)
        while from_ns < until_ns:
            end_ns = min(self._acts_until_ns(index, until_ns), until_ns)
            speeds, left_m, right_m = self._response.after(speeds, self._target(index), (end_ns - from_ns) * 1e-9)
            pose = self._drive.advance(pose, left_m, right_m)
            from_ns, index = end_ns, index + 1
        return Motion(pose, self._drive.twist(speeds))

    def acts_ns(self, now_ns: int) -> int:
        """Return when a command sent now will take effect."""
        return now_ns + self._latency_ns

    @property
    def _latency_ns(self) -> int:
        return int(self._latency_s * 1e9)

    def _rolled(self, speeds: WheelSpeeds, from_ns: int, until_ns: int) -> tuple[WheelSpeeds, float, float]:
        """Return the modelled speeds at `until_ns`, and each wheel's travel since `from_ns`, from the sent commands."""
        left_m = right_m = 0.0
        index = self._acting(from_ns)
        while from_ns < until_ns:
            end_ns = min(self._acts_until_ns(index, until_ns), until_ns)
            speeds, left, right = self._response.after(speeds, self._target(index), (end_ns - from_ns) * 1e-9)
            left_m, right_m = left_m + left, right_m + right
            from_ns, index = end_ns, index + 1
        return speeds, left_m, right_m

    def _acting(self, instant_ns: int) -> int:
        """Return how many commands had taken effect by a recent instant."""
        sent_ns = instant_ns - self._latency_ns
        index = len(self._sent)
        while index > 0 and self._sent[index - 1].sent_ns > sent_ns:
            index -= 1
        return index

    def _target(self, index: int) -> WheelSpeeds:
        """Return the target speeds in effect after `index` commands."""
        return self._sent[index - 1].speeds if index > 0 else HALT

    def _acts_until_ns(self, index: int, until_ns: int) -> int:
        """Return when the next command after `index` commands takes effect; `until_ns` if none was sent."""
        return self._sent[index].sent_ns + self._latency_ns if index < len(self._sent) else until_ns

    def _learn(self, residual_m: float, slowing_mps: float) -> None:
        """Correct the latency by one wheel that rolled `residual_m` more than modelled while it slowed down."""
        if abs(slowing_mps) < _INFORMATIVE_MPS:
            return
        variance_m2 = slowing_mps * slowing_mps * self._variance_s2 + _TRAVEL_STD_M * _TRAVEL_STD_M
        if residual_m * residual_m > _BLOCKED_STDS * _BLOCKED_STDS * variance_m2:
            return
        gain = self._variance_s2 * slowing_mps / variance_m2
        self._latency_s = min(_LATENCY_MAX_S, max(0.0, self._latency_s + gain * residual_m))
        self._variance_s2 += _LATENCY_DRIFT_S * _LATENCY_DRIFT_S - gain * slowing_mps * self._variance_s2

    def _forget(self, modelled_ns: int) -> None:
        """Drop old commands, which cannot matter whatever the latency, once there are many."""
        if len(self._sent) < _TOO_MANY:
            return
        oldest_ns = modelled_ns - int(2e9 * _LATENCY_MAX_S)
        while len(self._sent) > 1 and self._sent[1].sent_ns <= oldest_ns:
            self._sent.pop(0)


def _outside(units_raw: int, dead_band_raw: int) -> int:
    if units_raw == 0 or abs(units_raw) >= dead_band_raw:
        return units_raw
    return 0 if 2 * abs(units_raw) < dead_band_raw else int(math.copysign(dead_band_raw, units_raw))
