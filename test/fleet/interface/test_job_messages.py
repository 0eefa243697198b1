"""Jobs in messages of other drivers, which may be newer than ours."""

from collections.abc import Callable
from typing import Any

import pytest
from thymio_fleet_interfaces.msg import JobState as JobStateMessage
from thymio_fleet_interfaces.srv import ChangeJobs, ListJobs, SubmitJobs

from fleet.client.job_client import JobClient
from fleet.dispatch.records.job import JobState
from fleet.errors import JobRefusedError
from fleet.interface.job_messages import JOBS_AT_ONCE, job_states_from_ros
from harness.dispatch.dispatched_fleet import go


def test_jobs_of_unknown_states_are_left_out() -> None:
    messages = [JobStateMessage(job_id="first", state="queued"), JobStateMessage(job_id="second", state="dreaming")]
    assert [(one.job_id, one.state) for one in job_states_from_ros(messages)] == [("first", JobState.QUEUED)]


@pytest.mark.parametrize(
    ("request_type", "field", "item"),
    [
        (SubmitJobs.Request, "jobs", "thymio_fleet_interfaces/Job"),
        (ChangeJobs.Request, "job_ids", "string"),
        (ListJobs.Request, "job_ids", "string"),
    ],
)
def test_requests_have_room_for_as_many_jobs_as_clients_send_at_once(request_type: Any, field: str, item: str) -> None:
    assert request_type.get_fields_and_field_types()[field] == f"sequence<{item}, {JOBS_AT_ONCE}>"


@pytest.mark.parametrize(
    "send",
    [
        lambda jobs: list(jobs.submit_in_parts([go("one", 1.0)] * (JOBS_AT_ONCE + 1))),
        lambda jobs: list(jobs.submit_in_parts([go("one", 1.0)] * (JOBS_AT_ONCE + 1), estimate_only=True)),
        lambda jobs: list(jobs.change_in_parts(["one"] * (JOBS_AT_ONCE + 1), "cancel")),
    ],
)
def test_clients_refuse_more_jobs_than_a_request_has_room_for(send: Callable[[JobClient], object]) -> None:
    client = JobClient(graph=object())  # type: ignore[arg-type]  # which they must not reach
    with pytest.raises(JobRefusedError, match="201 jobs in one request, at most 200; send several requests"):
        send(client)
