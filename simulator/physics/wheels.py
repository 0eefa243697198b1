"""Motors and wheels: targets, measured speeds, and rolled distances.

| array         | shape  | unit        | meaning                                           |
|---------------|--------|-------------|---------------------------------------------------|
| `targets_raw` | (n, 2) | motor units | target of each motor: left, right                 |
| `speeds_mps`  | (n, 2) | m/s         | speed of each motor                               |
| `gains`       | (n, 2) | 1           | ratio of rolled to measured distance              |

Computation uses plain numbers; the arrays are made on demand. Values written to a writable array take effect in the
next step.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.events import MAX_SPEED_RAW, SPEED_UNIT_MPS
from simulator.numbers.noise import Noise
from simulator.numbers.rounding import nearest
from simulator.physics.rolling import lagged, travelled

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

BRAKE_S: Final = 0.1  # the firmware forces its motor controller to zero after ten periods with target 0
_EARLY_S: Final = 1e-6  # sums of steps may fall short by this much


@dataclass(frozen=True, slots=True)
class MotorsConfig:
    """Behaviour of motors and wheels; world.schema.json has the details."""

    time_constant_s: float
    speed_noise: float
    dead_band_raw: int
    slip: float
    slip_time_constant_s: float
    reading_noise_raw: float
    stalls: bool


class Wheels:
    """The wheels of all robots; `targets_raw` and `gains` are writable.

    Parameters
    ----------
    config : behaviour of motors and wheels
    gains : (n, 2), ratio of rolled to measured distance
    random : source of noise
    """

    def __init__(self, config: MotorsConfig, gains: Array, random: np.random.Generator) -> None:
        self._config = config
        self._reading_noise = Noise(random.spawn(1)[0])  # a separate stream: reading a speed does not change motion
        self._noise = Noise(random)
        self._gains_table = gains
        self._targets_table: Counts = np.zeros(gains.shape, dtype=np.int64)
        self._may_be_written = False  # whether tables may have been written since they were last read
        self._is_current = True  # whether the table of targets equals the motors' targets
        self._gains: list[float] = []
        self._targets: list[int] = []
        self._speeds: list[float] = [0.0] * gains.size
        self._resting_s: list[float] = [0.0] * gains.size
        self._slip: list[float] = [0.0] * gains.size
        self._load_tables()

    @property
    def targets_raw(self) -> Counts:
        """Target of each motor, (n, 2); writable before the next step."""
        self._may_be_written = True
        return self._table()

    @property
    def gains(self) -> Array:
        """Ratio of rolled to measured distance of each wheel, (n, 2); writable before the next step."""
        self._may_be_written = True
        return self._gains_table

    @gains.setter
    def gains(self, gains: Array) -> None:
        self._may_be_written = True
        self._gains_table = gains

    def set_targets(self, targets_raw: list[int]) -> None:
        """Set each motor's target: left, right, left, right."""
        self._read_tables()
        if targets_raw != self._targets:
            self._apply_targets(targets_raw)
            self._is_current = False

    def target_list_raw(self) -> list[int]:
        """Return each motor's target: left, right, left, right."""
        self._read_tables()
        return self._targets

    @property
    def speeds_mps(self) -> Array:
        """Speed of each motor; (n, 2)."""
        return np.array(self._speeds).reshape(-1, 2)

    def append(self, gains: tuple[float, float]) -> None:
        """Add the wheels of a robot, at rest."""
        self._gains_table = np.vstack((self._gains_table, gains))
        self._targets_table = np.vstack((self._table(), (0, 0)))
        for table in (self._speeds, self._resting_s, self._slip):
            table.extend((0.0, 0.0))
        self._load_tables()

    def remove(self, robot: int) -> None:
        """Remove the wheels of a robot."""
        self._gains_table = np.delete(self._gains_table, robot, axis=0)
        self._targets_table = np.delete(self._table(), robot, axis=0)
        for table in (self._speeds, self._resting_s, self._slip):
            del table[2 * robot : 2 * robot + 2]
        self._load_tables()

    def stop(self, robot: int) -> None:
        """Stop the wheels of a robot at once; their targets are unchanged."""
        for table in (self._speeds, self._slip):
            table[2 * robot : 2 * robot + 2] = (0.0, 0.0)

    def travel_m(self, dt_s: float) -> list[float]:
        """Advance time; return how far each wheel rolls: left, right, left, right.

        Motors follow their targets with a first-order lag; after 0.1 s with target 0 they are braked to a halt.
        """
        self._read_tables()
        constant_s = self._config.time_constant_s
        share = 1.0 - math.exp(-dt_s / constant_s) if constant_s > 0.0 else 1.0
        self._speeds = lagged(self._speeds, self._targets_mps, share)
        if self._may_rest:
            self._brake(dt_s)
        noise = self._noise.draw(len(self._speeds))
        travel = travelled(self._speeds, self._gains, noise, self._config.speed_noise, dt_s)
        return self._with_slip(travel, dt_s) if self._config.slip > 0.0 else travel

    def hold(self, robots: list[int], rolled_mps: list[float]) -> None:
        """Slow the wheels of blocked robots to the speed of their bodies, if motors can stall.

        Parameters
        ----------
        robots
            indices of the blocked robots
        rolled_mps
            speed of every robot's wheels over the floor: left, right, left, right
        """
        if not self._config.stalls:
            return
        for robot in robots:
            for wheel in (2 * robot, 2 * robot + 1):
                speed_mps, passing_mps = self._speeds[wheel], rolled_mps[wheel]
                if speed_mps > 0.0:
                    self._speeds[wheel] = min(max(passing_mps, 0.0), speed_mps)
                else:
                    self._speeds[wheel] = max(min(passing_mps, 0.0), speed_mps)

    def readings_raw(self) -> Counts:
        """Return each motor's measured speed; (n, 2) motor units."""
        return np.array(self.measured_raw(), dtype=np.int64).reshape(-1, 2)

    def measured_raw(self) -> list[int]:
        """Return each motor's measured speed, in motor units: left, right, left, right."""
        deviation = self._config.reading_noise_raw
        if deviation == 0.0:
            return [nearest(speed_mps / SPEED_UNIT_MPS) for speed_mps in self._speeds]
        noise = self._reading_noise.draw(len(self._speeds))
        return [nearest(self._speeds[w] / SPEED_UNIT_MPS + deviation * noise[w]) for w in range(len(noise))]

    def _table(self) -> Counts:
        """Return the table of targets, updated from the list."""
        if not self._is_current:
            self._targets_table[:] = np.array(self._targets).reshape(-1, 2)
            self._is_current = True
        return self._targets_table

    def _read_tables(self) -> None:
        """Apply values that may have been written to the tables."""
        if not self._may_be_written:
            return
        self._may_be_written = False
        if self._table().ravel().tolist() != self._targets or self._gains_table.ravel().tolist() != self._gains:
            self._load_tables()

    def _load_tables(self) -> None:
        self._gains = self._gains_table.ravel().tolist()
        self._apply_targets(self._table().ravel().tolist())

    def _apply_targets(self, targets_raw: list[int]) -> None:
        self._targets = targets_raw
        self._targets_mps: list[float] = [self._effective_target(target) * SPEED_UNIT_MPS for target in self._targets]
        self._should_stand: list[bool] = [target == 0 for target in self._targets]
        self._may_rest = any(self._should_stand)
        if not self._may_rest:
            self._resting_s = [0.0] * len(self._speeds)

    def _effective_target(self, target_raw: int) -> int:
        """Return the target that a motor follows: within its limits, 0 in the dead band."""
        within = min(max(target_raw, -MAX_SPEED_RAW), MAX_SPEED_RAW)
        return 0 if abs(within) < self._config.dead_band_raw else within

    def _brake(self, dt_s: float) -> None:
        """Stop wheels whose target has been 0 for long enough."""
        for wheel, should_stand in enumerate(self._should_stand):
            self._resting_s[wheel] = self._resting_s[wheel] + dt_s if should_stand else 0.0
            if self._resting_s[wheel] >= BRAKE_S - _EARLY_S:
                self._speeds[wheel] = 0.0

    def _with_slip(self, travel_m: list[float], dt_s: float) -> list[float]:
        """Return how far wheels roll with slip, an Ornstein-Uhlenbeck process per wheel, sampled exactly."""
        decay = math.exp(-dt_s / self._config.slip_time_constant_s)
        spread = self._config.slip * math.sqrt(1.0 - decay**2)
        noise = self._noise.draw(len(self._slip))
        self._slip = [decay * slip + spread * number for slip, number in zip(self._slip, noise, strict=True)]
        return [travel * (1.0 + slip) for travel, slip in zip(travel_m, self._slip, strict=True)]
