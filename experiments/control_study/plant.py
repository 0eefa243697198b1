"""The simulated world as a plant for control laws: many robots far apart, disturbed like real ones.

Wheels follow targets late and with a lag, roll further or less than they report, slip, and have a dead band; motion
capture samples poses with noise at its own phase, and wheels report as the robots' script does. All of it is
computed by the simulator alone; nothing is shared with the fleet's models.
"""

import math
from collections import deque
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fleet.geometry import Pose2D
from simulator.world.config import WorldConfig, build_world
from simulator.world.world import World

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Words = tuple[int, ...]  # of an odometry event

STEP_NS = 10_000_000
STEP_S = 0.01
ODOMETRY_STEPS = 5
_APART_M = 10.0
_ROW = 40
_NOISE_RAW = 10  # DEAD_BAND of thymio.aesl
_SPEED_NOISE = 0.01  # the simulator's default
_SLIP_S = 0.2  # time constant of slip, an Ornstein-Uhlenbeck process
_SIGNS = ((1, 1), (1, -1), (-1, 1), (-1, -1))  # seeds cycle through these, so that half of them are biased to one side


@dataclass(frozen=True, slots=True)
class DisturbanceLevel:
    """The disturbances of one level."""

    name: str
    lag_s: float
    latency_s: float
    mismatch: float  # each wheel rolls further or less by this
    pose_hz: float
    position_noise_m: float = 0.001
    heading_noise_rad: float = math.radians(0.3)
    slip: float = 0.0  # standard deviation, relative
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
    """A pose that motion capture measured."""

    stamp_ns: int
    pose: Pose2D


class Plant:
    """One world with some robots for each seed; poses are relative to the start of each robot's path.

    Each copy has one robot for each seed; robots of a seed get the same random numbers. Robot i of copy k has the index
    k * seeds + i.

    Parameters
    ----------
    level : the disturbances
    seeds : number of different disturbances
    start : where each path begins
    batch : plants of different batches get different random numbers
    copies : robots for each seed
    """

    def __init__(self, level: DisturbanceLevel, seeds: int, start: Pose2D, batch: int = 0, copies: int = 1) -> None:
        self._level, self._seeds, self._copies = level, seeds, copies
        self._random = np.random.default_rng([20_240_517, batch])
        count = seeds * copies
        self._origins: Array = np.array([[_APART_M * (i % _ROW + 1), _APART_M * (i // _ROW + 1)] for i in range(count)])
        self._world = World(_config(level, seeds, self._origins, start), np.random.default_rng(0))
        self._base_gains = self._world.wheels.gains.copy()
        self._slip: Array = np.zeros((seeds, 2))
        self._pending: list[deque[tuple[int, tuple[int, int]]]] = [deque() for _ in range(count)]
        self._counts: Counts = np.zeros((count, 2), dtype=np.int64)
        self._odometry_phase = np.tile(self._random.integers(0, ODOMETRY_STEPS, seeds), copies)
        self._capture_phase_s: Array = np.tile(self._random.uniform(0.0, 1.0 / level.pose_hz, seeds), copies)
        self._captured: Array = np.floor(-self._capture_phase_s * level.pose_hz)
        self._steps = 0
        self._world.poses.positions_m[:] += self._normal(0.002, 2)
        self._world.poses.headings_rad[:] += self._normal(math.radians(1.0), 1)[:, 0]

    @property
    def now_ns(self) -> int:
        """The time."""
        return self._steps * STEP_NS

    def poses(self) -> Array:
        """Return each robot's true pose; (robots, 3)."""
        return np.column_stack((self._world.poses.positions_m - self._origins, self._world.poses.headings_rad))

    def command(self, index: int, units_raw: tuple[int, int]) -> None:
        """Send motor targets to a robot; they take effect after the latency."""
        self._pending[index].append((self._steps + round(self._level.latency_s / STEP_S), units_raw))

    def step(self) -> tuple[dict[int, Words], dict[int, PlantSample]]:
        """Advance by 10 ms; return, by robot, the odometry events sent and the poses measured."""
        self._apply_commands()
        self._vary_gains()
        self._world.step(STEP_S)
        self._steps += 1
        self._count()
        return self._report(), self._capture()

    def _apply_commands(self) -> None:
        for index, pending in enumerate(self._pending):
            while pending and pending[0][0] <= self._steps:
                _, units_raw = pending.popleft()
                self._world.wheels.targets_raw[index] = [
                    0 if abs(u) < self._level.dead_band_raw else u for u in units_raw
                ]

    def _vary_gains(self) -> None:
        """Change how far wheels roll: by the noise of the simulator's motors, and by slip."""
        gains = self._base_gains * (1.0 + self._normal(_SPEED_NOISE, 2))
        if self._level.slip > 0.0:
            decay = math.exp(-STEP_S / _SLIP_S)
            fresh = self._random.normal(0.0, self._level.slip * math.sqrt(1.0 - decay**2), self._slip.shape)
            self._slip = decay * self._slip + fresh
            gains *= 1.0 + np.tile(self._slip, (self._copies, 1))
        self._world.wheels.gains = gains

    def _normal(self, deviation: float, numbers: int) -> Array:
        """Return random numbers for each robot, the same in each copy; (robots, numbers)."""
        return np.tile(self._random.normal(0.0, deviation, (self._seeds, numbers)), (self._copies, 1))

    def _count(self) -> None:
        """Sum up speeds like the robots' script, which treats small ones of wheels at target 0 as noise."""
        speeds_raw = self._world.wheels.readings_raw()
        is_noise = (self._world.wheels.targets_raw == 0) & (np.abs(speeds_raw) <= _NOISE_RAW)
        self._counts += np.where(is_noise, 0, speeds_raw)

    def _report(self) -> dict[int, Words]:
        due = np.flatnonzero((self._steps + self._odometry_phase) % ODOMETRY_STEPS == 0).tolist()
        return {index: _words(self._steps, *self._counts[index].tolist()) for index in due}

    def _capture(self) -> dict[int, PlantSample]:
        frames = np.floor((self._steps * STEP_S - self._capture_phase_s) * self._level.pose_hz + 1e-9)
        due = np.flatnonzero(frames > self._captured).tolist()
        self._captured = frames
        if not due:
            return {}
        scale = np.array([self._level.position_noise_m] * 2 + [self._level.heading_noise_rad])
        measured = self.poses() + self._normal(1.0, 3) * scale
        return {index: PlantSample(self.now_ns, Pose2D(*measured[index].tolist())) for index in due}


def _words(ticks: int, left: int, right: int) -> Words:
    """Return the words of an odometry event; see `aseba_link.thymio.events.decode_odometry`."""
    return tuple(part & 0xFFFF for part in (ticks, left, left >> 16, right, right >> 16))


def _config(level: DisturbanceLevel, seeds: int, origins: Array, start: Pose2D) -> WorldConfig:
    robots = [
        {
            "node_id": index + 1,
            "x_m": x_m + start.x_m,
            "y_m": y_m + start.y_m,
            "heading_rad": start.heading_rad,
            "left_wheel_gain": 1.0 + _SIGNS[index % seeds % 4][0] * level.mismatch,
            "right_wheel_gain": 1.0 + _SIGNS[index % seeds % 4][1] * level.mismatch,
        }
        for index, (x_m, y_m) in enumerate(origins.tolist())
    ]
    size_m = _APART_M * (_ROW + 1)
    arena = {"width_m": size_m, "height_m": size_m}
    return build_world({"arena": arena, "motors": {"time_constant_s": level.lag_s, "speed_noise": 0}, "robots": robots})
