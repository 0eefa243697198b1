"""Asks a driver for jobs that it no longer publishes."""

from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from rclpy.node import Node
from thymio_fleet_interfaces.srv import ListJobs

from fleet.dashboard.execution.goal_messages import ServiceCall
from fleet.dashboard.execution.service_run import ServiceRun
from fleet.dashboard.orders.command_desk import Finder
from fleet.dispatch.job_report import JobReport
from fleet.interface.job_messages import JOBS_AT_ONCE, job_states_from_ros
from fleet.interface.names import LIST_JOBS_SERVICE

_WAITING_MAX: Final = 1000  # jobs; further ones count as unknown


class JobLookup:
    """Looks up jobs in batches, with one request at a time."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[Finder]] = {}
        self._asked: dict[str, list[Finder]] = {}
        self._found: dict[str, JobReport] = {}
        self._run: ServiceRun | None = None

    def find(self, job_id: str, tell: Finder) -> None:
        """Look a job up; `tell` gets its report, None if it is unknown."""
        if len(self._waiting) >= _WAITING_MAX and job_id not in self._waiting:
            tell(None)
        else:
            self._waiting.setdefault(job_id, []).append(tell)

    def advance(self, open_node: Callable[[], Node]) -> ServiceRun | None:
        """Pass on what was found; return the next request, for the caller to advance, or None."""
        if self._run is not None and not self._run.is_over:
            return None
        asked, self._asked = self._asked, {}
        for job_id, finders in asked.items():
            for tell in finders:
                tell(self._found.get(job_id))
        self._run = None
        if not self._waiting:
            return None
        self._found = {}
        self._asked = {job_id: self._waiting.pop(job_id) for job_id in list(islice(self._waiting, JOBS_AT_ONCE))}
        request = ListJobs.Request(job_ids=list(self._asked))
        self._run = ServiceRun("", open_node(), [ServiceCall(ListJobs, LIST_JOBS_SERVICE, request, self._note)])
        return self._run

    def _note(self, answer: Any) -> str:
        self._found = {report.job_id: report for report in job_states_from_ros(answer.jobs)}
        return ""
