"""Explains in words why a task of an experiment did not succeed."""

from typing import Final

from fleet.reason import Reason

_OF_STATES: Final = {
    "WAITING": "it was never sent: the run ended first",
    "EXECUTING": "it had not ended when the run ended",
    "executing": "it had not ended when the run ended",
    "canceling": "it had not ended when the run ended",
    "CANCELED": "it was canceled",
}
_OF_REASONS: Final = {
    Reason.BUSY: "the robot performed another task",
    Reason.EMPTY_ID: "its id is empty",
    Reason.BAD_ID: "its id is too long or not printable",
    Reason.DUPLICATE_ID: "an earlier task has the same id",
    Reason.NON_FINITE_POSE: "a coordinate is infinite or not a number",
    Reason.BAD_QUATERNION: "its orientation is not a heading",
    Reason.UNKNOWN_FRAME: "its pose is not in the fleet's frame",
    Reason.OUT_OF_ARENA: "a pose lies outside the arena",
    Reason.UNREACHABLE: "walls or forbidden areas leave no room for the robot there",
    Reason.BAD_PATH: "the path cannot be driven",
    Reason.BAD_SPEED: "the speed is not allowed on this path",
    Reason.OUTDATED_UPDATE: "the route has other waypoints by now",
    Reason.NOT_RUNNING: "the task to extend was not running",
    Reason.STOPPED: "the fleet was stopped",
    Reason.ROBOT_LOST: "there was no link to the robot",
    Reason.POSE_LOST: "the robot's pose was unknown",
    Reason.BATTERY_CRITICAL: "the battery was critical, which allows only go_home and dock",
    Reason.SERVED_ELSEWHERE: "another host serves the robot",
    Reason.CLIENT_LOST: "its client was lost",
    Reason.BLOCKED: "its way stayed blocked",
    Reason.NO_PROGRESS: "the robot did not get closer to its goal",
    Reason.DEADLINE: "it took far longer than planned",
    Reason.NOT_A_CHARGER: "its place is not a charger",
    Reason.CHARGER_TAKEN: "another robot docked at its charger",
    Reason.NOT_CHARGING: "the charger did not charge the robot",
    Reason.SHUTDOWN: "the driver shut down",
    Reason.INTERNAL: "the driver has a defect, which its log describes",
    Reason.BAD_JOB: "it names something that does not exist",
    Reason.DEPENDENCY: "a job that it waits for did not succeed",
    Reason.DEADLINE_MISSED: "its deadline had passed",
    Reason.NO_ROBOT: "no robot that may perform it could",
    Reason.ATTEMPTS: "all allowed attempts have failed",
    Reason.HELD_AT_RESTART: "nobody knows where its load is",
    Reason.BOOK: "jobs could not be kept",
}


def failure_words(state: str, reason: str) -> str:
    """Return why a task did not succeed, such as "ABORTED: the robot's pose was unknown (POSE_LOST)"."""
    if not reason:
        return _OF_STATES.get(state, state)
    known = next((words for member, words in _OF_REASONS.items() if member.value == reason), None)
    return f"{state}: {known} ({reason})" if known else f"{state}: {reason}"
