"""Finds the places and times of waits for other robots in a run."""

import math
from dataclasses import dataclass

import numpy as np

from experiments.scenarios.run.recorder import Recording, is_waiting

_SAME_M = 0.05  # waits of a robot within this distance share a mark


@dataclass(frozen=True, slots=True)
class WaitMark:
    """A place where a robot with a task waited, and the time when it first did."""

    time_s: float
    robot_id: int
    x_m: float
    y_m: float


def wait_marks(recording: Recording) -> list[WaitMark]:
    """Return the marks of robots' waits in order of time, as precisely as statuses are recorded."""
    marks: list[WaitMark] = []
    for record in recording.statuses:
        status = record.status
        if not is_waiting(status):
            continue
        row = min(int(np.searchsorted(recording.times_s, record.time_s - 1e-6)), len(recording.times_s) - 1)
        x_m, y_m = recording.truth[row, recording.column(status.robot_id), :2].tolist()
        mark = WaitMark(record.time_s, status.robot_id, x_m, y_m)
        if not any(_is_same(mark, other) for other in marks):
            marks.append(mark)
    return marks


def _is_same(one: WaitMark, other: WaitMark) -> bool:
    return one.robot_id == other.robot_id and math.dist((one.x_m, one.y_m), (other.x_m, other.y_m)) < _SAME_M
