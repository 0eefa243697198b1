"""Lets a robot follow the steps of an order: a client of `x/follow_route` and `x/extend_route`."""

import struct
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final, assert_never

from rclpy.node import Node
from thymio_fleet_interfaces.action import FollowRoute
from thymio_fleet_interfaces.msg import RouteLegs
from thymio_fleet_interfaces.srv import ExtendRoute

from fleet.calls.call import Call
from fleet.goals.action_client import TaskActionClient
from fleet.goals.end_reason import EndedGoal
from fleet.goals.sent_goal import GoalState, SentGoal
from fleet.interface.names import action_name, extend_route_service
from fleet.tasks.task_kind import TaskKind
from fleet.vda5050.order.order_graph import ActionType
from fleet.vda5050.order.order_machine import CANCELED_BY_OTHERS
from fleet.vda5050.order.robot_facts import CancelRun, ExtendRun, RunReport, RunRequest, RunState, StartRun
from fleet.vda5050.order.route_steps import RouteStep, StepKind
from fleet.watch.taken_topic import LATEST, TakenTopic
from thymio_base.cdr import PREFIX_BYTES

_NAMES: Final = uuid.UUID("5b0d3f0e-6c6b-4d0e-9a53-c1f7c3a5a050")  # goal ids derive from it, and need no file
_FEEDBACK: Final = (struct.Struct(">16sII"), struct.Struct("<16sII"))  # id of the goal, legs completed, legs
_RUN_ID_MAX: Final = 60  # characters of an order's id within a task's id
_DWELLS: Final[dict[ActionType | None, int]] = {ActionType.PICK: RouteLegs.LOAD, ActionType.DROP: RouteLegs.UNLOAD}


class RouteClient:
    """One robot's routes; an edge that allows more than `speed_mps` gets the robot's own choice.

    Parameters
    ----------
    node : is served, and owns the clients
    reader : has no executor, and owns the subscription to feedback
    """

    def __init__(self, robot_id: int, node: Node, reader: Node, speed_mps: float) -> None:
        self._robot_id: Final = robot_id
        self._speed_mps: Final = speed_mps
        name = action_name(robot_id, TaskKind.FOLLOW_ROUTE)
        self._action: Final = TaskActionClient(node, FollowRoute, name, time.monotonic, is_listening=False)
        feedback = FollowRoute.Impl.FeedbackMessage
        self._feedback: Final = TakenTopic(reader, feedback, f"{name}/_action/feedback", LATEST)
        self._extend_client: Final = node.create_client(ExtendRoute, extend_route_service(robot_id))
        self._goal: SentGoal | None = None
        self._ended: EndedGoal | None = None
        self._asked: ExtendRun | None = None
        self._call: Call | None = None
        self._recent: list[str] = []
        self._seen: GoalState | None = None
        self._legs_done = self._legs_known = 0

    def is_own(self, task_id: str) -> bool:
        """Whether a task belongs to this client."""
        return task_id in self._recent

    @property
    def is_over(self) -> bool:
        """Whether no task of this client runs."""
        return self._goal is None

    @property
    def has_news(self) -> bool:
        """Whether the robot has answered, or its task has ended, since the last call of `advance`."""
        state = None if self._goal is None else self._goal.state
        return state is not self._seen or (self._call is not None and self._call.is_answered)

    def adopt(self, run_id: str) -> None:
        """Follow a task started by an earlier connector, if its driver still knows it."""
        goal = self._new_goal(run_id)
        goal.on_status(False, time.monotonic())
        self._action.send(goal, None)

    def request(self, request: RunRequest) -> None:
        """Send a request to the robot; repeating it changes nothing."""
        match request:
            case StartRun(run_id, steps):
                goal = self._new_goal(run_id)
                self._action.send(goal, FollowRoute.Goal(task_id=run_id, legs=self._legs(steps)))
            case ExtendRun():
                self._extend(request)
            case CancelRun():
                if self._goal is not None:
                    self._goal.cancel()
            case _:
                assert_never(request)

    def advance(self, values: Mapping[str, str], heard_s: float) -> RunReport | None:
        """Go on with the robot's latest status, and when it arrived; return what is known of the task, if any."""
        self._take_feedback()
        self._action.advance()
        goal = self._goal
        self._seen = None if goal is None else goal.state
        if goal is None:
            return None
        if goal.state.is_final:
            return self._end(goal, values, heard_s)
        state = RunState.RUNNING if goal.state is GoalState.EXECUTING else RunState.SENT
        return RunReport(goal.task_id, state, self._legs_done, self._legs_known)

    def answer(self) -> tuple[str, bool, str] | None:
        """Return the answer to an extension, once: the task, whether accepted, and why not."""
        if self._call is None or self._asked is None:
            return None
        self._call.advance()
        answer = self._call.answer
        if answer is None:
            return None
        run_id, self._asked, self._call = self._asked.run_id, None, None
        return run_id, bool(answer.accepted), str(answer.reason)

    def _take_feedback(self) -> None:
        """Read the start of the latest feedback; numbers of legs never decrease, so lower ones are outdated."""
        for data in self._feedback.take_all():
            goal_id, done, legs = _FEEDBACK[data[1] & 1].unpack_from(data, PREFIX_BYTES)
            if self._goal is not None and goal_id == self._goal.goal_id:
                self._legs_done, self._legs_known = done, legs
                self._goal.on_feedback(None, time.monotonic())

    def _new_goal(self, run_id: str) -> SentGoal:
        goal = SentGoal(self._robot_id, TaskKind.FOLLOW_ROUTE, run_id, self._action.name)
        goal.goal_id = uuid.uuid5(_NAMES, run_id).bytes
        self._goal, self._ended, self._asked, self._call = goal, None, None, None
        self._legs_done = self._legs_known = 0
        self._recent = [*self._recent, run_id][-20:]
        return goal

    def _extend(self, request: ExtendRun) -> None:
        if self._asked == request:
            return
        legs = self._legs(request.steps)
        message = ExtendRoute.Request(task_id=request.run_id, expected_legs=request.after, legs=legs)
        self._asked, self._call = request, Call(self._extend_client, message, is_found=True)
        self._call.advance()

    def _end(self, goal: SentGoal, values: Mapping[str, str], heard_s: float) -> RunReport | None:
        """Return the end of a task once its reason is known."""
        self._ended = self._ended or EndedGoal(goal)
        result: Any = goal.result
        legs = 0 if result is None else int(result.legs_completed)
        if goal.state is GoalState.SUCCEEDED:
            self._goal = None
            return RunReport(goal.task_id, RunState.SUCCEEDED, legs, legs)
        reason, detail = ("", "") if result is None else (str(result.reason), str(result.detail))
        if goal.state is GoalState.CANCELED:
            reason = CANCELED_BY_OTHERS  # the order machine knows whether it wanted this
        elif not reason and goal.state is GoalState.REJECTED:
            found = self._ended.settled_reason(values, heard_s)
            if found is None:
                return None
            reason, detail = found
        self._goal = None
        return RunReport(goal.task_id, RunState.FAILED, legs, 0, reason, detail or ("" if reason else goal.reason))

    def _legs(self, steps: Sequence[RouteStep]) -> RouteLegs:
        legs = RouteLegs()
        for step in steps:
            if step.is_leg:
                kind, value = self._leg(step)
                points_m = [step.x_m, step.y_m] if step.kind in (StepKind.DRIVE, StepKind.DOCK) else []
                legs.kinds.append(kind)
                legs.values.append(value)
                legs.point_counts.append(len(points_m) // 2)
                legs.points_m.extend(points_m)
        return legs

    def _leg(self, step: RouteStep) -> tuple[int, float]:
        """Return kind and value of a leg."""
        name = None if step.action is None else step.action.kind
        return {
            StepKind.DRIVE: (RouteLegs.DRIVE, step.speed_mps if step.speed_mps < self._speed_mps else 0.0),
            StepKind.TURN: (RouteLegs.TURN, step.heading_rad),
            StepKind.DOCK: (RouteLegs.DOCK, 0.0),
            StepKind.DWELL: (_DWELLS.get(name, RouteLegs.WAIT), step.duration_s),
        }[step.kind]


def new_run_id(order_id: str) -> str:
    """Return a new id for a task: masters may reuse ids of orders, but ids of tasks must be unique."""
    readable = "".join(letter if letter.isprintable() else "_" for letter in order_id).strip()[:_RUN_ID_MAX]
    return f"{readable.strip() or 'order'}-{uuid.uuid4().hex[:12]}"
