"""The stage `radio`: round trips and losses of messages, and the capacity of the way to the robot."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from aseba_link.thymio.hand_request import PING
from fleet.bringup.bringup_record import WheelSample
from fleet.bringup.bringup_script import ODOMETRY_HZ
from fleet.bringup.cause import Cause
from fleet.bringup.robot_bench import RobotBench, Steps
from fleet.bringup.script_stage import motor_period_s
from fleet.bringup.stage_result import BringupStage, Measure, StageResult, Symptom, judged

_SINGLE = 60  # pings one after the other
_SINGLE_S = 0.2
_RATES_HZ = (10, 20, 40, 80)
_RATE_S = 1.5
_LAST_S = 1.0
_SHARE = 0.9  # of the answers that single pings get: with fewer, the rate is too high
_LEAST = 0.7  # single pings of a full radio are lost, too
_OWN_HZ = ODOMETRY_HZ + 15.0  # reports of our script
_ROBOT_HZ = 20.0  # a driven robot: ten reports and ten commands a second
_FEWEST_HZ = 3 * _ROBOT_HZ


@dataclass(frozen=True, slots=True)
class EchoTest:
    """Pings at a rate: the number sent, and the seconds until each answer."""

    rate_hz: float
    sent: int
    round_trips_s: tuple[float, ...]

    @property
    def answered(self) -> float:
        """The answered share of the pings."""
        return len(self.round_trips_s) / self.sent if self.sent else 0.0


def lost_reports(samples: Sequence[WheelSample], period_ticks: int) -> tuple[float, float]:
    """Return the share of lost reports, by the robot's ticks, and the longest gap in seconds."""
    if len(samples) < 2:
        return 1.0, 0.0
    ticks = [sample.ticks for sample in samples]
    expected = (ticks[-1] - ticks[0]) / period_ticks
    gaps = [after - before for before, after in pairwise(ticks)]
    return max(1.0 - (len(samples) - 1) / expected, 0.0) if expected > 0.0 else 1.0, 0.01 * max(gaps)


def capacity_hz(single: EchoTest, bursts: Sequence[EchoTest]) -> float:
    """Return how many messages per second were carried, in both directions, beside our script's own reports."""
    carried = 0.0
    for burst in bursts:
        if burst.answered >= _SHARE * max(single.answered, _LEAST):
            carried = 2.0 * burst.rate_hz + _OWN_HZ
    return carried


def judge_radio(
    single: EchoTest, bursts: Sequence[EchoTest], samples: Sequence[WheelSample], period_ticks: int
) -> tuple[list[Measure], list[Symptom]]:
    """Return measures and symptoms of round trips and losses."""
    loss, gap_s = lost_reports(samples, period_ticks)
    carried_hz = capacity_hz(single, bursts)
    period = Measure("motor period", 1e3 * motor_period_s(samples), "ms", 9.8, 10.5)
    trips_s = single.round_trips_s or (math.nan,)
    checks = [
        (Measure("capacity", carried_hz, "messages/s", _FEWEST_HZ, np.inf), Cause.LOW_CAPACITY, False),
        (Measure("longest silence", gap_s, "s", 0.0, 1.0), Cause.DROPOUTS, False),
        (Measure("median round trip", float(np.median(trips_s)), "s", 0.0, 0.2), Cause.LATENCY, False),
        (period, Cause.OTHER_PERIOD, True),
        (Measure("lost reports", 100.0 * loss, "%", 0.0, 2.0), Cause.LOSS, False),
        (Measure("lost round trips", 100.0 * (1.0 - single.answered), "%", 0.0, 5.0), Cause.LOSS, False),
    ]
    measures, symptoms = judged(checks)
    return measures, symptoms[:1]  # the first explains the others


def radio_stage(bench: RobotBench) -> Steps[StageResult]:
    """Send pings one after the other, then at rising rates."""
    bench.record.clear()
    single = yield from _echo(bench, 1.0 / _SINGLE_S, _SINGLE)
    samples = list(bench.record.wheels)
    bursts = []
    for rate_hz in _RATES_HZ:
        bursts.append((yield from _echo(bench, rate_hz, round(rate_hz * _RATE_S))))
        yield from bench.wait(0.5)
    measures, symptoms = judge_radio(single, bursts, samples, round(100.0 / ODOMETRY_HZ))
    robots = int(measures[0].value // _ROBOT_HZ)
    at_most = "at least " if measures[0].value == 2 * _RATES_HZ[-1] + _OWN_HZ else ""
    notes = (f"this way carries {at_most}{robots} robots that report and are commanded 10 times a second",)
    series = {
        "round trips [s]": [[round(trip_s, 4)] for trip_s in single.round_trips_s],
        "rates [pings/s, answered]": [[burst.rate_hz, round(burst.answered, 4)] for burst in bursts],
    }
    return StageResult(BringupStage.RADIO, tuple(measures), tuple(symptoms), series, notes)


def _echo(bench: RobotBench, rate_hz: float, count: int) -> Steps[EchoTest]:
    bench.record.pongs.clear()
    sent_ns: list[int] = []
    start_ns = bench.now_ns
    while len(sent_ns) < count:
        while len(sent_ns) < min(count, 1 + (bench.now_ns - start_ns) * 1e-9 * rate_hz):
            bench.command(PING, len(sent_ns))
            sent_ns.append(bench.now_ns)
        yield from bench.wait(0.001)
    yield from bench.wait(_LAST_S)
    trips = {
        number: (stamp_ns - sent_ns[number]) * 1e-9 for stamp_ns, number in bench.record.pongs if 0 <= number < count
    }
    return EchoTest(rate_hz, count, tuple(trips[number] for number in sorted(trips)))
