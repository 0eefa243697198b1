"""Converts jobs to messages and back: pure functions, `x_to_ros` and `x_from_ros`."""

import math
from collections.abc import Iterable, Mapping
from typing import Final

from thymio_fleet_interfaces.msg import Job as JobMessage
from thymio_fleet_interfaces.msg import JobState as JobStateMessage

from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import Job, JobState
from fleet.geometry import Pose2D
from fleet.interface.work_messages import work_from_job, work_to_job
from thymio_base.ros.stamps import time_from_ros, time_to_ros

JOBS_AT_ONCE: Final = 200  # of one request, as the definitions of messages say: more would delay a tick


def job_to_ros(job: Job) -> JobMessage:
    """Return a job as a message; places with a name are named."""
    return JobMessage(
        **work_to_job(job.work),
        job_id=job.job_id,
        robots=list(job.robots),
        priority=job.priority,
        not_before=time_to_ros(job.not_before_ns),
        deadline=time_to_ros(job.deadline_ns),
        abort_when_late=job.is_aborted_late,
        after=list(job.after),
        after_any_end=job.after_any_end,
        attempts=job.attempts,
        may_be_interrupted=job.may_be_interrupted,
    )


def job_from_ros(message: JobMessage, stations: Mapping[str, Pose2D]) -> Job:
    """Return a message as a job; the poses of named places are those of `stations`.

    Raises
    ------
    GoalRejectedError
        A kind or a station does not exist, or the path is too long; the text lists the valid names.
    """
    return Job(
        job_id=message.job_id,
        work=work_from_job(message, stations),
        robots=tuple(message.robots),
        priority=message.priority,
        not_before_ns=time_from_ros(message.not_before),
        deadline_ns=time_from_ros(message.deadline),
        is_aborted_late=message.abort_when_late,
        after=tuple(message.after),
        after_any_end=message.after_any_end,
        attempts=message.attempts,
        may_be_interrupted=message.may_be_interrupted,
    )


def job_state_to_ros(report: JobReport) -> JobStateMessage:
    """Return a job's report as a message."""
    return JobStateMessage(
        job_id=report.job_id,
        words=report.words,
        state=report.state.value,
        robot=report.robot_id,
        place=report.place,
        priority=report.priority,
        eta_s=report.eta_s,
        progress=report.progress,
        attempts=report.attempts,
        reason=report.reason,
        detail=report.detail,
        submitted=time_to_ros(report.submitted_ns),
        ended=time_to_ros(report.ended_ns),
    )


def job_state_from_ros(message: JobStateMessage) -> JobReport:
    """Return a message as a job's report; numbers that are not finite count as unknown.

    Raises
    ------
    ValueError
        The state does not exist.
    """
    return JobReport(
        job_id=message.job_id,
        words=message.words,
        state=JobState(message.state),
        robot_id=message.robot,
        place=message.place,
        priority=message.priority,
        eta_s=message.eta_s if math.isfinite(message.eta_s) else -1.0,
        progress=message.progress if math.isfinite(message.progress) else 0.0,
        attempts=message.attempts,
        reason=message.reason,
        detail=message.detail,
        submitted_ns=time_from_ros(message.submitted),
        ended_ns=time_from_ros(message.ended),
    )


def job_states_from_ros(messages: Iterable[JobStateMessage]) -> list[JobReport]:
    """Return messages as reports of jobs, without those whose state is unknown here."""
    states = {state.value for state in JobState}
    return [job_state_from_ros(message) for message in messages if message.state in states]
