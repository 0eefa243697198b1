"""The stage `wheels`: the robot is held up, and its wheels turn one after the other, then together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.events import COMMAND_TIMEOUT_S, Event, battery_volts
from aseba_link.thymio.hand_request import HandAction, Sight
from fleet.bringup.bringup_record import WheelSample
from fleet.bringup.bringup_script import GUARD_RAW
from fleet.bringup.cause import Cause
from fleet.bringup.robot_bench import AIR, FLOOR, HAND_S, Question, RobotBench, Steps
from fleet.bringup.stage_result import BringupStage, Measure, StageResult, Symptom, judged

Array = NDArray[np.float64]

_SPEED_RAW = 150
_SLOW_RAW = tuple(range(5, 85, 5))
_FAST_RAW = (100, 200, 300, 400, 500)
_SLOW_S, _FINE_S, _FAST_S, _STEP_S = 0.7, 2.0, 1.2, 1.2
_LAG_RAW = 200
_SETTLE_S = 1.2  # until the load is steady
_TURNS = 0.3  # of its target: a wheel with less does not turn
_SETTLED = 0.5  # of the time at a target
_MOST_DEAD_RAW = 30
_MOST_LAG_S = 0.25
_LINEAR_RAW = 350  # wheels reach their targets up to here
_WEAK = 0.9
_CONSTANTS_S = np.arange(0.0, 1.0, 0.025)
_DEAD_TIMES_S = np.arange(0.0, 0.3, 0.025)
_FINER_S = (0.05, 0.015, 0.004)  # half widths of finer and finer searches


@dataclass(frozen=True, slots=True)
class HeldSpeed:
    """A target of both wheels, and the mean of the speeds measured in the second half of its time.

    `deviation_raw` is the standard deviation of a single speed reading, from this many differences of neighbours.
    """

    target_raw: tuple[int, int]
    measured_raw: tuple[float, float]
    deviation_raw: float = 0.0
    differences: int = 0


def mean_speeds(samples: Sequence[WheelSample]) -> tuple[float, float]:
    """Return the mean measured speeds between the first and the last sample, in motor units; nan without any time."""
    if len(samples) < 2 or samples[-1].ticks == samples[0].ticks:
        return math.nan, math.nan
    ticks = samples[-1].ticks - samples[0].ticks
    return (samples[-1].left - samples[0].left) / ticks, (samples[-1].right - samples[0].right) / ticks


def held_speed(target_raw: tuple[int, int], samples: Sequence[WheelSample]) -> HeldSpeed:
    """Return the measured speed at a target, from the samples of its time."""
    settled = samples[int(_SETTLED * len(samples)) :]
    differences = _differences(settled)
    deviation = math.sqrt(sum(value**2 for value in differences) / len(differences)) if differences else 0.0
    return HeldSpeed(target_raw, mean_speeds(settled), deviation, len(differences))


def lag_s(samples: Sequence[WheelSample]) -> tuple[float, float]:
    """Return time constant and dead time of a step from 0, by least squares; nan if it cannot be fitted.

    If a speed follows its target v with the time constant T after a dead time d, its integral is
    v (t - d - T (1 - exp(-(t - d) / T))) for t > d.
    """
    if len(samples) < 6:
        return math.nan, math.nan
    times_s = 0.01 * np.array([sample.ticks - samples[0].ticks for sample in samples], dtype=float)
    sums = np.array([0.5 * (s.left + s.right - samples[0].left - samples[0].right) for s in samples], dtype=float)
    best = _best_lag(times_s, sums, _CONSTANTS_S, _DEAD_TIMES_S)
    for width_s in _FINER_S:
        around_s = np.linspace(-width_s, width_s, 13)
        best = _best_lag(times_s, sums, np.maximum(best[1] + around_s, 0.0), np.maximum(best[2] + around_s, 0.0))
    return best[1], best[2]


def _best_lag(times_s: Array, sums: Array, constants_s: Array, dead_times_s: Array) -> tuple[float, float, float]:
    """Return the least error, and its time constant and dead time."""
    best = (math.inf, 0.0, 0.0)
    for constant_s in constants_s.tolist():
        for dead_s in dead_times_s.tolist():
            since_s = np.maximum(times_s - dead_s, 0.0)
            shape = since_s + constant_s * np.expm1(-since_s / constant_s) if constant_s > 0.0 else since_s
            norm = float(shape @ shape)
            error = float(sums @ sums) - float(shape @ sums) ** 2 / norm if norm > 0.0 else math.inf
            best = min(best, (error, constant_s, dead_s))
    return best


def stand_after_s(samples: Sequence[WheelSample], speed_raw: float) -> float:
    """Return how long the wheels turned, from their first motion to their last [s]; inf if they do not stop."""
    rolling = [
        after.ticks
        for before, after in pairwise(samples)
        if 0.5 * abs(after.left - before.left + after.right - before.right)
        > 0.3 * speed_raw * max(after.ticks - before.ticks, 1)
    ]
    if not rolling:
        return 0.0
    return math.inf if rolling[-1] >= samples[-1].ticks else 0.01 * (rolling[-1] - rolling[0])


def judge_single(left: HeldSpeed, right: HeldSpeed, seen: tuple[bool | None, bool | None]) -> list[Symptom]:
    """Return symptoms of wheels that were commanded alone; `seen` is whether a person saw the right wheel turn."""
    symptoms = []
    for side, wheel in (("left", 0), ("right", 1)):
        held = left if wheel == 0 else right
        own, other = held.measured_raw[wheel], held.measured_raw[1 - wheel]
        text = f"{side} at {_SPEED_RAW}: measured {own:.0f}, the other {other:.0f}"
        if abs(other) > _TURNS * _SPEED_RAW and abs(own) < _TURNS * _SPEED_RAW:
            symptoms.append(Symptom(Cause.WHEELS_SWAPPED, text))
        elif own < -_TURNS * _SPEED_RAW:
            symptoms.append(Symptom(Cause.WHEEL_REVERSED, text))
        elif not own >= _TURNS * _SPEED_RAW:
            symptoms.append(Symptom(Cause.WHEEL_DEAD, text))
        elif own < _WEAK * _SPEED_RAW:
            symptoms.append(Symptom(Cause.WHEEL_WEAK, text))
    if not symptoms and False in seen:
        symptoms.append(Symptom(Cause.WHEELS_SWAPPED, "the person did not see the commanded wheel turn forwards"))
    return symptoms


def dead_band_raw(held: Sequence[HeldSpeed]) -> float:
    """Return the lowest target from which both wheels turn; inf if they never do."""
    band = math.inf
    for speed in reversed(held):
        if min(speed.measured_raw) < 0.5 * speed.target_raw[0]:
            break
        band = float(speed.target_raw[0])
    return band


def saturation_raw(held: Sequence[HeldSpeed]) -> float:
    """Return the largest speed that both wheels reached."""
    return max((min(speed.measured_raw) for speed in held), default=math.nan)


def judge_both(
    slow: Sequence[HeldSpeed], fast: Sequence[HeldSpeed], lag: tuple[float, float], stops: tuple[float, float]
) -> tuple[list[Measure], list[Symptom]]:
    """Return measures and symptoms of both wheels; `stops` are the seconds of motion after one command, and a stop."""
    alone_s, brake_s = stops
    roll_s = brake_s if math.isfinite(brake_s) else 0.0
    linear = [held for held in fast if held.target_raw[0] <= 200]
    gain = min((min(held.measured_raw) / held.target_raw[0] for held in linear), default=math.nan)
    noise = max((held.deviation_raw for held in linear), default=0.0)
    return judged(
        [
            (Measure("time of motion after one command", alone_s, "s", 0.2, 1.3 + roll_s), Cause.KEEPS_DRIVING, True),
            (Measure("roll-on after a stop", brake_s, "s", 0.0, 0.35), Cause.SLOW_BRAKE, False),
            (Measure("dead band", dead_band_raw(slow), "units", 0.0, _MOST_DEAD_RAW), Cause.DEAD_BAND, False),
            (Measure("speed at 100 and 200, relative", gain, "", _WEAK, 1.1), Cause.WHEEL_WEAK, True),
            (Measure("largest speed", saturation_raw(fast), "units", _LINEAR_RAW, 600.0), Cause.SATURATION, False),
            (Measure("time constant", lag[0], "s", 0.0, _MOST_LAG_S), Cause.LAG, False),
            (Measure("noise of the measured speed", noise, "units", 0.0, 18.0), Cause.NOISY_SPEED, False),
        ]
    )


def wheel_stage(bench: RobotBench) -> Steps[StageResult]:
    """Ask for the robot to be held up, and turn its wheels; the robot's guard stops them on a floor."""
    stage = BringupStage.WHEELS
    if not bench.options.has_hands:
        return StageResult(stage, notes=("nobody holds the robot up",), is_skipped=True)
    answer = yield Question("Hold the robot up: its wheels will turn for a minute. Go on?", is_permission=True)
    if not answer:
        return StageResult(stage, notes=("not allowed",), is_skipped=True)
    bench.record.clear()
    bench.ask_hand(HandAction.LIFT, "hold the robot up until you are asked to put it down")
    if not (yield from bench.wait_until(lambda: max(_ground(bench)) < GUARD_RAW, HAND_S)):
        text = f"the ground sensors read {_ground(bench)[0]} and {_ground(bench)[1]}"
        cause = Cause.GROUND_SENSOR if min(_ground(bench)) < GUARD_RAW else Cause.NOT_LIFTED
        return StageResult(stage, symptoms=(Symptom(cause, text),))
    yield from bench.guard(AIR)
    result = yield from _in_the_air(bench)
    yield from bench.guard(FLOOR)
    bench.ask_hand(HandAction.AWAY, "put the robot down")
    yield from bench.wait(1.5)
    return result


def _ground(bench: RobotBench) -> tuple[int, ...]:
    return bench.record.latest(Event.GROUND) or (1023, 1023)


def _in_the_air(bench: RobotBench) -> Steps[StageResult]:
    left, is_left_seen = yield from _single(bench, (_SPEED_RAW, 0), Sight.LEFT_FORWARD)
    right, is_right_seen = yield from _single(bench, (0, _SPEED_RAW), Sight.RIGHT_FORWARD)
    symptoms = judge_single(left, right, (is_left_seen, is_right_seen))
    back = yield from _held(bench, (-_SPEED_RAW, -_SPEED_RAW), 1.5)
    if not symptoms and max(back.measured_raw) > -_WEAK * _SPEED_RAW:
        text = f"left and right at {-_SPEED_RAW}: measured {back.measured_raw[0]:.0f} and {back.measured_raw[1]:.0f}"
        symptoms = [Symptom(Cause.WHEEL_WEAK, text)]
    rows = [_row(left), _row(right), _row(back)]
    if symptoms:
        return StageResult(BringupStage.WHEELS, symptoms=tuple(symptoms), series={"speeds [targets, measured]": rows})
    yield from bench.wait(0.8)
    alone = yield from _after(bench, _SPEED_RAW, 0.0)
    yield from bench.wait(0.5)
    rest_v = yield from _volts(bench)
    motion, start_ns = len(bench.record.wheels), bench.now_ns
    bench.record.commands.clear()
    lag_samples = yield from _step(bench)
    slow = []
    for target in _SLOW_RAW:
        slow.append((yield from _held(bench, (target, target), _SLOW_S)))
    fast = []
    for target in _FAST_RAW[:-1]:
        fast.append((yield from _held(bench, (target, target), _FAST_S)))
    loaded_v, full = yield from _loaded(bench)
    fast.append(full)
    yield from bench.wait(0.8)
    slow = yield from _refined(bench, slow)
    stopped = yield from _after(bench, _LAG_RAW, 1.0)
    stops = stand_after_s(alone, _SPEED_RAW), max(stand_after_s(stopped, _LAG_RAW) - 1.0, 0.0)
    measures, symptoms = judge_both(slow, fast, lag_s(lag_samples), stops)
    taps = Measure("taps while the wheels turned", float(len(bench.record.values(Event.TAP))), "", 0.0, 3.0)
    sag = Measure("voltage drop under load", rest_v - loaded_v, "V", -0.1, 0.15)
    more, others = judged([(sag, Cause.BATTERY_OLD, False), (taps, Cause.FALSE_TAPS, False)])
    symptoms += others + [Symptom(Cause.NOT_LIFTED, f"the guard stopped the wheels: {bench.record.guards}")] * bool(
        bench.record.guards
    )
    rows += [_row(held) for held in (*slow, *fast)]
    series = {
        "speeds [targets, measured]": rows,
        "noise [units, differences]": [[round(h.deviation_raw, 3), h.differences] for h in (*slow, *fast)],
        "commands [s, left, right]": [[round(1e-9 * (at - start_ns), 4), *raw] for at, *raw in bench.record.commands],
        "wheels [s, ticks, left, right]": [
            [round(1e-9 * (one.stamp_ns - start_ns), 4), one.ticks, one.left, one.right]
            for one in bench.record.wheels[motion:]
        ],
        "step [s, left, right]": _sum_rows(lag_samples),
        "one command [s, left, right]": _sum_rows(alone),
        "stop [s, left, right]": _sum_rows(stopped),
    }
    return StageResult(BringupStage.WHEELS, tuple(measures + more), tuple(symptoms), series)


def _single(bench: RobotBench, target_raw: tuple[int, int], sight: Sight) -> Steps[tuple[HeldSpeed, bool | None]]:
    """Turn one wheel and measure it, and keep turning it until the person has looked."""
    held = yield from _held(bench, target_raw, 1.5)
    wheel = "left" if target_raw[0] else "right"
    looking = bench.look(sight, f"The {wheel} wheel should turn forwards, and the other one stand.")
    driving = bench.drive(*target_raw, HAND_S)
    seen: bool | None = None
    while True:
        try:
            next(driving)
            yield next(looking)
        except StopIteration as end:
            seen = end.value
            break
    bench.halt()
    bench.ask_hand(HandAction.LIFT, "")
    yield from bench.wait(1.5)
    return held, seen


def _held(bench: RobotBench, target_raw: tuple[int, int], duration_s: float) -> Steps[HeldSpeed]:
    first = len(bench.record.wheels)
    yield from bench.drive(*target_raw, duration_s)
    return held_speed(target_raw, bench.record.wheels[first:])


def _refined(bench: RobotBench, slow: list[HeldSpeed]) -> Steps[list[HeldSpeed]]:
    """Find the dead band to within one unit, by halving the step that contains it."""
    while True:
        band = dead_band_raw(slow)
        below = max((held.target_raw[0] for held in slow if held.target_raw[0] < band), default=0)
        if not math.isfinite(band) or band - below <= 1.0:
            return slow
        target = round(0.5 * (band + below))
        held = yield from _held(bench, (target, target), _FINE_S)
        slow = sorted([*slow, held], key=lambda one: one.target_raw)


def _loaded(bench: RobotBench) -> Steps[tuple[float, HeldSpeed]]:
    """Drive at full speed, reading the battery meanwhile."""
    first, full = len(bench.record.wheels), _FAST_RAW[-1]
    driving, reading = bench.drive(full, full, 3.0), _volts(bench)
    end_ns = bench.now_ns + round(_SETTLE_S * 1e9)
    while bench.now_ns < end_ns:
        yield next(driving)
    loaded_v = math.nan
    while True:
        try:
            next(driving)
            yield next(reading)
        except StopIteration as end:
            loaded_v = end.value if end.value is not None else loaded_v
            break
    bench.halt()
    return loaded_v, held_speed((full, full), bench.record.wheels[first:])


def _step(bench: RobotBench) -> Steps[list[WheelSample]]:
    first = max(len(bench.record.wheels) - 1, 0)
    yield from bench.drive(_LAG_RAW, _LAG_RAW, _STEP_S)
    samples = bench.record.wheels[first:]
    yield from bench.wait(0.8)
    return samples


def _after(bench: RobotBench, speed_raw: int, duration_s: float) -> Steps[list[WheelSample]]:
    """Command a speed once, or for a time, then watch the wheels for longer than the robot's own timeout."""
    first = max(len(bench.record.wheels) - 1, 0)
    if duration_s > 0.0:
        yield from bench.drive(speed_raw, speed_raw, duration_s)
    else:
        bench.command(Event.SET_SPEED, speed_raw, speed_raw)
    yield from bench.wait(COMMAND_TIMEOUT_S + 1.5)
    samples = bench.record.wheels[first:]
    bench.halt()
    return samples


def _volts(bench: RobotBench) -> Steps[float]:
    words = yield from bench.read("_vbat")
    return battery_volts(words) if len(words) == 2 else math.nan


def _differences(samples: Sequence[WheelSample]) -> list[float]:
    """Return differences of each wheel's successive mean speeds, divided by their deviation for unit reading noise."""
    rows = [
        (after.ticks - before.ticks, after.left - before.left, after.right - before.right)
        for before, after in pairwise(samples)
        if after.ticks > before.ticks
    ]
    return [
        (after[wheel] / after[0] - before[wheel] / before[0]) / math.sqrt(1.0 / before[0] + 1.0 / after[0])
        for before, after in pairwise(rows)
        for wheel in (1, 2)
    ]


def _row(held: HeldSpeed) -> list[float]:
    return [*map(float, held.target_raw), *(round(value, 2) for value in held.measured_raw)]


def _sum_rows(samples: Sequence[WheelSample]) -> list[list[float]]:
    return [
        [
            round(0.01 * (sample.ticks - samples[0].ticks), 4),
            sample.left - samples[0].left,
            sample.right - samples[0].right,
        ]
        for sample in samples
    ]
