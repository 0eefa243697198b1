"""Starts attempts, and decides how jobs continue when attempts end."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from fleet.dispatch.assigner import Assigner
from fleet.dispatch.dispatched_robots import LocalRobots, RemoteRobots
from fleet.dispatch.paths_ahead import PathsAhead
from fleet.dispatch.place_keeper import PlaceKeeper
from fleet.dispatch.reach import Reach
from fleet.dispatch.records.inheritance import Inheritance
from fleet.dispatch.records.job import JobState
from fleet.dispatch.records.job_record import UNLOAD_LEG, Attempt, Hold, JobRecord
from fleet.dispatch.records.job_table import JobTable
from fleet.dispatch.travel_factor import TravelFactor
from fleet.errors import GoalRejectedError
from fleet.reason import Explanation, Reason
from fleet.robots.readiness import Readiness
from fleet.robots.robot_status import TaskOutcome
from fleet.settings.config import FleetConfig
from fleet.tasks import explanations
from fleet.tasks.legs import DwellLeg
from fleet.tasks.task import TaskState
from fleet.work.task_of_work import task_of_work
from thymio_base.fence import Fence
from thymio_base.instant import Instant

_HOPELESS: Final = {  # the same for every robot, and at every time
    Reason.BAD_PATH,
    Reason.BAD_SPEED,
    Reason.NON_FINITE_POSE,
    Reason.OUT_OF_ARENA,
    Reason.UNREACHABLE,
}
_DRIVER_GONE: Final = {Reason.CLIENT_LOST, Reason.SERVED_ELSEWHERE}  # of the robot, or of the dispatcher before
_NOT_OF_THE_ROBOT: Final = {Reason.BUSY, Reason.DUPLICATE_ID, *_DRIVER_GONE}  # these count as no failure
_SHUNNED_NS: Final = 1_000_000_000  # a robot that refused a task gets no job for this long
# A task is given within this time after its attempt was sent to the book, or not at all: see `Inheritance`.
_GIVE_WITHIN_NS: Final = 2_000_000_000


@dataclass(frozen=True, slots=True)
class PendingAttempt:
    """An attempt that is not given to its robot yet."""

    record: JobRecord
    attempt: Attempt
    robot: Readiness


class Attempts:
    """The attempts of all jobs.

    Parameters
    ----------
    table : all jobs
    assigner : decides which job is next
    fleet : the robots of this driver
    places : keeps places for jobs
    config : the fleet's configuration
    elsewhere : the robots of other drivers
    travel_factor : learns from attempts
    reach : decides which places robots can reach
    fence : catches exceptions
    """

    def __init__(
        self,
        table: JobTable,
        assigner: Assigner,
        fleet: LocalRobots,
        places: PlaceKeeper,
        config: FleetConfig,
        *,
        elsewhere: RemoteRobots,
        travel_factor: TravelFactor,
        reach: Reach,
        fence: Fence,
    ) -> None:
        self._table: Final = table
        self._assigner: Final = assigner
        self._fleet: Final = fleet
        self._elsewhere: Final = elsewhere
        self._places: Final = places
        self._travel_factor: Final = travel_factor
        self._reach: Final = reach
        self._fence: Final = fence
        self._planned: Final[dict[str, tuple[float, float]]] = {}  # of attempts: driving and dwelling [s]
        self._config: Final = config
        self._own_ids: Final = {robot.id for robot in config.robots}
        self._shunned_until_ns: Final[dict[int, int]] = {}
        self._paths: Final = PathsAhead(config.following, config.corner_m)
        self._inheritance = Inheritance.of_nothing(table)

    def is_shunned(self, robot_id: int, core_ns: int) -> bool:
        """Whether a robot has just refused a task."""
        return core_ns < self._shunned_until_ns.get(robot_id, 0)

    def inherit(self, now: Instant, may_go_on: bool) -> None:
        """Take over the attempts that ran, or may have started, when the driver that had the book ended.

        `may_go_on` is whether that driver may still run, without the book.
        """
        self._inheritance = Inheritance(self._table, now, may_go_on)

    def resolve(self, robots: Sequence[Readiness], now: Instant) -> None:
        """Decide how to continue inherited attempts whose robots are known by now."""
        for outcome in self._inheritance.resolve(robots, now):
            self.end(outcome, now)

    def note_legs(self, robots: Iterable[Readiness]) -> None:
        """Note the current legs of robots within their jobs."""
        performed = self.performed()
        for robot in robots:
            record = performed.get(robot.robot_id)
            attempt = None if record is None else record.attempt
            if record is None or attempt is None or robot.task_id != attempt.task_id:
                continue
            if record.note_leg(_leg_of_job(attempt, robot.leg)):
                self._table.note_change(record)

    def end(self, outcome: TaskOutcome, now: Instant) -> None:
        """Decide how a job continues when its task has ended."""
        planned = self._planned.pop(outcome.task_id, None)
        record = self.performed().get(outcome.robot_id)
        if record is None or record.attempt is None or record.attempt.task_id != outcome.task_id:
            return
        if outcome.reason is Reason.SHUTDOWN:
            return  # the next driver decides according to the book
        if outcome.leg is not None:  # the book may not know it yet: of other drivers' robots, legs are heard of later
            record.note_leg(_leg_of_job(record.attempt, outcome.leg))
        self._table.note_change(record)
        self._assigner.note_event()
        self._places.note_end(outcome.robot_id)
        if outcome.state is TaskState.SUCCEEDED:
            if planned is not None:
                took_s = (now.ros_ns - record.attempt.started_ns) * 1e-9
                self._travel_factor.note(planned[0], took_s - planned[1])
            record.finish(JobState.SUCCEEDED, now.ros_ns)
        elif record.is_canceling:
            record.finish(JobState.CANCELED, now.ros_ns)
        elif outcome.reason is not None:
            self._fail(record, outcome.robot_id, Explanation(outcome.reason, outcome.detail), now)
        else:
            record.attempt = None  # it was interrupted or held

    def begin(self, robots: Sequence[Readiness], now: Instant) -> list[PendingAttempt]:
        """Start an attempt with each free robot that has a job; the book must know before tasks are given."""
        begun: list[PendingAttempt] = []
        performed = self.performed()
        self._paths.start_tick()
        for robot in robots:
            if not robot.is_able or robot.task_id or robot.pose is None or robot.robot_id in performed:
                continue
            record = self._first_that_may_begin(robot, performed, now)
            if record is not None and self._paths.is_read(record.job):
                begun.append(PendingAttempt(record, record.begin(robot.robot_id, now.ros_ns), robot))
                performed[robot.robot_id] = record
                self._table.note_change(record)
        for beginning in begun:
            self._assigner.drop(beginning.record.job_id)
        return begun

    def _first_that_may_begin(
        self, robot: Readiness, performed: Mapping[int, JobRecord], now: Instant
    ) -> JobRecord | None:
        """Return the first job in a robot's list whose places are free, and for which it has enough charge.

        A robot whose own jobs must all wait takes one that another robot would perform later.
        """
        for job_id in self._jobs_for(robot, now):
            record = self._table.open_record(job_id)
            if record is None or not record.may_be_given or self._table.waits_for(record, now.ros_ns):
                continue
            if self._places.awaits(record, performed) or not self._assigner.has_charge_for(robot, record, now.ros_ns):
                continue
            if self._reach.missed_by(robot, record.job, is_loaded=record.loaded_robot is not None) is None:
                return record
        return None

    def _jobs_for(self, robot: Readiness, now: Instant) -> Iterator[str]:
        yield from self._assigner.list_of(robot.robot_id)
        yield from self._assigner.spare_jobs(robot, now.ros_ns)

    def give(self, begun: Sequence[PendingAttempt], written: Instant, now: Instant) -> None:
        """Give tasks whose attempts are now in the book, unless that took too long to rely on."""
        if now.core_ns - written.core_ns > _GIVE_WITHIN_NS:
            self.undo(begun)
            return
        for beginning in begun:
            record = beginning.record
            if record.attempt is not beginning.attempt:
                continue
            if record.is_canceling or record.hold is not Hold.NONE:
                self._drop(beginning, now)
                continue
            caught = self._fence.total
            with self._fence.around("the start of a job", record.job):
                self._give(beginning, now)
            if self._fence.total > caught:
                self.end_faulty(record, now)

    def end_faulty(self, record: JobRecord, now: Instant) -> None:
        """End a job that raised an exception."""
        self.withdraw(record, now)
        why = explanations.internal("the job makes an exception in the driver; its log has the details")
        record.finish(JobState.ABORTED, now.ros_ns, why)
        self._table.note_change(record)
        self._assigner.note_event()

    def _give(self, beginning: PendingAttempt, now: Instant) -> None:
        record, attempt, robot = beginning.record, beginning.attempt, beginning.robot
        if robot.is_elsewhere:
            self._give_elsewhere(beginning, now)
            return
        pose = robot.home if robot.pose is None else robot.pose
        try:
            request = task_of_work(
                record.job.work,
                attempt.task_id,
                self._config,
                home=robot.home,
                pose=pose,
                first_leg=attempt.first_leg,
                priority=record.job.priority,
            )
            refusal = self._fleet.give(robot.robot_id, request, now.core_ns)
        except GoalRejectedError as error:
            refusal = error.explanation
        if refusal is None and request.docks_at is not None:
            return  # docking takes its own time, which says nothing about driving
        if refusal is None:
            dwells_s = sum(leg.duration_s for leg in request.legs if isinstance(leg, DwellLeg))
            self._planned[attempt.task_id] = (self._assigner.driving_s(robot, record), dwells_s)
        else:
            self._note_refusal(beginning, refusal, now)

    def _give_elsewhere(self, beginning: PendingAttempt, now: Instant) -> None:
        """Send a job to another driver's robot.

        Actions cannot express half a transport: for the rest of one, the robot both loads and unloads at the last
        place.
        """
        work, attempt = beginning.record.job.work, beginning.attempt
        if attempt.first_leg:
            work = replace(work, places=(work.places[1], work.places[1]))
        refusal = self._elsewhere.give(beginning.robot.robot_id, work, attempt.task_id, now.core_ns)
        if refusal is not None:
            self._note_refusal(beginning, refusal, now)

    def _note_refusal(self, beginning: PendingAttempt, refusal: Explanation, now: Instant) -> None:
        robot_id = beginning.robot.robot_id
        self._shunned_until_ns[robot_id] = now.core_ns + _SHUNNED_NS
        self._assigner.note_event()
        self._fail(beginning.record, robot_id, refusal, now)
        self._table.note_change(beginning.record)

    def _drop(self, beginning: PendingAttempt, now: Instant) -> None:
        """End an attempt that was canceled or held before its task was given."""
        record = beginning.record
        record.attempt = None
        if record.is_canceling:
            record.finish(JobState.CANCELED, now.ros_ns)
        self._table.note_change(record)
        self._assigner.note_event()

    def undo(self, begun: Sequence[PendingAttempt]) -> None:
        """Undo attempts whose tasks were not given."""
        for beginning in begun:
            record = beginning.record
            if record.attempt is beginning.attempt:
                record.attempt = None
                record.attempt_count -= 1
                self._table.note_change(record)
        self._assigner.note_event()

    def interrupt(self, robots: Sequence[Readiness], now: Instant) -> None:
        """Take robots from jobs in favour of much more urgent jobs that are next for them."""
        performed = self.performed()
        for robot in robots:
            jobs = self._assigner.list_of(robot.robot_id)
            running = performed.get(robot.robot_id)
            urgent = self._table.open_record(jobs[0]) if jobs else None
            if running is None or urgent is None or not urgent.may_be_given:
                continue
            if self._assigner.may_interrupt(urgent, running, now.ros_ns):
                self.withdraw(running, now)

    def withdraw(self, record: JobRecord, now: Instant) -> None:
        """Cancel the task of a job; the job continues with another attempt, is held, or is canceled."""
        if record.attempt is not None:
            attempt = record.attempt
            self._elsewhere.take(attempt.robot_id, attempt.task_id)
            if attempt.robot_id in self._own_ids:
                self._fleet.take(attempt.robot_id, attempt.task_id, now.core_ns)

    def performed(self) -> dict[int, JobRecord]:
        """Return the jobs in progress, by robot."""
        return {record.attempt.robot_id: record for record in self._table.open_records if record.attempt is not None}

    def _fail(self, record: JobRecord, robot_id: int, why: Explanation, now: Instant) -> None:
        """Decide how a job continues after a robot has failed with it."""
        was_handling = record.is_handling
        record.attempt = None
        if was_handling and why.reason in _DRIVER_GONE:
            record.hold = Hold.RESTART
        elif why.reason is Reason.STOPPED:
            record.hold = Hold.STOP if record.hold is Hold.NONE else record.hold
        elif why.reason in _HOPELESS:
            record.finish(JobState.ABORTED, now.ros_ns, why)
        elif why.reason not in _NOT_OF_THE_ROBOT:
            record.failures.append((robot_id, why))
            if len(record.failures) >= record.job.attempts:
                record.finish(JobState.ABORTED, now.ros_ns, _all_failed(record))


def _leg_of_job(attempt: Attempt, leg: int) -> int:
    """Return the leg of its job to which a leg of an attempt's task corresponds."""
    leg += attempt.first_leg
    return min(leg, UNLOAD_LEG) if attempt.first_leg else leg  # see `Attempts._give_elsewhere`


def _all_failed(record: JobRecord) -> Explanation:
    if len(record.failures) == 1:
        return record.failures[0][1]
    failures = "; ".join(f"robot {robot_id}: {why}" for robot_id, why in record.failures)
    return Explanation(Reason.ATTEMPTS, f"{len(record.failures)} attempts failed: {failures}")
