"""Turns records of jobs into plain values, which books keep as JSON, and back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from fleet.dispatch.records.job import Job, JobState
from fleet.dispatch.records.job_record import Attempt, Hold, JobEnd, JobRecord
from fleet.geometry import Pose2D
from fleet.reason import Explanation, Reason
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import PathWish, Place, Work

_OF_WORK: Final = ("kind", "places", "path")
_OF_PATHS: Final = ("text", "speed_mps", "laps", "relative_to")  # jobs have no waypoints


def record_to_values(record: JobRecord) -> dict[str, Any]:
    """Return a record as values of JSON."""
    return {
        "job": job_to_values(record.job),
        "number": record.number,
        "submitted_ns": record.submitted_ns,
        "behind": record.behind,
        "hold": record.hold.value,
        "loaded_robot": record.loaded_robot,
        "attempt_count": record.attempt_count,
        "attempt": None if record.attempt is None else asdict(record.attempt),
        "is_canceling": record.is_canceling,
        "failures": [[robot_id, *_explained(why)] for robot_id, why in record.failures],
        "robot_id": record.robot_id,
        "end": None if record.end is None else _end_to_values(record.end),
        "original": None if record.original is None else job_to_values(record.original),
    }


def record_from_values(values: Mapping[str, Any]) -> JobRecord:
    """Return the record of values that `record_to_values` made."""
    attempt, end = values["attempt"], values["end"]
    original = values.get("original")  # books of earlier versions have none
    return JobRecord(
        job=job_from_values(values["job"]),
        number=values["number"],
        submitted_ns=values["submitted_ns"],
        behind=values["behind"],
        hold=Hold(values["hold"]),
        loaded_robot=values["loaded_robot"],
        attempt_count=values["attempt_count"],
        attempt=None if attempt is None else Attempt(**attempt),
        is_canceling=values["is_canceling"],
        failures=[(robot_id, Explanation(Reason(reason), detail)) for robot_id, reason, detail in values["failures"]],
        robot_id=values["robot_id"],
        end=None if end is None else _end_from_values(end),
        original=None if original is None else job_from_values(original),
    )


def job_to_values(job: Job) -> dict[str, Any]:
    """Return a job as values of JSON."""
    terms = {name: getattr(job, name) for name in Job.__dataclass_fields__ if name != "work"}
    return {**terms, **_work_to_values(job.work)}


def job_from_values(values: Mapping[str, Any]) -> Job:
    """Return the job of values that `job_to_values` made."""
    terms = {name: value for name, value in values.items() if name not in _OF_WORK}
    return Job(
        **{
            **terms,
            "work": _work_from_values(values),
            "robots": tuple(values["robots"]),
            "after": tuple(values["after"]),
        }
    )


def _work_to_values(work: Work) -> dict[str, Any]:
    places = [[place.name, place.pose.x_m, place.pose.y_m, place.pose.heading_rad] for place in work.places]
    path = None if work.path is None else {name: getattr(work.path, name) for name in _OF_PATHS}
    return {"kind": work.kind.value, "places": places, "path": path}


def _work_from_values(values: Mapping[str, Any]) -> Work:
    path = values["path"]
    places = tuple(Place(Pose2D(x_m, y_m, turn), name) for name, x_m, y_m, turn in values["places"])
    return Work(TaskKind(values["kind"]), places, None if path is None else PathWish(**path))


def _end_to_values(end: JobEnd) -> list[Any]:
    why = end.explanation
    return [end.state.value, end.ended_ns, *(("", "") if why is None else _explained(why))]


def _end_from_values(values: list[Any]) -> JobEnd:
    state, ended_ns, reason, detail = values
    return JobEnd(JobState(state), ended_ns, Explanation(Reason(reason), detail) if reason else None)


def _explained(why: Explanation) -> tuple[str, str]:
    return why.reason.value, why.detail
