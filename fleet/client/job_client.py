"""A client of the fleet's jobs: submits, changes and lists them."""

from collections.abc import Sequence
from typing import Any, Final

from thymio_fleet_interfaces.msg import JobStates
from thymio_fleet_interfaces.srv import ChangeJobs, ListJobs, SetDuty, SubmitJobs

from fleet.client.graph_client import GraphClient
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import Job
from fleet.errors import JobRefusedError, NoServerError
from fleet.interface.job_messages import JOBS_AT_ONCE, job_states_from_ros, job_to_ros
from fleet.interface.names import CHANGE_JOBS_SERVICE, DUTY_SERVICE, JOBS_TOPIC, LIST_JOBS_SERVICE, SUBMIT_JOBS_SERVICE
from fleet.interface.quality import JOBS_QOS
from thymio_base.parts import Parts

_PATIENCE_S: Final = 6.0
_NOBODY: Final = "no driver accepts jobs: run one with `dispatch: {enabled: true}` in its fleet.yaml, see docs/jobs.md"


class JobClient:
    """A client for one thread; nothing happens unless it spins.

    Parameters
    ----------
    graph : another client's, to share; None creates one
    """

    def __init__(self, graph: GraphClient | None = None) -> None:
        self.graph = graph or GraphClient()
        self.latest: JobStates | None = None

    def close(self) -> None:
        """Leave the graph."""
        self.graph.close()

    def watch(self) -> None:
        """Follow all jobs in `latest` from now on."""
        self.graph.node.create_subscription(JobStates, JOBS_TOPIC, self._on_jobs, JOBS_QOS)

    def submit(self, jobs: Sequence[Job]) -> None:
        """Submit jobs, all or none.

        Raises
        ------
        JobRefusedError
            They are not accepted; the message has a line for each job.
        NoServerError
            No driver accepts jobs, or it does not answer.
        """
        self.graph.finish(self.submit_in_parts(jobs))

    def estimate_s(self, jobs: Sequence[Job]) -> list[float]:
        """Return the expected time until each job's end [s]; infinite if no robot may perform it.

        Raises
        ------
        JobRefusedError
            They would not be accepted.
        NoServerError
            No driver accepts jobs, or it does not answer.
        """
        return list(self.graph.finish(self.submit_in_parts(jobs, estimate_only=True)).eta_s)

    def change(self, job_ids: Sequence[str], change: str, **values: Any) -> None:
        """Change jobs; see ChangeJobs.srv.

        Raises
        ------
        JobRefusedError
            Some were not changed; the message has a line for each of these.
        NoServerError
            No driver accepts jobs, or it does not answer.
        """
        self.graph.finish(self.change_in_parts(job_ids, change, **values))

    def change_in_parts(self, job_ids: Sequence[str], change: str, **values: Any) -> Parts[None]:
        """Change jobs, as `change` does.

        Raises
        ------
        JobRefusedError
            Some were not changed; the message has a line for each of these.
        NoServerError
            No driver accepts jobs, or it does not answer.
        """
        _check_count(len(job_ids))
        request = ChangeJobs.Request(job_ids=list(job_ids), change=change, **values)
        response = yield from self._call(ChangeJobs, CHANGE_JOBS_SERVICE, request)
        if not response.success:
            raise JobRefusedError("\n".join(detail for detail in response.details if detail))

    def list_in_parts(
        self, job_ids: Sequence[str] = (), states: Sequence[str] = (), robot_id: int = 0
    ) -> Parts[list[JobReport]]:
        """Find jobs, as `list` does.

        Raises
        ------
        NoServerError
            No driver accepts jobs, or it does not answer.
        """
        found: list[JobReport] = []
        for start in range(0, max(1, len(job_ids)), JOBS_AT_ONCE):
            some = list(job_ids[start : start + JOBS_AT_ONCE])
            request = ListJobs.Request(job_ids=some, states=list(states), robot=robot_id)
            found += job_states_from_ros((yield from self._call(ListJobs, LIST_JOBS_SERVICE, request)).jobs)
        return found

    def list(self, job_ids: Sequence[str] = (), states: Sequence[str] = (), robot_id: int = 0) -> list[JobReport]:
        """Return jobs; see ListJobs.srv.

        Raises
        ------
        NoServerError
            No driver accepts jobs, or it does not answer.
        """
        return self.graph.finish(self.list_in_parts(job_ids, states, robot_id))

    def set_duty(self, robot_ids: Sequence[int], duty: str) -> None:
        """Choose whether robots take jobs; see SetDuty.srv.

        Raises
        ------
        JobRefusedError
            A robot or a duty does not exist.
        NoServerError
            No driver accepts jobs, or it does not answer.
        """
        request = SetDuty.Request(robots=[*robot_ids], duty=duty)
        response = self.graph.finish(self._call(SetDuty, DUTY_SERVICE, request))
        if not response.success:
            raise JobRefusedError(response.message)

    def submit_in_parts(self, jobs: Sequence[Job], *, estimate_only: bool = False) -> Parts[Any]:
        """Submit jobs, as `submit` does, or only estimate them; return the response of SubmitJobs.srv.

        Raises
        ------
        JobRefusedError
            They are not accepted; the message has a line for each job.
        NoServerError
            No driver accepts jobs, or it does not answer.
        """
        _check_count(len(jobs))
        request = SubmitJobs.Request(jobs=[job_to_ros(job) for job in jobs], estimate_only=estimate_only)
        response = yield from self._call(SubmitJobs, SUBMIT_JOBS_SERVICE, request)
        if not response.accepted:
            answers = zip(jobs, response.reasons, response.details, strict=True)
            raise JobRefusedError("\n".join(f"{job.job_id}: {why}: {detail}" for job, why, detail in answers if why))
        return response

    def _call(self, service_type: Any, name: str, request: Any) -> Parts[Any]:
        graph = self.graph
        if not (yield from graph.served_in_parts(lambda: graph.node.count_services(name) > 0, _PATIENCE_S)):
            raise NoServerError(_NOBODY)
        return (yield from graph.call_in_parts(service_type, name, request, _PATIENCE_S))

    def _on_jobs(self, message: JobStates) -> None:
        self.latest = message


def _check_count(count: int) -> None:
    if count > JOBS_AT_ONCE:
        raise JobRefusedError(f"{count} jobs in one request, at most {JOBS_AT_ONCE}; send several requests")
