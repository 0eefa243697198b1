"""Motors and wheels: what they are told, what they measure, how far they roll.

| array         | shape  | unit        | meaning                                           |
|---------------|--------|-------------|---------------------------------------------------|
| `targets_raw` | (n, 2) | motor units | what each motor shall do: left, right             |
| `speeds_mps`  | (n, 2) | m/s         | what each motor does                              |
| `gains`       | (n, 2) | 1           | how far a wheel rolls for what its motor measures |
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio import MAX_SPEED_RAW, SPEED_UNIT_MPS

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

BRAKE_S = 0.1  # the firmware forces its motor controller to zero after ten periods of target 0
_EARLY_S = 1e-6  # sums of steps may be smaller by this


@dataclass(frozen=True, slots=True)
class MotorsConfig:
    """How motors and wheels behave; world.schema.json says more."""

    time_constant_s: float
    speed_noise: float
    dead_band_raw: int = 0
    slip: float = 0.0
    slip_time_constant_s: float = 0.2
    reading_noise_raw: float = 0.0
    stalls: bool = False


class Wheels:
    """The wheels of all robots.

    Parameters
    ----------
    config : how they behave
    gains : (n, 2)
    random : noise comes from here
    """

    def __init__(self, config: MotorsConfig, gains: Array, random: np.random.Generator) -> None:
        self._config = config
        self._random = random
        self._reading_random = random.spawn(1)[0]  # so that reading a speed does not move the robots
        self.gains = gains
        self.targets_raw: Counts = np.zeros(gains.shape, dtype=np.int64)
        self.speeds_mps: Array = np.zeros(gains.shape)
        self._resting_s: Array = np.zeros(gains.shape)
        self._slip: Array = np.zeros(gains.shape)

    def append(self, gains: tuple[float, float]) -> None:
        """Add the wheels of one robot; they stand."""
        self.gains = np.vstack((self.gains, gains))
        self.targets_raw = np.vstack((self.targets_raw, (0, 0)))
        self.speeds_mps, self._resting_s, self._slip = (
            np.vstack((table, (0.0, 0.0))) for table in (self.speeds_mps, self._resting_s, self._slip)
        )

    def remove(self, robot: int) -> None:
        """Take away the wheels of one robot."""
        self.targets_raw = np.delete(self.targets_raw, robot, axis=0)
        self.gains, self.speeds_mps, self._resting_s, self._slip = (
            np.delete(table, robot, axis=0) for table in (self.gains, self.speeds_mps, self._resting_s, self._slip)
        )

    def stop(self, robot: int) -> None:
        """Let the wheels of one robot stand at once; their targets stay."""
        self.speeds_mps[robot] = 0.0
        self._slip[robot] = 0.0

    def roll(self, dt_s: float) -> Array:
        """Let time pass; return how far each wheel rolls over the floor, (n, 2) metres.

        Motors follow their targets with a first-order lag; those that shall stand for 0.1 s are braked to a halt.
        """
        targets = np.minimum(np.maximum(self.targets_raw, -MAX_SPEED_RAW), MAX_SPEED_RAW)
        if self._config.dead_band_raw:
            targets = np.where(np.abs(targets) < self._config.dead_band_raw, 0, targets)
        constant_s = self._config.time_constant_s
        share = 1.0 - np.exp(-dt_s / constant_s) if constant_s > 0.0 else 1.0
        self.speeds_mps += share * (targets * SPEED_UNIT_MPS - self.speeds_mps)
        self._resting_s = (self._resting_s + dt_s) * (self.targets_raw == 0)
        self.speeds_mps *= self._resting_s < BRAKE_S - _EARLY_S
        noise = self._random.normal(1.0, self._config.speed_noise, self.speeds_mps.shape)
        travel: Array = self.speeds_mps * self.gains * noise * dt_s
        return travel * (1.0 + self._slide(dt_s)) if self._config.slip > 0.0 else travel

    def hold(self, robots: NDArray[np.intp], rolled_mps: Array) -> None:
        """Slow down the wheels of robots that are blocked to what their bodies did, where motors stall.

        Parameters
        ----------
        robots
            (k,) which
        rolled_mps
            (k, 2) how fast the floor passed beneath their wheels
        """
        if not self._config.stalls:
            return
        speeds = self.speeds_mps[robots]
        forward = np.sign(speeds)
        self.speeds_mps[robots] = forward * np.clip(forward * rolled_mps, 0.0, np.abs(speeds))

    def readings_raw(self) -> Counts:
        """Return what each motor measures; (n, 2) motor units."""
        speeds = self.speeds_mps / SPEED_UNIT_MPS
        if self._config.reading_noise_raw > 0.0:
            speeds += self._reading_random.normal(0.0, self._config.reading_noise_raw, speeds.shape)
        return np.rint(speeds).astype(np.int64)

    def _slide(self, dt_s: float) -> Array:
        """Return the relative slip of each wheel: an Ornstein-Uhlenbeck process, sampled exactly."""
        decay = np.exp(-dt_s / self._config.slip_time_constant_s)
        spread = self._config.slip * np.sqrt(1.0 - decay**2)
        self._slip = decay * self._slip + self._random.normal(0.0, spread, self._slip.shape)
        return self._slip
