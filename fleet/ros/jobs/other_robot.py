"""One robot that another driver serves: what it reports, and the job that it performs for us as a goal."""

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from thymio_fleet_interfaces.msg import RobotTask

from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.goals.action_client import TaskActionClient
from fleet.goals.sent_goal import GoalState, Patience, SentGoal
from fleet.interface.conversions import pose_from_ros
from fleet.interface.names import action_name, task_topic
from fleet.interface.quality import POSE_READER_QOS, STATUS_QOS, TASK_QOS
from fleet.interface.task_messages import task_from_ros
from fleet.interface.work_messages import ACTION_TYPES, goal_from_work
from fleet.reason import Explanation, Reason
from fleet.robots.readiness import Readiness
from fleet.robots.robot_status import TaskOutcome
from fleet.tasks.task import TaskState
from fleet.tasks.task_kind import TaskKind
from fleet.tasks.task_report import TaskReport
from fleet.watch.taken_topic import TakenTopic
from fleet.work.work import Place, Work
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import real_number

_SILENT_S: Final = 3.0  # statuses come once a second
_EXPLAINED_S: Final = 2.0  # after the end of a goal, for the report with its reason to arrive
# After that, a driver that is only cut off has noticed that we are gone, and has stopped its robots, too.
_GONE_S: Final = 25.0
_PATIENCE: Final = Patience(server_s=30.0)
_AT_ONCE: Final = 5  # messages of one topic that are read in one go
_STATES: Final = {GoalState.SUCCEEDED: TaskState.SUCCEEDED, GoalState.CANCELED: TaskState.CANCELED}
_ENDED: Final = {state.value: state for state in (TaskState.SUCCEEDED, TaskState.CANCELED, TaskState.ABORTED)}
_RUNNING: Final = {TaskState.EXECUTING.value, TaskState.CANCELING.value}
_UNABLE: Final = {"link": ("lost", "stale"), "localization": ("lost", "unknown"), "battery": ("critical",)}
_GONE_TEXT: Final = "the driver of the robot has ended, or is out of reach"


class OtherRobot:
    """Reads a robot's topics whenever it is asked, and sends goals to its actions; nothing here waits.

    Parameters
    ----------
    robot_id : the robot
    node : owns the clients of its actions; an executor serves it
    listener : owns the subscriptions; no executor serves it
    frame : of all poses
    clock_s : a clock that never goes back [s]
    drain_per_s : the share of a full charge that it uses in a second of driving
    """

    def __init__(
        self,
        robot_id: int,
        node: Node,
        listener: Node,
        frame: str,
        clock_s: Callable[[], float],
        *,
        drain_per_s: float,
    ) -> None:
        self.robot_id: Final = robot_id
        self._node: Final = node
        self._frame: Final = frame
        self._clock_s: Final = clock_s
        self._actions: Final[dict[TaskKind, TaskActionClient]] = {}
        self._drain_per_s: Final = drain_per_s
        self._goal: SentGoal | None = None
        self._aside_at: Pose2D | None = None  # where the goal leads, if it is none of a job
        self._ended_s = 0.0  # when the goal ended, if it has
        self._served_s = clock_s()  # when a driver served the robot last
        self._values: Mapping[str, str] = {}
        self._heard_s = -math.inf
        self._report = TaskReport()
        self._pose: Pose2D | None = None
        prefix = f"/factory/robot_{robot_id}"
        self._statuses = TakenTopic(listener, DiagnosticStatus, f"{prefix}/status", STATUS_QOS)
        self._tasks = TakenTopic(listener, RobotTask, task_topic(robot_id), TASK_QOS)
        self._poses = TakenTopic(listener, PoseStamped, f"{prefix}/pose", POSE_READER_QOS)

    def receive(self) -> None:
        """Read what has arrived."""
        for message in _received(self._statuses):
            self._values = {value.key: value.value for value in message.values}
            self._heard_s = self._clock_s()
        for message in _received(self._tasks):
            self._report = task_from_ros(message)
        for message in _received(self._poses):
            try:
                self._pose = pose_from_ros(message, self._frame)
            except GoalRejectedError:
                self._pose = None  # its fleet has another frame: it is on another floor

    def readiness(self) -> Readiness | None:
        """Return whether it could perform a job; None until it has reported."""
        if self._clock_s() - self._heard_s > _SILENT_S:
            return None
        values, report = self._values, self._report
        is_able = all(values.get(key, "") not in bad for key, bad in _UNABLE.items())
        is_stopped = values.get("state") == "stopped"
        is_able = is_able and not is_stopped and values.get("state") not in ("teleop", "scripted")
        is_reported = report.state in _RUNNING  # statuses come later, and know no legs
        task_id = report.task_id if is_reported else ""
        if not report.state and values.get("busy") == "yes":  # a server that reports no tasks
            task_id = values.get("assigned_task", "")
        if self._aside_at is not None and self._goal is not None and task_id == self._goal.task_id:
            task_id, is_reported = "", False
        return Readiness(
            robot_id=self.robot_id,
            home=_home(values) or self._pose or Pose2D(0.0, 0.0, 0.0),
            pose=self._pose,
            is_able=is_able,
            may_drive=is_able and not task_id,
            is_stopped=is_stopped,
            is_aside=self._aside_at is not None,
            aside_at=self._aside_at,
            task_id=task_id,
            leg=report.leg if is_reported else 0,
            task_end=Pose2D(*report.plan_m[-1], 0.0) if is_reported and report.plan_m else None,
            eta_s=report.eta_s if is_reported else 0.0,
            progress=report.progress if is_reported else 0.0,
            charge=_charge(values),
            drain_per_s=self._drain_per_s,
            is_elsewhere=True,
            last_outcome=self._last_outcome(),
        )

    def give(self, work: Work, task_id: str, stamp_ns: int) -> Explanation | None:
        """Send work as a goal; return None, or why that is impossible now, as while it drives aside."""
        if self._goal is not None:
            if self._aside_at is not None:
                self._goal.cancel()
            return Explanation(Reason.BUSY, f"it performs {self._goal.task_id}")
        client = self._actions.get(work.kind)
        if client is None:
            name = action_name(self.robot_id, work.kind)
            client = TaskActionClient(self._node, ACTION_TYPES[work.kind], name, self._clock_s)
            self._actions[work.kind] = client
        if not client.is_ready():
            return Explanation(Reason.BUSY, f"{client.name} is not reached yet")
        self._goal = SentGoal(self.robot_id, work.kind, task_id, client.name, _PATIENCE)
        client.send(self._goal, goal_from_work(work, task_id, self._frame, stamp_ns))
        return None

    def send_aside(self, place: Pose2D, stamp_ns: int) -> None:
        """Send it to a place, as a task with an id of its own; it may refuse."""
        task_id = f"aside-{self.robot_id}-{stamp_ns}"
        if self.give(Work(TaskKind.GO_TO, (Place(place),)), task_id, stamp_ns) is None:
            self._aside_at = place

    def take(self, task_id: str) -> None:
        """Cancel a goal, if we have sent it."""
        if self._goal is not None and self._goal.task_id == task_id:
            self._goal.cancel()

    def advance(self, *, is_served: bool) -> TaskOutcome | None:
        """Repeat requests that are due; return how our goal has ended, once that and its reason are known."""
        goal, now_s = self._goal, self._clock_s()
        self._served_s = now_s if is_served else self._served_s
        if goal is None:
            return None
        self._actions[goal.kind].advance()
        outcome = self._end_of(goal, now_s)
        if outcome is None:
            return None
        was_aside = self._aside_at is not None
        self._goal = self._aside_at = None
        return None if was_aside else outcome

    def _end_of(self, goal: SentGoal, now_s: float) -> TaskOutcome | None:
        last = self._last_outcome()
        if last is not None and last.task_id == goal.task_id:
            return last
        if now_s - self._served_s > _GONE_S:
            goal.cancel()
            return self._outcome(goal, TaskState.ABORTED, Explanation(Reason.SERVED_ELSEWHERE, _GONE_TEXT))
        if not goal.state.is_final:
            self._ended_s = now_s
        elif goal.state in (GoalState.SUCCEEDED, GoalState.CANCELED):
            return self._outcome(goal, _STATES[goal.state], None)
        elif now_s - self._ended_s > _EXPLAINED_S:
            return self._outcome(goal, TaskState.ABORTED, self._explanation(goal))
        return None

    def _explanation(self, goal: SentGoal) -> Explanation:
        """Return why a goal did not succeed, as the robot's status has it."""
        try:
            reason = Reason(self._values.get("reason", ""))
        except ValueError:
            reason = Reason.BUSY if goal.state is GoalState.REJECTED else Reason.ROBOT_LOST
        return Explanation(reason, self._values.get("reason_detail", "") or goal.reason)

    def _outcome(self, goal: SentGoal, state: TaskState, why: Explanation | None) -> TaskOutcome:
        reason, detail = (None, "") if why is None else (why.reason, why.detail)
        return TaskOutcome(self.robot_id, goal.task_id, goal.kind, state, reason, detail=detail)

    def _last_outcome(self) -> TaskOutcome | None:
        """Return how its latest task ended, as its driver reports; None while one runs."""
        report = self._report
        state = _ENDED.get(report.state)
        if state is None:
            return None
        try:
            kind, reason = TaskKind(report.kind), Reason(report.reason) if report.reason else None
        except ValueError:
            return None
        if reason is Reason.SHUTDOWN:  # of its driver; another one may serve it soon
            reason = Reason.SERVED_ELSEWHERE
        return TaskOutcome(self.robot_id, report.task_id, kind, state, reason, detail=report.detail, leg=report.leg)


def _received(topic: TakenTopic) -> Iterator[Any]:
    """Return the messages that have arrived, not more than can be read in one go."""
    return islice(iter(topic.take_message, None), _AT_ONCE)


def _charge(values: Mapping[str, str]) -> float | None:
    """Return the charge of the battery that a status has, from 0 to 1; None if it has none."""
    try:
        percent = real_number(values.get("battery_pct", ""))
    except TextError:
        return None
    return 0.01 * percent if 0.0 <= percent <= 100.0 else None


def _home(values: Mapping[str, str]) -> Pose2D | None:
    """Return the home pose that a status has, None if it has none."""
    try:
        x_m, y_m, heading_deg = map(real_number, values.get("home", "").split(","))
    except ValueError:
        return None
    return Pose2D(x_m, y_m, math.radians(heading_deg))
