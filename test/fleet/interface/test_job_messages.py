"""Jobs in messages of other drivers, which may be newer than ours."""

from thymio_fleet_interfaces.msg import JobState as JobStateMessage

from fleet.dispatch.records.job import JobState
from fleet.interface.job_messages import job_states_from_ros


def test_jobs_of_unknown_states_are_left_out() -> None:
    messages = [JobStateMessage(job_id="first", state="queued"), JobStateMessage(job_id="second", state="dreaming")]
    assert [(one.job_id, one.state) for one in job_states_from_ros(messages)] == [("first", JobState.QUEUED)]
