"""Compares both simulators, and checks whether ours is close enough to the playground."""

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from aseba_link.thymio.sensor_events import PROXIMITY_CALIBRATION
from bench.peer.course import Part, Stand
from bench.peer.measures import proximity_raw, rates_hz, rise_s, speed_mps, turn_rate_radps
from bench.peer.recording import CourseRecording

SPEED_LIMIT = 0.03  # relative
READING_LIMIT = 0.1  # of the full scale
FULL_SCALE_RAW = PROXIMITY_CALIBRATION.max_raw

STEP_RAW = 300  # the target speed whose step response is drawn


@dataclass(frozen=True, slots=True)
class Pair:
    """One quantity in both simulators."""

    name: str
    peer: float
    ours: float
    difference: float  # relative to the peer


@dataclass(frozen=True, slots=True)
class Reading:
    """The mean reading of one sensor at one place."""

    angle_deg: int
    gap_m: float
    sensor: int
    peer_raw: float
    ours_raw: float
    difference: float  # of the full scale


@dataclass(frozen=True, slots=True)
class Comparison:
    """All results; the step responses are a wheel's speed, in motor units, at each motor event."""

    speeds_mps: tuple[Pair, ...]
    turn_rates_radps: tuple[Pair, ...]
    rises_s: tuple[Pair, ...]
    rates_hz: tuple[Pair, ...]
    readings: tuple[Reading, ...]
    peer_step_raw: tuple[int, ...]
    ours_step_raw: tuple[int, ...]

    def problems(self) -> Iterator[str]:
        """Yield the quantities that differ too much from the playground."""
        for pair in (*self.speeds_mps, *self.turn_rates_radps):
            if abs(pair.difference) > SPEED_LIMIT:
                yield f"{pair.name}: {pair.ours:.4g}, not {pair.peer:.4g} ({pair.difference:+.1%})"
        for reading in self.readings:
            if abs(reading.difference) > READING_LIMIT:
                place = f"at {reading.angle_deg} degrees, gap {reading.gap_m:g} m"
                yield f"proximity sensor {reading.sensor} {place}: {reading.ours_raw:.0f}, not {reading.peer_raw:.0f}"


def compare(
    stands: list[Stand],
    peer: CourseRecording,
    ours: CourseRecording,
    peer_rates: CourseRecording,
    our_rates: CourseRecording,
) -> Comparison:
    """Return the comparison of the robots' reports on the course, and of a single robot's event rates.

    Raises
    ------
    ValueError
        A robot did not complete its part; the message names it.
    """
    drives = [stand for stand in stands if stand.part is Part.DRIVE]
    spins = [stand for stand in stands if stand.part is Part.SPIN]
    step_id = next(stand.node_id for stand in drives if stand.targets_raw[1] == STEP_RAW)
    return Comparison(
        _pairs(drives, peer, ours, _speed_mps),
        _pairs(spins, peer, ours, _turn_rate_radps),
        _pairs(drives, peer, ours, _rise_s),
        tuple(_rates(peer_rates, our_rates)),
        tuple(reading for stand in stands if stand.part is Part.FACE_WALL for reading in _readings(stand, peer, ours)),
        tuple(peer.speeds_raw[step_id]),
        tuple(ours.speeds_raw[step_id]),
    )


def root_mean_square(readings: Sequence[Reading]) -> float:
    """Return the root mean square of the differences, as a share of the full scale."""
    return math.sqrt(statistics.fmean(reading.difference**2 for reading in readings))


def _speed_mps(recording: CourseRecording, stand: Stand) -> float:
    return speed_mps(recording.samples[stand.node_id])


def _turn_rate_radps(recording: CourseRecording, stand: Stand) -> float:
    return turn_rate_radps(recording.samples[stand.node_id])


def _rise_s(recording: CourseRecording, stand: Stand) -> float:
    return rise_s(recording.speeds_raw[stand.node_id], stand.targets_raw[1])


def _pairs(
    stands: Sequence[Stand],
    peer: CourseRecording,
    ours: CourseRecording,
    measure: Callable[[CourseRecording, Stand], float],
) -> tuple[Pair, ...]:
    return tuple(
        _pair(
            _name(stand),
            _measured(stand, "the playground", peer, measure),
            _measured(stand, "our simulator", ours, measure),
        )
        for stand in stands
    )


def _name(stand: Stand) -> str:
    return f"{stand.part.name.lower()} {stand.targets_raw[1]}"


def _measured(
    stand: Stand, simulator: str, recording: CourseRecording, measure: Callable[[CourseRecording, Stand], float]
) -> float:
    try:
        return measure(recording, stand)
    except ValueError as error:
        raise ValueError(f"{simulator}, {_name(stand)}: {error}") from error


def _pair(name: str, peer: float, ours: float) -> Pair:
    return Pair(name, peer, ours, ours / peer - 1.0)


def _rates(peer: CourseRecording, ours: CourseRecording) -> Iterator[Pair]:
    """Yield the rates of each local event."""
    (their_samples,), (our_samples,) = peer.samples.values(), ours.samples.values()
    theirs_hz, ours_hz = rates_hz(their_samples), rates_hz(our_samples)
    for name, rate_hz in theirs_hz.items():
        yield _pair(name, rate_hz, ours_hz[name])


def _readings(stand: Stand, peer: CourseRecording, ours: CourseRecording) -> Iterator[Reading]:
    """Yield the sensor readings of a robot in front of the wall."""
    theirs_raw = proximity_raw(peer.samples[stand.node_id]).tolist()
    ours_raw = proximity_raw(ours.samples[stand.node_id]).tolist()
    for sensor, (their_raw, our_raw) in enumerate(zip(theirs_raw, ours_raw, strict=True)):
        difference = (our_raw - their_raw) / FULL_SCALE_RAW
        yield Reading(stand.angle_deg, stand.gap_m, sensor, their_raw, our_raw, difference)
