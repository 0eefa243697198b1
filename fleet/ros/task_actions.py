"""The task actions of one robot: one set of rules for all kinds of task."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from action_msgs.msg import GoalStatus
from rclpy.node import Node

from fleet.errors import GoalRejectedError
from fleet.interface.names import action_name
from fleet.interface.progress_messages import feedback_to_ros, result_to_ros
from fleet.interface.work_messages import ACTION_TYPES
from fleet.reason import Explanation, Reason
from fleet.robots.robot_status import RobotStatus, TaskOutcome
from fleet.ros.edge.client_presence import Presence
from fleet.ros.edge.driver_edge import Edge
from fleet.settings.config import RobotConfig
from fleet.tasks import explanations
from fleet.tasks.task import TaskRequest, TaskState
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KINDS
from fleet.work.work import Work
from thymio_base.logs.audit_log import AuditEvent
from thymio_base.parts import Parts, WorkInParts
from thymio_base.ros.action_server import GoalRequest, ServedGoal, TaskActionServer

PROGRESS_S: Final = 0.2  # between two feedbacks of our actions
HEARTBEAT_S: Final = 1.0  # between two feedbacks of the customer's actions, which are empty

_DEFERRAL_NS: Final = 500_000_000  # longest wait of a goal for a task to be canceled
_DEFERRED_GOALS: Final = 8  # goals that may wait for that
_LOGGED_REJECTIONS: Final = 5  # in a second
_STATUSES: Final = {
    TaskState.SUCCEEDED: GoalStatus.STATUS_SUCCEEDED,
    TaskState.CANCELED: GoalStatus.STATUS_CANCELED,
    TaskState.ABORTED: GoalStatus.STATUS_ABORTED,
}


class TaskActions:
    """Serves the actions of one robot.

    Parameters
    ----------
    edge : accepts the tasks
    robot : the robot to serve
    node : owns the entities of the actions, once `create` has created them
    read : reads the work of a goal, in parts; raises GoalRejectedError if it has none
    task : returns the task for a goal's work; raises GoalRejectedError if that cannot be done now
    """

    def __init__(
        self,
        edge: Edge,
        robot: RobotConfig,
        node: Node,
        *,
        read: Callable[[TaskKind, Any], Parts[Work]],
        task: Callable[[str, Work], TaskRequest],
    ) -> None:
        self._edge = edge
        self._robot = robot
        self._node = node
        self._log = _RejectionLog(edge, robot)
        self._read = read
        self._task = task
        self._open_goals: dict[str, _OpenGoal] = {}
        self._deferred: deque[_DeferredGoal] = deque()
        self._servers: dict[TaskKind, TaskActionServer] = {}

    def create(self) -> Parts[None]:
        """Create the servers of the actions, one in each part."""
        for kind in KINDS:
            self._servers[kind] = self._create_server(kind)
            yield

    def may_be_canceled(self, presence: Presence) -> bool:
        """Whether any client on the graph could cancel the running task, if there is one."""
        goal = self._running
        return goal is None or presence.has_client(action_name(self._robot.id, goal.kind))

    def clients(self, presence: Presence) -> tuple[str, ...]:
        """Return the nodes seen so far that could cancel the running task."""
        goal = self._running
        return () if goal is None else presence.clients(action_name(self._robot.id, goal.kind))

    def step(self) -> None:
        """Decide goals that wait for a task to be canceled, once it is canceled or their time is up."""
        for _ in range(len(self._deferred)):
            deferred = self._deferred.popleft()
            self._decide(deferred.request, deferred.work, deferred.until_ns)

    def finish(self, outcome: TaskOutcome) -> None:
        """End the goal of a task."""
        detail = f": {outcome.detail}" if outcome.detail else ""
        self._edge.logger.info(f"{self._robot.name}: task {outcome.task_id!r} {outcome}{detail}")
        goal = self._open_goals.pop(outcome.task_id, None)
        if goal is None:
            return
        self._note(AuditEvent.ENDED, goal.kind, outcome.task_id, outcome=str(outcome), text=outcome.detail)
        duration_s = (self._edge.clock().core_ns - goal.served.accepted.core_ns) * 1e-9
        found = self._edge.fence.call("result", result_to_ros, outcome, duration_s)
        result = found or ACTION_TYPES[goal.kind].Result()
        self._servers[goal.kind].end(goal.served, _STATUSES[outcome.state], result)

    def publish_progress(self) -> None:
        """Publish the progress of the running goal, if its action's feedback contains it."""
        goal = self._running
        if goal is not None and KINDS[goal.kind].is_ours:
            self._publish_feedback(goal)

    def publish_heartbeat(self) -> None:
        """Publish the empty feedback of a running goal of the customer's actions, as a sign that it is served."""
        goal = self._running
        if goal is not None and not KINDS[goal.kind].is_ours:
            self._publish_feedback(goal)

    @property
    def _running(self) -> "_OpenGoal | None":
        """The goal whose task the robot performs."""
        return self._open_goals.get(self._edge.service.robot(self._robot.id).task_id) if self._open_goals else None

    def _publish_feedback(self, goal: "_OpenGoal") -> None:
        self._servers[goal.kind].publish_feedback(goal.served, feedback_to_ros(goal.kind, self._status))

    def _status(self) -> RobotStatus:
        return self._edge.service.status(self._robot.id, self._edge.clock().core_ns)

    def _create_server(self, kind: TaskKind) -> TaskActionServer:
        return TaskActionServer(
            self._node,
            ACTION_TYPES[kind],
            action_name(self._robot.id, kind),
            on_goal=partial(self._on_goal, kind),
            on_cancel=self._on_cancel,
            on_conflict=self._on_conflict,
            clock=self._edge.clock,
            answers=self._edge.answers,
            result_timeout_s=self._edge.service.config.tasks.result_timeout_s,
        )

    def _on_goal(self, kind: TaskKind, request: GoalRequest) -> None:
        if not self._edge.requests.put(self._robot.id, WorkInParts(self._decision(request, kind)).do_part):
            flood = explanations.too_many_goals(self._edge.requests.limit)
            self._refuse(request, flood)

    def _decision(self, request: GoalRequest, kind: TaskKind) -> Parts[None]:
        """Read a goal, part by part, and decide it in the last part."""
        try:
            work = yield from self._read(kind, request.goal)
        except GoalRejectedError as error:
            self._refuse(request, error.explanation)
        except Exception as error:
            self._fail(request, kind, error)
        else:
            self._decide(request, work)

    def _decide(self, request: GoalRequest, work: Work, deferred_until_ns: int | None = None) -> None:
        """Accept a goal as a task that starts now, reject it with a reason, or let it wait."""
        try:
            self._decide_sound(request, work, deferred_until_ns)
        except Exception as error:
            self._fail(request, work.kind, error)

    def _fail(self, request: GoalRequest, kind: TaskKind, error: Exception) -> None:
        """Reject a goal that caused an exception."""
        failure = explanations.internal(self._edge.fence.note(action_name(self._robot.id, kind), error, request.goal))
        robot = self._edge.service.robot(self._robot.id)
        if request.goal.task_id not in self._open_goals and robot.task_id == request.goal.task_id:
            robot.abort(failure)  # no client could cancel the task
        self._refuse(request, failure)

    def _refuse(self, request: GoalRequest, explanation: Explanation) -> None:
        """Reject a goal before it became a task."""
        self._edge.service.robot(self._robot.id).note_rejection(explanation)
        self._reject(request, explanation)

    def _decide_sound(self, request: GoalRequest, work: Work, deferred_until_ns: int | None) -> None:
        """Decide a readable goal; any exception that this raises is a defect."""
        try:
            task_request = self._task(request.goal.task_id, work)
        except GoalRejectedError as error:
            self._refuse(request, error.explanation)
            return
        now_ns = self._edge.clock().core_ns
        if self._should_wait(now_ns, deferred_until_ns):
            self._deferred.append(_DeferredGoal(request, work, deferred_until_ns or now_ns + _DEFERRAL_NS))
            return
        explanation = self._edge.service.give(self._robot.id, task_request, now_ns)
        if explanation is not None:
            self._reject(request, explanation)
            return
        self._edge.logger.info(f"{self._robot.name}: task {task_request.task_id!r} accepted")
        self._note(AuditEvent.ORDERED, work.kind, task_request.task_id, text=str(work))
        self._open_goals[task_request.task_id] = _OpenGoal(work.kind, request.accept())

    def _note(self, event: AuditEvent, kind: TaskKind, task_id: str, **facts: object) -> None:
        action = action_name(self._robot.id, kind)
        self._edge.note(event, kind.public_name, action, robot=self._robot.id, task=task_id, **facts)

    def _should_wait(self, now_ns: int, deferred_until_ns: int | None) -> bool:
        """Whether the robot will soon be free, because its task is being canceled; goals keep their order."""
        if not self._edge.requests.may_wait:
            return False
        is_canceling = self._edge.service.robot(self._robot.id).is_canceling
        if deferred_until_ns is not None:
            return is_canceling and now_ns < deferred_until_ns
        return len(self._deferred) < _DEFERRED_GOALS and (is_canceling or bool(self._deferred))

    def _on_conflict(self, goal: Any, why: str) -> None:
        explanation = Explanation(Reason.DUPLICATE_ID, why)
        self._edge.service.robot(self._robot.id).note_rejection(explanation)
        self._log.reject(goal.task_id, explanation, self._edge.clock().core_ns)

    def _reject(self, request: GoalRequest, explanation: Explanation) -> None:
        self._log.reject(request.goal.task_id, explanation, self._edge.clock().core_ns)
        request.reject()

    def _on_cancel(self, goal: ServedGoal) -> bool:
        now_ns = self._edge.clock().core_ns
        try:
            return self._edge.service.robot(self._robot.id).cancel(goal.goal.task_id, now_ns)
        except Exception as error:  # the robot must stop all the same
            self._edge.service.fail(self._robot.id, error, now_ns)
            return False


class _RejectionLog:
    """Logs why goals were rejected; in a flood, only the first few of each second and how many more there were."""

    def __init__(self, edge: Edge, robot: RobotConfig) -> None:
        self._edge = edge
        self._robot = robot
        self._second = -1
        self._count = 0

    def reject(self, task_id: str, explanation: Explanation, now_ns: int) -> None:
        """Log that a goal was rejected."""
        second = now_ns // 1_000_000_000
        if second != self._second:
            if self._count > _LOGGED_REJECTIONS:
                more = self._count - _LOGGED_REJECTIONS
                self._edge.logger.warning(
                    f"{self._robot.name}: {more} more goals rejected, the last for {explanation.reason.value}"
                )
            self._second, self._count = second, 0
        self._count += 1
        if self._count <= _LOGGED_REJECTIONS:
            self._edge.logger.warning(f"{self._robot.name}: goal {task_id!r} rejected: {explanation}")
            facts = {"robot": self._robot.id, "task": task_id}
            reason = explanation.reason.value
            self._edge.note(AuditEvent.REFUSED, "task", "", **facts, reason=reason, text=explanation.detail)


@dataclass(frozen=True, slots=True)
class _OpenGoal:
    """An accepted goal that has not ended yet."""

    kind: TaskKind
    served: ServedGoal


@dataclass(frozen=True, slots=True)
class _DeferredGoal:
    """A goal that waits for the previous task to be canceled."""

    request: GoalRequest
    work: Work
    until_ns: int
