"""A robot and a master of VDA 5050 in memory, for tests of the order machine."""

import json
from dataclasses import dataclass, field
from itertools import count

from fleet.geometry import Pose2D
from fleet.vda5050.order.order_graph import Order, OrderedAction, OrderEdge, OrderNode, OrderPlace
from fleet.vda5050.order.order_machine import OrderMachine
from fleet.vda5050.order.order_rules import VehicleRules
from fleet.vda5050.order.robot_facts import (
    CancelRun,
    ExtendRun,
    RobotControl,
    RobotFacts,
    RunReport,
    RunState,
    StartRun,
)
from fleet.vda5050.order.route_steps import RouteStep
from fleet.vda5050.vehicle.vehicle_record import machine_text, restore_machine

STEP_M = 0.3  # between neighbouring nodes of `line`
HALF_A_SECOND_NS = 500_000_000


def node(
    index: int, *, is_released: bool = True, actions: tuple[OrderedAction, ...] = (), heading_rad=None
) -> OrderNode:
    place = OrderPlace(index * STEP_M, 0.0, heading_rad)
    return OrderNode(f"n{index}", 2 * index, is_released, place, actions)


def line(order_id: str, first: int, base: int, last: int, *, update_id: int = 0, actions=None) -> Order:
    """Return an order from node `first` to node `last` of a line of nodes, released up to node `base`."""
    actions = actions or {}
    nodes = tuple(
        node(index, is_released=index <= base, actions=tuple(actions.get(index, ())))
        for index in range(first, last + 1)
    )
    edges = tuple(OrderEdge(f"e{index}", 2 * index + 1, is_released=index + 1 <= base) for index in range(first, last))
    return Order(order_id, update_id, nodes, edges)


@dataclass
class MemoryRobot:
    """Performs runs leg by leg, when it is told to."""

    pose: Pose2D = field(default_factory=lambda: Pose2D(0.0, 0.0, 0.0))
    run_id: str = ""
    legs: list[RouteStep] = field(default_factory=list)
    done: int = 0
    control: RobotControl = RobotControl.AUTOMATIC
    is_stopped: bool = False
    performed: list[RouteStep] = field(default_factory=list)
    cancels: int = 0

    @property
    def facts(self) -> RobotFacts:
        is_idle = not self.run_id
        return RobotFacts(
            self.control,
            self.pose,
            is_localized=True,
            is_at_rest=is_idle,
            is_ready=is_idle and not self.is_stopped,
            is_stopped=self.is_stopped,
        )


class Vehicle:
    """An order machine with its robot; nothing happens unless a method is called."""

    def __init__(self) -> None:
        numbers = count(1)
        self.rules = VehicleRules("map")
        self.new_id = lambda order_id: f"{order_id}-{next(numbers)}"
        self.machine = OrderMachine(self.rules, self.new_id)
        self.robot = MemoryRobot()
        self.now_ns = 0
        self.asked: list[StartRun | ExtendRun | CancelRun] = []
        self.refuses_extensions = ""
        self.loses_answers = False
        self.poll()

    def poll(self) -> None:
        """Let the machine ask for what it wants, until it has nothing new to ask."""
        for _ in range(20):
            request = self.machine.advance(self.robot.facts, self.now_ns)
            if request is None:
                return
            self.asked.append(request)
            self._carry_out(request)
            if self.loses_answers:
                return

    def _carry_out(self, request: StartRun | ExtendRun | CancelRun) -> None:
        robot = self.robot
        match request:
            case StartRun(run_id, steps):
                robot.run_id, robot.legs, robot.done = run_id, [step for step in steps if step.is_leg], 0
                self._report(RunState.RUNNING)
            case ExtendRun(run_id, after, steps):
                legs = [step for step in steps if step.is_leg]
                is_known = robot.legs[after : after + len(legs)] == legs
                if self.refuses_extensions:
                    self.machine.on_extension(run_id, False, self.refuses_extensions)
                    return
                if not is_known:
                    assert after == len(robot.legs)
                    robot.legs += legs
                if not self.loses_answers:
                    self.machine.on_extension(run_id, True)
            case CancelRun():
                robot.cancels += 1
                self.end_run("CANCELED")

    def restart(self) -> None:
        """End the connector, and let another one go on with what was kept; the robot notices nothing."""
        record = json.loads(machine_text(self.machine))
        self.machine = OrderMachine(self.rules, self.new_id)
        restore_machine(self.machine, record)
        if self.machine.run.run_id and self.machine.run.run_id == self.robot.run_id:
            self._report(RunState.RUNNING)
        elif self.machine.run.run_id:
            self.machine.on_run(RunReport(self.machine.run.run_id, RunState.FAILED))
        self.poll()

    def _report(self, state: RunState, reason: str = "") -> None:
        robot = self.robot
        self.machine.on_run(RunReport(robot.run_id, state, robot.done, len(robot.legs), reason))

    def pass_time(self, duration_ns: int = HALF_A_SECOND_NS) -> None:
        self.now_ns += duration_ns
        self.poll()

    def perform_leg(self) -> None:
        """Let the robot finish one leg, and its task with the last one."""
        robot = self.robot
        if robot.run_id and not robot.is_stopped:
            leg = robot.legs[robot.done]
            robot.performed.append(leg)
            robot.pose = Pose2D(leg.x_m, leg.y_m, leg.heading_rad)
            robot.done += 1
            if robot.done == len(robot.legs):
                self._end(RunState.SUCCEEDED, "")
            else:
                self._report(RunState.RUNNING)
        self.pass_time()

    def end_run(self, reason: str) -> None:
        """End the robot's task early."""
        if self.robot.run_id:
            self._end(RunState.FAILED, reason)

    def _end(self, state: RunState, reason: str) -> None:
        self._report(state, reason)
        self.robot.run_id = ""

    def finish(self) -> None:
        """Let the robot go on without any trouble until it has nothing to do."""
        self.refuses_extensions, self.loses_answers = "", False
        self.robot.is_stopped, self.robot.control = False, RobotControl.AUTOMATIC
        for _ in range(200):
            self.pass_time(20 * HALF_A_SECOND_NS)
            self.perform_leg()
