"""A recorded run of one robot: commanded wheel targets and measured poses."""

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.events import MAX_SPEED_RAW
from experiments.twin.twin_error import TwinFitError
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import real_number

Array = NDArray[np.float64]

COLUMNS: Final = ("time_s", "left_raw", "right_raw", "x_m", "y_m", "heading_rad")
_FEWEST: Final = 30
_LONGEST_S: Final = 3600.0
_FURTHEST: Final = 1000.0
_MOST_BYTES: Final = 50_000_000
_ROW: Final = "a row has a time, and two targets, or a pose, or both"
_REST_S: Final = 0.8  # time after which a robot without a target is stationary


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """Commands (n, 3): seconds, left and right target; poses (m, 4): seconds, x, y, heading. Times ascend."""

    commands: Array
    poses: Array

    @property
    def rests_s(self) -> list[float]:
        """Instants just before the robot drives after a rest."""
        rests = []
        for before, after in zip(self.commands, self.commands[1:], strict=False):
            if not before[1:].any() and after[1:].any() and after[0] - before[0] >= _REST_S:
                rests.append(float(after[0]) - 0.1)
        return rests

    def part(self, start_s: float, end_s: float) -> "RecordedRun":
        """Return the part of the run between two instants, with the command that was in effect at its start."""
        valid = self.commands[: int(np.searchsorted(self.commands[:, 0], start_s))][-1:].copy()
        valid[:, 0] = start_s
        within = [rows[(rows[:, 0] >= start_s) & (rows[:, 0] < end_s)] for rows in (self.commands, self.poses)]
        return RecordedRun(np.vstack((valid, within[0])), within[1])

    def split(self, share: float) -> "tuple[RecordedRun, RecordedRun]":
        """Split the run at the rest nearest to a share of its duration."""
        start_s, end_s = self.poses[0, 0], self.poses[-1, 0]
        wanted_s = start_s + share * (end_s - start_s)
        rests_s = [rest_s for rest_s in self.rests_s if rest_s > start_s + 0.2 * (end_s - start_s)]
        at_s = min(rests_s, key=lambda rest_s: abs(rest_s - wanted_s), default=wanted_s)
        return self.part(-math.inf, at_s), self.part(at_s, math.inf)


def recorded_run(name: str, commands: Sequence[Sequence[float]], poses: Sequence[Sequence[float]]) -> RecordedRun:
    """Return a run from rows of numbers.

    Raises
    ------
    TwinFitError
        Numbers are missing, not finite, out of order, or too few; the message names the run and the row.
    """
    run = RecordedRun(_table(name, "command", commands, 3), _table(name, "pose", poses, 4))
    if len(run.poses) < _FEWEST or not run.commands[:, 1:].any():
        raise TwinFitError(f"{name}: {len(run.poses)} poses and {len(run.commands)} commands are too few for a twin")
    times_s = np.concatenate((run.commands[:, 0], run.poses[:, 0]))
    if np.ptp(times_s) > _LONGEST_S:
        raise TwinFitError(f"{name}: the run is longer than {_LONGEST_S:g} s")
    if abs(run.commands[:, 1:]).max() > MAX_SPEED_RAW:
        raise TwinFitError(f"{name}: targets are motor units from -{MAX_SPEED_RAW} to {MAX_SPEED_RAW}")
    if abs(run.poses[:, 1:]).max() > _FURTHEST:
        raise TwinFitError(f"{name}: poses are metres and radians up to {_FURTHEST:g}")
    for table in (run.commands, run.poses):
        table[:, 0] -= times_s.min()
    return run


def _table(name: str, kind: str, rows: Sequence[Sequence[float]], width: int) -> Array:
    if any(len(row) != width for row in rows):
        raise TwinFitError(f"{name}: a {kind} has {width} numbers")
    table = np.array(rows, dtype=float).reshape(-1, width)
    if not np.all(np.isfinite(table)):
        raise TwinFitError(f"{name}: a {kind} is not a number")
    is_back = np.diff(table[:, 0]) < 0.0
    if np.any(is_back):
        raise TwinFitError(f"{name}: times do not ascend at {kind} {int(np.argmax(is_back)) + 2}")
    return table


def read_run(path: Path) -> RecordedRun:
    """Return the run in a CSV file with the columns `COLUMNS`; each row has targets, a pose, or both.

    Raises
    ------
    TwinFitError
        The file cannot be read, or a row is invalid; the message names file and line.
    """
    lines = _lines(path)
    if not lines or tuple(cell.strip() for cell in lines[0]) != COLUMNS:
        raise TwinFitError(f"{path}: the first line must be {','.join(COLUMNS)}")
    commands: list[list[float]] = []
    poses: list[list[float]] = []
    for number, row in enumerate(lines[1:], 2):
        if row:
            time_s, *cells = _cells(f"{path}:{number}", row)
            for numbers, table in ((cells[:2], commands), (cells[2:], poses)):
                given = [cell for cell in numbers if cell is not None]
                if time_s is None or len(given) not in (0, len(numbers)):
                    raise TwinFitError(f"{path}:{number}: {_ROW}")
                if given:
                    table.append([time_s, *given])
    return recorded_run(str(path), commands, poses)


def _lines(path: Path) -> list[list[str]]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise TwinFitError(f"{path} has more than {_MOST_BYTES // 1_000_000} MB")
        return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    except (OSError, ValueError, csv.Error) as error:
        raise TwinFitError(f"{path} cannot be read: {error}") from error


def _cells(where: str, row: Sequence[str]) -> list[float | None]:
    if len(row) != len(COLUMNS):
        raise TwinFitError(f"{where}: {_ROW}")
    try:
        return [real_number(cell.strip()) if cell.strip() else None for cell in row]
    except TextError as error:
        raise TwinFitError(f"{where}: {error}") from error
