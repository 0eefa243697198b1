"""Reasons why a goal was rejected or a task failed: one closed set, the same in status, logs and documentation."""

from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """A reason; its value is what status shows."""

    BUSY = "BUSY"  # rejected: the robot performs another task
    EMPTY_ID = "EMPTY_ID"  # rejected: "" is the id that an idle robot reports
    BAD_ID = "BAD_ID"  # rejected: longer than 128 characters, or not printable
    DUPLICATE_ID = "DUPLICATE_ID"  # rejected: a task with this id runs or ran, or the goal UUID is known
    NON_FINITE_POSE = "NON_FINITE_POSE"  # rejected: a coordinate is infinite or not a number
    BAD_QUATERNION = "BAD_QUATERNION"  # rejected: not of unit length (10 % is tolerated), or tilted by over 10 degrees
    UNKNOWN_FRAME = "UNKNOWN_FRAME"  # rejected: the pose is not given in the fleet's frame
    OUT_OF_ARENA = "OUT_OF_ARENA"  # rejected: the body would not lie inside the configured arena
    UNREACHABLE = "UNREACHABLE"  # rejected: a wall or keep-out area leaves no room for the body there or on the way
    BAD_PATH = "BAD_PATH"  # rejected: the path, or its repetition in laps, cannot be driven
    OUTDATED_UPDATE = (
        "OUTDATED_UPDATE"  # rejected update of a route: it does not follow its last waypoint, or leg, so far
    )
    NOT_RUNNING = "NOT_RUNNING"  # rejected update of a route: the task does not run, or is of another kind
    BAD_SPEED = "BAD_SPEED"  # rejected: not a finite positive speed, or faster than the limits allow on the path
    STOPPED = "STOPPED"  # rejected or aborted: the fleet is stopped until it is resumed
    ROBOT_LOST = "ROBOT_LOST"  # rejected or aborted: no link to the robot
    POSE_LOST = "POSE_LOST"  # rejected or aborted: the pose of the robot is unknown
    BATTERY_CRITICAL = (
        "BATTERY_CRITICAL"  # rejected: only ways home and onto chargers are accepted on a critical battery
    )
    SERVED_ELSEWHERE = "SERVED_ELSEWHERE"  # rejected or aborted: the driver of another host serves the robot
    CLIENT_LOST = "CLIENT_LOST"  # aborted: no client that could cancel the task is left on the graph
    BLOCKED = "BLOCKED"  # aborted: nobody moved out of the robot's way for too long
    NO_PROGRESS = "NO_PROGRESS"  # aborted: the robot made no progress towards its goal for too long
    DEADLINE = "DEADLINE"  # aborted: the task took far longer than planned
    NOT_A_CHARGER = (
        "NOT_A_CHARGER"  # rejected: a robot is to dock at a place that is not a station with the role charge
    )
    CHARGER_TAKEN = "CHARGER_TAKEN"  # rejected: another robot is on its way onto the charger
    NOT_CHARGING = "NOT_CHARGING"  # aborted: the robot is in the charger, and none of its tries got it charged
    SHUTDOWN = "SHUTDOWN"  # rejected or aborted: the driver shuts down
    INTERNAL = "INTERNAL"  # rejected or aborted: a defect of the driver, whose log has the details
    BAD_JOB = "BAD_JOB"  # rejected: it names a place, a robot or a job that does not exist, or contradicts itself
    DEPENDENCY = "DEPENDENCY"  # aborted job: a job that it waits for did not succeed
    DEADLINE_MISSED = "DEADLINE_MISSED"  # aborted job: its deadline has passed, and it is to be aborted then
    NO_ROBOT = "NO_ROBOT"  # aborted job: no robot that may perform it has been on duty and able for too long
    ATTEMPTS = "ATTEMPTS"  # aborted job: the job has failed on as many robots as are allowed to try it
    HELD_AT_RESTART = "HELD_AT_RESTART"  # held job: the driver ended while a robot was loaded or unloaded
    BOOK = "BOOK"  # rejected job: the book of jobs cannot be written


@dataclass(frozen=True, slots=True)
class Explanation:
    """A reason in one case: `detail` gives the numbers behind it and, where something helps, what to try."""

    reason: Reason
    detail: str

    def __str__(self) -> str:
        return f"{self.reason.value}: {self.detail}" if self.detail else self.reason.value

    def shortened(self, max_length: int) -> "Explanation":
        """Return the explanation with at most `max_length` characters of its detail."""
        if len(self.detail) <= max_length:
            return self
        return Explanation(self.reason, f"{self.detail[: max_length - 3]}...")
