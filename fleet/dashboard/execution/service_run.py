"""One order that is a call of services, in steps that never wait."""

import time
from collections.abc import Sequence
from typing import Any, Final

from action_msgs.srv import CancelGoal
from rclpy.node import Node

from fleet.calls.call import Call
from fleet.client.graph_client import DISCOVERY_S
from fleet.dashboard.execution.goal_messages import ServiceCall
from fleet.dashboard.orders.command_log import CommandProgress, CommandState
from fleet.interface.names import action_name
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KINDS

_OURS_S: Final = 0.5  # our own actions are found at the same time as the customer's, or do not exist


class _Calling:
    """One call, given up if its server is not found in time."""

    def __init__(self, node: Node, call: ServiceCall, patience_s: float) -> None:
        self.order = call
        self._call = Call(node.create_client(call.service_type, call.name), call.request)
        self._created_s = time.monotonic()
        self._patience_s = patience_s
        self.is_missing = False

    @property
    def answer(self) -> Any:
        """The first answer; None until it arrives."""
        return self._call.answer

    @property
    def is_over(self) -> bool:
        """Whether it was answered, or has no server."""
        return self._call.is_answered or self.is_missing

    def advance(self) -> None:
        """Continue."""
        if not self.is_missing:
            self._call.advance()
            self.is_missing = not self._call.is_sent and time.monotonic() - self._created_s > self._patience_s


class ServiceRun:
    """Calls services until each has answered or is given up.

    Parameters
    ----------
    command_id : the command's id; "" for calls without a command
    node : owns only the clients; polled by the execution
    calls : the calls; those in `optional` may lack a server
    """

    def __init__(
        self, command_id: str, node: Node, calls: Sequence[ServiceCall], optional: Sequence[ServiceCall] = ()
    ) -> None:
        self.node = node
        self.is_over = False
        self.command_id = command_id
        self._needed = [_Calling(node, call, DISCOVERY_S) for call in calls]
        self._optional = [_Calling(node, call, _OURS_S) for call in optional]
        self._created_s = time.monotonic()

    def advance(self) -> CommandProgress | None:
        """Continue; return the outcome of the order once it is over."""
        for calling in (*self._needed, *self._optional):
            calling.advance()
        callings = (*self._needed, *self._optional)
        is_late = time.monotonic() - self._created_s > DISCOVERY_S
        if not (all(calling.is_over for calling in callings) or is_late):
            return None
        self.is_over = True
        silent = [calling.order.name for calling in self._needed if calling.answer is None]
        if silent:
            text = f"{silent[0]} does not answer within {DISCOVERY_S:g} s"
            return CommandProgress(self.command_id, CommandState.FAILED, text=text)
        answered = (calling for calling in callings if calling.answer is not None)
        refusals = [text for calling in answered if (text := calling.order.refusal(calling.answer))]
        if refusals:
            return CommandProgress(self.command_id, CommandState.REJECTED, text="; ".join(refusals))
        return CommandProgress(self.command_id, CommandState.DONE)


def cancel_calls(robot_id: int) -> tuple[list[ServiceCall], list[ServiceCall]]:
    """Return the calls that cancel all goals of a robot: of the customer's actions, and of ours."""
    customers = [_cancel_call(robot_id, kind) for kind, facts in KINDS.items() if not facts.is_ours]
    return customers, [_cancel_call(robot_id, kind) for kind, facts in KINDS.items() if facts.is_ours]


def _cancel_call(robot_id: int, kind: TaskKind) -> ServiceCall:
    name = f"{action_name(robot_id, kind)}/_action/cancel_goal"
    return ServiceCall(CancelGoal, name, CancelGoal.Request(), lambda _: "")
