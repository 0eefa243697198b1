"""Estimates a robot's pose: wheel odometry, corrected by measured poses where a pose source tracks the robot.

Measured poses arrive later than wheel reports for the same time. The filter (`belief`) therefore stays at the time of
the latest measured pose, and later wheel reports wait in a log: each pose corrects the state at exactly its own time,
and the rest of the log leads from there to the current pose. A pose that is later than the latest wheel report waits
for the next one; if the wheels fall silent, it is used without.
"""

import math
from bisect import insort
from dataclasses import dataclass
from typing import Final

from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.localization.belief import Belief, Gains, Spread, first_belief
from fleet.localization.correction import Correction
from fleet.localization.pose_bounds import away_m, too_far_text
from fleet.localization.pose_quality import Estimate, Localization, PoseQuality, Rejection
from fleet.localization.slip_watch import SlipWatch
from fleet.localization.wheel_log import Roll, WheelLog
from fleet.settings.config import ArenaConfig, LocalizationConfig
from fleet.wheels.differential_drive import DifferentialDrive
from thymio_base.texts.bounds import FARTHEST_M

_HISTORY_S: Final = 1.0  # how old a measured pose may be
_FUTURE_S: Final = 0.1  # how far ahead a measured pose's clock may be
_PATIENCE_S: Final = 0.25  # how long a pose waits for the wheels, or ...
_PATIENCE_REPORTS: Final = 3.0  # ... this many of their periods
_NUDGES: Final = Spread(0.0003, 0.002)  # motion in a second that the wheels do not show: pushes, slip
_WHEELLESS: Final = Spread(0.05, 0.5)  # the same while no wheel reports arrive
_RATE_MEMORY: Final = 0.1  # weight of the latest interval in the rate of poses

_TRACKED: Final = Localization.TRACKED  # the two most common, looked up once because every tick uses them
_ODOMETRY: Final = Localization.ODOMETRY


@dataclass(init=False, slots=True)
class _Sample:
    stamp_ns: Final[int]
    pose: Final[Pose2D]

    def __init__(self, stamp_ns: int, pose: Pose2D) -> None:
        self.stamp_ns = stamp_ns
        self.pose = pose


class PoseEstimator:
    """Estimates one robot's pose and the gains of its wheels.

    Parameters
    ----------
    drive : the robot's drive, as configured or calibrated
    initial_pose : the robot's pose at the start, in the fleet's frame; only used without a pose source
    has_source : whether a pose source is configured
    config : noise of measured poses, and bounds for outliers
    learns_gains : whether measured poses also correct the wheel gains
    arena : area where robots drive; measured poses far outside it, or without it far from the origin, are rejected
    """

    def __init__(
        self,
        drive: DifferentialDrive,
        initial_pose: Pose2D,
        has_source: bool,
        config: LocalizationConfig,
        learns_gains: bool = True,
        *,
        arena: ArenaConfig | None = None,
    ) -> None:
        self._drive = drive
        self._has_source = has_source
        self._degraded_s, self._lost_s = config.degraded_s, config.lost_s
        self._history_ns = int((_HISTORY_S if has_source else 0.0) * 1e9)
        self._arena = arena
        self._correction = Correction(config)
        self._belief = first_belief(initial_pose, learns_gains and has_source)
        self._believed_ns: int | None = None  # the time of the belief ...
        self._log = WheelLog()  # ... and what the wheels reported after it
        self._reported_until_ns: int | None = None  # the wheels are known up to here
        self._period_s = 0.0
        self._odometry = Pose2D(0.0, 0.0, 0.0)
        self._twist = STILL
        self._waiting: list[_Sample] = []  # poses of times that the wheels have not reported yet
        self._processed_ns: int | None = None  # the latest pose, used or not
        self._used_ns: int | None = None  # the latest pose that was used
        self._rolled_m = 0.0  # by both wheels since then
        self._slip_watch = SlipWatch(drive)
        self._interval_s: float | None = None
        self._rejected: dict[Rejection, int] = {}
        self._outliers = 0  # rejected as outliers
        self._refusal: Rejection | None = None  # why the latest pose was not used
        self._refusal_detail = ""

    @property
    def twist(self) -> Twist2D:
        """The latest body velocity reported by the wheels."""
        return self._twist

    @property
    def odometry(self) -> Pose2D:
        """The pose in the odometry frame, which never jumps."""
        return self._odometry

    @property
    def odom_in_map(self) -> Pose2D:
        """The pose of the odometry frame in the fleet's frame; every measured pose moves it."""
        return self._pose().compose(self._odometry.inverse())

    @property
    def gains(self) -> Gains:
        """Estimated ratio of true to reported travel of each wheel."""
        return self._belief.gains

    @property
    def gain_stds(self) -> Gains:
        """Standard deviations of the gains."""
        return self._belief.gain_stds

    @property
    def slipping_pose(self) -> Pose2D | None:
        """Pose of the robot if its wheels slip; None without a pose source, or while nothing suggests slip."""
        return self._slip_watch.pose(self._unused_rolls_m) if self._has_source else None

    @property
    def least_turned_rad(self) -> float | None:
        """Its heading [rad] if its wheels have slipped since the latest pose, suspected or not; None without one."""
        least = self._slip_watch.rolled_least(self._unused_rolls_m) if self._has_source else None
        return None if least is None else least.heading_rad

    @property
    def _unused_rolls_m(self) -> list[tuple[float, float]]:
        return [(roll.left_m, roll.right_m) for roll in self._log.rolls]

    def on_wheels(self, left_m: float, right_m: float, duration_s: float, stamp_ns: int) -> None:
        """Process the reported wheel travel, in metres as calibrated, of the `duration_s` seconds before `stamp_ns`."""
        gains, from_ns = self.gains, self._reported_until_ns
        self._move_odometry(gains.left * left_m, gains.right * right_m, duration_s)
        self._remember(Roll(stamp_ns if from_ns is None else from_ns, stamp_ns, left_m, right_m))
        self._period_s = duration_s
        self._note_report(stamp_ns)

    def restart_odometry(self, stamp_ns: int) -> None:
        """Start a new series of wheel readings: the robot is where it was, at rest."""
        self._twist = STILL
        self._note_report(stamp_ns)

    def on_pose(self, measured: Pose2D, stamp_ns: int, now_ns: int) -> Rejection | None:
        """Process a pose that the pose source measured at `stamp_ns`.

        Return why this pose, or one that was waiting, is rejected; None if all are used or still wait.
        """
        rejection = self._objection(measured, stamp_ns, now_ns)
        if rejection is not None:
            self.refuse(rejection, too_far_text(measured, self._arena) if rejection is Rejection.TOO_FAR else "")
            return rejection
        outliers = self._outliers
        if self._waiting and self._waiting[-1].stamp_ns > stamp_ns:
            insort(self._waiting, _Sample(stamp_ns, measured), key=_stamp_ns)
        else:
            self._waiting.append(_Sample(stamp_ns, measured))
        self._settle(now_ns)
        return Rejection.OUTLIER if self._outliers > outliers else None

    def refuse(self, rejection: Rejection, detail: str = "") -> None:
        """Count a rejected pose; `detail` gives the values behind the reason."""
        self._rejected[rejection] = self._rejected.get(rejection, 0) + 1
        self._refusal, self._refusal_detail = rejection, detail

    def estimate(self) -> Estimate | None:
        """Return the latest pose; None before the first report."""
        latest_ns = self._used_ns if self._has_source else self._reported_until_ns
        return (
            None if latest_ns is None else Estimate(self._pose(), max(latest_ns, self._reported_until_ns or latest_ns))
        )

    def localization(self, now_ns: int) -> Localization:
        """Return how well the pose is known at `now_ns`."""
        if not self._has_source:
            return Localization.UNKNOWN if self._reported_until_ns is None else _ODOMETRY
        if self._used_ns is None:
            return Localization.UNKNOWN
        silent_s = (now_ns - self._used_ns) * 1e-9
        if silent_s > self._lost_s:
            return Localization.LOST
        return Localization.DEGRADED if silent_s > self._degraded_s else _TRACKED

    def quality(self, now_ns: int) -> PoseQuality:
        """Return how well the pose is known at `now_ns`, in numbers."""
        age_s = None if self._used_ns is None else max(0.0, (now_ns - self._used_ns) * 1e-9)
        interval_s = max(self._interval_s or math.inf, age_s or 0.0)
        spread = None if self.estimate() is None else self._spread()
        return PoseQuality(
            self.localization(now_ns),
            spread,
            1.0 / interval_s,
            age_s,
            dict(self._rejected),
            self._refusal,
            self._refusal_detail,
        )

    # The wheels

    def _move_odometry(self, left_m: float, right_m: float, duration_s: float) -> None:
        self._odometry = self._drive.advance(self._odometry, left_m, right_m)
        if duration_s > 0.0:
            turned_rad = (right_m - left_m) / self._drive.axle_length_m
            self._twist = Twist2D(0.5 * (left_m + right_m) / duration_s, turned_rad / duration_s)

    def _remember(self, roll: Roll) -> None:
        """Log the part of a wheel report after the belief's time, which may lie within the report."""
        believed_ns = roll.from_ns if self._believed_ns is None else self._believed_ns
        if believed_ns <= roll.from_ns:
            self._log.add(roll)
        elif believed_ns < roll.until_ns:
            self._log.add(roll.split(believed_ns)[1])

    def _note_report(self, stamp_ns: int) -> None:
        self._reported_until_ns = stamp_ns
        self._settle(stamp_ns)
        self._roll_until(stamp_ns - self._history_ns)

    def _roll_until(self, stamp_ns: int) -> None:
        """Advance the belief to an instant, if that is later."""
        if self._believed_ns is not None and stamp_ns <= self._believed_ns:
            return
        for roll in self._log.pop_until(stamp_ns):
            self._belief = self._belief.rolled(self._drive, roll.left_m, roll.right_m, self._correction.noise_scale)
            self._rolled_m += roll.rolled_m
            self._slip_watch.note_roll(roll.left_m, roll.right_m)
        self._believed_ns = stamp_ns

    def _pose(self) -> Pose2D:
        """Return the pose at the time of the latest wheel report."""
        pose, gains = self._belief.pose, self.gains
        for roll in self._log.rolls:
            pose = self._drive.advance(pose, gains.left * roll.left_m, gains.right * roll.right_m)
        return pose

    def _spread(self) -> Spread:
        belief = self._belief
        for roll in self._log.rolls:
            belief = belief.rolled(self._drive, roll.left_m, roll.right_m, self._correction.noise_scale)
        return belief.spread

    # Measured poses

    def _objection(self, measured: Pose2D, stamp_ns: int, now_ns: int) -> Rejection | None:
        if away_m(measured, self._arena) > FARTHEST_M:
            return Rejection.TOO_FAR
        age_s = (now_ns - stamp_ns) * 1e-9
        if age_s < -_FUTURE_S:
            return Rejection.FUTURE
        if age_s > _HISTORY_S:
            return Rejection.TOO_OLD
        for sample in self._waiting:
            if sample.stamp_ns == stamp_ns:
                return Rejection.DUPLICATE
        if self._processed_ns is None or stamp_ns > self._processed_ns:
            return None
        return Rejection.DUPLICATE if stamp_ns == self._processed_ns else Rejection.OUT_OF_ORDER

    def _settle(self, now_ns: int) -> None:
        """Use every waiting pose for which the wheels are known, or all poses if the wheels are silent."""
        if not self._waiting:
            return
        until_ns = self._reported_until_ns
        if until_ns is None or (now_ns - until_ns) * 1e-9 > max(_PATIENCE_S, _PATIENCE_REPORTS * self._period_s):
            until_ns = now_ns + int(_FUTURE_S * 1e9)
        while self._waiting and self._waiting[0].stamp_ns <= until_ns:
            sample = self._waiting.pop(0)
            self._process(sample.pose, sample.stamp_ns)

    def _process(self, measured: Pose2D, stamp_ns: int) -> None:
        self._advance_to(stamp_ns)
        self._processed_ns = stamp_ns
        if self._used_ns is None:
            after: Belief | None = self._correction.first(self._belief, measured)
        else:
            after = self._correction.correct(self._belief, measured, self._rolled_m)
        if after is None:
            self._outliers += 1
            self.refuse(Rejection.OUTLIER)
            return
        self._belief = after
        self._slip_watch.note_pose(measured, after.pose, stamp_ns)
        self._note_use(stamp_ns)

    def _advance_to(self, stamp_ns: int) -> None:
        """Advance the belief to the time of a pose, with the known wheel travel and some motion beyond it."""
        before_ns, reported_until_ns = self._believed_ns, self._reported_until_ns
        self._roll_until(stamp_ns)
        if before_ns is None:
            return
        self._inflate(_NUDGES, stamp_ns - (self._processed_ns or before_ns))
        if reported_until_ns is None or reported_until_ns < stamp_ns:
            self._inflate(_WHEELLESS, stamp_ns - max(before_ns, reported_until_ns or before_ns))

    def _inflate(self, per_root_s: Spread, duration_ns: int) -> None:
        if duration_ns <= 0:
            return
        roots = math.sqrt(duration_ns * 1e-9)
        self._belief = self._belief.inflated(Spread(roots * per_root_s.position_m, roots * per_root_s.heading_rad))

    def _note_use(self, stamp_ns: int) -> None:
        if self._used_ns is not None:
            interval_s = (stamp_ns - self._used_ns) * 1e-9
            before_s = interval_s if self._interval_s is None else self._interval_s
            self._interval_s = before_s + _RATE_MEMORY * (interval_s - before_s)
        self._refusal = None
        self._used_ns = stamp_ns
        self._rolled_m = 0.0


def _stamp_ns(sample: _Sample) -> int:
    return sample.stamp_ns
