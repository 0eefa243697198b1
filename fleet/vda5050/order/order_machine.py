"""State machine for a vehicle's orders and instant actions.

An order is one list of steps that grows with each update; the robot drives it as one task unless interrupted.
Only the master ends an order: whatever happens to the robot, the rest is retried.
"""

from collections.abc import Callable, Iterable
from typing import Final

from fleet.geometry import Pose2D
from fleet.vda5050.order.action_book import ActionBook, ActionStatus
from fleet.vda5050.order.order_fault import OrderRefusedError, VehicleFault, VehicleFaultKind, refusal
from fleet.vda5050.order.order_graph import NO_ORDER, ActionType, Order, OrderedAction, OrderEdge, OrderNode
from fleet.vda5050.order.order_rules import VehicleRules, asked_pose, check_order, check_start, check_stitch
from fleet.vda5050.order.robot_facts import RobotControl, RobotFacts, RunReport, RunRequest, RunState
from fleet.vda5050.order.route_steps import (
    RouteStep,
    duration_s,
    is_beside,
    start_steps,
    steps_between,
    steps_of_actions,
)
from fleet.vda5050.order.step_run import StepRun
from thymio_base.texts.shortened import shortened

_RETRY_S: Final = 1.0  # before a failed task is sent again; doubles each time
_RETRY_MAX_S: Final = 10.0
_PAUSES_MAX: Final = 20  # pauses that wait for the robot to stop
# of the vehicle's state; other reasons need no error
_OWN_ERRORS: Final = ("ROBOT_LOST", "POSE_LOST", "BATTERY_CRITICAL")
_QUIET_REASONS: Final = ("STOPPED", "SHUTDOWN", "CLIENT_LOST", "SERVED_ELSEWHERE", *_OWN_ERRORS)
CANCELED_BY_OTHERS: Final = "CANCELED"  # the reason of a run that another client canceled
NOT_CHARGING: Final = "NOT_CHARGING"
_UNAVAILABLE: Final = {
    RobotControl.STARTUP: "nothing is known of the robot yet; send the order again when the state has a position",
    RobotControl.MANUAL: "somebody else drives the robot",
    RobotControl.SERVICE: "the robot runs a script that was loaded to it",
}


class OrderMachine:
    """Accepts and performs orders; time and all facts about the robot are passed in.

    Parameters
    ----------
    rules : what the vehicle can do
    new_run_id : returns an id for a task of the robot, given the order's id
    """

    def __init__(self, rules: VehicleRules, new_run_id: Callable[[str], str]) -> None:
        self._rules = rules
        self.order = NO_ORDER  # with all its updates; kept when it is over
        self.message = NO_ORDER  # the latest that was accepted, as the master may send it again
        self.last_node_id = ""  # of the node that was traversed last
        self.last_sequence_id = 0
        self.is_canceled = False
        self.is_paused = False  # the robot stands until the master goes on
        self.load_id = ""  # what the robot carries; "" if nothing
        self.actions = ActionBook()
        self.instant_actions = ActionBook()
        self.run = StepRun(lambda: new_run_id(self.order_id))
        self.effects: list[ActionType] = []  # for its surroundings to perform at once: to publish something, to beep
        self.wanted_pose: Pose2D | None = None  # by initPosition
        self._facts = RobotFacts()
        self._rejections: list[VehicleFault] = []
        self._trouble: VehicleFault | None = None
        self._ends_ns: dict[str, int] = {}  # ends of actions performed while driving
        self._now_ns = 0
        self._retry_ns = 0
        self._retry_s = _RETRY_S

    @property
    def order_id(self) -> str:
        """The id of the present or last order; "" before the first."""
        return self.order.order_id

    @property
    def content(self) -> tuple[object, ...]:
        """A value, cheap to compare, that differs after every change that a master must hear of."""
        places = self.order, self.last_node_id, self.last_sequence_id, self.load_id
        return *places, self.is_canceled, self.is_paused, self.faults, tuple(self.actions), tuple(self.instant_actions)

    @property
    def nodes_ahead(self) -> tuple[OrderNode, ...]:
        """The nodes that are not yet traversed."""
        nodes = () if self.is_canceled else self.order.nodes
        return tuple(node for node in nodes if node.sequence_id > self.last_sequence_id)

    @property
    def edges_ahead(self) -> tuple[OrderEdge, ...]:
        """The edges that are not yet traversed."""
        edges = () if self.is_canceled else self.order.edges
        return tuple(edge for edge in edges if edge.sequence_id > self.last_sequence_id)

    @property
    def is_active(self) -> bool:
        """Whether any part of the order is still to be done or released."""
        return bool(self.nodes_ahead) or self.actions.has_open

    @property
    def is_canceling(self) -> bool:
        """Whether a cancelOrder has not ended."""
        return bool(self._open_instants(ActionType.CANCEL_ORDER))

    @property
    def wants_base(self) -> bool:
        """Whether the robot will soon have to wait for the master to release more."""
        ahead = self.nodes_ahead
        return bool(ahead) and not ahead[-1].is_released and sum(node.is_released for node in ahead) <= 1

    @property
    def faults(self) -> tuple[VehicleFault, ...]:
        """Faults for the master: rejections until the next accepted order, and what stops the robot."""
        return (*self._rejections, *(() if self._trouble is None else (self._trouble,)))

    def reject(self, fault: VehicleFault) -> None:
        """Report an unreadable message; nothing else changes."""
        if fault not in self._rejections:
            self._rejections = [*self._rejections, fault][-20:]

    def take_order(self, order: Order) -> bool:
        """Accept a new order or an update, or reject it as a whole; return whether anything changed."""
        if self.message == order:
            return False  # masters repeat messages, as some may be lost
        try:
            check_order(order, self._rules)
            if order.order_id == self.order_id:
                self._update(self.order, order)
            else:
                self._begin(order)
        except OrderRefusedError as error:
            self.reject(error.fault)
            return True
        self.message, self._rejections = order, []
        return True

    def take_action(self, action: OrderedAction) -> None:
        """Perform an instant action, unless it was received before."""
        known = [one.name for one in self.instant_actions if one.action_id == action.action_id]
        if known and action.name not in known:
            text = f"the actionId {shortened(action.action_id)} is that of a {shortened(known[0])} before"
            self.reject(refusal(VehicleFaultKind.INVALID, text, actionId=action.action_id).fault)
        if known or any((one.action_id, one.name) == (action.action_id, action.name) for one in self.actions):
            return
        self.instant_actions.forget_ended()
        self.instant_actions.add(action)
        if action.kind in (ActionType.STATE_REQUEST, ActionType.FACTSHEET_REQUEST, ActionType.BEEP):
            self.effects.append(action.kind)
            self.instant_actions.mark(action.action_id, ActionStatus.FINISHED)
            return
        perform: dict[ActionType | None, Callable[[OrderedAction], None]] = {
            ActionType.CANCEL_ORDER: self._cancel,
            ActionType.START_PAUSE: self._pause,
            ActionType.STOP_PAUSE: self._resume,
            ActionType.INIT_POSITION: self._want_pose,
            ActionType.CLEAR_INSTANT_ACTIONS: self._clear_instants,
        }
        perform.get(action.kind, self._refuse_instant)(action)

    def on_extension(self, run_id: str, is_accepted: bool, reason: str = "") -> None:
        """Process the robot's answer to an extension of its task."""
        self.run.on_extension(run_id, is_accepted, reason)
        self._enter_step()

    def on_position(self, trouble: str = "") -> None:
        """Process the result of initPosition; `trouble` says why it failed."""
        self.wanted_pose = None
        for action_id in self._open_instants(ActionType.INIT_POSITION):
            status = ActionStatus.FAILED if trouble else ActionStatus.FINISHED
            self.instant_actions.mark(action_id, status, trouble)

    def on_run(self, report: RunReport) -> None:
        """Process a report on the robot's task."""
        if not report.run_id or report.run_id != self.run.run_id:
            return
        was_wanted = not self.run.is_unwanted
        for step in self.run.on_report(report):
            self._finish(step)
        if report.state is RunState.FAILED:
            self._interrupt(report, was_wanted)
        self._enter_step()

    def advance(self, facts: RobotFacts, now_ns: int) -> RunRequest | None:
        """Continue; return the request to send to the robot now."""
        self._facts, self._now_ns = facts, now_ns
        self._end_beside()
        if facts.control is RobotControl.MANUAL and self.is_active and not self.run.run_id:
            self._give_up("somebody else has taken over the robot")
        self._end_pause()
        self._end_cancel()
        if not (self.is_paused or self.is_canceling):
            for step in self.run.pass_by():
                self._finish(step)
        return self.run.due(self._may_start())

    def resume_beside(self) -> None:
        """Continue after a restart: actions while driving restart their full time, initPosition has failed."""
        self.on_position("the connector was restarted")
        of_steps = {step.action.action_id for step in (*self.run.given, *self.run.rest) if step.action is not None}
        running = {state.action_id for state in self.actions if state.status is ActionStatus.RUNNING} - of_steps
        for action in self.order.actions:
            if action.action_id in running:
                self._ends_ns[action.action_id] = round(duration_s(action, self._rules.dwell_s) * 1e9)

    def _may_start(self) -> bool:
        is_held = self.is_paused or self.is_canceling or self._facts.is_stopped
        is_able = self._facts.is_ready and self._facts.control is RobotControl.AUTOMATIC
        return is_able and not is_held and self._now_ns >= self._retry_ns

    def _begin(self, order: Order) -> None:
        """Begin a new order."""
        self._check_available(order)
        if self.is_active or self.is_canceling or self.run.run_id:
            text = f"order {shortened(self.order_id)} is active; cancel it first"
            raise refusal(VehicleFaultKind.OTHER_ORDER, text, orderId=order.order_id)
        check_start(order, self._facts.pose if self._facts.is_localized else None)
        self.order, self.is_canceled, self._trouble = order, False, None
        self.actions.clear()
        self._add_actions(order)
        first = order.nodes[0]
        self.last_node_id, self.last_sequence_id = first.node_id, first.sequence_id
        self._retry_ns, self._retry_s = 0, _RETRY_S
        self._start_beside(first.actions)
        dwell_s = self._rules.dwell_s
        self.run.rest = [*start_steps(first, dwell_s), *steps_between(order, first.sequence_id, dwell_s)]

    def _update(self, order: Order, update: Order) -> None:
        """Extend the present order."""
        ids = {"orderId": update.order_id, "orderUpdateId": update.update_id}
        if self.is_canceled or self.is_canceling:
            text = f"order {shortened(update.order_id)} was canceled; a new order needs another orderId"
            raise refusal(VehicleFaultKind.AFTER_CANCEL, text, **ids)
        if update.update_id < order.update_id:
            text = f"orderUpdateId is {update.update_id}; {order.update_id} was accepted before"
            raise refusal(VehicleFaultKind.OUTDATED, text, **ids)
        if update.update_id == order.update_id:
            text = f"orderUpdateId {update.update_id} was accepted before, with other content"
            raise refusal(VehicleFaultKind.SAME_UPDATE, text, **ids)
        self._check_available(update)
        check_stitch(order, update)
        self._extend(order.base_end, order.added_actions(update), order.extended(update))

    def _extend(self, stitch: OrderNode, added: tuple[OrderedAction, ...], extended: Order) -> None:
        """Continue after a node with further actions there and the rest of an extended order."""
        self.order = extended
        self.actions.keep({action.action_id for action in extended.actions})
        self._add_actions(extended)
        if stitch.sequence_id <= self.last_sequence_id:
            self._start_beside(added)
        dwell_s = self._rules.dwell_s
        self.run.rest += steps_of_actions(stitch, added, dwell_s)
        self.run.rest += steps_between(extended, stitch.sequence_id, dwell_s)

    def _check_available(self, order: Order) -> None:
        why = _UNAVAILABLE.get(self._facts.control)
        if why is not None:
            text = f"the vehicle takes no orders: {why}"
            raise refusal(VehicleFaultKind.NOT_AVAILABLE, text, orderId=order.order_id)

    def _add_actions(self, order: Order) -> None:
        for action in order.actions:
            self.actions.add(action)

    def _finish(self, step: RouteStep) -> None:
        """Note that a step is done."""
        self._trouble, self._retry_s = None, _RETRY_S
        if step.is_arrival:
            self._traverse(step.sequence_id)
        if step.action is not None:
            self._end_action(step.action)

    def _traverse(self, sequence_id: int) -> None:
        if self.is_canceled or sequence_id <= self.last_sequence_id:
            return
        node = next(node for node in self.order.nodes if node.sequence_id == sequence_id)
        self._enter_edge(sequence_id)
        self.last_node_id, self.last_sequence_id = node.node_id, sequence_id
        self._start_beside(node.actions)

    def _enter_edge(self, sequence_id: int) -> None:
        """Start the actions of the edge that leads to a node."""
        for edge in self.order.edges:
            if edge.sequence_id == sequence_id - 1:
                self._start_beside(edge.actions, are_of_edge=True)

    def _enter_step(self) -> None:
        """Note that the robot now performs a step."""
        step = self.run.current
        if step is None:
            return
        self._enter_edge(step.sequence_id)
        if step.action is not None:
            self._start(step.action)

    def _start(self, action: OrderedAction) -> bool:
        """Start an action of the order; return whether it was waiting for that."""
        if not self._is_waiting(action):
            return False
        self.actions.mark(action.action_id, ActionStatus.RUNNING)
        if action.kind is ActionType.BEEP:
            self.effects.append(ActionType.BEEP)
        return True

    def _is_waiting(self, action: OrderedAction) -> bool:
        waits = (ActionStatus.WAITING, ActionStatus.PAUSED)
        return any(state.action_id == action.action_id and state.status in waits for state in self.actions)

    def _end_action(self, action: OrderedAction) -> None:
        if action.kind is ActionType.PICK:
            self.load_id = str(action.parameters.get("loadId", "")) or action.action_id
        if action.name == ActionType.DROP.value:
            self.load_id = ""
        self.actions.mark(action.action_id, ActionStatus.FINISHED)

    def _start_beside(self, actions: Iterable[OrderedAction], *, are_of_edge: bool = False) -> None:
        """Start the actions that the robot may perform while driving."""
        for action in actions:
            if (are_of_edge or is_beside(action)) and self._start(action):
                self._ends_ns[action.action_id] = self._now_ns + round(duration_s(action, self._rules.dwell_s) * 1e9)

    def _end_beside(self) -> None:
        for action_id, end_ns in list(self._ends_ns.items()):
            if self._now_ns >= end_ns:
                del self._ends_ns[action_id]
                self.actions.mark(action_id, ActionStatus.FINISHED)

    def _interrupt(self, report: RunReport, was_wanted: bool) -> None:
        """Note that the robot's task ended early."""
        step = self.run.next_step
        if step is not None and step.action is not None and not self._is_waiting(step.action):
            self.actions.mark(step.action.action_id, ActionStatus.PAUSED)
        if not was_wanted or step is None:
            return
        if report.reason == NOT_CHARGING and step.action is not None:
            skipped = self.run.skip()
            assert skipped.action is not None  # as of `step`
            self.actions.mark(skipped.action.action_id, ActionStatus.FAILED, report.detail or report.reason)
            return
        if report.reason == CANCELED_BY_OTHERS:
            self.is_paused = True
            text = "the task was canceled by another client; stopPause goes on"
            self._trouble = VehicleFault(VehicleFaultKind.UNREACHED, text)
            return
        self._retry_ns = self._now_ns + round(self._retry_s * 1e9)
        self._retry_s = min(2.0 * self._retry_s, _RETRY_MAX_S)
        if report.reason and report.reason not in _QUIET_REASONS:
            node_id = next(node.node_id for node in self.order.nodes if node.sequence_id == step.sequence_id)
            text = f"{report.reason}: {report.detail}" if report.detail else report.reason
            self._trouble = VehicleFault(VehicleFaultKind.UNREACHED, text, (("nodeId", node_id),))

    def _cancel(self, action: OrderedAction) -> None:
        named = str(action.parameters.get("orderId", ""))
        others = [one for one in self._open_instants(ActionType.CANCEL_ORDER) if one != action.action_id]
        if not self.is_active or others or named not in ("", self.order_id):
            is_other = self.is_active and named not in ("", self.order_id)
            text = f"order {shortened(named)} is not active" if is_other else "there is no order to cancel"
            self._fail_instant(action, VehicleFaultKind.NO_ORDER, text)
            return
        self.instant_actions.mark(action.action_id, ActionStatus.RUNNING)
        self.run.drop()
        self._ends_ns.clear()
        self.actions.fail_open("the order was canceled", (ActionStatus.WAITING,))

    def _end_cancel(self) -> None:
        """End a cancelOrder once the robot has stopped."""
        canceling = self._open_instants(ActionType.CANCEL_ORDER)
        if not canceling or self.run.run_id or not self._facts.is_at_rest:
            return
        self._give_up("the order was canceled")
        for action_id in canceling:
            self.instant_actions.mark(action_id, ActionStatus.FINISHED)

    def _give_up(self, text: str) -> None:
        """End the order, as the robot no longer performs it."""
        self.run.drop()
        self._ends_ns.clear()
        self.actions.fail_open(text)
        self.is_canceled, self._trouble = True, None

    def _pause(self, action: OrderedAction) -> None:
        self.is_paused = True
        if len(self._open_instants(ActionType.START_PAUSE)) > _PAUSES_MAX:
            self._fail_instant(action, VehicleFaultKind.ACTION, "the robot is about to stop already")
            return
        self.run.stop()
        self.instant_actions.mark(action.action_id, ActionStatus.RUNNING)

    def _end_pause(self) -> None:
        """End a startPause once the robot has stopped."""
        pausing = self._open_instants(ActionType.START_PAUSE)
        if pausing and not self.run.run_id and self._facts.is_at_rest:
            for action_id in pausing:
                self.instant_actions.mark(action_id, ActionStatus.FINISHED)

    def _resume(self, action: OrderedAction) -> None:
        for action_id in self._open_instants(ActionType.START_PAUSE):
            self.instant_actions.mark(action_id, ActionStatus.FAILED, "stopPause came before the robot stood")
        self.is_paused, self._trouble = False, None
        self.instant_actions.mark(action.action_id, ActionStatus.FINISHED)

    def _want_pose(self, action: OrderedAction) -> None:
        try:
            if self.is_active or self.run.run_id or self.wanted_pose is not None:
                raise refusal(VehicleFaultKind.OTHER_ORDER, "an order or an initPosition is active; cancel it first")
            pose = asked_pose(action, self._rules)
        except OrderRefusedError as error:
            self._fail_instant(action, error.fault.kind, error.fault.text)
            return
        self.wanted_pose = pose
        self.last_node_id = str(action.parameters.get("lastNodeId", ""))
        self.instant_actions.mark(action.action_id, ActionStatus.RUNNING)

    def _clear_instants(self, action: OrderedAction) -> None:
        self.instant_actions.forget_ended(0)
        self.instant_actions.mark(action.action_id, ActionStatus.FINISHED)

    def _refuse_instant(self, action: OrderedAction) -> None:
        text = f"there is no instant action {shortened(action.name)}"
        self._fail_instant(action, VehicleFaultKind.ACTION, text)

    def _fail_instant(self, action: OrderedAction, kind: VehicleFaultKind, text: str) -> None:
        self.instant_actions.mark(action.action_id, ActionStatus.FAILED, text)
        self.reject(VehicleFault(kind, text, (("actionId", action.action_id), ("actionType", action.name))))

    def _open_instants(self, kind: ActionType) -> list[str]:
        """Return the ids of instant actions of a type that have not ended."""
        states = (state for state in self.instant_actions if state.name == kind.value)
        return [state.action_id for state in states if not state.status.is_over]
