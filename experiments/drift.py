"""How far robots drift that know nothing but what their wheels tell, before and after their calibration."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aseba_link.thymio import Event
from experiments.contender import default_contender
from experiments.pilot import Targets
from experiments.plant import LEVELS, Plant, Sample
from experiments.run import drive
from experiments.tracking import Heat, fleet_pilots, follow, summary
from fleet.calibrating.poses import PoseRun
from fleet.calibration import WheelCalibration
from fleet.config import ArenaConfig, FleetConfig
from fleet.geometry import Pose2D

LAPS = 10
_LEVEL = LEVELS[0]
_AREA = ArenaConfig(-2.0, -2.0, 2.0, 2.0)
_CALIBRATION_LIMIT_S = 600.0
_START = Pose2D(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class DriftRow:
    """How far the worst robot was from where it was meant to be on the square, by odometry alone."""

    wheels: str
    mismatch: float
    drift_mm: float
    laps: int
    seeds: int


class CalibrationPilot:
    """Measures a robot's wheels as `thymio-fleet calibrate` does."""

    control_hz = 100.0

    def __init__(self, guess: WheelCalibration) -> None:
        self.run = PoseRun(_AREA, guess)

    @property
    def is_done(self) -> bool:
        """Whether everything was measured."""
        return self.run.is_done

    def on_report(self, words: Sequence[int], now_ns: int) -> None:
        """Take in the words of an odometry event."""
        self.run.on_event(Event.ODOMETRY, words, now_ns)

    def on_sample(self, sample: Sample, now_ns: int) -> None:
        """Take in what motion capture measured."""
        self.run.on_pose(sample.pose, sample.stamp_ns)

    def step(self, now_ns: int) -> Targets:
        """Return what the motors are told now."""
        return self.run.step(now_ns)


def measure_drift(seeds: int, laps: int = LAPS) -> list[DriftRow]:
    """Drive squares by odometry alone, with wheels as configured and as calibrated."""
    blind = _without_source(default_contender().config)
    configured = [blind.robots[0].wheels] * seeds
    return [
        _row("configured", blind, configured, laps),
        _row("calibrated", blind, calibrated_wheels(seeds), laps),
    ]


def calibrated_wheels(seeds: int) -> list[WheelCalibration]:
    """Return what the calibration says of each robot's wheels; raises CalibrationError where it fails."""
    guess = default_contender().config.robots[0].wheels
    pilots = [CalibrationPilot(guess) for _ in range(seeds)]
    drive(Plant(_LEVEL, seeds, _START), pilots, _CALIBRATION_LIMIT_S)
    return [pilot.run.fit().wheels for pilot in pilots]


def _row(name: str, blind: FleetConfig, wheels: Sequence[WheelCalibration], laps: int) -> DriftRow:
    heat = Heat((replace(default_contender(), config=blind),), "square", _LEVEL, len(wheels), laps)
    (driven,) = follow(heat, [fleet_pilots(heat, [_with_wheels(blind, each) for each in wheels])])
    drift_mm = summary(driven).time_max_mm
    return DriftRow(name, _LEVEL.mismatch, drift_mm or 0.0, laps, len(wheels))


def _without_source(config: FleetConfig) -> FleetConfig:
    return replace(config, robots=(replace(config.robots[0], pose_topic=""),))


def _with_wheels(config: FleetConfig, wheels: WheelCalibration) -> FleetConfig:
    return replace(config, robots=(replace(config.robots[0], wheels=wheels),))
