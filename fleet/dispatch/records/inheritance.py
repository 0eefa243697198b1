"""Attempts that a dispatcher finds in the book: those of this driver before a restart, or of another dispatcher."""

from collections.abc import Sequence
from typing import Final

from fleet.dispatch.records.job import JobState
from fleet.dispatch.records.job_record import Hold, JobRecord
from fleet.dispatch.records.job_table import JobTable
from fleet.robots.readiness import Readiness
from fleet.robots.robot_status import TaskOutcome
from thymio_base.instant import Instant

# A dispatcher that has lost the book without notice may still give tasks whose attempts it wrote up to 2 s before, and
# robots of other drivers report once a second.
_GRACE_NS: Final = 4_000_000_000
_SILENT_NS: Final = 10_000_000_000  # a robot without a driver for this long is stationary


class Inheritance:
    """Decides how to continue inherited attempts.

    An attempt that its robot still performs continues. One whose robot does not perform it ends, with the outcome that
    the driver reports, if any; otherwise the job starts again, or is held if the robot was being loaded or unloaded.

    Parameters
    ----------
    table : all jobs
    now : when they were inherited
    may_go_on : whether the former dispatcher may still run, without the book
    """

    def __init__(self, table: JobTable, now: Instant, may_go_on: bool) -> None:
        self._table: Final = table
        self._since_ns: Final[dict[str, int]] = {}  # when each robot was last seen to perform its attempt
        self._inherited_ns: Final = now.core_ns
        self._may_go_on: Final = may_go_on
        self._records: list[JobRecord] = [record for record in table.open_records if record.attempt is not None]

    @classmethod
    def of_nothing(cls, table: JobTable) -> "Inheritance":
        """Return an inheritance without attempts."""
        inheritance = cls(table, Instant(0, 0), may_go_on=False)
        inheritance._records = []
        return inheritance

    def resolve(self, robots: Sequence[Readiness], now: Instant) -> list[TaskOutcome]:
        """Decide about the attempts whose robots are known; return those whose drivers report an outcome."""
        if not self._records:
            return []
        known = {robot.robot_id: robot for robot in robots}
        outcomes: list[TaskOutcome] = []
        undecided: list[JobRecord] = []
        for record in self._records:
            attempt = record.attempt
            if attempt is None:
                continue  # it has ended since
            robot = known.get(attempt.robot_id)
            if robot is not None and robot.task_id == attempt.task_id:
                self._since_ns[record.job_id] = now.core_ns
                undecided.append(record)  # it continues, as long as its driver and the one that gave it live
                continue
            last = None if robot is None else robot.last_outcome
            if last is not None and last.task_id == attempt.task_id:
                outcomes.append(last)
            elif self._stands(robot, now.core_ns - self._since_ns.get(record.job_id, self._inherited_ns)):
                self._end(record, now)
            else:
                undecided.append(record)
        self._records = undecided
        return outcomes

    def _stands(self, robot: Readiness | None, waited_ns: int) -> bool:
        """Whether a robot certainly does not perform an attempt of the former dispatcher."""
        if robot is None or not robot.is_served:
            return waited_ns > _SILENT_NS
        return waited_ns > _GRACE_NS if self._may_go_on or robot.is_elsewhere else True

    def _end(self, record: JobRecord, now: Instant) -> None:
        if record.is_canceling:
            record.finish(JobState.CANCELED, now.ros_ns)
        elif record.is_handling:
            record.hold = Hold.RESTART
        record.attempt = None
        self._table.note_change(record)
