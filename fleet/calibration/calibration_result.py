"""The result of a finished procedure: the robot's new entry in the calibration file, in words, and as charts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from aseba_link.thymio.sensor_events import PROXIMITY_POSES, ProximityCalibration
from fleet.calibration.chart import Chart, Series
from fleet.calibration.line_run import LineRun
from fleet.calibration.pose_run import PoseRun
from fleet.calibration.proximity_fit import readings
from fleet.calibration.wall_run import WallRun
from fleet.calibration.wheel_fit import MAX_ARC_RAD, Stretch, excess_by_speed, misses
from fleet.wheels.robot_calibration import Record, RobotCalibration, WheelCalibration

_BEFORE, _AFTER = "before", "after"


@dataclass(frozen=True, slots=True)
class CalibrationResult:
    """A robot's entry updated by a measurement, with human-readable lines and charts."""

    robot: RobotCalibration
    lines: tuple[str, ...]
    charts: tuple[Chart, ...]


def poses_result(run: PoseRun, robot: RobotCalibration, before: WheelCalibration, date: str) -> CalibrationResult:
    """Return the result of straights and turns with a pose source; raises CalibrationError if they disagree."""
    fit = run.fit()
    record = Record(date, f"poses, {len(run.stretches)} stretches", fit.residual_m)
    excess = excess_by_speed(run.stretches, fit.wheels)
    by_speed = ", ".join(f"{speed_raw} motor units: {share:+.2%}" for speed_raw, share in excess.items())
    lines = (
        *_wheel_lines(before, fit.wheels, fit.deviation),
        f"residual of the fit: {1000.0 * fit.residual_m:.2f} mm",
        f"straights at {by_speed}",
    )
    charts = _stretch_charts(run.stretches, before, fit.wheels)
    return CalibrationResult(replace(robot, wheels=fit.wheels, wheels_record=record), lines, charts)


def line_result(run: LineRun, robot: RobotCalibration, before: WheelCalibration, date: str) -> CalibrationResult:
    """Return the result of turns over a line."""
    fit = run.fit()
    residual_m = math.tau * fit.turn_deviation * fit.wheels.axle_length_m
    record = Record(date, f"line, {len(run.turns)} turns", residual_m)
    lines = (
        *_wheel_lines(before, fit.wheels, None),
        f"whole turns differ by {360.0 * fit.turn_deviation:.2f} degrees",
    )
    numbers = list(range(1, len(run.turns) + 1))
    series = [
        Series(name, colour, numbers, run.turn_errors_deg(wheels))
        for colour, (name, wheels) in enumerate(((_BEFORE, before), (_AFTER, fit.wheels)))
    ]
    chart = Chart("Whole turns, as measured by the wheels", "turn", "error [degrees]", series)
    return CalibrationResult(replace(robot, wheels=fit.wheels, wheels_record=record), lines, (chart,))


def wall_result(run: WallRun, robot: RobotCalibration, date: str) -> CalibrationResult:
    """Return the result for proximity sensors at a wall; raises CalibrationError if a sensor did not detect it."""
    found, residual_m = run.fit()
    record = Record(date, f"wall, {len(run.samples)} readings", residual_m)
    lines = (
        *(f"{name}: from {fit.range_min_m:.3f} to {fit.range_max_m:.3f} m" for name, fit in found.items()),
        f"ranges are accurate to {1000.0 * residual_m:.1f} mm or better",
    )
    chart = Chart("A wall", "distance [m]", "reading [raw]", _sensor_series(run, found))
    proximity = {**robot.proximity, **found}
    return CalibrationResult(replace(robot, proximity=proximity, proximity_record=record), lines, (chart,))


def drift_m(before: WheelCalibration, after: WheelCalibration) -> float:
    """Return the leftward drift over a metre of a robot driven with `before` whose true wheels are `after` [m].

    Equal speeds v are commanded as v / unit; the wheel speeds then really differ by v (right / right - left / left),
    which over the axle length is the curvature k; after a metre the robot is off to the side by k / 2.
    """
    right, left = after.right_unit_mps / before.right_unit_mps, after.left_unit_mps / before.left_unit_mps
    return (right - left) / (0.5 * (right + left)) / after.axle_length_m / 2.0


def _wheel_lines(
    before: WheelCalibration, after: WheelCalibration, deviation: WheelCalibration | None
) -> tuple[str, ...]:
    def line(name: str, digits: int, was: float, now: float, deviation: float | None) -> str:
        text = "" if deviation is None else f" +- {1000.0 * deviation:.{digits}f}"
        return f"{name}: {1000.0 * now:.{digits}f}{text}, was {1000.0 * was:.{digits}f}"

    astray_m = drift_m(before, after)
    return (
        line("left wheel, mm/s per motor unit", 5, before.left_unit_mps, after.left_unit_mps, _left(deviation)),
        line("right wheel, mm/s per motor unit", 5, before.right_unit_mps, after.right_unit_mps, _right(deviation)),
        line("axle length, mm", 2, before.axle_length_m, after.axle_length_m, _axle(deviation)),
        f"with the old values, a metre straight ahead ended {1000.0 * abs(astray_m):.0f} mm to the "
        f"{'left' if astray_m > 0.0 else 'right'}",
    )


def _left(wheels: WheelCalibration | None) -> float | None:
    return None if wheels is None else wheels.left_unit_mps


def _right(wheels: WheelCalibration | None) -> float | None:
    return None if wheels is None else wheels.right_unit_mps


def _axle(wheels: WheelCalibration | None) -> float | None:
    return None if wheels is None else wheels.axle_length_m


def _stretch_charts(
    stretches: Sequence[Stretch], before: WheelCalibration, after: WheelCalibration
) -> tuple[Chart, ...]:
    ends, headings = [], []
    for colour, (name, wheels) in enumerate(((_BEFORE, before), (_AFTER, after))):
        missed = misses(stretches, wheels)
        straight = [
            miss
            for stretch, miss in zip(stretches, missed, strict=True)
            if abs(stretch.turned_rad(before)) <= MAX_ARC_RAD
        ]
        ends.append(Series(name, colour, [1000.0 * m.x_m for m in straight], [1000.0 * m.y_m for m in straight]))
        numbers = list(range(1, len(stretches) + 1))
        headings.append(Series(name, colour, numbers, [math.degrees(miss.heading_rad) for miss in missed]))
    return (
        Chart("Ends of the straights, relative to wheel odometry", "ahead [mm]", "to the left [mm]", ends),
        Chart("Headings of all stretches, relative to wheel odometry", "stretch", "error [degrees]", headings),
    )


def _sensor_series(run: WallRun, found: dict[str, ProximityCalibration]) -> list[Series]:
    series = []
    names = list(PROXIMITY_POSES)
    for colour, (name, fit) in enumerate(found.items()):
        distances_m = run.distances_m(PROXIMITY_POSES[name])
        read = [readings_raw[names.index(name)] for _, readings_raw in run.samples]
        curve_m = np.linspace(float(distances_m.min()), fit.range_max_m, 60)
        series += [
            Series(name, colour, distances_m.tolist(), read),
            Series("", colour, curve_m.tolist(), readings(fit, curve_m).tolist(), is_line=True),
        ]
    return series
