"""Checks jobs before the fleet accepts them."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

from fleet.dispatch.reach import Reach
from fleet.dispatch.records.job import Job
from fleet.dispatch.records.job_record import JobRecord
from fleet.reason import Explanation, Reason
from fleet.robots.readiness import Readiness
from fleet.settings.config import FleetConfig
from fleet.tasks import explanations
from fleet.tasks.task_kind import HIGHEST_PRIORITY
from fleet.work.objections import objection_in_parts, objection_to_id
from fleet.work.work import Work
from thymio_base.number_text import which_are_text
from thymio_base.parts import Parts
from thymio_base.texts.shortened import shortened

OPEN_MAX: Final = 1_000
_ID_MAX: Final = 120  # characters: the id of the ninth attempt must fit into 128
_ATTEMPTS_MAX: Final = 9
_CHECKED_AT_ONCE: Final = 40  # jobs: more would delay a tick
_WORDS: Final = {"not_before_ns": "not_before", "deadline_ns": "deadline", "is_aborted_late": "abort_when_late"}
_AFTER_MAX: Final = 20  # jobs for which one waits


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The circumstances of a submission besides its jobs.

    Parameters
    ----------
    config : the fleet's configuration
    robot_ids : ids of all its robots, including those of other drivers
    robots : the robots that are known now
    reach : decides which places they can reach
    find : returns the job with an id
    open_count : number of jobs that have not ended
    """

    config: FleetConfig
    robot_ids: Collection[int]
    robots: Sequence[Readiness]
    reach: Reach
    find: Callable[[str], JobRecord | None]
    open_count: int = 0


def objections(jobs: Sequence[Job], now: Circumstances) -> Parts[list[Explanation | None]]:
    """Return for each job of a submission why it cannot be accepted, or None; its jobs may depend on each other.

    Each part checks some of the jobs, or a part of a path.
    """
    counts = Counter(job.job_id for job in jobs)
    waiting = _in_rings({job.job_id: job.after[:_AFTER_MAX] for job in jobs})
    robot_ids = set(now.robot_ids)
    found: list[Explanation | None] = []
    for count, job in enumerate(jobs):
        if count and count % _CHECKED_AT_ONCE == 0:
            yield
        objection = _objection_to_id(job, counts[job.job_id], now.find)
        objection = objection or (yield from _objection_to_work(job, now))
        objection = objection or objection_to_terms(job, robot_ids)
        found.append(objection or _objection_to_order(job, counts, waiting, now.find))
    if now.open_count + len(jobs) > OPEN_MAX and found and found[0] is None:
        found[0] = _bad(
            f"{now.open_count} jobs are open, and {len(jobs)} more are over {OPEN_MAX}; wait or cancel some"
        )
    return found


def differences(job: Job, known: JobRecord) -> list[str]:
    """Return the fields in which a job differs from the known job with its id, as submitted; none for a repeat."""
    first = known.submitted
    of_work = [field.name for field in fields(Work) if getattr(job.work, field.name) != getattr(first.work, field.name)]
    terms = [field.name for field in fields(Job) if getattr(job, field.name) != getattr(first, field.name)]
    return [*of_work, *(_WORDS.get(name, name) for name in terms if name != "work")]


def _objection_to_id(job: Job, count: int, find: Callable[[str], JobRecord | None]) -> Explanation | None:
    job_id = job.job_id
    if (objection := objection_to_id(job_id, _ID_MAX)) is not None:
        return objection
    if "#" in job_id:
        return Explanation(Reason.BAD_ID, f"the job id {job_id!r} contains #, which numbers attempts")
    if count > 1:
        return Explanation(Reason.DUPLICATE_ID, f"the submission has {count} jobs with the id {job_id!r}")
    if (known := find(job_id)) is not None:
        others = ", ".join(differences(job, known))
        text = f"another job has, or had, the id {job_id!r}, with other {others}; choose a new id for each job"
        return Explanation(Reason.DUPLICATE_ID, text)
    return None


def _objection_to_work(job: Job, now: Circumstances) -> Parts[Explanation | None]:
    objection = yield from objection_in_parts(job.work, now.config)
    return objection or _objection_to_way(job, now)


def _objection_to_way(job: Job, now: Circumstances) -> Explanation | None:
    place = now.reach.out_of_reach(job, now.robots)
    return None if place is None else explanations.no_way_for_any(place, job.robots)


def objection_to_terms(job: Job, robot_ids: Collection[int]) -> Explanation | None:
    """Return what is wrong with a job's robots and times; None if they are valid."""
    known = robot_ids if isinstance(robot_ids, set) else set(robot_ids)
    unknown = next((robot_id for robot_id in job.robots if robot_id not in known), None)
    if unknown is not None:
        return _bad(f"robot {unknown} is not in the fleet; {which_are_text('robot', sorted(robot_ids))}")
    if len(job.robots) > len(known):
        return _bad(f"robots has {len(job.robots)} entries; {which_are_text('robot', sorted(known))} in the fleet")
    if not 0 <= job.priority <= HIGHEST_PRIORITY:
        return _bad(f"priority is {job.priority}, not from 0 to {HIGHEST_PRIORITY}")
    if not 1 <= job.attempts <= _ATTEMPTS_MAX:
        return _bad(f"attempts is {job.attempts}, not from 1 to {_ATTEMPTS_MAX}")
    if job.is_aborted_late and not job.deadline_ns:
        return _bad("abort_when_late is set, but there is no deadline")
    return None


def _objection_to_order(
    job: Job, together: Collection[str], in_rings: Collection[str], find: Callable[[str], JobRecord | None]
) -> Explanation | None:
    if len(job.after) > _AFTER_MAX:
        return _bad(f"after has {len(job.after)} jobs, at most {_AFTER_MAX}; let jobs wait for each other in a chain")
    for earlier in job.after:
        if earlier not in together and find(earlier) is None:
            return _bad(f"after has {shortened(repr(earlier))}, but there is no such job")
    if job.job_id in in_rings:
        return _bad(f"{job.job_id!r} waits for itself, directly or through other jobs, and could never start")
    return None


def _in_rings(after: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the jobs of a submission that could never start: those in rings, and those that wait for them."""
    open_counts = {job_id: sum(one in after for one in set(earlier)) for job_id, earlier in after.items()}
    followers: dict[str, list[str]] = {job_id: [] for job_id in after}
    for job_id, earlier in after.items():
        for one in sorted(set(earlier).intersection(after)):
            followers[one].append(job_id)
    free = deque(job_id for job_id, count in open_counts.items() if not count)
    while free:
        for follower in followers[free.popleft()]:
            open_counts[follower] -= 1
            if not open_counts[follower]:
                free.append(follower)
    return {job_id for job_id, count in open_counts.items() if count}


def _bad(text: str) -> Explanation:
    return Explanation(Reason.BAD_JOB, text)
