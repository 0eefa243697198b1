"""Converts records of jobs to plain values, which books keep as JSON, and back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from fleet.dispatch.records.job import Job, JobState
from fleet.dispatch.records.job_record import Attempt, Hold, JobEnd, JobRecord
from fleet.errors import BookError
from fleet.geometry import Pose2D
from fleet.reason import Explanation, Reason
from fleet.tasks.task_kind import TaskKind
from fleet.work.route_text import route_of_words, route_text
from fleet.work.work import PathWish, Place, Work
from thymio_base.texts.shortened import shortened

_OF_WORK: Final = ("kind", "places", "path", "route")
_OF_PATHS: Final = ("text", "speed_mps", "laps", "relative_to")  # jobs have no waypoints


def record_to_values(record: JobRecord) -> dict[str, Any]:
    """Return a record as JSON values."""
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
    """Return the record for values from `record_to_values`.

    Raises
    ------
    BookError
        A value is missing or has a wrong type, which would otherwise fail later, in every tick.
    """
    try:
        return _record(_checked(values, _RECORD_TYPES))
    except KeyError as error:
        raise BookError(f"{error.args[0]} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise BookError(shortened(str(error), _LONGEST)) from error


def _record(values: Mapping[str, Any]) -> JobRecord:
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
        attempt=None if attempt is None else Attempt(**_checked(attempt, _ATTEMPT_TYPES)),
        is_canceling=values["is_canceling"],
        failures=[
            (_typed(robot_id, int), Explanation(Reason(reason), _typed(detail, str)))
            for robot_id, reason, detail in values["failures"]
        ],
        robot_id=values["robot_id"],
        end=None if end is None else _end_from_values(end),
        original=None if original is None else job_from_values(original),
    )


def job_to_values(job: Job) -> dict[str, Any]:
    """Return a job as JSON values."""
    terms = {name: getattr(job, name) for name in Job.__dataclass_fields__ if name != "work"}
    lists = {"robots": list(job.robots), "after": list(job.after)}
    return {**terms, **lists, **_work_to_values(job.work)}


def job_from_values(values: Mapping[str, Any]) -> Job:
    """Return the job for values from `job_to_values`."""
    _checked(values, _JOB_TYPES)
    terms = {name: value for name, value in values.items() if name not in _OF_WORK}
    return Job(
        **{
            **terms,
            "work": _work_from_values(values),
            "robots": tuple(_typed(robot_id, int) for robot_id in values["robots"]),
            "after": tuple(_typed(job_id, str) for job_id in values["after"]),
        }
    )


def _work_to_values(work: Work) -> dict[str, Any]:
    places = [[place.name, place.pose.x_m, place.pose.y_m, place.pose.heading_rad] for place in work.places]
    path = None if work.path is None else {name: getattr(work.path, name) for name in _OF_PATHS}
    route = route_text(work.route, named=False) if work.route else None
    return {"kind": work.kind.value, "places": places, "path": path, "route": route}


def _work_from_values(values: Mapping[str, Any]) -> Work:
    path = values["path"]
    places = tuple(_place(*place) for place in values["places"])
    wish = None if path is None else PathWish(**_checked(path, _PATH_TYPES))
    route = route_of_words((values.get("route") or "").split(), _no_station)
    return Work(TaskKind(values["kind"]), places, wish, route)


def _no_station(_: str) -> None:
    """Return None: routes in books only have coordinates."""


def _place(name: str, x_m: float, y_m: float, heading_rad: float) -> Place:
    x_m, y_m, heading_rad = (_typed(value, int, float) for value in (x_m, y_m, heading_rad))
    return Place(Pose2D(float(x_m), float(y_m), float(heading_rad)), _typed(name, str))


def _end_to_values(end: JobEnd) -> list[Any]:
    why = end.explanation
    return [end.state.value, end.ended_ns, *(("", "") if why is None else _explained(why))]


def _end_from_values(values: list[Any]) -> JobEnd:
    state, ended_ns, reason, detail = values
    explanation = Explanation(Reason(reason), _typed(detail, str)) if reason else None
    return JobEnd(JobState(state), _typed(ended_ns, int), explanation)


def _checked(values: Any, types: Mapping[str, tuple[type, ...]]) -> Any:
    """Return values if all known keys have the right types; books of earlier versions may lack keys."""
    for key, allowed in types.items():
        if key in values and type(values[key]) not in allowed:
            raise ValueError(f"{key} is {shortened(repr(values[key]))}")
    return values


def _typed(value: Any, *allowed: type) -> Any:
    """Return a value; raise ValueError if it has another type."""
    if type(value) not in allowed:
        raise ValueError(f"{shortened(repr(value))} is not of type {allowed[0].__name__}")
    return value


_LONGEST: Final = 200  # characters of an error
_NONE: Final = type(None)
_RECORD_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "job": (dict,),
    "number": (int,),
    "submitted_ns": (int,),
    "behind": (str,),
    "hold": (str,),
    "loaded_robot": (int, _NONE),
    "attempt_count": (int,),
    "attempt": (dict, _NONE),
    "is_canceling": (bool,),
    "failures": (list,),
    "robot_id": (int, _NONE),
    "end": (list, _NONE),
    "original": (dict, _NONE),
}
_JOB_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "job_id": (str,),
    "kind": (str,),
    "places": (list,),
    "path": (dict, _NONE),
    "route": (str, _NONE),
    "robots": (list,),
    "priority": (int,),
    "not_before_ns": (int,),
    "deadline_ns": (int,),
    "is_aborted_late": (bool,),
    "after": (list,),
    "after_any_end": (bool,),
    "attempts": (int,),
    "may_be_interrupted": (bool,),
}
_PATH_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "text": (str,),
    "speed_mps": (int, float),
    "laps": (int,),
    "relative_to": (str,),
}
_ATTEMPT_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "robot_id": (int,),
    "task_id": (str,),
    "first_leg": (int,),
    "leg": (int,),
    "started_ns": (int,),
}


def _explained(why: Explanation) -> tuple[str, str]:
    return why.reason.value, why.detail
