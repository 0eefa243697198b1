"""The bytes of /fleet/jobs are those that rclpy would write."""

from rclpy.serialization import deserialize_message
from thymio_fleet_interfaces.msg import JobStates

from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import Duty, JobState
from fleet.interface.job_messages import job_state_from_ros
from fleet.interface.job_states_writer import JobStatesWriter

REPORTS = [
    JobReport("j", "go_to A", JobState.QUEUED, 0, -1, 5, -1.0, 0.0, 0, "", "", 1, 0),
    JobReport("\u00e4" * 7, "", JobState.ABORTED, 4_000_000_000, 3, 9, 1.5, 0.25, 2, "WHY", "\U0001f916", 10**18, 2),
    *(JobReport("x" * size, "y", JobState.EXECUTING, 1, 0, 0, 2.0, 0.5, 1, "", "z" * size, 5, 0) for size in range(9)),
]  # fmt: skip


def test_message_has_all_that_was_added() -> None:
    writer = JobStatesWriter(1_500_000_000_123_456_789, "map", len(REPORTS))
    for report in REPORTS:
        writer.add(report)
    data = writer.data({1: Duty.IN, 2: Duty.OUT, 7: Duty.OUT_AFTER_JOB}, "full disk", "lab", ["one", "two"])
    message = deserialize_message(data, JobStates)
    assert [job_state_from_ros(one) for one in message.jobs] == REPORTS
    assert (list(message.off_duty), message.trouble, message.host) == ([2, 7], "full disk", "lab")
    assert (list(message.standby), message.header.frame_id) == (["one", "two"], "map")
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (1_500_000_000, 123_456_789)


def test_message_without_jobs_is_complete() -> None:
    message = deserialize_message(JobStatesWriter(0, "", 0).data({}, "", "", ()), JobStates)
    assert message == JobStates()
