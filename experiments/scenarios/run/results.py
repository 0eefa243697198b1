"""Computes the numeric results of a run: per task, per robot, and in total."""

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.battery_cell import open_voltage_v
from experiments.lab.clearance import Clearance
from experiments.lab.courses import Course, course_along
from experiments.scenarios.run.assignments import TaskAssignment
from experiments.scenarios.run.recorder import Recording, is_waiting
from experiments.scenarios.run.repetition import Run
from experiments.scenarios.summaries.run_result import RobotResult, RunResult, TaskResult, smallest
from fleet.geometry import Pose2D, wrap_angle
from fleet.paths.path import Path
from fleet.tasks.deviation import CrossTrack
from fleet.tasks.legs import STANDING, FollowLeg
from fleet.tasks.task import TaskRequest

Value = TypeVar("Value", float, float | None)

Array = NDArray[np.float64]

_NEAR_M = 0.05  # measuring starts at the closest approach to the path's start, once within this distance


def run_result(run: Run) -> RunResult:
    """Return all results of a run; tasks are in the order of the file."""
    recording = run.recording
    clearance = Clearance(run.world, recording.movers)
    robots = [_robot_result(run, clearance, column) for column in range(len(recording.robot_ids))]
    return RunResult(
        duration_s=run.duration_s,
        tasks=[_task_result(assignment, run, clearance) for assignment in run.assignments],
        robots=robots,
        contacts=int(recording.total_contacts[-1]),
        least_gap_mm=smallest(robot.least_gap_mm for robot in robots),
    )


def followed(request: TaskRequest | None) -> Course | None:
    """Return the course that a task follows; None for other kinds of tasks, and for tasks that never started."""
    leg = request.legs[0] if request else None
    if not isinstance(leg, FollowLeg) or request is None or request.route is not None:
        return None
    return course_along(Path(leg.path.pieces[: len(leg.path.pieces) // leg.laps]), leg.laps)


def _task_result(assignment: TaskAssignment, run: Run, clearance: Clearance) -> TaskResult:
    plan, recording = assignment.plan, run.recording
    was_accepted = assignment.request is not None and assignment.rejection is None and assignment.started_s is not None
    start_s = assignment.started_s
    end_s = run.duration_s if assignment.ended_s is None else assignment.ended_s
    rows = recording.rows(start_s if start_s is not None else math.inf, end_s)
    column = None if assignment.robot_id is None else recording.column(assignment.robot_id)
    truth = np.empty((0, 3)) if column is None or not was_accepted else recording.truth[rows, column]
    off_course = off_course_m(assignment.request, truth)
    goal = _goal(assignment.request) if was_accepted and assignment.ended_s is not None else None
    return TaskResult(
        task=plan.task_id,
        robot=assignment.robot_id,
        kind=plan.work.kind.value,
        state=assignment.state,
        reason=assignment.reason,
        start_s=_rounded(start_s),
        end_s=_rounded(assignment.ended_s),
        duration_s=None if assignment.ended_s is None or start_s is None else _rounded(assignment.ended_s - start_s),
        driven_m=_rounded(_driven_m(truth)) if len(truth) else None,
        max_mm=_mm(off_course.max()) if len(off_course) else None,
        rms_mm=_mm(_rms(off_course)) if len(off_course) else None,
        **_estimated_errors(assignment.outcome.cross_track if assignment.outcome else None),
        **_final_errors(goal, truth),
        contacts=None if column is None or not len(truth) else _contacts(recording, column, rows),
        least_gap_mm=None if column is None or not len(truth) else _least_gap_mm(recording, clearance, column, rows),
        waited_s=None if column is None or start_s is None else _waited_s(recording, column, start_s, end_s),
        detail=assignment.detail,
    )


def _estimated_errors(cross_track: CrossTrack | None) -> dict[str, float | None]:
    return {
        "seen_max_mm": _mm(cross_track.max_m) if cross_track else None,
        "seen_rms_mm": _mm(cross_track.rms_m) if cross_track else None,
    }


def _final_errors(goal: Pose2D | None, truth: Array) -> dict[str, float | None]:
    """Return the error of the final true pose relative to a goal."""
    if goal is None or not len(truth):
        return {"off_mm": None, "off_deg": None}
    end = Pose2D(*truth[-1].tolist())
    return {"off_mm": _mm(end.distance_to(goal)), "off_deg": _rounded(abs(math.degrees(end.heading_error_to(goal))))}


def _goal(request: TaskRequest | None) -> Pose2D | None:
    goals = [leg.goal for leg in request.legs if not isinstance(leg, STANDING)] if request else []
    return goals[-1] if goals else None


def off_course_m(request: TaskRequest | None, truth: Array) -> Array:
    """Return a robot's distances from its path since it reached the path's start, for the last rows, shape (rows,)."""
    course = followed(request)
    if course is None or not len(truth):
        return np.empty(0)
    start_row = _start_row(np.hypot(*(truth[:, :2] - course.places[0]).T))
    return np.empty(0) if start_row is None else course.distances(truth[start_row:, :2])


def _start_row(away_m: Array) -> int | None:
    """Return the row of the closest approach to the path's start during the first visit within `_NEAR_M`."""
    is_near = away_m <= _NEAR_M
    if not is_near.any():
        return None
    first = int(np.argmax(is_near))
    is_away_again = ~is_near[first:]
    visit = away_m[first:][: int(np.argmax(is_away_again)) if is_away_again.any() else None]
    return first + int(np.argmin(visit))


def _contacts(recording: Recording, column: int, rows: slice) -> int:
    """Return the number of a robot's contacts in some rows."""
    counts = recording.contacts[rows, column]
    before = recording.contacts[max(rows.start - 1, 0), column]
    return int(counts[-1] - before)


def _least_gap_mm(recording: Recording, clearance: Clearance, column: int, rows: slice) -> float | None:
    """Return the smallest gap between a robot and other bodies; 0 if a contact fell between recorded times."""
    if _contacts(recording, column, rows):
        return 0.0
    gap_m = clearance.least_gap_m(recording.indices[column], rows)
    return None if gap_m is None else _mm(gap_m)


def _robot_result(run: Run, clearance: Clearance, column: int) -> RobotResult:
    recording = run.recording
    truth, estimates = recording.truth[:, column], recording.estimates[:, column]
    off_m = np.hypot(*(truth - estimates)[:, :2].T)
    off_m = off_m[~np.isnan(off_m)]
    x_m, y_m, heading_rad = truth[-1].tolist()
    whole = slice(0, len(recording.times_s))
    return RobotResult(
        robot=recording.robot_ids[column],
        distance_m=_rounded(_driven_m(truth)),
        x_m=_rounded(x_m),
        y_m=_rounded(y_m),
        heading_rad=_rounded(wrap_angle(heading_rad)),
        estimate_max_mm=_mm(off_m.max()) if len(off_m) else None,
        estimate_rms_mm=_mm(_rms(off_m)) if len(off_m) else None,
        contacts=_contacts(recording, column, whole),
        least_gap_mm=_least_gap_mm(recording, clearance, column, whole),
        waited_s=_waited_s(recording, column, 0.0, run.duration_s),
        energy_j=round(_energy_j(recording.charges[:, column], run.world.battery.capacity_ah), 3),
    )


def _waited_s(recording: Recording, column: int, from_s: float, until_s: float) -> float:
    """Return how long a robot waited for others between two times; each status holds until the next."""
    robot_id = recording.robot_ids[column]
    records = [record for record in recording.statuses if record.status.robot_id == robot_id]
    if not records:
        return 0.0
    ends_s = [record.time_s for record in records[1:]] + [float(recording.times_s[-1])]
    waits = [(one.time_s, end_s) for one, end_s in zip(records, ends_s, strict=True) if is_waiting(one.status)]
    return round(sum(max(0.0, min(end_s, until_s) - max(begin_s, from_s)) for begin_s, end_s in waits) + 0.0, 6)


def _energy_j(charges: Array, capacity_ah: float) -> float:
    """Return the energy drawn from a cell: the drawn charge times the open-circuit voltage at each time."""
    drawn = np.maximum(-np.diff(charges), 0.0)
    volts = [open_voltage_v(charge) for charge in charges[:-1].tolist()]
    return float(3600.0 * capacity_ah * (drawn * volts).sum())


def _driven_m(poses: Array) -> float:
    return float(np.hypot(*np.diff(poses[:, :2], axis=0).T).sum())


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _mm(metres: float) -> float:
    return round(1000.0 * float(metres), 3)


def _rounded(value: Value) -> Value:
    return value if value is None else round(value, 6)
