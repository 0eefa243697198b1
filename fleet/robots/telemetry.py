"""One robot's reports, and the state estimated from them: its link, pose, motion and battery."""

from collections.abc import Sequence
from typing import Final

from aseba_link.thymio.events import (
    Event,
    WheelOdometry,
    battery_volts,
    decode_odometry,
    require_possible,
    require_size,
    wheel_travel,
)
from aseba_link.thymio.sensor_events import decode_proximity
from fleet.actuation.chassis import Chassis
from fleet.actuation.wheel_response import Motion, MotionForecast
from fleet.geometry import Pose2D, Twist2D
from fleet.localization.belief import Gains
from fleet.localization.odometer import Odometer, Odometry
from fleet.localization.pose_bounds import OUTSIDE_M, away_m, unit_advice
from fleet.localization.pose_estimator import PoseEstimator
from fleet.localization.pose_quality import Estimate, Localization, PoseQuality, Rejection
from fleet.localization.report_clock import ReportClock
from fleet.robots.battery import Battery
from fleet.robots.robot_status import LinkState
from fleet.settings.config import FleetConfig, RobotConfig
from fleet.settings.station_config import StationRole

_CONNECTED: Final = LinkState.CONNECTED  # these are looked up once because every tick uses them
_UNKNOWN: Final = Localization.UNKNOWN
_POSE_LOST: Final = Localization.LOST
_NOT_SEEN = "not seen yet"
_IN_CHARGER_M: Final = 0.05  # from the pose of a robot in a charger


class Telemetry:
    """Estimates a robot's state from its reports.

    Parameters
    ----------
    config : the robot's part of the configuration
    fleet : the configuration that all robots share
    chassis : learns from the reported wheels

    Attributes
    ----------
    battery : the battery's state
    link_text : why the robot cannot be reached, human-readable
    reported_ns : when the latest report arrived; None before the first one
    """

    def __init__(self, config: RobotConfig, fleet: FleetConfig, chassis: Chassis) -> None:
        self.battery = Battery(fleet.battery)
        self.link_text = _NOT_SEEN
        self.reported_ns: int | None = None
        self._stale_s = fleet.link.stale_s
        self._lost_grace_s = fleet.link.lost_grace_s
        self._period_s = 1.0 / fleet.rates.control_hz
        self._units = config.wheels.units
        self._chassis = chassis
        self._estimator = PoseEstimator(
            config.wheels.drive,
            config.initial_pose,
            bool(config.pose_topic),
            fleet.localization,
            fleet.actuation.learns_gains,
            arena=fleet.arena,
        )
        self._arena = fleet.arena
        self._has_source = bool(config.pose_topic)
        self._odometer = Odometer(config.wheels.axle_length_m) if fleet.driver.publish.needs_odometry else None
        self._chargers = [station.pose for station in fleet.stations if station.role is StationRole.CHARGE]
        self._proximity = config.calibration.proximity_calibrations
        self._proximity_raw: Sequence[int] | None = None
        self._is_ready = False
        self._odometry: WheelOdometry | None = None
        self._clock = ReportClock()
        self._read_ns: int | None = None  # when the latest reported wheels were read

    @property
    def estimate(self) -> Estimate | None:
        """The latest pose in the fleet's frame; None before the first report."""
        return self._estimator.estimate()

    @property
    def twist(self) -> Twist2D:
        """The latest reported velocity, in the robot's frame."""
        return self._estimator.twist

    @property
    def slipping_pose(self) -> Pose2D | None:
        """Its pose if its wheels slip; None while nothing suggests that."""
        return self._estimator.slipping_pose

    @property
    def least_turned_rad(self) -> float | None:
        """Its heading [rad] if its wheels have slipped since the latest pose, suspected or not; None without one."""
        return self._estimator.least_turned_rad

    @property
    def gain_stds(self) -> Gains:
        """Standard deviations of the wheels' gains."""
        return self._estimator.gain_stds

    @property
    def odometry(self) -> Odometry | None:
        """The latest wheel odometry; None before the first report, or if no driver topic needs it."""
        return None if self._odometer is None else self._odometer.latest

    def odom_in_map(self, now_ns: int) -> Pose2D | None:
        """Return the pose of the robot's odometry frame in the fleet's frame; None while unknown."""
        return None if self.has_no_pose(now_ns) else self._estimator.odom_in_map

    def localization(self, now_ns: int) -> Localization:
        """Return how well the pose is known."""
        return self._estimator.localization(now_ns)

    def pose_quality(self, now_ns: int) -> PoseQuality:
        """Return how well the pose is known, with counts of measured and rejected poses."""
        return self._estimator.quality(now_ns)

    def has_no_pose(self, now_ns: int) -> bool:
        """Whether the pose is unknown or lost."""
        localization = self.localization(now_ns)
        return localization is _UNKNOWN or localization is _POSE_LOST

    def link_state(self, now_ns: int) -> LinkState:
        """Return whether the robot can be reached."""
        if not self._is_ready or self.reported_ns is None:
            return LinkState.LOST
        silent_s = (now_ns - self.reported_ns) * 1e-9
        return _CONNECTED if silent_s <= self._stale_s else LinkState.STALE

    def may_report_again(self, now_ns: int) -> bool:
        """Whether a task can start: the robot reports, or its silence is too short to end a running task."""
        if self.link_state(now_ns) is LinkState.LOST or self.reported_ns is None:
            return False
        return (now_ns - self.reported_ns) * 1e-9 <= self._lost_grace_s

    def forecast(self, now_ns: int) -> MotionForecast | None:
        """Return the robot's current and future motion; None before its pose is known."""
        estimate = self._estimator.estimate()
        if estimate is None or self._read_ns is None:
            return None
        motion = Motion(estimate.pose, self._estimator.twist)
        return self._chassis.forecast(motion, self._read_ns, now_ns, self._period_s)

    def on_ready(self, now_ns: int) -> None:
        """Note that the robot runs our script, freshly started: its counters restart."""
        self._is_ready = True
        self._odometry = None
        self._estimator.restart_odometry(now_ns)
        self._chassis.restart(now_ns)
        self._clock.restart()
        self._read_ns = self.reported_ns = now_ns

    def on_lost(self, text: str) -> None:
        """Note that the robot is lost, or cannot run our script; `text` is human-readable."""
        self._is_ready = False
        self.link_text = text

    def on_odometry(self, args: Sequence[int], stamp_ns: int) -> None:
        """Process the words of an odometry event.

        Raises
        ------
        MessageError
            The words do not belong to an odometry event, or no wheel rolls that fast.
        """
        before, after = self._odometry, decode_odometry(args)
        self._odometry = after  # whatever it says: the next one is compared with it
        if before is not None:
            require_possible(before, after)
        self.reported_ns = stamp_ns
        if before is not None:
            travel = wheel_travel(before, after, self._units)
            read_ns = self._clock.read_ns(travel.duration_s, stamp_ns)
            self._read_ns = read_ns
            self._estimator.on_wheels(travel.left_m, travel.right_m, travel.duration_s, read_ns)
            self._chassis.gains = self._estimator.gains
            self._chassis.on_wheels(travel.left_m, travel.right_m, travel.duration_s, read_ns)
            self.battery.on_wheels(travel.left_m, travel.right_m, travel.duration_s)
            if self._odometer is not None:
                self._odometer.on_wheels(travel, self._estimator.odometry, self._estimator.twist, stamp_ns)

    def on_proximity(self, args: Sequence[int]) -> None:
        """Process the words of a proximity event.

        Raises
        ------
        MessageError
            The words do not belong to a proximity event.
        """
        require_size(Event.PROXIMITY, args)
        self._proximity_raw = args

    def take_ranges(self) -> tuple[float, ...] | None:
        """Return the latest ranges of the seven proximity sensors; None if none were reported since the last call."""
        reported_raw, self._proximity_raw = self._proximity_raw, None
        return None if reported_raw is None else decode_proximity(reported_raw, self._proximity)

    def on_battery(self, vbat_raw: Sequence[int], now_ns: int) -> None:
        """Process the two words of `_vbat`."""
        self.battery.on_voltage(battery_volts(vbat_raw), now_ns, is_in_charger=self._is_in_charger())

    def _is_in_charger(self) -> bool:
        estimate = self.estimate
        return estimate is not None and any(
            estimate.pose.distance_to(charger) < _IN_CHARGER_M for charger in self._chargers
        )

    def on_measured_pose(self, pose: Pose2D, stamp_ns: int, now_ns: int) -> Rejection | None:
        """Process a pose from the pose source; return why it is not used; None if it is."""
        return self._estimator.on_pose(pose, stamp_ns, now_ns)

    def refuse_pose(self, rejection: Rejection, detail: str) -> None:
        """Count a message of the pose source without a usable pose; `detail` gives its values."""
        self._estimator.refuse(rejection, detail)

    def outside_text(self, now_ns: int) -> str:
        """Return how far the robot is outside of the arena, and what to check; "" if it is inside or unknown."""
        estimate, arena = self.estimate, self._arena
        if estimate is None or arena is None or self.has_no_pose(now_ns):
            return ""
        outside_m = away_m(estimate.pose, arena)
        if outside_m <= OUTSIDE_M:
            return ""
        advice = f": {unit_advice(estimate.pose, arena)}" if self._has_source else ""
        return f"outside of the arena by {outside_m:.3g} m{advice}"
