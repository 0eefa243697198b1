"""Sends goals from within a counted callback, which waits there until the goal is decided."""

import uuid
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.node import Node

from fleet.interface.names import action_name
from fleet.tasks.task_kind import TaskKind
from thymio_base.ros.executors import create_executor, spin_once

_SLICE_S = 0.05


class GoalSender:
    """Sends goals to robots through the services of their actions; the callback declares these as service calls.

    An executor that serves a callback cannot serve the answer for which this callback waits. So the clients have their
    own node and executor.

    Parameters
    ----------
    name : name of the clients' node
    goals : the robots and kinds of task that goals will be sent to, each with its ROS type
    """

    def __init__(self, name: str, goals: dict[tuple[int, TaskKind], Any], context: Context | None = None) -> None:
        self._node = Node(name, context=context)
        self._executor = create_executor(context=context)
        self._executor.add_node(self._node)
        self._types = goals
        self._clients = {
            (robot_id, kind): self._node.create_client(
                action_type.Impl.SendGoalService, f"{action_name(robot_id, kind)}/_action/send_goal"
            )
            for (robot_id, kind), action_type in goals.items()
        }

    def send(self, robot_id: int, kind: TaskKind, goal: Any) -> bool:
        """Send a goal, and wait for the decision; return whether it is accepted. Its UUID follows from its task_id."""
        client = self._clients[robot_id, kind]
        request = self._types[robot_id, kind].Impl.SendGoalService.Request(goal=goal)
        request.goal_id.uuid = list(uuid.uuid5(uuid.NAMESPACE_OID, goal.task_id).bytes)
        while rclpy.ok(context=self._node.context) and not client.service_is_ready():
            spin_once(self._executor, _SLICE_S)
        future = client.call_async(request)
        while rclpy.ok(context=self._node.context) and not future.done():
            spin_once(self._executor, _SLICE_S)
        return future.done() and bool(future.result().accepted)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self._node)
        self._node.destroy_node()
