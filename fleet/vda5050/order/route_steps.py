"""The steps of an order for a robot: drive an edge, turn at a node, perform an action there."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from fleet.vda5050.order.order_graph import ActionType, BlockingType, Order, OrderedAction, OrderEdge, OrderNode

BEEP_S: Final = 1.0  # how long a robot stays for a beep that blocks driving
_TOGETHER_M: Final = 0.001  # nodes nearer to each other are the same place


class StepKind(Enum):
    """What a robot does in a step."""

    DRIVE = "drive"  # to the place of the node
    TURN = "turn"  # to the heading of the node
    DWELL = "dwell"  # stay while an action is performed
    DOCK = "dock"  # drive onto a charger, until it charges the robot
    PASS = "pass"  # nothing: the node is where the robot already is


@dataclass(frozen=True, slots=True)
class RouteStep:
    """One step."""

    kind: StepKind
    sequence_id: int  # of the node at its end
    x_m: float  # of that node
    y_m: float
    is_arrival: bool = False  # the node is traversed with it
    heading_rad: float = 0.0  # to which the robot turns; of a charger, its own
    speed_mps: float = 0.0  # at most on the edge; 0 is the robot's own choice
    duration_s: float = 0.0  # of a dwell
    action: OrderedAction | None = None  # performed with it

    @property
    def is_leg(self) -> bool:
        """Whether the robot must do something for it."""
        return self.kind is not StepKind.PASS


def steps_between(order: Order, after: int, dwell_s: float) -> Iterator[RouteStep]:
    """Yield the steps of the released nodes whose sequence ids are greater than `after`."""
    edges = {edge.sequence_id: edge for edge in order.edges}
    before = order.nodes[0]
    for node in order.nodes:
        if node.is_released and node.sequence_id > after:
            yield from _arrival(before, edges[node.sequence_id - 1], node)
            yield from steps_of_actions(node, node.actions, dwell_s)
        before = node


def start_steps(node: OrderNode, dwell_s: float) -> Iterator[RouteStep]:
    """Yield the steps at the first node of an order, where the robot stands."""
    place = node.checked_place
    if place.heading_rad is not None:
        yield RouteStep(StepKind.TURN, node.sequence_id, place.x_m, place.y_m, heading_rad=place.heading_rad)
    yield from steps_of_actions(node, node.actions, dwell_s)


def steps_of_actions(node: OrderNode, actions: tuple[OrderedAction, ...], dwell_s: float) -> Iterator[RouteStep]:
    """Yield the steps of those actions for which the robot stands still, one after the other."""
    place = node.checked_place
    where, heading_rad = (node.sequence_id, place.x_m, place.y_m), place.heading_rad or 0.0
    for action in actions:
        if not is_beside(action):
            kind = StepKind.DOCK if action.kind is ActionType.START_CHARGING else StepKind.DWELL
            wait_s = duration_s(action, dwell_s)
            yield RouteStep(kind, *where, heading_rad=heading_rad, duration_s=wait_s, action=action)


def is_beside(action: OrderedAction) -> bool:
    """Whether the robot may drive while it performs an action, which it never does while being loaded."""
    if action.kind is ActionType.STOP_CHARGING:
        return True
    moves = action.blocking in (BlockingType.NONE, BlockingType.SINGLE)
    return moves and action.kind in (ActionType.WAIT, ActionType.BEEP)


def duration_s(action: OrderedAction, dwell_s: float) -> float:
    """Return how long an action takes."""
    if action.kind is ActionType.WAIT:
        return float(action.parameters.get("duration", dwell_s))
    if action.kind in (ActionType.PICK, ActionType.DROP):
        return dwell_s
    return BEEP_S if action.kind is ActionType.BEEP else 0.0


def _arrival(before: OrderNode, edge: OrderEdge, node: OrderNode) -> Iterator[RouteStep]:
    """Yield the drive along an edge, and the turn at its end."""
    start, end = before.checked_place, node.checked_place
    where = node.sequence_id, end.x_m, end.y_m
    is_together = abs(start.x_m - end.x_m) < _TOGETHER_M and abs(start.y_m - end.y_m) < _TOGETHER_M
    turns = end.heading_rad is not None
    if not is_together:
        yield RouteStep(StepKind.DRIVE, *where, is_arrival=not turns, speed_mps=edge.speed_mps)
    elif not turns:
        yield RouteStep(StepKind.PASS, *where, is_arrival=True)
    if end.heading_rad is not None:
        yield RouteStep(StepKind.TURN, *where, is_arrival=True, heading_rad=end.heading_rad)
