"""Simulated motion capture: measures robots' poses at a rate, with noise, and reports them with a delay."""

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from simulator.numbers.noise import Noise
from simulator.numbers.periodic_event import PeriodicEvent
from simulator.world.config import SimulatedCaptureConfig

Stamp = TypeVar("Stamp")

Array = NDArray[np.float64]

_JUMP_POSES = 20  # between two jumps
_FREEZE_PERIOD_S = 5.0  # between the starts of two pauses
_EARLY_S = 1e-9  # sums of times are rounded


class SimulatedCapture(Generic[Stamp]):
    """Measures poses; the owner chooses the type of stamps.

    Parameters
    ----------
    config : rate, noise, latency and faults, and whether capture is enabled
    random : source of its noise
    """

    def __init__(self, config: SimulatedCaptureConfig, random: np.random.Generator) -> None:
        self._config = config
        self._noise = Noise(random)
        self._count = 0
        self._deviations: Array = np.array([config.position_noise_m] * 2 + [config.heading_noise_rad])
        self._latest: Array = np.empty((0, 3))
        self._times = PeriodicEvent(config.rate_hz)
        self._in_transit: deque[tuple[float, Stamp, Array]] = deque()  # arrival times, in simulated seconds

    def advance(self, time_s: float, stamp: Stamp, truth: Callable[[], Array]) -> list[tuple[Stamp, Array]]:
        """Return the measurements that arrive at a simulated time, with stamps; `truth` returns the poses, (n, 3)."""
        if self._config.enabled and self._times.is_due(time_s):
            poses = self._frozen(time_s, self._faulty(self._measured(truth())))
            self._in_transit.append((time_s + self._config.latency_s, stamp, poses))
        arrived = []
        while self._in_transit and self._has_arrived(time_s):
            arrived.append(self._in_transit.popleft()[1:])
        return arrived

    def _has_arrived(self, time_s: float) -> bool:
        due_s = self._in_transit[0][0]
        latest_s = time_s + _EARLY_S
        return due_s <= latest_s or due_s > latest_s + self._config.latency_s  # the latter after time was set back

    def _measured(self, truth: Array) -> Array:
        noise: Array = np.array(self._noise.draw(truth.size)).reshape(-1, 3)
        return truth + noise * self._deviations

    def _frozen(self, time_s: float, poses: Array) -> Array:
        """Return these poses or, during a pause, the last ones before it."""
        if time_s % _FREEZE_PERIOD_S >= self._config.freezes_s or self._latest.shape != poses.shape:
            self._latest = poses
        return self._latest

    def _faulty(self, poses: Array) -> Array:
        config, self._count = self._config, self._count + 1
        faulty = poses.copy()
        if config.marker_x_m != 0.0:
            faulty[:, 0] += config.marker_x_m * np.cos(poses[:, 2])
            faulty[:, 1] += config.marker_x_m * np.sin(poses[:, 2])
        faulty[:, 2] += config.turned_rad
        if config.mirrored:
            faulty[:, 1:] *= -1.0
        faulty[:, :2] *= config.scale
        if self._count % _JUMP_POSES == 0:
            faulty[:, 0] += config.jump_m
        return np.roll(faulty, 1, axis=0) if config.exchanged else faulty
