"""The twin of a robot: simulator settings, with intervals, fitted to a report or a recorded run."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Final

import numpy as np

from aseba_link.thymio.battery_cell import RESISTANCE_OHM, charge_at
from experiments.twin.lag_fit import LagFit, fit_lag
from experiments.twin.motion_fit import HeadingWalk, MotionFit, fit_motion, heading_walk
from experiments.twin.recorded_run import RecordedRun, recorded_run
from experiments.twin.twin_error import TwinFitError
from fleet.bringup.bringup_report import BringupReport
from fleet.bringup.odometry_stage import KEPT_OUT, TWIN_RUN
from fleet.bringup.stage_result import BringupStage, StageResult
from simulator.errors import WorldError
from simulator.sensors.ground import DARKEST_RAW, MIDDLE_GRAY, RISE_RAW, STEEPNESS
from simulator.world.config import build_world
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import whole_number

ARENA_M: Final = 3.0
_FITTED: Final = 0.7  # share of a recorded run that is used for the fit
_ROUNDING: Final = 1.0 / 12.0  # variance of whole numbers
_CABLE_S: Final = 0.02  # simulated round trip without radio: one step of the world each way
_RADIO_S: Final = 0.03  # round trip above which there must be a radio
_LOSS: Final = 0.002
_FULL_HZ: Final = 190.0  # highest rate that the stage radio tries
_LARGEST_RAW: Final = 490.0
_BRAKE_S: Final = 0.35
_RESTING_A, _LOAD_A = 0.3, 0.2  # currents at rest, and of both motors at full speed; the world's defaults
_FIRMWARES: Final = (14, 13, 12, 9)
_NOMINAL_MS: Final = 10.0


@dataclass(frozen=True, slots=True)
class FittedSetting:
    """A setting of the simulator: key, value, half width of its 95 % interval, and source."""

    key: tuple[str, ...]
    value: Any
    interval: float = math.nan
    source: str = ""


@dataclass(frozen=True, slots=True)
class TwinFit:
    """The settings of a twin, its motion fit, and the run that was held out of the fit, if any."""

    estimates: tuple[FittedSetting, ...]
    motion: MotionFit
    dead_band_raw: int
    kept_out: RecordedRun | None

    def world(self) -> dict[str, Any]:
        """Return the keys of a world with only this robot, in the middle of the floor.

        Raises
        ------
        TwinFitError
            A number is outside the range that the simulator allows.
        """
        middle_m = 0.5 * ARENA_M
        robot: dict[str, Any] = {"node_id": 1, "x_m": middle_m, "y_m": middle_m, "hardware": {}}
        world: dict[str, Any] = {"arena": {"width_m": ARENA_M, "height_m": ARENA_M}, "robots": [robot]}
        for estimate in self.estimates:
            place = world
            for part in estimate.key[:-1]:
                place = robot if part == "robot" else place.setdefault(part, {})
            place[estimate.key[-1]] = estimate.value
        try:
            build_world(world)
        except WorldError as error:
            raise TwinFitError(f"the simulator has no such robot: {error}") from error
        return world


def twin_of_run(name: str, run: RecordedRun) -> TwinFit:
    """Return the twin of a recorded run; about the last third of the run is held out."""
    fitted, kept_out = run.split(_FITTED)
    motion = fit_motion(name, fitted)
    estimates = _motion_estimates(motion, None, None)
    estimates += _speed_noise([motion.walk, heading_walk(name, kept_out, motion.model, 0)])
    return TwinFit(tuple(estimates), motion, 0, kept_out)


def twin_of_report(name: str, report: BringupReport) -> TwinFit:
    """Return the twin of a bring-up report.

    Raises
    ------
    TwinFitError
        A necessary stage is missing; the message names it.
    """
    odometry, wheels = (report.result(stage) for stage in (BringupStage.ODOMETRY, BringupStage.WHEELS))
    run = _run(name, odometry, TWIN_RUN)
    if odometry is None or run is None:
        raise TwinFitError(f"{name}: the stage odometry has no poses; run `thymio-fleet bringup` with --robot")
    dead_band_raw = _dead_band_raw(wheels)
    lag = None if wheels is None else _lag(wheels, dead_band_raw)
    motion = fit_motion(name, run, dead_band_raw)
    estimates = _motion_estimates(motion, lag, wheels)
    kept_out = _run(name, odometry, KEPT_OUT)
    if kept_out is not None:
        estimates += _speed_noise([heading_walk(name, kept_out, motion.model, dead_band_raw)])
    for stage, found in _FOUND:
        result = report.result(stage)
        estimates += list(found(result)) if result is not None else []
    estimates = _without_radio_delay(estimates)
    estimates += _identity(report)
    return TwinFit(tuple(estimates), motion, dead_band_raw, kept_out)


def _run(name: str, result: StageResult | None, kind: str) -> RecordedRun | None:
    if result is None:
        return None
    commands = result.series.get(f"{kind} commands [s, left, right]", [])
    poses = result.series.get(f"{kind} poses [s, x, y, heading]", [])
    return recorded_run(f"{name}: {kind}", commands, poses) if poses else None


def _lag(wheels: StageResult, dead_band_raw: int) -> LagFit | None:
    series = wheels.series
    return fit_lag(
        series.get("commands [s, left, right]", []), series.get("wheels [s, ticks, left, right]", []), dead_band_raw
    )


def _motion_estimates(motion: MotionFit, lag: LagFit | None, wheels: StageResult | None) -> list[FittedSetting]:
    model, deviation, poses = motion.model, motion.deviations, "poses"
    found = [
        FittedSetting(("robot", "left_wheel_gain"), round(model.left_gain, 5), 2.0 * deviation.left_gain, poses),
        FittedSetting(("robot", "right_wheel_gain"), round(model.right_gain, 5), 2.0 * deviation.right_gain, poses),
        FittedSetting(("robot", "axle_m"), round(model.axle_m, 5), 2.0 * deviation.axle_m, poses),
        FittedSetting(("motion_capture", "rate_hz"), round(min(motion.pose_rate_hz, 100.0), 2), source=poses),
        FittedSetting(("motion_capture", "position_noise_m"), round(motion.position_noise_m, 5), source=poses),
        FittedSetting(("motion_capture", "heading_noise_rad"), round(motion.heading_noise_rad, 5), source=poses),
        FittedSetting(("motion_capture", "marker_x_m"), round(model.marker_x_m, 4), 2.0 * deviation.marker_x_m, poses),
        FittedSetting(
            ("motion_capture", "latency_s"), round(max(model.delay_s, 0.0), 3), 2.0 * deviation.delay_s, poses
        ),
    ]
    constant = (model.time_constant_s, deviation.time_constant_s, poses)
    if lag is not None:
        constant = (lag.time_constant_s, lag.deviation_s, "wheels in the air")
        for side, gain, spread in zip(("left", "right"), lag.motor_gains, lag.gain_deviations, strict=True):
            if abs(gain - 1.0) > max(0.02, 3.0 * spread):
                key = ("robot", "hardware", f"{side}_motor_gain")
                found.append(FittedSetting(key, round(gain, 4), 2.0 * spread, "wheels in the air"))
    found.append(FittedSetting(("motors", "time_constant_s"), round(constant[0], 4), 2.0 * constant[1], constant[2]))
    return [*found, *(_wheel_estimates(wheels) if wheels is not None else ())]


def _speed_noise(walks: Sequence[HeadingWalk]) -> list[FittedSetting]:
    total = HeadingWalk(*(sum(numbers) for numbers in zip(*map(astuple, walks), strict=True)))
    spread, deviation = total.speed_noise
    if not math.isfinite(spread):
        return []
    return [FittedSetting(("motors", "speed_noise"), round(min(spread, 0.5), 4), 2.0 * deviation, "heading")]


def _dead_band_raw(wheels: StageResult | None) -> int:
    """Return the dead band measured in the stage wheels; 0 if every target from 1 turns a wheel."""
    band = math.nan if wheels is None else _measured(wheels, "dead band")
    return int(band) if math.isfinite(band) and band > 1.0 else 0


def _wheel_estimates(wheels: StageResult) -> Iterator[FittedSetting]:
    if math.isfinite(_measured(wheels, "dead band")):
        yield FittedSetting(
            ("motors", "dead_band_raw"), min(_dead_band_raw(wheels), 500), 1.0, "slow wheels in the air"
        )
    rows = [row for row in wheels.series.get("noise [units, differences]", []) if len(row) == 2]
    differences = sum(row[1] for row in rows)
    if differences > 0.0:
        variance = sum(row[1] * row[0] ** 2 for row in rows) / differences
        noise = math.sqrt(max(variance - _ROUNDING, 0.0))
        interval = 2.0 * math.sqrt(1.5 / differences) * noise  # neighbouring differences share a reading
        yield FittedSetting(("motors", "reading_noise_raw"), round(min(noise, 100.0), 2), interval, "wheels in the air")
    largest = _measured(wheels, "largest speed")
    if largest < _LARGEST_RAW:
        yield FittedSetting(("robot", "hardware", "max_speed_raw"), round(largest), source="wheels in the air")
    roll_on_s = _measured(wheels, "roll-on after a stop")
    if math.isfinite(roll_on_s) and roll_on_s > _BRAKE_S:
        yield FittedSetting(("robot", "hardware", "hold_target_s"), round(roll_on_s, 2), source="roll-on")
    sag_v = _measured(wheels, "voltage drop under load") - RESISTANCE_OHM * _LOAD_A
    if sag_v > 0.02:
        yield FittedSetting(
            ("robot", "hardware", "battery_ohm"), round(sag_v / _LOAD_A, 2), source="voltage under load"
        )


def _radio(result: StageResult) -> Iterator[FittedSetting]:
    period_ms = _measured(result, "motor period")
    if period_ms > _NOMINAL_MS + 0.05:
        yield FittedSetting(("robot", "hardware", "motor_period_s"), round(1e-3 * period_ms, 5), source="clock")
    trips = np.array([row[0] for row in result.series.get("round trips [s]", []) if len(row) == 1])
    if len(trips) < 2:
        return
    loss = 0.01 * _measured(result, "lost reports")
    capacity_hz = _measured(result, "capacity")
    if float(np.median(trips)) < _RADIO_S and not loss > _LOSS:
        return  # a cable
    source = "round trips"
    jitter_s = math.sqrt(6.0 * float(np.var(trips)))  # a round trip has two uniform delays
    yield FittedSetting(("radio", "enabled"), value=True, source=source)
    yield FittedSetting(("radio", "jitter_s"), round(jitter_s, 4), source=source)
    latency_s = 0.5 * (float(np.mean(trips)) - _CABLE_S - jitter_s)
    interval_s = float(np.std(trips)) / math.sqrt(len(trips))
    yield FittedSetting(("radio", "latency_s"), round(max(latency_s, 0.0), 4), interval_s, source)
    if math.isfinite(loss):
        yield FittedSetting(("radio", "loss"), round(loss, 4), source="reports by the robot's clock")
    if 0.0 < capacity_hz < _FULL_HZ:
        yield FittedSetting(("radio", "bandwidth_messages_per_s"), round(capacity_hz), source="rising rates")


def _without_radio_delay(estimates: list[FittedSetting]) -> list[FittedSetting]:
    """Return the estimates with the radio delay of commands subtracted from the delay of poses."""
    values = {estimate.key: estimate.value for estimate in estimates}
    radio_s = values.get(("radio", "latency_s"), 0.0) + 0.5 * values.get(("radio", "jitter_s"), 0.0)
    return [
        replace(estimate, value=round(max(estimate.value - radio_s, 0.0), 3))
        if estimate.key == ("motion_capture", "latency_s")
        else estimate
        for estimate in estimates
    ]


def _sensors(result: StageResult) -> Iterator[FittedSetting]:
    temperature_c = _measured(result, "temperature")
    if math.isfinite(temperature_c):
        yield FittedSetting(("temperature_c",), round(temperature_c, 1), source="sensor")
    grounds = [_measured(result, f"ground {side}") for side in ("left", "right")]
    if all(math.isfinite(ground) and ground > DARKEST_RAW for ground in grounds):
        white_raw = DARKEST_RAW + RISE_RAW / (1.0 + math.exp(-STEEPNESS * (1.0 - MIDDLE_GRAY)))
        brightest = min(max(grounds), white_raw)
        gray = MIDDLE_GRAY - math.log(RISE_RAW / (brightest - DARKEST_RAW) - 1.0) / STEEPNESS
        yield FittedSetting(("floor_gray",), round(min(max(gray, 0.0), 1.0), 3), source="ground sensors")
        gains = [round(ground / brightest, 3) for ground in grounds]
        if max(abs(gain - 1.0) for gain in gains) > 0.03:
            yield FittedSetting(("robot", "hardware", "ground_gains"), gains, source="ground sensors")


def _lights(result: StageResult) -> Iterator[FittedSetting]:
    volts = _measured(result, "battery")
    if math.isfinite(volts):
        charge = charge_at(volts + RESISTANCE_OHM * _RESTING_A)
        yield FittedSetting(("robot", "charge"), round(charge, 3), 0.1, "voltage at rest")
    settings = result.series.get("motor settings", [])
    if settings and len(settings[0]) == 2 and any(settings[0]):
        yield FittedSetting(
            ("robot", "hardware", "motor_settings"), [round(one) for one in settings[0]], source="settings"
        )


def _identity(report: BringupReport) -> Iterator[FittedSetting]:
    numbers = {name: _whole(report.versions.get(name, "")) for name in ("node", "firmware")}
    if numbers["node"]:
        yield FittedSetting(("robot", "node_id"), numbers["node"])
    uuid = report.versions.get("uuid", "")
    if len(uuid) == 32 and uuid.strip("0"):
        yield FittedSetting(("robot", "uuid"), uuid)
    if numbers["firmware"] in _FIRMWARES:
        yield FittedSetting(("robot", "hardware", "firmware"), numbers["firmware"])


def _whole(text: str) -> int | None:
    try:
        return whole_number(text)
    except TextError:
        return None


_FOUND: Final = ((BringupStage.RADIO, _radio), (BringupStage.SENSORS, _sensors), (BringupStage.LIGHTS, _lights))


def _measured(result: StageResult, name: str) -> float:
    """Return a measured number; nan if it was not measured."""
    return next((measure.value for measure in result.measures if measure.name == name), math.nan)
