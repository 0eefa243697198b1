"""The actions through which one robot is given tasks: one set of rules for all kinds of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node

from aseba_link.instant import Instant
from fleet.attendance import Attendance
from fleet.config import RobotConfig
from fleet.errors import GoalRejectedError
from fleet.reason import Reason
from fleet.service import FleetService
from fleet.status import RobotStatus, TaskOutcome
from fleet.tasks import TaskKind, TaskRequest, TaskState

PROGRESS_S = 0.2  # between two feedbacks of our actions
SIGN_OF_LIFE_S = 1.0  # between two of the customer's, which are empty
OURS = {TaskKind.FOLLOW_PATH}  # actions that are not the customer's stand below x/


@dataclass(frozen=True, slots=True)
class TaskMessages:
    """How the messages of one action are read and written.

    Parameters
    ----------
    action_type : the ROS type
    request : what a goal asks for; raises GoalRejectedError for one that asks for nothing that can be done
    result : of a task's outcome, and the seconds since its acceptance
    feedback : of what tells the robot's status, while the robot performs the task
    """

    action_type: Any
    request: Callable[[Any], TaskRequest]
    result: Callable[[TaskOutcome, float], Any]
    feedback: Callable[[Callable[[], RobotStatus]], Any]


class TaskActions:
    """Serves the actions of one robot.

    Parameters
    ----------
    service : takes the tasks
    robot : which one
    node : has the action servers
    clock : tells the time
    logger : the driver's
    messages : of each kind of task
    """

    def __init__(
        self,
        service: FleetService,
        robot: RobotConfig,
        node: Node,
        clock: Callable[[], Instant],
        logger: RcutilsLogger,
        *,
        messages: Mapping[TaskKind, TaskMessages],
    ) -> None:
        self._service = service
        self._robot = robot
        self._clock = clock
        self._logger = logger
        self._messages = messages
        self._open_goals: dict[str, _OpenGoal] = {}
        self._servers = {kind: self._create_server(node, kind) for kind in messages}

    @property
    def has_open_goals(self) -> bool:
        """Whether a goal was accepted whose end its action server was not told yet."""
        return bool(self._open_goals)

    def is_attended(self, attendance: Attendance) -> bool:
        """Whether anybody on the graph could cancel the running task, if there is one."""
        goal = self._running
        return goal is None or attendance.has_client(action_name(self._robot.id, goal.kind))

    def finish(self, outcome: TaskOutcome) -> None:
        """Tell the action server how a task ended."""
        self._logger.info(f"{self._robot.name}: task {outcome.task_id!r} {outcome}")
        goal = self._open_goals.get(outcome.task_id)
        if goal is None:  # the client was gone before it could be told of its acceptance
            return
        self._servers[outcome.kind].notify_execute(goal.handle, lambda handle: self._end(handle, outcome))

    def publish_progress(self) -> None:
        """Tell the client of a running goal how far it is, if its action's feedback tells that."""
        goal = self._running
        if goal is not None and goal.kind in OURS:
            self._publish_feedback(goal)

    def publish_sign_of_life(self) -> None:
        """Tell the client of a running goal of the customer's actions, whose feedback is empty, that it is served."""
        goal = self._running
        if goal is not None and goal.kind not in OURS:
            self._publish_feedback(goal)

    def destroy(self) -> None:
        """Leave the graph."""
        for server in self._servers.values():
            server.destroy()

    @property
    def _running(self) -> "_OpenGoal | None":
        """The goal whose task the robot performs."""
        return self._open_goals.get(self._service.task_id(self._robot.id)) if self._open_goals else None

    def _publish_feedback(self, goal: "_OpenGoal") -> None:
        goal.handle.publish_feedback(self._messages[goal.kind].feedback(self._status))

    def _status(self) -> RobotStatus:
        return self._service.status(self._robot.id, self._clock().core_ns)

    def _create_server(self, node: Node, kind: TaskKind) -> "_DeferringActionServer":
        return _DeferringActionServer(
            node,
            self._messages[kind].action_type,
            action_name(self._robot.id, kind),
            execute_callback=_not_yet,
            goal_callback=lambda goal: self._on_goal(goal, kind),
            handle_accepted_callback=lambda handle: self._on_accepted(handle, kind),
            cancel_callback=self._on_cancel,
            result_timeout=int(self._service.config.tasks.result_timeout_s),
        )

    def _on_goal(self, goal: Any, kind: TaskKind) -> GoalResponse:
        """Accept a goal that becomes a task, from now on; reject it with a reason otherwise."""
        try:
            request = self._messages[kind].request(goal)
            reason = self._service.assign(self._robot.id, request, self._clock().core_ns)
            text = "" if reason is None else self._explained(reason, request)
        except GoalRejectedError as error:
            self._service.note_rejection(self._robot.id, error.reason)
            text = str(error)
        if text:
            self._logger.warning(f"{self._robot.name}: goal {goal.task_id!r} rejected: {text}")
            return GoalResponse.REJECT
        self._logger.info(f"{self._robot.name}: task {goal.task_id!r} accepted")
        return GoalResponse.ACCEPT

    def _explained(self, reason: Reason, request: TaskRequest) -> str:
        """Return a reason with the place that it is about, if there is one."""
        arena = self._service.config.arena
        if reason is not Reason.OUT_OF_ARENA or arena is None:
            return reason.value
        place = next(place for place in request.places if not arena.contains(place))
        return f"{reason.value}: ({place.x_m:.3f}, {place.y_m:.3f}) is outside"

    def _on_accepted(self, handle: ServerGoalHandle, kind: TaskKind) -> None:
        self._open_goals[handle.request.task_id] = _OpenGoal(kind, handle, self._clock().core_ns)
        handle.execute()

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        is_assigned = self._service.cancel(self._robot.id, handle.request.task_id, self._clock().core_ns)
        return CancelResponse.ACCEPT if is_assigned else CancelResponse.REJECT

    def _end(self, handle: ServerGoalHandle, outcome: TaskOutcome) -> Any:
        """Give a goal the end of its task, and return its result."""
        goal = self._open_goals.pop(outcome.task_id)
        if outcome.state is TaskState.SUCCEEDED:
            handle.succeed()
        elif outcome.state is TaskState.CANCELED:
            handle.canceled()
        else:
            handle.abort()
        return self._messages[outcome.kind].result(outcome, (self._clock().core_ns - goal.accepted_ns) * 1e-9)


def action_name(robot_id: int, kind: TaskKind) -> str:
    """Return the name of a robot's action."""
    return f"/factory/robot_{robot_id}/{'x/' if kind in OURS else ''}{kind.value}"


def _not_yet(_: ServerGoalHandle) -> None:
    """Stand in for what ends a goal: that is known with the goal's outcome."""


@dataclass(frozen=True, slots=True)
class _OpenGoal:
    """An accepted goal whose end its client does not know yet."""

    kind: TaskKind
    handle: ServerGoalHandle
    accepted_ns: int


class _DeferringActionServer(ActionServer):  # type: ignore[misc]  # rclpy counts as not annotated
    """An action server that executes a goal only once its end is known.

    The event executor runs a coroutine that awaits something over and over, which takes a whole core. So `execute` of
    a goal handle only makes the goal executing here; `notify_execute` with the callback then ends it.
    """

    def notify_execute(self, goal_handle: ServerGoalHandle, execute_callback: Callable[..., Any] | None) -> None:
        """Schedule the callback that ends a goal, if there is one."""
        if execute_callback is not None:
            super().notify_execute(goal_handle, execute_callback)
