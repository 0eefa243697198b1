"""The simulated world as a plant for control laws: many robots far apart, disturbed like real ones.

Motors with lag and dead band, wheels with slip and wrong gains, and motion capture are the simulator's own; nothing
is shared with the fleet's models. Targets arrive late. Odometry is summed up as in the robots' script, but without
its virtual machine, because hundreds of robots drive for minutes.
"""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fleet.geometry import Pose2D
from simulator.simulation.simulated_capture import SimulatedCapture
from simulator.world.config import WorldConfig, build_world
from simulator.world.world import World

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Words = tuple[int, ...]  # words of an odometry event

STEP_NS = 10_000_000
STEP_S = 0.01
ODOMETRY_STEPS = 5
_APART_M = 10.0
_ROW = 40
_NOISE_RAW = 10  # DEAD_BAND of thymio.aesl
_SEED = 20_240_517
_START_NOISE = np.array([0.002, 0.002, math.radians(1.0)])  # error of placing a robot by hand [m, m, rad]
_SIGNS = ((1, 1), (1, -1), (-1, 1), (-1, -1))  # seeds cycle through these, so half of the robots pull to one side


@dataclass(frozen=True, slots=True)
class DisturbanceLevel:
    """The disturbances of one level."""

    name: str
    lag_s: float
    latency_s: float
    mismatch: float  # relative error of each wheel's gain
    pose_hz: float
    position_noise_m: float = 0.001
    heading_noise_rad: float = math.radians(0.3)
    slip: float = 0.0  # relative standard deviation
    dead_band_raw: int = 0


LEVELS = (
    DisturbanceLevel("L1", 0.05, 0.05, 0.03, 100.0),
    DisturbanceLevel("L2", 0.15, 0.10, 0.03, 30.0),
    DisturbanceLevel("L3", 0.15, 0.10, 0.03, 10.0, slip=0.05, dead_band_raw=8),
)

GRID = tuple(
    replace(LEVELS[0], name=f"{mismatch:.0%} {1000 * latency_s:.0f} ms", mismatch=mismatch, latency_s=latency_s)
    for mismatch in (0.0, 0.02, 0.05)
    for latency_s in (0.0, 0.05, 0.1)
)


@dataclass(frozen=True, slots=True)
class PlantSample:
    """A pose measured by motion capture."""

    stamp_ns: int
    pose: Pose2D


class Plant:
    """Simulated robots, one for each seed in each of several copies; poses are relative to the start of their paths.

    Each copy is a separate world with one robot for each seed; all copies get the same random numbers. Robot i of
    copy k has the index k * seeds + i.

    Parameters
    ----------
    level : level of disturbance
    seeds : number of different disturbances
    start : start of each path
    copies : number of robots for each seed
    """

    def __init__(self, level: DisturbanceLevel, seeds: int, start: Pose2D, copies: int = 1) -> None:
        self._seeds = seeds
        self._copies = [_Copy(level, seeds, start) for _ in range(copies)]
        self._steps = 0

    @property
    def now_ns(self) -> int:
        """Present time."""
        return self._steps * STEP_NS

    def poses(self) -> Array:
        """Return each robot's true pose, shape (robots, 3)."""
        return np.concatenate([copy.poses() for copy in self._copies])

    def command(self, index: int, units_raw: tuple[int, int]) -> None:
        """Send motor targets to a robot; they take effect after the latency."""
        self._copies[index // self._seeds].command(index % self._seeds, units_raw, self._steps)

    def step(self) -> tuple[dict[int, Words], dict[int, PlantSample]]:
        """Advance by 10 ms; return the sent odometry events and the measured poses, by robot."""
        for copy in self._copies:
            copy.step(self._steps)
        self._steps += 1
        words, samples = {}, {}
        for number, copy in enumerate(self._copies):
            first = number * self._seeds
            words.update({first + robot: event for robot, event in copy.reports(self._steps)})
            samples.update({first + robot: sample for robot, sample in copy.samples(self._steps)})
        return words, samples


class _Copy:
    """A world with one robot for each seed; the same arguments give the same random numbers."""

    def __init__(self, level: DisturbanceLevel, seeds: int, start: Pose2D) -> None:
        for_start, for_world, *for_captures = np.random.SeedSequence([_SEED, 0]).spawn(2 + seeds)
        random = np.random.default_rng(for_start)
        rows = [(_APART_M * (robot % _ROW + 1), _APART_M * (robot // _ROW + 1), 0.0) for robot in range(seeds)]
        self._origins: Array = np.array(rows)
        config = _config(level, start, self._origins + random.normal(size=(seeds, 3)) * _START_NOISE)
        self._world = World(config, np.random.default_rng(for_world))
        self._captures = [
            SimulatedCapture[int](config.motion_capture, np.random.default_rng(seed)) for seed in for_captures
        ]
        self._capture_phases_s: list[float] = random.uniform(0.0, 1.0 / level.pose_hz, seeds).tolist()
        self._odometry_phases: list[int] = random.integers(0, ODOMETRY_STEPS, seeds).tolist()
        self._latency_steps = round(level.latency_s / STEP_S)
        self._pending: list[deque[tuple[int, tuple[int, int]]]] = [deque() for _ in range(seeds)]
        self._targets_raw = [0] * (2 * seeds)
        self._counts = [0] * (2 * seeds)

    def poses(self) -> Array:
        return self._world.poses.truth() - self._origins

    def command(self, robot: int, units_raw: tuple[int, int], step: int) -> None:
        self._pending[robot].append((step + self._latency_steps, units_raw))

    def step(self, step: int) -> None:
        for robot, pending in enumerate(self._pending):
            while pending and pending[0][0] <= step:
                self._targets_raw[2 * robot : 2 * robot + 2] = pending.popleft()[1]
        self._world.wheels.set_targets(self._targets_raw.copy())
        self._world.step(STEP_S)
        self._sum_up()

    def _sum_up(self) -> None:
        """Sum up speeds like the robots' script, which ignores small speeds of wheels with target 0 as noise."""
        for wheel, speed_raw in enumerate(self._world.wheels.measured_raw()):
            if self._targets_raw[wheel] != 0 or abs(speed_raw) > _NOISE_RAW:
                self._counts[wheel] += speed_raw

    def reports(self, steps: int) -> Iterator[tuple[int, Words]]:
        """Yield the robots that report in this step, with the words of their events."""
        for robot, phase in enumerate(self._odometry_phases):
            if (steps + phase) % ODOMETRY_STEPS == 0:
                yield robot, _words(steps, *self._counts[2 * robot : 2 * robot + 2])

    def samples(self, steps: int) -> Iterator[tuple[int, PlantSample]]:
        """Yield the robots that are measured in this step, with the measurements."""
        for robot, (capture, phase_s) in enumerate(zip(self._captures, self._capture_phases_s, strict=True)):
            for stamp_ns, measured in capture.advance(
                steps * STEP_S + phase_s, steps * STEP_NS, partial(self._pose, robot)
            ):
                yield robot, PlantSample(stamp_ns, Pose2D(*measured[0].tolist()))

    def _pose(self, robot: int) -> Array:
        pose: Array = np.array([self._world.poses.places()[3 * robot : 3 * robot + 3]])
        return pose - self._origins[robot : robot + 1]


def _words(ticks: int, left: int, right: int) -> Words:
    """Return the words of an odometry event; see `aseba_link.thymio.events.decode_odometry`."""
    return tuple(part & 0xFFFF for part in (ticks, left, left >> 16, right, right >> 16))


def _config(level: DisturbanceLevel, start: Pose2D, places: Array) -> WorldConfig:
    robots = [
        {
            "node_id": robot + 1,
            "x_m": x_m + start.x_m,
            "y_m": y_m + start.y_m,
            "heading_rad": heading_rad + start.heading_rad,
            "left_wheel_gain": 1.0 + _SIGNS[robot % 4][0] * level.mismatch,
            "right_wheel_gain": 1.0 + _SIGNS[robot % 4][1] * level.mismatch,
        }
        for robot, (x_m, y_m, heading_rad) in enumerate(places.tolist())
    ]
    size_m = _APART_M * (_ROW + 1)
    values = {
        "arena": {"width_m": size_m, "height_m": size_m},
        "motors": {"time_constant_s": level.lag_s, "slip": level.slip, "dead_band_raw": level.dead_band_raw},
        "motion_capture": {
            "rate_hz": level.pose_hz,
            "position_noise_m": level.position_noise_m,
            "heading_noise_rad": level.heading_noise_rad,
        },
        "robots": robots,
    }
    return build_world(values)
