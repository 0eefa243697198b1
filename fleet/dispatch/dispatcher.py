"""The dispatcher: accepts jobs, gives them to robots, and reports their progress. The driver's tick advances it."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from fleet.dispatch.assigner import Assigner
from fleet.dispatch.attempts import Attempts, PendingAttempt
from fleet.dispatch.charging import Charging
from fleet.dispatch.dispatched_robots import LocalRobots, NoRemoteRobots, RemoteRobots
from fleet.dispatch.hindrances import hindrances
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.place_keeper import PlaceKeeper
from fleet.dispatch.reach import Reach
from fleet.dispatch.records.book import Book
from fleet.dispatch.records.book_writer import BookWriter, WhenKept
from fleet.dispatch.records.job import Duty, Job, JobState
from fleet.dispatch.records.job_record import Hold, JobRecord
from fleet.dispatch.records.job_table import JobTable
from fleet.dispatch.submission import (
    OPEN_MAX,
    Circumstances,
    differences,
    objection_to_terms,
    objections,
)
from fleet.dispatch.travel_factor import TravelFactor
from fleet.errors import BookError
from fleet.geometry import Pose2D
from fleet.reason import Explanation, Reason
from fleet.robots.readiness import Readiness
from fleet.robots.robot_status import TaskOutcome
from fleet.settings.config import FleetConfig
from fleet.settings.station_config import StationRole
from fleet.tasks import explanations
from fleet.tasks.task_kind import TaskKind
from fleet.work.objections import objection_to_shape
from fleet.work.work import Place, Work
from thymio_base.fence import Fence
from thymio_base.instant import Instant
from thymio_base.parts import Parts, WorkInParts, finished

_REVIEW_NS: Final = 200_000_000  # between two looks at what time alone changes
_REVIEWED_AT_ONCE: Final = 250  # jobs: more would delay a tick
_CUT_OFF_NS: Final = 2_000_000_000  # a robot's pose may be wrong for a moment
_LEAST_SHARE: Final = 0.25  # of the budget, in a tick in which ways are planned
_FROZEN_NS: Final = 4_000_000_000  # without a tick: another dispatcher may have taken the book since


@dataclass(frozen=True, slots=True)
class _View:
    """The state of robots and their jobs, for reports of jobs."""

    robots: dict[int, Readiness]
    performed: dict[int, JobRecord]


class Dispatcher:
    """Gives jobs to the robots of a fleet.

    Changes by a method are in the book once `when_kept` calls back or, with a book that needs no time, once the method
    has returned. A job is first recorded as given to a robot, and given once that is kept, so after a crash the book
    names every robot that may have started something.

    Parameters
    ----------
    config : the fleet's configuration
    fleet : its robots
    book : keeps the jobs
    now : the instant at which it starts
    elsewhere : the robots of other drivers
    fence : catches exceptions caused by a job, which then ends
    """

    def __init__(
        self,
        config: FleetConfig,
        fleet: LocalRobots,
        book: Book,
        now: Instant,
        elsewhere: RemoteRobots | None = None,
        *,
        fence: Fence | None = None,
    ) -> None:
        self._fence: Final = fence or Fence()
        self._config: Final = config
        self._settings: Final = config.dispatch
        self._fleet: Final = fleet
        self._elsewhere: Final = elsewhere or NoRemoteRobots()
        self._book: Final = book
        self._table: Final = JobTable(book, config.dispatch.age_s)
        self._writer: Final = BookWriter(book, self._table)
        parking, chargers = (
            [station.pose for station in config.stations if station.role is role]
            for role in (StationRole.PARK, StationRole.CHARGE)
        )
        finishing, arena = config.dispatch.finishing, config.arena
        factor = TravelFactor(
            fleet.travel_s,
            math.inf if arena is None else arena.area_m2,
            search=fleet.search_travel,
            steps=lambda: fleet.travel_steps,
        )
        self._charging: Final = Charging(chargers, config.dispatch.charging, finishing, config.apart_m, factor.travel_s)
        self._assigner: Final = Assigner(
            self._table,
            factor,
            config.tasks.dwell_s,
            config.dispatch.makespan_weight,
            self._charging,
            fence=self._fence,
        )
        self._reach: Final = Reach(fleet.has_way)
        self._places: Final = PlaceKeeper(config.apart_m, parking, finishing)
        self._attempts: Final = Attempts(
            self._table,
            self._assigner,
            fleet,
            self._places,
            config,
            elsewhere=self._elsewhere,
            travel_factor=factor,
            reach=self._reach,
            fence=self._fence,
        )
        self._now = now  # of the latest tick
        self._duties: Final[dict[int, Duty]] = dict(book.duties())
        self._robots: Sequence[Readiness] = ()
        self._signature: tuple[tuple[int, bool, bool], ...] = ()
        self._ready: set[str] = set()
        self._reviewed_ns = 0
        self._review: WorkInParts[None] | None = None
        self._lonely_since_ns: dict[str, int] = {}
        self._cut_off_since_ns: dict[str, int] = {}
        self._attempts.inherit(now, book.outlives_its_holder)
        self._attempts.resolve(self._all_robots(now), now)
        self._end_unsound(now)
        self._hold_bereft()
        self._writer.advance()

    def _end_unsound(self, now: Instant) -> None:
        """End jobs of the book that would not be accepted today, and that no robot can perform."""
        for record in self._table.open_records:
            why = objection_to_shape(record.job.work)
            if why is not None:
                self._abort(record, why, now)

    def _hold_bereft(self) -> None:
        """Hold jobs that wait for one whose record was set aside: whether that succeeded is not known."""
        for record in self._table.open_records:
            if record.hold is Hold.NONE and not self._book.set_aside.keys().isdisjoint(record.job.after):
                record.hold = Hold.BOOK
                self._table.note_change(record)

    # Requests

    def submit(self, jobs: Sequence[Job], now: Instant) -> list[Explanation | None]:
        """Accept jobs as `submission` does, at once."""
        return finished(self.submission(jobs, now))

    def submission(self, jobs: Sequence[Job], now: Instant) -> Parts[list[Explanation | None]]:
        """Accept all jobs of a submission, or none; return for each why it cannot be accepted.

        All changes happen in the last part. The jobs are accepted once they are kept. A known job with the same content
        is accepted again and changes nothing. No other submission may be examined meanwhile.
        """
        found = yield from self.examination(jobs)
        new = [] if any(found) else [job for job in jobs if not self._is_known(job)]
        if new:
            records = [JobRecord(job, self._table.next_number(), now.ros_ns) for job in new]
            self._table.add(records)
            self._writer.when_kept(partial(self._forget_refused, records))
            trouble = self._writer.advance()
            if trouble is not None:
                return [trouble for _ in jobs]
            self._assigner.note_event()
        return found

    def objections(self, jobs: Sequence[Job]) -> list[Explanation | None]:
        """Return for each job of a submission why it could not be accepted; None if it could."""
        return finished(self.examination(jobs))

    def examination(self, jobs: Sequence[Job]) -> Parts[list[Explanation | None]]:
        """Return for each job of a submission why it could not be accepted, in parts."""
        try:
            new = [job for job in jobs if not self._is_known(job)]
            found = yield from objections(new, self._circumstances)
        except BookError as error:
            return [Explanation(Reason.BOOK, str(error)) for _ in jobs]
        refused = {job.job_id: why for job, why in zip(new, found, strict=True) if why is not None}
        return [refused.get(job.job_id) for job in jobs]

    def estimate_s(self, jobs: Sequence[Job], now: Instant) -> Parts[list[float]]:
        """Return when jobs would end if they were submitted now, in seconds; infinite if no robot may perform one."""
        records = [JobRecord(job, 0, now.ros_ns) for job in jobs]
        ends_s = yield from self._assigner.estimate_s(records, self._on_duty(now), now.ros_ns)
        return [ends_s[job.job_id] for job in jobs]

    def cancel(self, job_id: str, now: Instant) -> Explanation | None:
        """Cancel a job in any state; return None, or why that is impossible."""
        record = self._table.open_record(job_id)
        if record is None:
            return self._not_open(job_id)
        if record.attempt is None:
            record.finish(JobState.CANCELED, now.ros_ns)
        else:
            record.is_canceling = True
        return self._changed(record, now)

    def hold(self, job_id: str, now: Instant) -> Explanation | None:
        """Hold a job until it is released: the robot that performs it stops, unless it carries a load."""
        record = self._table.open_record(job_id)
        if record is None:
            return self._not_open(job_id)
        if record.loaded_robot is not None or record.is_handling:
            return _bad(f"robot {record.robot_id} carries the load of {job_id!r}; cancel it, or wait")
        record.hold = Hold.USER
        return self._changed(record, now)

    def release(self, job_id: str, now: Instant) -> Explanation | None:
        """Release a job that is held."""
        record = self._table.open_record(job_id)
        if record is None:
            return self._not_open(job_id)
        if record.hold is Hold.NONE:
            return _bad(f"job {job_id!r} is not held")
        record.hold = Hold.NONE
        return self._changed(record, now)

    def put_before(self, job_id: str, other_id: str, now: Instant) -> Explanation | None:
        """Put a job before another one that has not started."""
        first, second = self._table.open_record(job_id), self._table.open_record(other_id)
        if first is None or second is None:
            return self._not_open(job_id if first is None else other_id)
        if second.attempt is not None:
            return _bad(f"job {other_id!r} has already started")
        ahead: JobRecord | None = first
        while ahead is not None:
            if ahead is second:
                return _bad(f"job {other_id!r} must already start before {job_id!r}")
            ahead = self._table.open_record(ahead.behind)
        second.behind = job_id
        return self._changed(second, now)

    def change(
        self,
        job_id: str,
        now: Instant,
        *,
        priority: int | None = None,
        robots: tuple[int, ...] | None = None,
        deadline_ns: int | None = None,
    ) -> Explanation | None:
        """Change a job's conditions; a running attempt continues."""
        record = self._table.open_record(job_id)
        if record is None:
            return self._not_open(job_id)
        changed = replace(
            record.job,
            priority=record.job.priority if priority is None else priority,
            robots=record.job.robots if robots is None else robots,
            deadline_ns=record.job.deadline_ns if deadline_ns is None else deadline_ns,
        )
        why = objection_to_terms(changed, self._robot_ids)
        if why is not None:
            return why
        record.change(changed)
        return self._changed(record, now)

    def set_duty(self, robot_ids: Iterable[int], duty: Duty, now: Instant) -> Explanation | None:
        """Choose whether robots take jobs."""
        known = self._robot_ids
        chosen = list(dict.fromkeys(robot_ids))
        for robot_id in chosen:
            if robot_id not in known:
                return _bad(f"robot {robot_id} is not in the fleet")
        self._duties.update(dict.fromkeys(chosen, duty))
        self._writer.note_duties(self._duties)
        trouble = self._writer.advance()
        performed = self._attempts.performed()
        for robot_id in chosen:
            if duty is Duty.OUT and robot_id in performed and _may_leave(performed[robot_id]):
                self._attempts.withdraw(performed[robot_id], now)
        self._assigner.note_event()
        return trouble

    def together(self) -> AbstractContextManager[None]:
        """Return a context in which changes are collected, and written together at its end."""
        return self._writer.together()

    def when_kept(self, then: WhenKept) -> None:
        """Call back once all changes so far are kept, with None, or with the reason why they are not."""
        self._writer.when_kept(then)

    def resume(self, now: Instant) -> None:
        """Release the jobs that a stop of the fleet held, and no others."""
        for record in self._table.open_records:
            if record.hold is Hold.STOP:
                record.hold = Hold.NONE
                self._table.note_change(record)
        self._writer.advance()
        self._assigner.note_event()

    # The tick

    def advance(self, outcomes: Iterable[TaskOutcome], now: Instant) -> None:
        """Note the robots' outcomes, continue planning, and give jobs to free robots."""
        if self._book.outlives_its_holder and now.core_ns - self._now.core_ns > _FROZEN_NS:
            self._withdraw_all(now)
        self._now = now
        is_kept = self._writer.advance() is None
        for outcome in outcomes:
            self._attempts.end(outcome, now)
        self._robots = self._on_duty(now)
        self._attempts.resolve(self._robots, now)
        self._charging.note_charges(self._robots)
        self._attempts.note_legs(self._robots)
        self._places.note_poses(self._robots)
        self._note_robots()
        if self._review is None and now.core_ns - self._reviewed_ns >= _REVIEW_NS:
            self._reviewed_ns = now.core_ns
            self._review = WorkInParts(self._reviewed())
        if self._review is not None and not self._review.do_part():
            self._review = None
        share = max(_LEAST_SHARE, self._fleet.unused_share)
        self._assigner.advance(self._robots, now.core_ns, now.ros_ns, round(share * self._settings.budget_steps))
        begun = [] if self._assigner.is_planning or not is_kept else self._attempts.begin(self._robots, now)
        if begun:
            self._writer.when_kept(partial(self._give, begun, now))
        if self._writer.advance() is None:
            self._attempts.interrupt(self._robots, now)

    def _give(self, begun: Sequence[PendingAttempt], written: Instant, why: Explanation | None) -> None:
        """Give tasks to robots if the book has recorded them in time; otherwise undo the attempts."""
        if why is not None:
            self._attempts.undo(begun)
        else:
            self._attempts.give(begun, written, self._now)

    def _withdraw_all(self, now: Instant) -> None:
        """Stop robots that carry nothing: the driver was frozen, and other robots may have their jobs by now."""
        for record in self._attempts.performed().values():
            if _may_leave(record):
                self._attempts.withdraw(record, now)

    def abandon(self, trouble: str) -> None:
        """Answer requests that wait for the book, which another dispatcher has now; no more tasks are given."""
        self._writer.abandon(trouble)

    def close(self) -> None:
        """Release the book."""
        self._book.close()

    # Reports

    @property
    def trouble(self) -> str:
        """Why the book cannot be written; "" if it can."""
        return self._writer.trouble

    @property
    def duties(self) -> dict[int, Duty]:
        """The duty of each robot."""
        return {robot_id: self._duties.get(robot_id, Duty.IN) for robot_id in self._robot_ids}

    def reports(self, now: Instant) -> list[JobReport]:
        """Return the open jobs, in the order of their submission, and the last ended ones."""
        return [report for part in self.report_parts(now, OPEN_MAX) for report in part]

    def report_parts(self, now: Instant, size: int) -> Iterator[list[JobReport]]:
        """Yield the reports in lists of a given size, the last of which is shorter: one tick cannot make many."""
        records = list(self._table.shown)
        for start in range(0, len(records) + 1, size):
            view = self._view()
            yield [self._report(record, view, now) for record in records[start : start + size]]

    def _view(self) -> _View:
        return _View({robot.robot_id: robot for robot in self._robots}, self._attempts.performed())

    def report(self, job_id: str, now: Instant) -> JobReport | None:
        """Return a job of any age; None if it is not known."""
        return next(iter(self.reports_of([job_id], now)), None)

    def reports_of(self, job_ids: Iterable[str], now: Instant) -> list[JobReport]:
        """Return jobs of any age, without unknown ones."""
        view = self._view()
        return [self._report(record, view, now) for job_id in job_ids if (record := self._found(job_id)) is not None]

    def _found(self, job_id: str) -> JobRecord | None:
        try:
            return self._table.find(job_id)
        except BookError:
            return None

    def _report(self, record: JobRecord, view: _View, now: Instant) -> JobReport:
        assigned = self._assigner.robot_of(record.job_id) if record.may_be_given else None
        attempt = record.attempt
        performer = view.robots.get(attempt.robot_id) if attempt is not None else None
        reason, detail = self._words(record, view, now)
        return JobReport(
            job_id=record.job_id,
            words=str(record.job.work),
            state=self._table.state(record, now.ros_ns, is_assigned=assigned is not None),
            robot_id=assigned or record.robot_id or 0,
            place=self._assigner.place_of(record.job_id) if record.may_be_given else -1,
            priority=round(self._table.priority(record, now.ros_ns)),
            eta_s=self._eta_s(record, performer, now),
            progress=float(record.has_succeeded) if performer is None else performer.progress,
            attempts=record.attempt_count,
            reason=reason,
            detail=detail,
            submitted_ns=record.submitted_ns,
            ended_ns=0 if record.end is None else record.end.ended_ns,
        )

    def _eta_s(self, record: JobRecord, performer: Readiness | None, now: Instant) -> float:
        if performer is not None:
            return self._assigner.time_left_s(performer, record)
        if not record.may_be_given or record.job_id not in self._assigner.ends_s:
            return -1.0
        passed_s = (now.core_ns - self._assigner.planned_ns) * 1e-9
        return max(0.0, self._assigner.ends_s[record.job_id] - passed_s)

    def _words(self, record: JobRecord, view: _View, now: Instant) -> tuple[str, str]:
        """Return why a job is held, waits or was aborted, or that it will be late."""
        if record.end is not None:
            why = record.end.explanation
            return ("", "") if why is None else (why.reason.value, why.detail)
        if record.attempt is not None:
            return "", ""
        if record.hold is not Hold.NONE:
            return _HOLDS[record.hold]
        waits_for = self._table.waits_for(record, now.ros_ns)
        waits_for = waits_for or self._places.awaits(record, view.performed) or self._awaits_charge(record)
        return "", "; ".join(text for text in (self._lateness(record, now), waits_for) if text)

    def _lateness(self, record: JobRecord, now: Instant) -> str:
        """Return by how much a job will miss its deadline according to the plan; "" if it will not."""
        eta_s = self._eta_s(record, None, now)
        late_s = eta_s - (record.job.deadline_ns - now.ros_ns) * 1e-9
        is_late = record.job.deadline_ns and eta_s >= 0.0 and late_s > 1.0
        return f"late: by the plan it ends {late_s:.0f} s after its deadline" if is_late else ""

    def _awaits_charge(self, record: JobRecord) -> str:
        able = [robot for robot in self._robots if robot.is_able and record.allows(robot.robot_id)]
        if not able or any(not self._charging.is_empty(robot.robot_id) for robot in able):
            return ""
        return f"for charge: {self._settings.charging.ready_pct:g} % in one of the robots that may perform it"

    # Inside the tick

    def _on_duty(self, now: Instant) -> list[Readiness]:
        """Return the robots; those that take no jobs count as unable."""
        bound = {record.loaded_robot for record in self._table.open_records}.union(self._attempts.performed())
        return [
            robot
            if self._takes_jobs(robot.robot_id, robot.robot_id in bound, now.core_ns)
            else replace(robot, is_able=False, may_drive=False)
            for robot in self._all_robots(now)
        ]

    def _all_robots(self, now: Instant) -> list[Readiness]:
        """Return all robots, those of the configuration first."""
        elsewhere = {robot.robot_id: robot for robot in self._elsewhere.readiness(now.core_ns)}
        own = [
            robot if robot.is_served else elsewhere.pop(robot.robot_id, robot)
            for robot in self._fleet.readiness(now.core_ns)
        ]
        own_ids = {robot.robot_id for robot in own}
        return [*own, *(robot for robot_id, robot in elsewhere.items() if robot_id not in own_ids)]

    @property
    def _circumstances(self) -> Circumstances:
        """The current circumstances for judging submissions."""
        table = self._table
        return Circumstances(
            self._config, self._robot_ids, self._robots, self._reach, table.find, open_count=table.open_count
        )

    @property
    def _robot_ids(self) -> list[int]:
        """The robots of the configuration, and those of other drivers."""
        return list(dict.fromkeys([*(one.id for one in self._config.robots), *(one.robot_id for one in self._robots)]))

    def _takes_jobs(self, robot_id: int, is_bound: bool, core_ns: int) -> bool:
        return (is_bound or not self._is_off_duty(robot_id)) and not self._attempts.is_shunned(robot_id, core_ns)

    def _is_off_duty(self, robot_id: int) -> bool:
        return self._duties.get(robot_id, Duty.IN) is not Duty.IN

    def _note_robots(self) -> None:
        signature = tuple((one.robot_id, self._may_take_jobs(one), bool(one.task_id)) for one in self._robots)
        if signature != self._signature:
            self._signature = signature
            self._assigner.note_event()

    def _may_take_jobs(self, robot: Readiness) -> bool:
        return robot.is_able and robot.pose is not None and not self._charging.is_empty(robot.robot_id)

    def _reviewed(self) -> Parts[None]:
        """Do what is due by time alone; each part reviews some of the jobs, and the last part the robots."""
        ready: set[str] = set()
        for count, record in enumerate(self._table.open_records):
            if count and count % _REVIEWED_AT_ONCE == 0:
                yield
            self._review_job(record, self._now)
            if record.may_be_given and not self._table.waits_for(record, self._now.ros_ns):
                ready.add(record.job_id)
        if ready != self._ready:
            self._ready = ready
            self._assigner.note_event()
        self._review_robots(self._now)

    def _review_robots(self, now: Instant) -> None:
        """Take jobs from robots that must charge, and send robots without jobs away."""
        performed = self._attempts.performed()
        for robot in self._robots:
            running = performed.get(robot.robot_id)
            if running is not None and self._charging.must_give_back(robot) and _may_leave(running):
                self._attempts.withdraw(running, now)
        docking = self._charging.review(self._robots, now.core_ns)
        away = self._places.sent_away(self._robots, performed, now.core_ns, self._charging.kept)
        elsewhere = {robot.robot_id for robot in self._robots if robot.is_elsewhere}
        sent = [(TaskKind.DOCK, one) for one in docking] + [(TaskKind.GO_TO, one) for one in away]
        for kind, (robot_id, place) in sent:
            work = Work(kind, (Place(place),))
            if robot_id in elsewhere:
                self._elsewhere.send_aside(robot_id, work)
            else:
                self._fleet.send_aside(robot_id, work, now.core_ns)

    def _review_job(self, record: JobRecord, now: Instant) -> None:
        caught = self._fence.total
        with self._fence.around("the review of a job", record.job):
            self._review_sound_job(record, now)
        if self._fence.total > caught:
            self._attempts.end_faulty(record, now)

    def _review_sound_job(self, record: JobRecord, now: Instant) -> None:
        if record.job_id in self._assigner.faulty and record.end is None:
            self._attempts.end_faulty(record, now)
        self._end_if_hopeless(record, now)
        if record.attempt is not None and (record.is_canceling or record.hold is not Hold.NONE):
            self._attempts.withdraw(record, now)  # again, if the robot did not listen

    def _end_if_hopeless(self, record: JobRecord, now: Instant) -> None:
        job = record.job
        if record.end is not None:
            return
        if job.is_aborted_late and now.ros_ns > job.deadline_ns:
            late = Explanation(Reason.DEADLINE_MISSED, f"it should have succeeded {_ago_s(job.deadline_ns, now)} s ago")
            self._abort(record, late, now)
        elif record.attempt is None and (earlier := self._table.failed_dependency(record)) is not None:
            end = self._table.end_state(earlier)
            self._abort(record, Explanation(Reason.DEPENDENCY, f"{earlier!r} ended {end.value if end else ''}"), now)
        elif self._is_lonely(record, now):
            self._abort(record, Explanation(Reason.NO_ROBOT, self._lonely_text(record)), now)
        elif (place := self._cut_off_place(record, now)) is not None:
            self._abort(record, explanations.no_way_for_any(place, job.robots), now)

    def _cut_off_place(self, record: JobRecord, now: Instant) -> Pose2D | None:
        """Return a place to which no robot has had a way for some time; None if there is none."""
        place = None
        if record.may_be_given and self._assigner.has_left_out(record.job_id):
            is_loaded = record.loaded_robot is not None
            allowed = [robot for robot in self._robots if record.allows(robot.robot_id)]
            place = self._reach.out_of_reach(record.job, allowed, is_loaded=is_loaded)
        if place is None:
            self._cut_off_since_ns.pop(record.job_id, None)
            return None
        since_ns = self._cut_off_since_ns.setdefault(record.job_id, now.core_ns)
        return place if now.core_ns - since_ns >= _CUT_OFF_NS else None

    def _abort(self, record: JobRecord, why: Explanation, now: Instant) -> None:
        if record.attempt is not None:
            self._attempts.withdraw(record, now)
        record.finish(JobState.ABORTED, now.ros_ns, why)
        self._table.note_change(record)
        self._assigner.note_event()

    def _is_lonely(self, record: JobRecord, now: Instant) -> bool:
        """Whether for too long no robot that may perform a job has been able to."""
        soon_able = self._charging.kept
        may = any(
            (robot.is_able or robot.is_stopped or robot.robot_id in soon_able) and record.allows(robot.robot_id)
            for robot in self._robots
        )
        if may or not record.may_be_given or self._table.waits_for(record, now.ros_ns):
            self._lonely_since_ns.pop(record.job_id, None)
            return False
        since_ns = self._lonely_since_ns.setdefault(record.job_id, now.core_ns)
        return (now.core_ns - since_ns) * 1e-9 > self._settings.no_robot_s

    def _lonely_text(self, record: JobRecord) -> str:
        """Return which robots could not perform a job, and why."""
        for_s = f"for {self._settings.no_robot_s:g} s"
        text = f"no robot that may was able {for_s}"
        if record.loaded_robot is not None:
            text = f"robot {record.loaded_robot}, which carries its load, was not able {for_s}"
        allowed = [robot for robot in self._robots if record.allows(robot.robot_id)]
        why = hindrances(allowed, self._is_off_duty, self._charging.is_empty)
        return f"{text} ({why})" if why else text

    # Changes

    def _is_known(self, job: Job) -> bool:
        known = self._table.find(job.job_id)
        return known is not None and not differences(job, known)

    def _not_open(self, job_id: str) -> Explanation:
        try:
            known = self._table.find(job_id)
        except BookError as error:
            return Explanation(Reason.BOOK, str(error))
        if known is None or known.end is None:
            return _bad(f"there is no job {job_id!r}")
        return _bad(f"job {job_id!r} has already ended: {known.end.state.value}")

    def _changed(self, record: JobRecord, now: Instant) -> Explanation | None:
        """Write a change, then apply it; return why that failed, if it did."""
        self._table.note_change(record)
        trouble = self._writer.advance()
        self._assigner.drop(record.job_id)
        self._assigner.note_event()
        if record.attempt is not None and (record.is_canceling or record.hold is not Hold.NONE):
            self._attempts.withdraw(record, now)
        return trouble

    def _forget_refused(self, records: Sequence[JobRecord], why: Explanation | None) -> None:
        if why is not None:
            self._table.forget(records)


_HOLDS: Final = {
    Hold.USER: ("", "until it is released"),
    Hold.STOP: (Reason.STOPPED.value, "until the fleet is resumed"),
    Hold.BOOK: (
        Reason.BOOK.value,
        "it waits for a job whose record cannot be read; see how that one ended, then release or cancel it",
    ),
    Hold.RESTART: (
        Reason.HELD_AT_RESTART.value,
        "the driver ended while a robot was loaded or unloaded; see where the load is, then release or cancel it",
    ),
}


def _may_leave(record: JobRecord) -> bool:
    """Whether a robot can leave a job: it carries nothing."""
    return record.loaded_robot is None and not record.is_handling


def _ago_s(instant_ns: int, now: Instant) -> int:
    return math.ceil((now.ros_ns - instant_ns) * 1e-9)


def _bad(text: str) -> Explanation:
    return Explanation(Reason.BAD_JOB, text)
