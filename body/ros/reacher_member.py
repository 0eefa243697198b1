"""A reacher on ROS: its parameters, its action, and its row on the board."""

from collections.abc import Mapping
from typing import Any, Final, Protocol

import numpy as np
from action_msgs.msg import GoalStatus
from rclpy.node import Node

from body.coupling.coupler import LARGEST_WEIGHT
from body.errors import ReacherError
from body.memory.body_board import BoardRow, BodyState, Share
from body.reachers.reacher import STALE_AFTER_NS, EndReason, GoalEnd, Reacher, idle_share
from body.reachers.value_watch import Watch
from body.ros.member import MemberContext
from body.ros.member_parameters import MemberParameters, Value, Values
from thymio_base.ros.action_server import GoalRequest, ServedGoal, TaskActionServer

_COMMON: Final[Mapping[str, Value]] = {"weight": 0.0, "watch": "", "watch_limit": 0.0}
_FEEDBACK_NS: Final = 100_000_000
_RESULT_TIMEOUT_S: Final = 900.0
_STATUS: Final = {EndReason.REACHED: GoalStatus.STATUS_SUCCEEDED, EndReason.CANCELED: GoalStatus.STATUS_CANCELED}


class ReacherBinding(Protocol):
    """Binds one type of reacher to its parameters and messages."""

    action_type: Any
    defaults: Mapping[str, Value]

    @property
    def core(self) -> Reacher:
        """The reacher."""
        ...

    def configure(self, values: Values) -> None:
        """Use other parameters; raise ReacherError if they are invalid."""
        ...

    def start(self, goal: Any, now_ns: int) -> None:
        """Start a goal; raise ReacherError if it is invalid."""
        ...

    def result(self, end: GoalEnd) -> Any:
        """Return the result message."""
        ...

    def feedback(self) -> Any:
        """Return the feedback message."""
        ...

    def publish(self, state: BodyState, now_ns: int) -> None:
        """Publish the reacher's own topics; called after each step."""
        ...


class ReacherMember:
    """Serves `/NAME/action` and the parameters of /NAME, and writes the reacher's row.

    Parameters
    ----------
    node : node of the reacher
    context : surroundings of the reacher
    binding : binding of its type
    """

    def __init__(self, node: Node, context: MemberContext, binding: ReacherBinding) -> None:
        self.node = node
        self._context = context
        self._binding = binding
        self._weight = 0.0
        self._watch = Watch()
        self._watched_ns = 0
        self._served: ServedGoal | None = None
        self._is_closed = False
        self._last: ServedGoal | None = None  # goal that was active when the reacher was closed
        self._feedback_ns = 0
        self._parameters = MemberParameters(node, {**_COMMON, **binding.defaults}, self._configure)
        self._server = TaskActionServer(
            node,
            binding.action_type,
            f"{node.get_name()}/action",
            on_goal=self._on_goal,
            on_cancel=self._on_cancel,
            on_conflict=lambda _, why: self._log_rejection(why),
            clock=context.clock,
            answers=context.answers,
            result_timeout_s=_RESULT_TIMEOUT_S,
        )
        context.answers.cover(node)

    def step(self, now_ns: int) -> None:
        """Read the state, step the reacher, write its row, and answer its goal if it has ended.

        A failed step commands nothing, and ends the goal as INTERNAL.
        """
        try:
            self._step(now_ns)
        except Exception as error:
            self._context.fence.note(f"the step of {self.node.get_name()}", error)
            with self._context.fence.around(f"the end of a goal of {self.node.get_name()}"):
                self._give_up(now_ns)

    def _step(self, now_ns: int) -> None:
        state = self._context.board.read_state()
        share = self._share(state, now_ns)
        self._context.board.write_row(self._context.row, BoardRow(now_ns, self._weight, share))
        self._binding.publish(state, now_ns)
        self._finish()
        if self._served is not None and now_ns - self._feedback_ns >= _FEEDBACK_NS:
            self._feedback_ns = now_ns
            self._server.publish_feedback(self._served, self._binding.feedback())

    def close(self) -> None:
        """End the goal as REMOVED, and accept no further goals."""
        if self._is_closed:
            return
        self._is_closed, self._last = True, self._served
        self._binding.core.end(EndReason.REMOVED)
        self._finish()

    def _give_up(self, now_ns: int) -> None:
        self._context.board.write_row(self._context.row, BoardRow(now_ns, 0.0, idle_share(self._context.layout)))
        served, self._served = self._served, None
        if served is not None:
            result = self._binding.action_type.Result(success=False, reason=EndReason.INTERNAL.value)
            self._server.end(served, GoalStatus.STATUS_ABORTED, result)
        self._binding.core.end(EndReason.INTERNAL)
        self._binding.core.take_end()

    @property
    def is_heard(self) -> bool:
        """Whether a client has fetched the result of the goal that `close` ended, if any."""
        return self._last is None or self._last.was_fetched

    def _share(self, state: BodyState, now_ns: int) -> Share:
        """Return the reacher's share; hold while the watched value is unknown, and end the goal beyond its limit."""
        core = self._binding.core
        is_blind = False
        if self._watch.name and core.is_busy:
            value = self._watch.value(self._context.layout, self._context.board, state, now_ns)
            is_blind = value is None
            if value is not None:
                self._watched_ns = now_ns
                if abs(value) > self._watch.limit:
                    core.end(EndReason.CONTACT)
            elif now_ns - self._watched_ns > STALE_AFTER_NS:
                core.end(EndReason.STALE_STATE)
        else:
            self._watched_ns = now_ns
        share = core.step(state, now_ns)
        return Share(np.zeros_like(share.velocities), share.torques, share.drives) if is_blind else share

    def _configure(self, values: Values) -> None:
        weight = values["weight"]
        if not 0 <= weight <= LARGEST_WEIGHT:
            raise ReacherError(f"weight is {weight:g}; write 0 to {LARGEST_WEIGHT:g}")
        if values["watch_limit"] < 0:
            raise ReacherError(f"watch_limit is {values['watch_limit']:g}; it is a magnitude, 0 or above")
        name = values["watch"]
        if name and "/" not in name:
            raise ReacherError(f'watch is {name!r}; write "joint/variable" or "NAME/output", such as TC0/force')
        self._binding.configure(values)
        self._weight, self._watch = weight, Watch(name, values["watch_limit"])

    def _on_goal(self, request: GoalRequest) -> None:
        try:
            if self._is_closed:
                raise ReacherError("the reacher is being deleted")
            self._binding.start(request.goal, self._context.clock().core_ns)
        except ReacherError as error:
            self._log_rejection(str(error))
            request.reject()
            return
        except Exception as error:
            self._context.fence.note(f"a goal of {self.node.get_name()}", error, request.goal)
            request.reject()
            return
        self._finish()  # answers the previous goal, which this goal has preempted
        self._served = request.accept()

    def _log_rejection(self, why: str) -> None:
        self.node.get_logger().warning(f"goal rejected: {why}")

    def _on_cancel(self, goal: ServedGoal) -> bool:
        if goal is self._served:
            self._binding.core.end(EndReason.CANCELED)
        return goal is self._served

    def _finish(self) -> None:
        end = self._binding.core.take_end()
        if end is None or self._served is None:
            return
        result = self._binding.result(end)
        served, self._served = self._served, None
        self._server.end(served, _STATUS.get(end.reason, GoalStatus.STATUS_ABORTED), result)
