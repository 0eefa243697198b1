"""The drift of robots on odometry alone, before and after calibration."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aseba_link.thymio.events import Event
from experiments.control_study.pilot import Targets
from experiments.control_study.plant import LEVELS, Plant, PlantSample
from experiments.control_study.plant_run import drive
from experiments.control_study.study_laws import default_law_under_test
from experiments.control_study.tracking_trials import Trial, fleet_pilots, follow, summary
from fleet.calibration.pose_run import PoseRun
from fleet.geometry import Pose2D
from fleet.settings.config import ArenaConfig, FleetConfig
from fleet.wheels.robot_calibration import WheelCalibration

LAPS = 10
_LEVEL = LEVELS[0]
_AREA = ArenaConfig(-2.0, -2.0, 2.0, 2.0)
_CALIBRATION_LIMIT_S = 600.0
_START = Pose2D(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class DriftRow:
    """The worst robot's distance from its reference on the square, on odometry alone."""

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
        """Whether all measurements are done."""
        return self.run.is_done

    def on_report(self, words: Sequence[int], now_ns: int) -> None:
        """Process the words of an odometry event."""
        self.run.on_event(Event.ODOMETRY, words, now_ns)

    def on_sample(self, sample: PlantSample, now_ns: int) -> None:
        """Process a motion-capture measurement."""
        self.run.on_pose(sample.pose, sample.stamp_ns)

    def step(self, now_ns: int) -> Targets:
        """Return the present motor targets."""
        return self.run.step(now_ns)


def measure_drift(seeds: int, laps: int = LAPS) -> list[DriftRow]:
    """Drive squares by odometry alone, with wheels as configured and as calibrated."""
    blind = _without_source(default_law_under_test().config)
    configured = [blind.robots[0].wheels] * seeds
    return [
        _row("configured", blind, configured, laps),
        _row("calibrated", blind, calibrated_wheels(seeds), laps),
    ]


def calibrated_wheels(seeds: int) -> list[WheelCalibration]:
    """Return the calibration result of each robot's wheels; raises CalibrationError if it fails."""
    guess = default_law_under_test().config.robots[0].wheels
    pilots = [CalibrationPilot(guess) for _ in range(seeds)]
    drive(Plant(_LEVEL, seeds, _START), pilots, _CALIBRATION_LIMIT_S)
    return [pilot.run.fit().wheels for pilot in pilots]


def _row(name: str, blind: FleetConfig, wheels: Sequence[WheelCalibration], laps: int) -> DriftRow:
    trial = Trial((replace(default_law_under_test(), config=blind),), "square", _LEVEL, len(wheels), laps)
    (driven,) = follow(trial, [fleet_pilots(trial, [_with_wheels(blind, each) for each in wheels])])
    drift_mm = summary(driven).time_max_mm
    if drift_mm is None:
        raise ValueError(f"{driven.law_under_test.name} has no reference in time from which robots could drift")
    return DriftRow(name, _LEVEL.mismatch, drift_mm, laps, len(wheels))


def _without_source(config: FleetConfig) -> FleetConfig:
    return replace(config, robots=(replace(config.robots[0], pose_topic=""),))


def _with_wheels(config: FleetConfig, wheels: WheelCalibration) -> FleetConfig:
    return replace(config, robots=(replace(config.robots[0], wheels=wheels),))
