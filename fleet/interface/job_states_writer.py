"""Writes /fleet/jobs as bytes: rclpy would convert the messages of a thousand jobs at once, which delays a tick."""

from collections.abc import Mapping, Sequence
from typing import Final

from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import Duty
from thymio_base.cdr import CdrWriter
from thymio_base.ros.stamps import time_to_ros


class JobStatesWriter:
    """Writes one thymio_fleet_interfaces/msg/JobStates, a job at a time.

    Parameters
    ----------
    stamp_ns : the instant of the reports, on the ROS clock
    frame : frame of all places
    count : number of jobs that will be added
    """

    def __init__(self, stamp_ns: int, frame: str, count: int) -> None:
        self._message: Final = CdrWriter()
        self._add_time(stamp_ns)
        self._message.add_text(frame)
        self._message.add("I", count)

    def add(self, report: JobReport) -> None:
        """Add a job."""
        message = self._message
        for text in (report.job_id, report.words, report.state.value):
            message.add_text(text)
        message.add("I", report.robot_id)
        message.add("i", report.place)
        message.add("B", report.priority)
        message.add("d", report.eta_s, report.progress)
        message.add("I", report.attempts)
        message.add_text(report.reason)
        message.add_text(report.detail)
        self._add_time(report.submitted_ns)
        self._add_time(report.ended_ns)

    def data(self, duties: Mapping[int, Duty], trouble: str, host: str, standby: Sequence[str]) -> bytes:
        """Return the message, with the robots' duties, and the driver that gives the jobs."""
        message = self._message
        off_duty = [robot_id for robot_id, duty in duties.items() if duty is not Duty.IN]
        message.add("I", len(off_duty), *off_duty)
        message.add_text(trouble)
        message.add_text(host)
        message.add("I", len(standby))
        for text in standby:
            message.add_text(text)
        return message.data

    def _add_time(self, instant_ns: int) -> None:
        stamp = time_to_ros(instant_ns)
        self._message.add("i", stamp.sec)
        self._message.add("I", stamp.nanosec)
