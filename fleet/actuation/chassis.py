"""One robot's wheels: their calibration, and corrections learned while driving."""

from dataclasses import dataclass
from typing import Final

from aseba_link.thymio.speed_rounder import SpeedRounder
from fleet.actuation.wheel_response import Actuation, Motion, MotionForecast, at_once, motor_units, unit_speeds
from fleet.control.tracker_config import ActuationConfig
from fleet.geometry import Twist2D
from fleet.localization.belief import Gains
from fleet.wheels.differential_drive import HALT, WheelSpeeds
from fleet.wheels.robot_calibration import WheelCalibration


@dataclass(init=False, slots=True)
class WheelCommand:
    """Wheel speeds on their way to a robot.

    Parameters
    ----------
    speeds : the requested wheel speeds
    nearest_raw : the nearest motor targets, left and right; equal targets make commands equal
    """

    speeds: Final[WheelSpeeds]
    nearest_raw: Final[tuple[int, int]]

    def __init__(self, speeds: WheelSpeeds, nearest_raw: tuple[int, int]) -> None:
        self.speeds = speeds
        self.nearest_raw = nearest_raw

    @property
    def moves(self) -> bool:
        """Whether a wheel turns."""
        return self.nearest_raw[0] != 0 or self.nearest_raw[1] != 0


REST: Final = WheelCommand(HALT, (0, 0))


class Chassis:
    """Converts twists to motor units and back, with a learned latency.

    The gains belong to the pose estimator. The chassis uses those of the latest report, so that a command's speeds, its
    motor units and the forecast agree between two reports.

    Parameters
    ----------
    wheels : the robot's wheels as configured or calibrated
    config : the actuation model, and whether the latency is learned

    Attributes
    ----------
    wheels : the wheels as currently known
    """

    def __init__(self, wheels: WheelCalibration, config: ActuationConfig) -> None:
        self._calibrated = wheels
        self._predicts = config.predicts
        self._dead_band_raw = config.dead_band_raw
        self._drive = wheels.drive
        self.actuation = Actuation(wheels.drive, config)
        self._gains = Gains()
        self.wheels = wheels
        self._rounder = SpeedRounder(wheels.units)

    @property
    def gains(self) -> Gains:
        """Assumed ratio of true to reported travel of each wheel."""
        return self._gains

    @gains.setter
    def gains(self, gains: Gains) -> None:
        if gains is self._gains:
            return
        self._gains = gains
        self.wheels = self._calibrated.scaled(gains.left, gains.right)
        self._drive = self.wheels.drive

    def command(self, twist: Twist2D) -> WheelCommand:
        """Return the wheel speeds of a twist; if one is too high, both are reduced to keep the curvature."""
        speeds = self._drive.wheel_speeds(twist)
        return WheelCommand(speeds, motor_units(speeds, self.wheels, self._dead_band_raw))

    def next_targets_raw(self, command: WheelCommand) -> tuple[int, int]:
        """Return the motor targets to send for a command; the next call compensates for each rounding error."""
        near_left, near_right = command.nearest_raw
        speeds, gains, dead_band_raw = command.speeds, self._gains, self._dead_band_raw
        left, right = self._rounder.next(speeds.left_mps / gains.left, speeds.right_mps / gains.right)
        return (
            near_left if -dead_band_raw <= near_left <= dead_band_raw else left,
            near_right if -dead_band_raw <= near_right <= dead_band_raw else right,
        )

    def on_sent(self, units_raw: tuple[int, int], now_ns: int) -> None:
        """Record the motor targets that were sent."""
        self.actuation.on_sent(unit_speeds(units_raw, self.wheels), now_ns)

    def on_wheels(self, left_m: float, right_m: float, duration_s: float, stamp_ns: int) -> None:
        """Process the reported wheel travel, as calibrated."""
        self.actuation.on_wheels(self._gains.left * left_m, self._gains.right * right_m, duration_s, stamp_ns)

    def restart(self, now_ns: int) -> None:
        """Start a new series of reports: the robot is at rest."""
        self.actuation.restart(now_ns)

    def forecast(self, now: Motion, stamp_ns: int, now_ns: int, period_s: float) -> MotionForecast:
        """Return the predicted motion of a robot last reported at `stamp_ns`, with commands held for `period_s`."""
        if not self._predicts:
            return at_once(now, period_s)
        acts_ns = self.actuation.acts_ns(now_ns)
        then = self.actuation.predict(now.pose, stamp_ns, acts_ns)
        return MotionForecast(now, then, (acts_ns - now_ns) * 1e-9, period_s, self.actuation.lag_s)
