"""Checks jobs before the fleet accepts them."""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields
from typing import Final

from fleet.dispatch.records.job import HIGHEST_PRIORITY, Job
from fleet.dispatch.records.job_record import JobRecord
from fleet.dispatch.task_of_job import read_job_path
from fleet.errors import GoalRejectedError
from fleet.floor.obstacles import BODY_RADIUS_M
from fleet.geometry import Pose2D
from fleet.reason import Explanation, Reason
from fleet.settings.config import FleetConfig
from fleet.tasks import explanations
from fleet.tasks.task_kind import TaskKind
from thymio_base.number_text import which_are_text

OPEN_MAX: Final = 1_000
_ID_MAX: Final = 120  # characters: the id of the ninth attempt must fit into 128
_ATTEMPTS_MAX: Final = 9
_WORDS: Final = {"not_before_ns": "not_before", "deadline_ns": "deadline", "is_aborted_late": "abort_when_late"}
_PLACES: Final = {TaskKind.GO_TO: 1, TaskKind.TRANSPORT: 2, TaskKind.GO_HOME: 0, TaskKind.FOLLOW_PATH: 0}


def objections(
    jobs: Sequence[Job],
    config: FleetConfig,
    robot_ids: Collection[int],
    find: Callable[[str], JobRecord | None],
    open_count: int,
) -> list[Explanation | None]:
    """Return for each job of a submission why it cannot be accepted, None if it can.

    Parameters
    ----------
    jobs
        the submission; jobs may depend on each other
    config
        of the fleet
    robot_ids
        all its robots, those of other drivers too
    find
        returns the job of an id
    open_count
        of jobs that have not ended
    """
    ids = [job.job_id for job in jobs]
    found = [
        _objection_to_id(job, ids[:index], find)
        or _objection_to_work(job, config)
        or _objection_to_terms(job, robot_ids)
        or _objection_to_order(job, jobs, find)
        for index, job in enumerate(jobs)
    ]
    if open_count + len(jobs) > OPEN_MAX and found and found[0] is None:
        found[0] = _bad(f"{open_count} jobs are open, and {len(jobs)} more are over {OPEN_MAX}; wait or cancel some")
    return found


def differences(job: Job, known: JobRecord) -> list[str]:
    """Return what a submission has other than the known job of its id had when it was submitted; none is a repeat."""
    first = known.submitted
    names = (field.name for field in fields(Job))
    return [_WORDS.get(name, name) for name in names if getattr(job, name) != getattr(first, name)]


def _objection_to_id(job: Job, earlier: Collection[str], find: Callable[[str], JobRecord | None]) -> Explanation | None:
    job_id = job.job_id
    if not job_id:
        return explanations.empty_id()
    if len(job_id) > _ID_MAX or not job_id.isprintable() or "#" in job_id:
        is_numbered = "#" in job_id and len(job_id) <= _ID_MAX and job_id.isprintable()
        text = f"the job id {job_id!r} contains #, which numbers attempts" if is_numbered else ""
        return Explanation(Reason.BAD_ID, text) if text else explanations.bad_id(job_id, _ID_MAX)
    if job_id in earlier:
        return Explanation(Reason.DUPLICATE_ID, f"the submission has two jobs with the id {job_id!r}")
    if (known := find(job_id)) is not None:
        others = ", ".join(differences(job, known))
        text = f"another job has, or had, the id {job_id!r}, with other {others}; choose a new id for each job"
        return Explanation(Reason.DUPLICATE_ID, text)
    return None


def _objection_to_work(job: Job, config: FleetConfig) -> Explanation | None:
    needed = _PLACES[job.kind]
    if len(job.places) != needed:
        return _bad(f"{job.kind.value} has {len(job.places)} places, not {needed}")
    if (job.path is not None) != (job.kind is TaskKind.FOLLOW_PATH):
        return _bad(
            f"{job.kind.value} {'needs a path' if job.path is None else 'has a path, which only follow_path has'}"
        )
    if job.path is not None:
        try:
            read_job_path(job)
        except GoalRejectedError as error:
            return error.explanation
    poses = [place.pose for place in job.places]
    for pose in poses:
        if not all(map(math.isfinite, (pose.x_m, pose.y_m, pose.heading_rad))):
            return Explanation(Reason.NON_FINITE_POSE, f"({pose.x_m}, {pose.y_m}, {pose.heading_rad}) is not finite")
    return _objection_to_poses(poses, config) if poses else None


def _objection_to_poses(poses: Sequence[Pose2D], config: FleetConfig) -> Explanation | None:
    if config.arena is not None:
        outside = explanations.out_of_arena(poses, config.arena, None)
        if outside is not None:
            return outside
    obstacles = config.floor.obstacles
    needed_m = config.traffic.wall_m if config.traffic.enabled else BODY_RADIUS_M
    for pose in poses:
        if obstacles.clearance_m(pose.x_m, pose.y_m) < needed_m:
            return explanations.unreachable(pose, obstacles, needed_m)
    return None


def _objection_to_terms(job: Job, robot_ids: Collection[int]) -> Explanation | None:
    unknown = [robot_id for robot_id in job.robots if robot_id not in robot_ids]
    if unknown:
        return _bad(
            f"robots names {unknown[0]}, which is not in the fleet; {which_are_text('robot', sorted(robot_ids))}"
        )
    if not 0 <= job.priority <= HIGHEST_PRIORITY:
        return _bad(f"priority is {job.priority}, not from 0 to {HIGHEST_PRIORITY}")
    if not 1 <= job.attempts <= _ATTEMPTS_MAX:
        return _bad(f"attempts is {job.attempts}, not from 1 to {_ATTEMPTS_MAX}")
    if job.is_aborted_late and not job.deadline_ns:
        return _bad("it is to be aborted when it is late, and has no deadline")
    return None


def _objection_to_order(job: Job, jobs: Sequence[Job], find: Callable[[str], JobRecord | None]) -> Explanation | None:
    together = {other.job_id: other for other in jobs}
    for earlier in job.after:
        if earlier not in together and find(earlier) is None:
            return _bad(f"after names {earlier!r}, and there is no such job")
    if job.job_id in set(_ancestors(job, together)):
        return _bad(f"{job.job_id!r} waits for itself: the jobs after which it comes wait for it")
    return None


def _ancestors(job: Job, together: dict[str, Job]) -> Iterator[str]:
    """Yield the jobs of a submission for which a job waits, and those for which they do."""
    seen: set[str] = set()
    waiting = list(job.after)
    while waiting:
        job_id = waiting.pop()
        if job_id not in seen:
            seen.add(job_id)
            yield job_id
            waiting += together[job_id].after if job_id in together else ()


def _bad(text: str) -> Explanation:
    return Explanation(Reason.BAD_JOB, text)
