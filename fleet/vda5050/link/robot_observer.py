"""Observes what a robot publishes, for its vehicle."""

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final

from fleet.geometry import STILL, Pose2D, Twist2D, wrap_angle
from fleet.vda5050.order.order_fault import VehicleFault, VehicleFaultKind
from fleet.vda5050.order.robot_facts import RobotControl, RobotFacts
from fleet.watch.robot_watch import RobotWatch
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import real_number

_STALE_S: Final = 6.0  # of a status, which is published once a second
_ALONE_S: Final = 2.0  # without a pose that was published together with others
_POSE_S: Final = 1.5  # of a pose, which is published ten times a second
_MOVING_MPS: Final = 0.02
_TURNING_RADPS: Final = 0.3
_WINDOW_S: Final = 0.35  # over which the speed is measured
_LOCALIZED: Final = ("odometry", "tracked", "degraded")


class RobotObserver:
    """Reads one robot's status and poses.

    Parameters
    ----------
    places : the latest poses of robots whose driver publishes them together, by id; poses that were seen are removed
    is_own : whether a task is one of its vehicle
    """

    def __init__(
        self, robot_id: int, watch: RobotWatch, places: dict[int, Pose2D], is_own: Callable[[str], bool]
    ) -> None:
        self._robot_id: Final = robot_id
        self._watch: Final = watch
        self._places: Final = places
        self._is_own: Final = is_own
        self._poses: deque[tuple[float, Pose2D]] = deque()
        self._posed_s: float | None = None
        self._battery_pct = 0.0
        self._said: tuple[bool, bool] | None = None  # silent, localized
        self._faults: tuple[VehicleFault, ...] = ()
        self._notes: tuple[tuple[str, str], ...] = ()
        self.values: Mapping[str, str] = {}  # of the status that was seen last
        self.heard_s = -math.inf  # when that arrived, on the monotonic clock
        watch.watch_status(robot_id)

    def observe(self, is_run_over: bool) -> RobotFacts:
        """Return what is known now; `is_run_over` says that no task of its vehicle runs."""
        now_s = time.monotonic()
        status = self._watch.statuses.take(self._robot_id)
        if status is not None:
            self.values, self.heard_s = status[0].values, now_s
        values = self.values
        self._take_pose(now_s)
        twist = self._twist(now_s)
        is_driving = math.fabs(twist.linear_mps) > _MOVING_MPS or math.fabs(twist.angular_radps) > _TURNING_RADPS
        is_silent = now_s - self.heard_s > _STALE_S
        is_linked = not is_silent and values.get("link") != "lost"
        is_known = values.get("localization", "tracked") in _LOCALIZED
        if status is not None or self._said != (is_silent, is_known):
            self._said = is_silent, is_known
            self._faults = _faults(values, is_linked=is_linked, is_localized=is_known) if values else ()
            self._notes, self._battery_pct = _notes(values), _battery(values, self._battery_pct)
        is_localized = is_known and bool(self._poses)
        is_stopped = values.get("state") == "stopped"
        is_idle = is_stopped or values.get("state") == "idle"
        is_free = is_idle or (is_run_over and self._is_own(values.get("assigned_task", "")))
        return RobotFacts(
            self._control(values),
            self._poses[-1][1] if self._poses else None,
            is_localized,
            is_at_rest=is_free and not is_driving and not is_silent,
            is_ready=is_free and is_linked and is_localized and not is_stopped,
            is_stopped=is_stopped,
            twist=twist,
            is_driving=is_driving,
            battery_pct=self._battery_pct,
            is_charging=values.get("charging") == "yes",
            faults=self._faults,
            notes=self._notes,
        )

    def _control(self, values: Mapping[str, str]) -> RobotControl:
        if not values:
            return RobotControl.STARTUP
        if values.get("state") == "scripted":
            return RobotControl.SERVICE
        assigned = values.get("assigned_task", "")
        is_foreign = bool(assigned) and not self._is_own(assigned)
        return RobotControl.MANUAL if is_foreign or values.get("state") == "teleop" else RobotControl.AUTOMATIC

    def _take_pose(self, now_s: float) -> None:
        pose = self._new_pose(now_s)
        if pose is not None:
            self._poses.append((now_s, pose))
        while len(self._poses) > 1 and now_s - self._poses[1][0] > _WINDOW_S:
            self._poses.popleft()
        if self._poses and now_s - self._poses[-1][0] > _POSE_S and len(self._poses) > 1:
            self._poses = deque([self._poses[-1]])

    def _new_pose(self, now_s: float) -> Pose2D | None:
        """Return a new pose; the robot's own topic is read only while its driver does not publish poses together."""
        alone = self._watch.poses
        pose = self._places.pop(self._robot_id, None)
        if pose is not None:
            self._posed_s = now_s
            alone.forget(self._robot_id)
            return pose
        if self._posed_s is None:
            self._posed_s = now_s if self.values else None
        elif now_s - self._posed_s > _ALONE_S:
            self._watch.watch_pose(self._robot_id)
        taken = alone.take(self._robot_id)
        return None if taken is None else taken[0]

    def _twist(self, now_s: float) -> Twist2D:
        """Return the mean twist over the latest poses."""
        if len(self._poses) < 2 or now_s - self._poses[-1][0] > _POSE_S:
            return STILL
        (first_s, first), (last_s, last) = self._poses[0], self._poses[-1]
        passed_s = max(last_s - first_s, 0.1)
        ahead_m = (last.x_m - first.x_m) * math.cos(first.heading_rad) + (last.y_m - first.y_m) * math.sin(
            first.heading_rad
        )
        turned_rad = wrap_angle(last.heading_rad - first.heading_rad)
        return Twist2D(ahead_m / passed_s, turned_rad / passed_s)


def _battery(values: Mapping[str, str], known_pct: float) -> float:
    """Return the last known charge in whole percent; a state tells no smaller changes."""
    try:
        percent = real_number(values.get("battery_pct", "-1"))
    except TextError:
        return known_pct
    return known_pct if percent < 0.0 else float(round(min(percent, 100.0)))


def _faults(values: Mapping[str, str], *, is_linked: bool, is_localized: bool) -> tuple[VehicleFault, ...]:
    faults = []
    if not is_linked:
        faults.append(VehicleFault(VehicleFaultKind.LOST, "there is no link to the robot, or no driver serves it"))
    elif not is_localized:
        text = f"the pose of the robot is not known: localization is {values.get('localization', 'unknown')}"
        faults.append(VehicleFault(VehicleFaultKind.LOCALIZATION, text))
    if values.get("battery") in ("low", "critical"):
        kind = VehicleFaultKind.BATTERY_LOW if values["battery"] == "low" else VehicleFaultKind.BATTERY_CRITICAL
        faults.append(VehicleFault(kind, f"the battery is {values['battery']}"))
    if values.get("traffic") == "blocked":
        faults.append(VehicleFault(VehicleFaultKind.BLOCKED, f"blocked by {values.get('blocked_by') or 'others'}"))
    return tuple(faults)


def _notes(values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    is_waiting = values.get("traffic") == "waiting"
    return (("waiting", f"for {values.get('waiting_for') or 'others'}"),) if is_waiting else ()
