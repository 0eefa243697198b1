"""Serves a ROS action through plain services and publishers; answers may be deferred or repeated.

rclpy's ActionServer answers in the callback, refuses a known goal UUID, and drops answers that cannot be sent at once;
decision 31 explains why it is not used.
"""

import math
from array import array
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_action_status_default
from rclpy.task import Future
from rclpy.time import Time

from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers
from thymio_base.ros.stamps import time_from_ros

_FEEDBACK_QOS: Final = QoSProfile(depth=10)
_ENDED_IN_STATUS: Final = 20  # ended goals listed in the status topic; more results than these can be fetched
_RESULTS: Final = 2000  # limit of stored results
_WAITING_FOR_RESULT: Final = 64  # pending requests per result; beyond that, the oldest get no answer
_NEVER_STAMPED: Final = 0


class GoalRequest:
    """A goal requested by a client; exactly one of `accept` and `reject` must be called, at any time."""

    def __init__(self, server: "TaskActionServer", goal_id: Any, goal: Any) -> None:
        self.goal = goal
        self._server = server
        self._goal_id = goal_id

    def accept(self) -> "ServedGoal":
        """Inform the client that the goal is accepted and executes from now on."""
        return self._server.accept(self._goal_id, self.goal)

    def reject(self) -> None:
        """Inform the client that the goal is rejected."""
        self._server.reject(self._goal_id)


def same_message(one: Any, other: Any) -> bool:
    """Return whether two messages, or values in them, have the same content; NaN equals NaN."""
    if one == other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return math.isnan(one) and math.isnan(other)
    if isinstance(one, list | array):
        return len(one) == len(other) and all(map(same_message, one, other))
    fields = one.get_fields_and_field_types() if hasattr(one, "get_fields_and_field_types") else ()
    return bool(fields) and all(same_message(getattr(one, name), getattr(other, name)) for name in fields)


@dataclass(slots=True)
class ServedGoal:
    """An accepted goal.

    Parameters
    ----------
    goal_id : the client's id of the goal, a unique_identifier_msgs/UUID
    goal : the action's goal message
    accepted : time of acceptance
    status : a value of action_msgs/GoalStatus
    was_fetched : whether a client has requested the result
    """

    goal_id: Any
    goal: Any
    accepted: Instant
    status: int = GoalStatus.STATUS_EXECUTING
    response: Any = None  # to result requests, once the result is known
    ended_ns: int = 0
    was_fetched: bool = False
    waiting: deque[Future] = field(default_factory=lambda: deque(maxlen=_WAITING_FOR_RESULT))

    @property
    def uuid(self) -> bytes:
        """The client's id of the goal, 16 bytes."""
        return bytes(self.goal_id.uuid)

    @property
    def is_over(self) -> bool:
        """Whether its result is known."""
        return self.response is not None

    @property
    def info(self) -> GoalInfo:
        """The goal's id and acceptance time."""
        return GoalInfo(goal_id=self.goal_id, stamp=Time(nanoseconds=self.accepted.ros_ns).to_msg())


class TaskActionServer:
    """Serves an action of a robot.

    A goal sent again under the same UUID is executed once; the repetition gets the same answer. Another goal under a
    known UUID is rejected.

    Parameters
    ----------
    node : owns the entities
    action_type : ROS type of the action
    name : name of the action
    on_goal : called with each new goal
    on_cancel : starts to cancel a goal; returns False if it is too late
    on_conflict : called with a goal rejected because its UUID belongs to another goal, and the reason in words
    clock : returns the current time
    answers : sends the answers
    result_timeout_s : time for which results can be fetched
    """

    def __init__(
        self,
        node: Node,
        action_type: Any,
        name: str,
        *,
        on_goal: Callable[[GoalRequest], None],
        on_cancel: Callable[[ServedGoal], bool],
        on_conflict: Callable[[Any, str], None],
        clock: Callable[[], Instant],
        answers: Answers,
        result_timeout_s: float,
    ) -> None:
        self._on_goal = on_goal
        self._on_cancel = on_cancel
        self._on_conflict = on_conflict
        self._clock = clock
        self._result_timeout_ns = round(result_timeout_s * 1e9)
        self._messages = action_type.Impl
        self._undecided: dict[bytes, tuple[Any, Future]] = {}  # goals and their answers
        self._open: dict[bytes, ServedGoal] = {}
        self._ended: OrderedDict[bytes, ServedGoal] = OrderedDict()
        prefix = f"{name}/_action"
        answers.create_service(node, self._messages.SendGoalService, f"{prefix}/send_goal", self._on_send_goal)
        answers.create_service(node, self._messages.CancelGoalService, f"{prefix}/cancel_goal", self._on_cancel_goal)
        answers.create_service(node, self._messages.GetResultService, f"{prefix}/get_result", self._on_get_result)
        self._feedback = node.create_publisher(self._messages.FeedbackMessage, f"{prefix}/feedback", _FEEDBACK_QOS)
        self._status = node.create_publisher(GoalStatusArray, f"{prefix}/status", qos_profile_action_status_default)

    def accept(self, goal_id: Any, goal: Any) -> ServedGoal:
        """Execute an undecided goal; `GoalRequest.accept` calls this."""
        served = ServedGoal(goal_id, goal, self._clock())
        uuid = served.uuid
        self._open[uuid] = served
        self._undecided.pop(uuid)[1].set_result(self._acceptance(served))
        self._forget_old(served.accepted.core_ns)
        self._publish_status()
        return served

    def reject(self, goal_id: Any) -> None:
        """Reject an undecided goal; `GoalRequest.reject` calls this."""
        _, answer = self._undecided.pop(bytes(goal_id.uuid), (None, None))
        if answer is not None:
            answer.set_result(self._rejection())

    def publish_feedback(self, goal: ServedGoal, feedback: Any) -> None:
        """Publish the feedback of a goal."""
        self._feedback.publish(self._messages.FeedbackMessage(goal_id=goal.goal_id, feedback=feedback))

    def end(self, goal: ServedGoal, status: int, result: Any) -> None:
        """End an open goal and send its result to all waiting clients."""
        del self._open[goal.uuid]
        self._ended[goal.uuid] = goal
        goal.status, goal.ended_ns = status, self._clock().core_ns
        goal.response = self._messages.GetResultService.Response(status=status, result=result)
        for waiting in goal.waiting:
            waiting.set_result(goal.response)
        goal.waiting.clear()
        self._publish_status()

    def _on_send_goal(self, request: Any, _: Any) -> Any:
        uuid = bytes(request.goal_id.uuid)
        served = self._open.get(uuid) or self._ended.get(uuid)
        if served is not None:
            known, answer = served.goal, self._acceptance(served)
        elif uuid in self._undecided:
            known, answer = self._undecided[uuid]
        else:
            answer = Future()
            self._undecided[uuid] = request.goal, answer
            try:
                self._on_goal(GoalRequest(self, request.goal_id, request.goal))
            except Exception:
                self._undecided.pop(uuid, None)  # the service refuses it, and it may be sent again
                raise
            return answer
        if same_message(request.goal, known):
            return answer
        self._on_conflict(
            request.goal, f"its goal UUID {uuid.hex()} is that of another goal; choose a new UUID for each goal"
        )
        return self._rejection()

    def _acceptance(self, goal: ServedGoal) -> Any:
        return self._messages.SendGoalService.Response(accepted=True, stamp=goal.info.stamp)

    def _rejection(self) -> Any:
        return self._messages.SendGoalService.Response(accepted=False)

    def _on_get_result(self, request: Any, response: Any) -> Any:
        uuid = bytes(request.goal_id.uuid)
        goal = self._open.get(uuid) or self._ended.get(uuid)
        if goal is None:
            response.status = GoalStatus.STATUS_UNKNOWN
            return response
        goal.was_fetched = True
        if goal.is_over:
            return goal.response
        result = Future()
        goal.waiting.append(result)
        return result

    def _on_cancel_goal(self, request: CancelGoal.Request, response: CancelGoal.Response) -> CancelGoal.Response:
        """Cancel the goals selected by a request, by the rules of action_msgs/srv/CancelGoal."""
        uuid = bytes(request.goal_info.goal_id.uuid)
        stamp_ns = time_from_ros(request.goal_info.stamp)  # may be negative, which rclpy's Time refuses
        is_one = any(uuid) and stamp_ns == _NEVER_STAMPED
        selected = [self._open[uuid]] if is_one and uuid in self._open else []
        if not is_one:
            selected = [goal for goal in self._open.values() if _is_selected(goal, uuid, stamp_ns)]
        canceling = [goal for goal in selected if self._cancel(goal)]
        response.goals_canceling = [goal.info for goal in canceling]
        if is_one and not canceling:
            response.return_code = (
                response.ERROR_GOAL_TERMINATED if selected or uuid in self._ended else response.ERROR_UNKNOWN_GOAL_ID
            )
        if canceling:
            self._publish_status()
        return response

    def _cancel(self, goal: ServedGoal) -> bool:
        if goal.status != GoalStatus.STATUS_CANCELING and not self._on_cancel(goal):
            return False
        goal.status = GoalStatus.STATUS_CANCELING
        return True

    def _publish_status(self) -> None:
        ended = list(islice(reversed(self._ended.values()), _ENDED_IN_STATUS))
        goals = [*reversed(ended), *self._open.values()]
        self._status.publish(GoalStatusArray(status_list=[_status(goal) for goal in goals]))

    def _forget_old(self, now_ns: int) -> None:
        """Forget results that can no longer be fetched."""
        while self._ended:
            oldest = next(iter(self._ended.values()))
            if len(self._ended) <= _RESULTS and now_ns - oldest.ended_ns <= self._result_timeout_ns:
                return
            self._ended.popitem(last=False)


def _is_selected(goal: ServedGoal, uuid: bytes, stamp_ns: int) -> bool:
    """Return whether a request for several goals includes this goal: all goals, or those accepted up to an instant."""
    return stamp_ns == _NEVER_STAMPED or goal.accepted.ros_ns <= stamp_ns or goal.uuid == uuid


def _status(goal: ServedGoal) -> GoalStatus:
    return GoalStatus(goal_info=goal.info, status=goal.status)
