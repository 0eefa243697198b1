"""One robot that another driver serves: its reports, and the job that it performs for us as a goal."""

import math
from collections.abc import Callable, Mapping
from typing import Final

from rclpy.node import Node

from fleet.geometry import Pose2D
from fleet.goals.action_client import TaskActionClient
from fleet.goals.end_reason import EndedGoal
from fleet.goals.sent_goal import GoalState, Patience, SentGoal
from fleet.interface.names import action_name
from fleet.interface.work_messages import ACTION_TYPES, goal_from_work
from fleet.reason import Explanation, Reason
from fleet.robots.readiness import Readiness
from fleet.robots.robot_status import TaskOutcome
from fleet.tasks.task import TaskState
from fleet.tasks.task_kind import TaskKind
from fleet.tasks.task_report import TaskReport
from fleet.watch.robot_watch import RobotWatch
from fleet.work.work import Work
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import real_number

_SILENT_S: Final = 3.0  # statuses come once a second
# After that, a driver that is only cut off has noticed that we are gone, and has stopped its robots, too.
_GONE_S: Final = 25.0
_PATIENCE: Final = Patience(server_s=30.0)
_STATES: Final = {GoalState.SUCCEEDED: TaskState.SUCCEEDED, GoalState.CANCELED: TaskState.CANCELED}
_ENDED: Final = {state.value: state for state in (TaskState.SUCCEEDED, TaskState.CANCELED, TaskState.ABORTED)}
_RUNNING: Final = {TaskState.EXECUTING.value, TaskState.CANCELING.value}
_UNABLE: Final = {"link": ("lost", "stale"), "localization": ("lost", "unknown"), "battery": ("critical",)}
_GONE_TEXT: Final = "the driver of the robot has ended, or is out of reach"


class RemoteRobot:
    """Reads a robot's topics whenever it is asked, and sends goals to its actions; nothing here waits.

    Parameters
    ----------
    robot_id : the robot
    node : owns the clients of its actions; an executor serves it
    watch : reads its topics
    frame : frame of all poses
    clock_s : a clock that never goes back [s]
    drain_per_s : the share of a full charge that it uses in a second of driving
    """

    def __init__(
        self,
        robot_id: int,
        node: Node,
        watch: RobotWatch,
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
        self._aside_at: Pose2D | None = None  # end of the goal, if that does not belong to a job
        self._ended: EndedGoal | None = None  # the goal, if it is over
        self._served_s = clock_s()  # when a driver served the robot last
        self._watch: Final = watch
        watch.watch_status(robot_id)
        watch.watch_task(robot_id)
        watch.watch_pose(robot_id)

    def readiness(self) -> Readiness | None:
        """Return whether it could perform a job; None until it has reported."""
        age_s = self._watch.statuses.age_s(self.robot_id)
        if age_s is None or age_s > _SILENT_S:
            return None
        values, report, pose = self._values, self._report, self._watch.poses.get(self.robot_id)
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
            home=_home(values) or pose or Pose2D(0.0, 0.0, 0.0),
            pose=pose,
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

    @property
    def _values(self) -> Mapping[str, str]:
        status = self._watch.statuses.get(self.robot_id)
        return {} if status is None else status.values

    @property
    def _report(self) -> TaskReport:
        return self._watch.tasks.get(self.robot_id, TaskReport())

    def give(self, work: Work, task_id: str, stamp_ns: int) -> Explanation | None:
        """Send work as a goal; return None, or why that is impossible now, such as while it drives aside."""
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

    def send_aside(self, work: Work, stamp_ns: int) -> None:
        """Send the robot to a place, as a task with an id of its own; it may refuse."""
        task_id = f"aside-{self.robot_id}-{stamp_ns}"
        if self.give(work, task_id, stamp_ns) is None:
            self._aside_at = work.places[-1].pose

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
        self._goal = self._aside_at = self._ended = None
        return None if was_aside else outcome

    def _end_of(self, goal: SentGoal, now_s: float) -> TaskOutcome | None:
        last = self._last_outcome()
        if last is not None and last.task_id == goal.task_id:
            return last
        if now_s - self._served_s > _GONE_S:
            goal.cancel()
            return self._outcome(goal, TaskState.ABORTED, Explanation(Reason.SERVED_ELSEWHERE, _GONE_TEXT))
        if not goal.state.is_final:
            return None
        if goal.state in _STATES:
            return self._outcome(goal, _STATES[goal.state], None)
        self._ended = self._ended or EndedGoal(goal)
        if not self._ended.is_late:  # the report of the task, which is read above, knows more
            return None
        return self._outcome(goal, TaskState.ABORTED, self._explanation(self._ended))

    def _explanation(self, ended: EndedGoal) -> Explanation:
        """Return why a goal did not succeed, according to the robot's status."""
        name, detail = ended.reason(self._values, self._watch.statuses.read_s(self.robot_id))
        try:
            reason = Reason(name)
        except ValueError:
            reason = Reason.BUSY if ended.goal.state is GoalState.REJECTED else Reason.ROBOT_LOST
        return Explanation(reason, detail or ended.goal.reason)

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
        if reason is Reason.SHUTDOWN:  # the robot's driver ended; another may serve the robot soon
            reason = Reason.SERVED_ELSEWHERE
        return TaskOutcome(self.robot_id, report.task_id, kind, state, reason, detail=report.detail, leg=report.leg)


def _charge(values: Mapping[str, str]) -> float | None:
    """Return the battery charge in a status, from 0 to 1; None if it has none."""
    try:
        percent = real_number(values.get("battery_pct", ""))
    except TextError:
        return None
    return 0.01 * percent if 0.0 <= percent <= 100.0 else None


def _home(values: Mapping[str, str]) -> Pose2D | None:
    """Return the home pose in a status; None if it has none."""
    try:
        x_m, y_m, heading_deg = map(real_number, values.get("home", "").split(","))
    except ValueError:
        return None
    return Pose2D(x_m, y_m, math.radians(heading_deg))
