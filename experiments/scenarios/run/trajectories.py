"""Writes a run's trajectories as a tidy table: one row for each robot and recorded time."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.scenarios.run.assignments import TaskAssignment
from experiments.scenarios.run.recorder import Recording, StatusRecord, is_waiting
from experiments.scenarios.run.repetition import Run
from experiments.scenarios.run.results import off_course_m

Array = NDArray[np.float64]

COLUMNS: Final = (
    *("time_s", "robot", "x_m", "y_m", "heading_rad", "estimate_x_m", "estimate_y_m", "estimate_heading_rad"),
    *("speed_mps", "path_error_mm", "charge", "state", "task"),
)
WAITING: Final = "waiting"
DRIVING: Final = "driving"
IDLE: Final = "idle"


def write_trajectories(file: Path, run: Run) -> None:
    """Write true and estimated poses, states and tasks of all robots."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for column in range(len(run.recording.robot_ids)):
            writer.writerows(_rows(run, column))


def _rows(run: Run, column: int) -> Iterator[tuple[object, ...]]:
    recording = run.recording
    robot_id = recording.robot_ids[column]
    errors_mm, tasks = _followed(run, column)
    waits = _waits(recording, robot_id)
    speeds_mps = _speeds_mps(recording.times_s, recording.truth[:, column])
    numbers = zip(
        recording.times_s.tolist(),
        recording.truth[:, column].tolist(),
        recording.estimates[:, column].tolist(),
        speeds_mps.tolist(),
        errors_mm.tolist(),
        recording.charges[:, column].tolist(),
        strict=True,
    )
    for row, (time_s, pose, estimate, speed_mps, error_mm, charge) in enumerate(numbers):
        state = IDLE if not tasks[row] else WAITING if waits[row] else DRIVING
        places = (_number(value, 5) for value in (*pose, *estimate))
        measures = (_number(speed_mps, 4), _number(error_mm, 3), _number(charge, 6))
        yield (f"{time_s:.2f}", robot_id, *places, *measures, state, tasks[row])


def _followed(run: Run, column: int) -> tuple[Array, list[str]]:
    """Return a robot's true distance from its path [mm] at each time, NaN without a path, and its task, "" for none."""
    recording = run.recording
    errors_mm, tasks = np.full(len(recording.times_s), np.nan), [""] * len(recording.times_s)
    for assignment in run.assignments:
        if assignment.robot_id == recording.robot_ids[column] and assignment.rejection is None:
            rows = _rows_of(assignment, recording, run.duration_s)
            tasks[rows] = [assignment.plan.task_id] * len(tasks[rows])
            off_m = off_course_m(assignment.request, recording.truth[rows, column])
            errors_mm[rows.stop - len(off_m) : rows.stop] = 1000.0 * off_m
    return errors_mm, tasks


def _rows_of(assignment: TaskAssignment, recording: Recording, duration_s: float) -> slice:
    if assignment.started_s is None:
        return slice(0, 0)
    return recording.rows(assignment.started_s, duration_s if assignment.ended_s is None else assignment.ended_s)


def _waits(recording: Recording, robot_id: int) -> list[bool]:
    """Return whether a robot waited for others at each time, by its latest status."""
    own: list[StatusRecord] = [one for one in recording.statuses if one.status.robot_id == robot_id]
    latest = np.searchsorted([one.time_s for one in own], recording.times_s + 1e-6) - 1
    return [index >= 0 and is_waiting(own[index].status) for index in latest.tolist()]


def _speeds_mps(times_s: Array, poses: Array) -> Array:
    """Return the true mean speed since the previous time; 0 for the first."""
    steps_m = np.hypot(*np.diff(poses[:, :2], axis=0).T)
    speeds_mps: Array = np.concatenate(([0.0], steps_m / np.maximum(np.diff(times_s), 1e-9)))
    return speeds_mps


def _number(value: float, digits: int) -> str:
    """Return a number as text; "" for NaN, and 0 without a minus sign."""
    return "" if np.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"
