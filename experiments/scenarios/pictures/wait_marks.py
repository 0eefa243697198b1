"""Where and when robots waited for others in a run."""

import math
from dataclasses import dataclass

import numpy as np

from experiments.scenarios.run.recorder import Recording, is_waiting

_SAME_M = 0.05  # a robot that waits this near to where it waited before still waits there


@dataclass(frozen=True, slots=True)
class WaitMark:
    """A place where a robot waited with a task, and since when."""

    time_s: float
    robot_id: int
    x_m: float
    y_m: float


def wait_marks(recording: Recording) -> list[WaitMark]:
    """Return the places at which robots waited, in the order of time; statuses are recorded once a second."""
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
