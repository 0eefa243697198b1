"""Fits wheels, lag and noise of the simulator's robot to a recorded run of commands and poses.

The simulator's own wheels compute the travel of wheels with gain 1. Gains, wheel distance, marker, the poses' delay
and the time constant are fitted by least squares over parts of some seconds, each with its own start, so that noise
accumulated over a longer time does not bias the fit. Deviations come from the sandwich estimator over the parts.
"""

import math
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.events import AXLE_LENGTH_M
from experiments.twin.least_squares import Array, Unknowns, solved
from experiments.twin.recorded_run import RecordedRun
from experiments.twin.twin_error import TwinFitError
from simulator.firmware.peripherals import TICK_S
from simulator.physics.wheels import MotorsConfig, Wheels

PART_S: Final = 8.0
_BLOCK_S: Final = 3.0  # length of the blocks whose mean headings show the noise of motion by their differences
_TAKEN: Final = 3  # degrees of freedom, in pairs of blocks, that the fit uses up
_FEWEST_PAIRS: Final = 8
_WORST_M: Final = 0.03
_STILL_M: Final = 0.005  # travel below which a part is left out
_UNKNOWNS: Final = Unknowns(  # gains left and right, wheel distance, time constant, delay, marker
    start=np.array([1.0, 1.0, AXLE_LENGTH_M, 0.1, 0.0, 0.0]),
    differences=np.array([1e-3, 1e-3, 1e-4, 5e-3, 5e-3, 1e-3]),
    priors=np.array([0.3, 0.3, 0.02, 0.2, 0.3, 0.05]),
    least=np.array([0.5, 0.5, 0.05, 0.0, -1.0, -0.2]),
    most=np.array([1.5, 1.5, 0.2, 1.0, 2.0, 0.2]),
)
_VAGUE: Final = np.array([0.02, 0.02, 0.003])  # largest deviations of gains and wheel distance


@dataclass(frozen=True, slots=True)
class MotionModel:
    """Wheels, lag and camera of one robot; `delay_s` is the time from a command to the first pose with its effect."""

    left_gain: float = 1.0
    right_gain: float = 1.0
    axle_m: float = AXLE_LENGTH_M
    time_constant_s: float = 0.1
    delay_s: float = 0.0
    marker_x_m: float = 0.0


@dataclass(frozen=True, slots=True)
class HeadingWalk:
    """Sums over pairs of blocks: squared differences, the poses' share in them, and the share of a speed noise of 1."""

    squares: float
    white: float
    walked: float
    count: int

    @property
    def speed_noise(self) -> tuple[float, float]:
        """Relative noise of each wheel's speed per 10 ms, and the standard deviation of this estimate."""
        if self.count < _FEWEST_PAIRS:
            return math.nan, math.inf
        own = max(self.squares - self.white, 0.0)
        deviation = 0.5 * math.sqrt(2.0 / self.count) * self.squares / math.sqrt(self.walked * max(own, 1e-12))
        return math.sqrt(own / self.walked), deviation


@dataclass(frozen=True, slots=True)
class MotionFit:
    """A fitted model, its standard deviations, and the noise of motion and poses."""

    model: MotionModel
    deviations: MotionModel
    walk: HeadingWalk
    position_noise_m: float
    heading_noise_rad: float
    pose_rate_hz: float


def fit_motion(name: str, run: RecordedRun, dead_band_raw: int = 0) -> MotionFit:
    """Return the best fit of a robot to a run.

    Raises
    ------
    TwinFitError
        Commands and poses do not match, or the run lacks the straights or turns that determine the wheels.
    """
    problem = _Problem(name, run, dead_band_raw)
    solution = solved(problem.residuals, _UNKNOWNS)
    off_m = problem.position_noise_m * math.sqrt(float(np.mean(solution.residuals**2)))
    if off_m > _WORST_M:
        raise TwinFitError(
            f"{name}: poses and commands do not fit each other, they are {1e3 * off_m:.0f} mm apart: poses must be of "
            f"this robot, in metres and radians, and it must not be pushed"
        )
    clustered = solution.clustered_variances([3 * len(part) for part in problem.parts])
    deviations = np.sqrt(np.maximum(clustered, solution.white_variances))
    if np.any(deviations[:3] > _VAGUE):
        raise TwinFitError(f"{name} does not determine the wheels: straights and turns of some seconds are needed")
    walk = problem.heading_walk(solution.numbers)
    return MotionFit(
        MotionModel(*solution.numbers.tolist()),
        MotionModel(*deviations.tolist()),
        replace(walk, squares=walk.squares * walk.count / max(walk.count - _TAKEN, 1)),
        problem.position_noise_m,
        problem.heading_noise_rad,
        problem.rate_hz,
    )


def heading_walk(name: str, run: RecordedRun, model: MotionModel, dead_band_raw: int) -> HeadingWalk:
    """Return the random walk of the heading in a run that was not used for the fit."""
    return _Problem(name, run, dead_band_raw).heading_walk(np.array(astuple(model)))


class _Problem:
    """The parts of a run, and the residuals of a model."""

    def __init__(self, name: str, run: RecordedRun, dead_band_raw: int) -> None:
        self._run = run
        self._dead_band_raw = dead_band_raw
        self._start_s = float(min(run.commands[0, 0], run.poses[0, 0])) - 1.0
        self._headings = np.unwrap(run.poses[:, 3])
        self.rate_hz = (len(run.poses) - 1) / max(float(run.poses[-1, 0] - run.poses[0, 0]), 1e-9)
        self.position_noise_m = max(_noise(run.poses[:, 1]), _noise(run.poses[:, 2]), 1e-5)
        self.heading_noise_rad = max(_noise(self._headings), 1e-5)
        self._travels: dict[float, Array] = {}
        self.parts = self._moving_parts(name)

    def heading_walk(self, numbers: Array) -> "HeadingWalk":
        """Return the random walk of the heading's deviation from the model.

        The mean deviations of neighbouring blocks differ by the walk's steps, weighted by a triangle over both blocks,
        and by the noise of the poses.
        """
        times_s = self._run.poses[:, 0]
        errors = self._headings - self._path(numbers)[2]
        travel = self._travel(numbers[3]) * numbers[:2]
        variances = (travel**2).sum(axis=1) / numbers[2] ** 2
        edges_s = np.arange(times_s[0], times_s[-1], _BLOCK_S)
        blocks = [np.flatnonzero((times_s >= edge) & (times_s < edge + _BLOCK_S)) for edge in edges_s]
        sums, count = np.zeros(3), 0
        for edge_s, first, second in zip(edges_s, blocks, blocks[1:], strict=False):
            start = max(round((edge_s - numbers[4] - self._start_s) / TICK_S), 0)
            steps = variances[start : start + round(2 * _BLOCK_S / TICK_S)]
            walk = float(steps @ (1.0 - abs(np.linspace(-1.0, 1.0, len(steps)))) ** 2)
            if min(len(first), len(second)) >= 3 and walk > 0.0:
                white = self.heading_noise_rad**2 * (1.0 / len(first) + 1.0 / len(second))
                sums += (float(np.mean(errors[second]) - np.mean(errors[first])) ** 2, white, walk)
                count += 1
        return HeadingWalk(float(sums[0]), float(sums[1]), float(sums[2]), count)

    def _moving_parts(self, name: str) -> list[NDArray[np.int64]]:
        times_s = self._run.poses[:, 0]
        count = max(round(float(times_s[-1] - times_s[0]) / PART_S), 1)
        edges_s = np.linspace(times_s[0], times_s[-1] + 1e-6, count + 1)
        travelled = np.vstack(([0.0, 0.0], np.cumsum(abs(self._travel(0.1)), axis=0)))
        parts = []
        for first_s, last_s in pairwise(edges_s.tolist()):
            inside = np.flatnonzero((times_s >= first_s) & (times_s < last_s))
            begin, end = (
                int(np.clip((at_s - self._start_s) / TICK_S, 0, len(travelled) - 1)) for at_s in (first_s, last_s)
            )
            if len(inside) >= 5 and (travelled[end] - travelled[begin]).max() > _STILL_M:
                parts.append(inside)
        if not parts:
            raise TwinFitError(f"{name}: the robot does not move")
        return parts

    def residuals(self, numbers: Array) -> Array:
        """Return the normalized differences between the model and the poses of all parts."""
        x_m, y_m, headings = self._path(numbers)
        poses, rows = self._run.poses, []
        for part in self.parts:
            turn = float(np.mean(self._headings[part] - headings[part]))
            cosine, sine = math.cos(turn), math.sin(turn)
            for measured, modelled, noise in (
                (poses[part, 1], cosine * x_m[part] - sine * y_m[part], self.position_noise_m),
                (poses[part, 2], sine * x_m[part] + cosine * y_m[part], self.position_noise_m),
                (self._headings[part], headings[part], self.heading_noise_rad),
            ):
                difference = modelled - measured
                rows.append((difference - difference.mean()) / noise)
        return np.concatenate(rows)

    def _path(self, numbers: Array) -> tuple[Array, Array, Array]:
        """Return the marker's x and y and the heading at the time of each pose, for a start at the origin."""
        travel = self._travel(numbers[3]) * numbers[:2]
        turned = np.concatenate(([0.0], np.cumsum((travel[:, 1] - travel[:, 0]) / numbers[2])))
        middle = 0.5 * (turned[1:] + turned[:-1])
        ahead = travel.mean(axis=1)
        x_m = np.concatenate(([0.0], np.cumsum(ahead * np.cos(middle)))) + numbers[5] * np.cos(turned)
        y_m = np.concatenate(([0.0], np.cumsum(ahead * np.sin(middle)))) + numbers[5] * np.sin(turned)
        times_s = self._start_s + TICK_S * np.arange(len(turned))
        at_s = self._run.poses[:, 0] - numbers[4]
        return np.interp(at_s, times_s, x_m), np.interp(at_s, times_s, y_m), np.interp(at_s, times_s, turned)

    def _travel(self, time_constant_s: float) -> Array:
        """Return the travel of wheels with gain 1 in each step, shape (n, 2)."""
        if time_constant_s not in self._travels:
            config = MotorsConfig(time_constant_s, 0.0, self._dead_band_raw, 0.0, 0.2, 0.0, stalls=False)
            steps = round((float(self._run.poses[-1, 0]) + 1.0 - self._start_s) / TICK_S)
            self._travels[time_constant_s] = wheel_travel(config, self._run.commands, self._start_s, steps)
        return self._travels[time_constant_s]


def wheel_travel(config: MotorsConfig, commands: Array, start_s: float, steps: int) -> Array:
    """Return the travel of the simulator's wheels with gain 1 in each step of 10 ms, shape (steps, 2)."""
    wheels = Wheels(config, np.ones((1, 2)), np.random.default_rng(0))
    due = np.ceil((commands[:, 0] - start_s) / TICK_S - 1e-6).astype(int).tolist()
    targets = commands[:, 1:].round().astype(int).tolist()
    rolled, at = [], 0
    for step in range(steps):
        while at < len(due) and due[at] <= step:
            wheels.set_targets(targets[at])
            at += 1
        rolled.append(wheels.travel_m(TICK_S))
    return np.array(rolled).reshape(-1, 2)


def _noise(values: Array) -> float:
    """Return the standard deviation of white noise on a smooth motion, from second differences (variance times 6)."""
    differences = np.diff(values, 2)
    return math.sqrt(float(np.mean(differences**2)) / 6.0) if len(differences) else 0.0
