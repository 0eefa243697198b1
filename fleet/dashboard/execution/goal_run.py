"""One goal of a robot, from the order to its end, in steps that never wait."""

import math
import time
import uuid
from collections.abc import Mapping
from typing import Any, Final

from rclpy.node import Node

from fleet.client.graph_client import DISCOVERY_S
from fleet.dashboard.model.fleet_picture import PicturedRobot
from fleet.dashboard.orders.command_log import CommandProgress, CommandState
from fleet.dashboard.orders.fleet_orders import TaskOrder
from fleet.goals.action_client import TaskActionClient
from fleet.goals.end_reason import EndedGoal
from fleet.goals.sent_goal import PATIENCE, GoalState, SentGoal
from fleet.interface.names import action_name
from fleet.interface.work_messages import ACTION_TYPES, goal_from_work
from fleet.work.work import objection_to_transport

_STATES: Final = {
    GoalState.SENT: CommandState.SENT,
    GoalState.EXECUTING: CommandState.EXECUTING,
    GoalState.REJECTED: CommandState.REJECTED,
    GoalState.SUCCEEDED: CommandState.SUCCEEDED,
    GoalState.CANCELED: CommandState.CANCELED,
    GoalState.ABORTED: CommandState.ABORTED,
}


class GoalRun:
    """Sends a goal once its server is found, and follows it to its end.

    A driver aborts a task when no client of its action is on the graph, so the client exists from the order to the
    goal's end; any longer would keep tasks of other clients alive. It does not listen to the action's
    feedback and status: the robot's own status, received anyway, confirms goals too.

    Parameters
    ----------
    command_id : the command's id
    order : the task for the robot
    node : owns only the client; polled by the execution
    frame : frame of all poses
    """

    def __init__(self, command_id: str, order: TaskOrder, node: Node, frame: str) -> None:
        self.node = node
        self.robot_id = order.robot_id
        self.command_id = command_id
        kind = order.work.kind
        name = action_name(order.robot_id, kind)
        task_id = f"{kind.public_name}-{uuid.uuid4().hex[:8]}"
        self._action = TaskActionClient(node, ACTION_TYPES[kind], name, time.monotonic, is_listening=False)
        self._goal = SentGoal(order.robot_id, kind, task_id, name, PATIENCE)
        self._objection = objection_to_transport(order.work)
        self._message: Any = goal_from_work(order.work, task_id, frame, node.get_clock().now().nanoseconds)
        self._created_s = time.monotonic()
        self._is_sent = False
        self._is_canceled = False
        self._heard_ns = 0  # time of the latest status that was evaluated
        self._is_heard_over = False  # a status has said that the goal is over
        self._reported: tuple[CommandState, str] | None = None
        self._ended: EndedGoal | None = None
        self.is_over = False

    def cancel(self) -> None:
        """Cancel the goal, sent or not."""
        self._is_canceled = True
        self._goal.cancel()

    def withhold(self) -> None:
        """Do not send the goal; its driver ends it if it was sent."""
        if not self._is_sent:
            self.cancel()

    def advance(self, robot: PicturedRobot | None, now_ns: int) -> CommandProgress | None:
        """Continue; return the state of the goal, if it changed."""
        if not self._is_sent:
            return self._find()
        if robot is not None and robot.status_ns > self._heard_ns:
            self._heard_ns = robot.status_ns
            self._hear(robot.values)
        self._action.advance()
        if not self._goal.state.is_final:
            return self._report(_STATES[self._goal.state], "", "")
        return self._end(robot, now_ns)

    def _find(self) -> CommandProgress | None:
        if self._is_canceled:
            self.is_over = True
            return self._report(CommandState.CANCELED, "", "")
        if self._objection is not None:
            self.is_over = True
            return self._report(CommandState.REJECTED, self._objection.reason.value, self._objection.detail)
        if self._action.is_ready():
            self._is_sent = True
            self._action.send(self._goal, self._message)
        elif time.monotonic() - self._created_s > DISCOVERY_S:
            self.is_over = True
            return self._report(CommandState.FAILED, "", f"nobody serves {self._action.name}: is the driver running?")
        return None

    def _hear(self, values: Mapping[str, str]) -> None:
        """Learn from the robot's status that its server has the goal, or had it."""
        task_id = self._goal.task_id
        if values.get("assigned_task") == task_id:
            self._goal.on_status(False, time.monotonic())
        elif values.get("last_task") == task_id and not self._is_heard_over:  # repeating it would delay requests
            self._is_heard_over = True
            self._goal.on_status(True, time.monotonic())

    def _end(self, robot: PicturedRobot | None, now_ns: int) -> CommandProgress | None:
        """Report the end as soon as its reason is known or no longer expected."""
        self._ended = self._ended or EndedGoal(self._goal)
        heard_s = -math.inf if robot is None else time.monotonic() - (now_ns - robot.status_ns) * 1e-9
        found = self._ended.settled_reason({} if robot is None else robot.values, heard_s)
        if found is None:
            return None
        self.is_over = True
        reason, detail = found
        return self._report(_STATES[self._goal.state], reason, detail or ("" if reason else self._goal.reason))

    def _report(self, state: CommandState, reason: str, text: str) -> CommandProgress | None:
        if self._reported == (state, reason):
            return None
        self._reported = state, reason
        return CommandProgress(self.command_id, state, reason, text, self._goal.task_id)
