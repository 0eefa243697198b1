"""The states of robots during a run, as colours."""

from bisect import bisect_left

from experiments.scenarios.run.repetition import Run
from fleet.client.robot_report import RobotReport
from fleet.robots.robot_status import RobotStatus
from thymio_base.palette import Tone


def report_of(status: RobotStatus) -> RobotReport:
    """Return a status as clients receive it."""
    return RobotReport(status.robot_id, status.level, status.message, dict(status.values))


class RobotTones:
    """The colour of each robot at any time of a run, by its next status and its tasks.

    Parameters
    ----------
    run : run with recorded statuses and tasks
    """

    def __init__(self, run: Run) -> None:
        recording = run.recording
        self._assignments = run.assignments
        self._times_s: dict[int, list[float]] = {robot_id: [] for robot_id in recording.robot_ids}
        self._tones: dict[int, list[Tone]] = {robot_id: [] for robot_id in recording.robot_ids}
        for record in recording.statuses:
            self._times_s[record.status.robot_id].append(record.time_s)
            self._tones[record.status.robot_id].append(report_of(record.status).tone)

    def at(self, robot_id: int, time_s: float) -> Tone:
        """Return a robot's colour at a time; tasks decide between idle and busy, as statuses are too rare."""
        tones = self._tones[robot_id]
        index = bisect_left(self._times_s[robot_id], time_s)
        tone = tones[min(index, len(tones) - 1)] if tones else Tone.IDLE
        if tone in (Tone.IDLE, Tone.BUSY):
            return Tone.BUSY if self._is_busy(robot_id, time_s) else Tone.IDLE
        return tone

    def _is_busy(self, robot_id: int, time_s: float) -> bool:
        return any(
            one.robot_id == robot_id
            and one.started_s is not None
            and one.started_s <= time_s
            and (one.ended_s is None or time_s < one.ended_s)
            for one in self._assignments
        )
