"""The stage `script`: our script is loaded, starts, and keeps running."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fleet.bringup.bringup_record import TICKS_WRAP, WheelSample
from fleet.bringup.cause import Cause
from fleet.bringup.robot_bench import RobotBench, Steps
from fleet.bringup.stage_result import BringupStage, Measure, StageResult, Symptom
from fleet.bringup.wire_stage import EXPECTED_PROTOCOL, layout_problems

_LOAD_S = 45.0
_WATCH_S = 12.0
_MORE_TRIES = 2
_PERIOD_S = 0.01024  # of a real robot's motor event; 0.01 for simulated robots
_AHEAD_S = 3.0  # reports are never later than this by more
_FEWEST = 20  # reports that show a period


def restarts(samples: Sequence[WheelSample]) -> int:
    """Return how often the robot's clock advanced further than time did, because its counter was reset to 0.

    A counter of 16 bits that restarts at 0 seems to have advanced by nearly a full period.
    """
    count = 0
    for before, after in pairwise(samples):
        elapsed_s = (after.stamp_ns - before.stamp_ns) * 1e-9
        count += ((after.ticks - before.ticks) % TICKS_WRAP) * _PERIOD_S > elapsed_s + _AHEAD_S
    return count


def motor_period_s(samples: Sequence[WheelSample]) -> float:
    """Return the period of the robot's clock [s], by a line through its ticks over time; nan for too few reports."""
    if len(samples) < _FEWEST or samples[-1].ticks == samples[0].ticks:
        return math.nan
    ticks = np.array([sample.ticks for sample in samples], dtype=float)
    times_s = np.array([(sample.stamp_ns - samples[0].stamp_ns) * 1e-9 for sample in samples])
    return float(np.polyfit(ticks - ticks[0], times_s, 1)[0])


def script_stage(bench: RobotBench) -> Steps[StageResult]:
    """Load the script, and watch it for some time; repeat that if it stops, as the radio may have lost parts."""
    result = yield from _loaded_and_watched(bench)
    for _ in range(_MORE_TRIES):
        if not any(symptom.cause in (Cause.SCRIPT_STOPS, Cause.RESTARTS) for symptom in result.symptoms):
            break
        bench.say("the script stopped or was loaded again; the radio may have lost a part, so this is repeated")
        result = yield from _loaded_and_watched(bench)
    return result


def _loaded_and_watched(bench: RobotBench) -> Steps[StageResult]:
    bench.close()
    bench.record.clear()
    bench.connect()
    started_ns = bench.now_ns
    yield from bench.wait_until(lambda: bench.readies > 0, _LOAD_S)
    if not bench.readies:
        reason = bench.losses[-1] if bench.losses else f"the script does not run within {_LOAD_S:g} s"
        return StageResult(BringupStage.SCRIPT, symptoms=(Symptom(Cause.SCRIPT_FAILS, reason),))
    load = Measure("time to load", (bench.now_ns - started_ns) * 1e-9, "s", 0.0, _LOAD_S)
    end_ns = bench.now_ns + round(_WATCH_S * 1e9)
    while bench.now_ns < end_ns:  # not `wait`, which ends when the robot is lost
        yield None
    samples = list(bench.record.wheels)
    rows = [[round((sample.stamp_ns - started_ns) * 1e-9, 4), sample.ticks] for sample in samples]
    symptoms = _watched_symptoms(bench, samples)
    return StageResult(BringupStage.SCRIPT, (load,), symptoms, {"clock [s, ticks]": rows})


def _watched_symptoms(bench: RobotBench, samples: Sequence[WheelSample]) -> tuple[Symptom, ...]:
    if bench.readies > 1 or restarts(samples):
        return (Symptom(Cause.RESTARTS, f"the robot started again within {_WATCH_S:g} s"),)
    if bench.losses:
        return (Symptom(Cause.SCRIPT_STOPS, bench.losses[-1]),)
    if len(samples) < _FEWEST:
        return (Symptom(Cause.SCRIPT_STOPS, f"{len(samples)} reports came within {_WATCH_S:g} s"),)
    if bench.description is not None and bench.description.protocol_version == EXPECTED_PROTOCOL:
        problems = layout_problems(bench.description.variables)
        return (Symptom(Cause.OTHER_VARIABLES, "; ".join(problems[:5])),) if problems else ()
    return ()
