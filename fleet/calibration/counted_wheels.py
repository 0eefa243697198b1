"""The wheels of a robot under calibration: their counts, and their motion, in raw units.

A procedure is a generator: it yields commands to the wheels and is sent the time, once a tick.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.events import WheelOdometry, wheel_counts
from fleet.errors import CalibrationError

Array = NDArray[np.float64]
Command = tuple[int, int]  # left and right motor target, in motor units
_Result = TypeVar("_Result")
Steps = Generator[Command, int, _Result]  # yields commands, is sent the time in nanoseconds

HALT_RAW: Command = (0, 0)
_STANDS_S = 0.3  # wheels that count nothing for this long are standing
_SILENT_S = 1.0
_SETTLE_S = 5.0
_SLACK_S = 3.0
_SLOWEST = 0.5  # of the commanded speed: a slower robot is being held
_PERIODS_HZ = 100.0  # motor periods per second


@dataclass(frozen=True, slots=True)
class Move:
    """Wheel targets, held until the faster wheel has counted `counts` motor units times motor periods."""

    left_raw: int
    right_raw: int
    counts: float

    @property
    def speed_raw(self) -> int:
        """Magnitude of the faster wheel's target."""
        return max(abs(self.left_raw), abs(self.right_raw))

    def back(self, counts: float) -> "Move":
        """Return the same move in the opposite direction."""
        return Move(-self.left_raw, -self.right_raw, counts)


class Stepper:
    """Runs a procedure, tick by tick.

    Parameters
    ----------
    start : returns the procedure, given its start time
    """

    def __init__(self, start: Callable[[int], Steps[None]]) -> None:
        self.is_done = False
        self._start = start
        self._steps: Steps[None] | None = None

    def step(self, now_ns: int) -> Command:
        """Return the motor targets for now."""
        if self.is_done:
            return HALT_RAW
        try:
            if self._steps is None:
                self._steps = self._start(now_ns)
                return next(self._steps)
            return self._steps.send(now_ns)
        except StopIteration:
            self.is_done = True
            return HALT_RAW


def never() -> bool:
    """Return False: the move only ends at its counts."""
    return False


class CountedWheels:
    """Accumulates odometry, and uses it to drive moves."""

    def __init__(self) -> None:
        self.left_counts = 0
        self.right_counts = 0
        self._odometry: WheelOdometry | None = None
        self._reported_ns: int | None = None
        self._moved_ns = 0
        self._track: list[tuple[int, int, int]] = []

    def on_odometry(self, odometry: WheelOdometry, stamp_ns: int) -> None:
        """Process the robot's counters."""
        left, right = (0, 0) if self._odometry is None else wheel_counts(self._odometry, odometry)
        self.left_counts += left
        self.right_counts += right
        self._odometry, self._reported_ns = odometry, stamp_ns
        if left or right or not self._moved_ns:
            self._moved_ns = stamp_ns
        self._track.append((stamp_ns, self.left_counts, self.right_counts))

    def restart(self) -> None:
        """Count from 0 again, and forget the track."""
        self.left_counts = self.right_counts = 0
        self._track.clear()

    def counts_at(self, stamps_ns: Sequence[int]) -> Array:
        """Return the counts of left and right wheel since the restart, at given instants; (n, 2)."""
        track = np.array(self._track, dtype=np.int64).reshape(-1, 3)
        started_ns = track[0, 0]  # a float holds the digits of a duration, not those of an instant
        elapsed_ns = np.array(stamps_ns, dtype=np.int64) - started_ns
        return np.column_stack([np.interp(elapsed_ns, track[:, 0] - started_ns, track[:, wheel]) for wheel in (1, 2)])

    def drive(self, move: Move, now_ns: int, must_end: Callable[[], bool] = never) -> Steps[float]:
        """Drive a move until its end or until `must_end` returns True; return the counts at the end.

        Raises
        ------
        CalibrationError
            The robot is silent, or rolls much more slowly than commanded.
        """
        started_ns, left, right = now_ns, self.left_counts, self.right_counts
        counted = 0.0
        while counted < move.counts and not must_end():
            self._require_reports(now_ns)
            lasted_s = (now_ns - started_ns) * 1e-9
            if counted < _SLOWEST * move.speed_raw * _PERIODS_HZ * (lasted_s - _SLACK_S):
                raise CalibrationError(f"the wheels do not obey ({move.left_raw}, {move.right_raw}); blocked?")
            now_ns = yield (move.left_raw, move.right_raw)
            counted = float(max(abs(self.left_counts - left), abs(self.right_counts - right)))
        return counted

    def settle(self, now_ns: int) -> Steps[int]:
        """Wait until the wheels have stopped; return the time of that."""
        started_ns = now_ns
        while self._reported_ns is None or (self._reported_ns - max(self._moved_ns, started_ns)) * 1e-9 < _STANDS_S:
            if (now_ns - started_ns) * 1e-9 > _SETTLE_S:
                raise CalibrationError(f"the wheels still turn {_SETTLE_S:g} s after the command to stop")
            now_ns = yield HALT_RAW
        return now_ns

    def _require_reports(self, now_ns: int) -> None:
        if self._reported_ns is None or (now_ns - self._reported_ns) * 1e-9 > _SILENT_S:
            raise CalibrationError(f"the robot has not reported its wheels for {_SILENT_S:g} s")
