"""The fleet's report on one robot: the snapshot behind status, services and tables."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from fleet.control.control_law import TrackingError
from fleet.control.tracker_config import LawName
from fleet.localization.pose_quality import Localization, PoseQuality
from fleet.reason import Reason
from fleet.robots.activity import Activity
from fleet.robots.battery import BatteryLevel
from fleet.robots.standstill import Displacement
from fleet.robots.status_level import Level
from fleet.tasks.deviation import CrossTrack
from fleet.tasks.explanations import TAKE_BACK, USER_SCRIPT
from fleet.tasks.route import RouteProgress
from fleet.tasks.task import TaskState
from fleet.tasks.task_kind import TaskKind
from fleet.traffic.traffic_state import ALONE, TrafficPhase, TrafficState

_STALLED_WARNING_S = 5.0
_BLOCKED_WARNING_S = 5.0


class LinkState(Enum):
    """Whether the robot can be reached; the value is what status shows."""

    CONNECTED = "connected"  # it runs our script and reports
    STALE = "stale"  # it is connected, but sends no reports
    LOST = "lost"  # it is absent, or does not run our script


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """The end of a task; `reason` is None unless it was aborted, `cross_track` unless the robot drove.

    `detail` gives the numbers behind the reason, and what to try. `leg` is the index of the leg in which it ended, None
    if that is not known. `route` is the progress along its route, None without one.
    """

    robot_id: int
    task_id: str
    kind: TaskKind
    state: TaskState
    reason: Reason | None
    cross_track: CrossTrack | None = None
    detail: str = ""
    leg: int | None = None
    route: RouteProgress | None = None

    def __str__(self) -> str:
        return self.state.value if self.reason is None else f"{self.state.value}:{self.reason.value}"


@dataclass(frozen=True, slots=True)
class RobotStatus:
    """One robot at one instant.

    Parameters
    ----------
    pose_topic : topic of its pose source; "" without one
    link_text : why it cannot be reached, human-readable
    is_charged : whether a charger feeds its battery
    is_stopped : whether it waits to be resumed
    is_driven : whether it is teleoperated
    task_id : "" when it is idle
    task_kind, task_state : None when it is idle
    stalled_s : time for which it has not come nearer to its goal
    reason : why its latest goal was rejected, or why its latest task did not succeed
    tracking_error : None while it does not drive
    lap : 0 while it follows no path
    over_budget : by how much its target exceeds its budget, human-readable; "" if it does not
    task_words : its task in words; "" when it is idle
    route : progress along its route; None without one
    battery_volts : the voltage that determines `battery`; None before the first
    errand : its errand without a task; None without one
    plan : remaining poses and places of its task or errand; "" when it stands still
    home : its home pose
    node_id : its node id on its target; None while it is not known
    pushed : how far it was pushed away from where it stopped after its latest task; None if it was not
    outside : by how far it is outside of the arena, and what to check; "" if it is inside
    reason_detail : the numbers behind the reason, and what to try
    traffic : its state among other robots
    waited_s : time for which it has waited for other robots in its task
    fault : the driver's error that put it out of service; "" while it is in service
    """

    robot_id: int
    pose_topic: str
    link: LinkState
    link_text: str
    pose_quality: PoseQuality
    battery: BatteryLevel
    battery_percent: int
    is_charged: bool
    is_stopped: bool
    is_driven: bool
    task_id: str
    task_kind: TaskKind | None
    task_state: TaskState | None
    progress: float
    eta_s: float
    stalled_s: float
    reason: Reason | None
    last_outcome: TaskOutcome | None
    law: LawName
    tracking_error: TrackingError | None
    lap: int
    over_budget: str = ""
    task_words: str = ""
    plan: str = ""
    home: str = ""
    node_id: int | None = None
    pushed: Displacement | None = None
    outside: str = ""
    reason_detail: str = ""
    traffic: TrafficState = ALONE
    waited_s: float = 0.0
    fault: str = ""
    errand: Activity | None = None
    battery_volts: float | None = None
    route: RouteProgress | None = None

    @property
    def localization(self) -> Localization:
        """Quality of its pose."""
        return self.pose_quality.localization

    @property
    def is_busy(self) -> bool:
        """Whether a task is assigned, including one that is being canceled."""
        return self.task_state is not None

    @property
    def state(self) -> str:
        """Its current activity, in one word."""
        if self.task_state is not None:
            return self.task_state.value
        if self.is_stopped:
            return "stopped"
        if self.link is LinkState.LOST:
            return "scripted" if self._is_scripted else "lost"
        return "teleop" if self.is_driven else "idle"

    @property
    def activity(self) -> Activity:
        """Its activity, in the words that everything shows."""
        if self.task_state is TaskState.CANCELING:
            return Activity.STOPPING
        if self.task_state is not None:
            return Activity.DRIVING
        state = self.state
        return self._unasked() if state == "idle" else Activity(state)

    def _unasked(self) -> Activity:
        """Return its activity without any request."""
        if self.traffic.going is TrafficPhase.GIVING_WAY:
            return Activity.GIVING_WAY
        return self.errand or (Activity.CHARGING if self.is_charged else Activity.IDLE)

    @property
    def _is_scripted(self) -> bool:
        """Whether it runs a user's script instead of ours: it is reachable, but takes no tasks."""
        return self.link is LinkState.LOST and self.link_text == USER_SCRIPT

    @property
    def level(self) -> Level:
        """How much attention the robot needs."""
        if any(self._errors()):
            return Level.ERROR
        return Level.WARN if any(self._warnings()) else Level.OK

    @property
    def message(self) -> str:
        """What is wrong, or otherwise the robot's activity."""
        return "; ".join(self._errors()) or "; ".join(self._warnings()) or self._activity()

    @property
    def values(self) -> tuple[tuple[str, str], ...]:
        """The key-value pairs of the status: the customer's three first, then our own."""
        last, error, quality = self.last_outcome, self.tracking_error, self.pose_quality
        return (
            ("battery", self.battery.value),
            ("busy", "yes" if self.is_busy else "no"),
            ("assigned_task", self.task_id),
            ("state", self.state),
            ("activity", self.activity.value),
            ("progress", f"{self.progress:.2f}"),
            ("eta_s", f"{self.eta_s:.1f}"),
            ("reason", self.reason.value if self.reason else ""),
            ("reason_detail", self.reason_detail),
            ("last_task", last.task_id if last else ""),
            ("last_result", str(last) if last else ""),
            ("last_result_detail", last.detail if last else ""),
            ("localization", self.localization.value),
            ("link", self.link.value),
            ("battery_pct", str(self.battery_percent)),
            ("charging", "yes" if self.is_charged else "no"),
            ("law", self.law.value),
            ("along_track_mm", f"{1e3 * error.along_m:.1f}" if error else ""),
            ("cross_track_mm", f"{1e3 * error.cross_m:.1f}" if error else ""),
            ("heading_error_deg", f"{math.degrees(error.heading_rad):.1f}" if error else ""),
            ("position_std_mm", f"{1e3 * quality.spread.position_m:.2f}" if quality.spread else ""),
            ("heading_std_deg", f"{math.degrees(quality.spread.heading_rad):.2f}" if quality.spread else ""),
            ("poses_hz", f"{quality.poses_hz:.1f}"),
            ("pose_age_s", f"{quality.age_s:.2f}" if quality.age_s is not None else ""),
            ("poses_rejected", str(quality.rejected_count)),
            ("task", self.task_words),
            ("plan", self.plan),
            ("home", self.home),
            ("node", "" if self.node_id is None else str(self.node_id)),
            ("traffic", self.traffic.going.value),
            ("waiting_for", self.traffic.waiting_text),
            ("blocked_by", self.traffic.blocked_by),
            ("waited_s", f"{self.waited_s:.1f}"),
            ("gives_up_s", "" if self.traffic.gives_up_s is None else f"{self.traffic.gives_up_s:.0f}"),
        )

    def _errors(self) -> Iterator[str]:
        if not self._is_scripted:
            yield from self._absences()
        if self.fault:
            yield f"out of service; {TAKE_BACK} takes it back: {self.fault}"
        if self.is_stopped:
            yield "stopped: waiting to be resumed"
        if self.battery is BatteryLevel.CRITICAL:
            yield f"battery critical: {self._battery_text()}"

    def _absences(self) -> Iterator[str]:
        if self.link is LinkState.LOST:
            yield f"no link to the robot: {self.link_text}"
        if self.localization is Localization.LOST:
            yield f"pose lost: {self._source_text()}"
        if self.localization is Localization.UNKNOWN and self.pose_topic:
            yield f"pose unknown: {self._source_text()} yet"

    def _warnings(self) -> Iterator[str]:
        if self._is_scripted:
            yield f"{USER_SCRIPT}; thymio-fleet script default {self.robot_id} loads the fleet's"
        if self.link is LinkState.STALE:
            yield "no odometry: the robot was commanded to stop"
        if self.localization is Localization.DEGRADED:
            yield f"odometry only: {self._source_text()}"
        if self.outside:
            yield self.outside
        if self.battery is BatteryLevel.LOW:
            yield f"battery low: {self._battery_text()}"
        if self.pushed is not None:
            yield f"pushed {self.pushed} away from where it stood"
        if self.over_budget:
            yield f"radio over its budget: {self.over_budget}"
        if self.traffic.blocked_s > _BLOCKED_WARNING_S:
            yield f"blocked for {self.traffic.blocked_s:.0f} s by {self.traffic.blocked_by}"
        if self.stalled_s > _STALLED_WARNING_S:
            yield f"no progress for {self.stalled_s:.0f} s"

    def _source_text(self) -> str:
        """Return why the pose source cannot be used now."""
        refusal = self.pose_quality.refusal_text
        if not refusal:
            return f"nothing on {self.pose_topic}"
        return f"nothing usable on {self.pose_topic}, the last pose was {refusal}"

    def _battery_text(self) -> str:
        """Return the voltage behind the level, and the charge, which may differ for some time."""
        volts = "" if self.battery_volts is None else f"{self.battery_volts:.2f} V, "
        return f"{volts}charge {self.battery_percent} %"

    def _activity(self) -> str:
        if self.traffic.going is TrafficPhase.GIVING_WAY:
            others = ", ".join(str(robot_id) for robot_id in self.traffic.waiting_for)
            return f"{Activity.GIVING_WAY.value} to robot {others}"
        if self.task_kind is None:
            return "driven by cmd_vel" if self.is_driven else self._rest()
        if self.task_state is TaskState.CANCELING:
            return f"canceling {self.task_kind.value}"
        return f"{self.task_kind.value}: {self.progress:.0%}, {self.eta_s:.0f} s to go"

    def _rest(self) -> str:
        activity = self.activity
        return f"{activity.value}: {self.battery_percent} %" if activity is Activity.CHARGING else activity.value
