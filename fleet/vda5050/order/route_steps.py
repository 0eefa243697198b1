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
    """One step.

    Parameters
    ----------
    kind : what the robot does
    sequence_id : sequence id of the node at its end
    is_arrival : whether the step completes the arrival at the node
    x_m, y_m : position of that node
    heading_rad : heading to turn to; for docking, the charger's
    speed_mps : highest speed on the edge; 0 leaves it to the robot
    duration_s : duration of a dwell
    action : the action performed in it
    """

    kind: StepKind
    sequence_id: int
    x_m: float
    y_m: float
    is_arrival: bool = False
    heading_rad: float = 0.0
    speed_mps: float = 0.0
    duration_s: float = 0.0
    action: OrderedAction | None = None

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
    """Yield the steps at the first node of an order, where the robot already is."""
    assert node.place is not None  # orders are checked before
    place = node.place
    if place.heading_rad is not None:
        yield RouteStep(StepKind.TURN, node.sequence_id, place.x_m, place.y_m, heading_rad=place.heading_rad)
    yield from steps_of_actions(node, node.actions, dwell_s)


def steps_of_actions(node: OrderNode, actions: tuple[OrderedAction, ...], dwell_s: float) -> Iterator[RouteStep]:
    """Yield the steps of the actions that keep the robot stationary, one after the other."""
    assert node.place is not None  # orders are checked before
    place = node.place
    for action in actions:
        if not is_beside(action):
            kind = StepKind.DOCK if action.kind is ActionType.START_CHARGING else StepKind.DWELL
            yield RouteStep(
                kind,
                node.sequence_id,
                place.x_m,
                place.y_m,
                heading_rad=place.heading_rad or 0.0,
                duration_s=duration_s(action, dwell_s),
                action=action,
            )


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
    start, end = before.place, node.place
    assert start is not None  # orders are checked before
    assert end is not None
    is_together = abs(start.x_m - end.x_m) < _TOGETHER_M and abs(start.y_m - end.y_m) < _TOGETHER_M
    turns = end.heading_rad is not None
    if not is_together:
        yield RouteStep(
            StepKind.DRIVE, node.sequence_id, end.x_m, end.y_m, is_arrival=not turns, speed_mps=edge.speed_mps
        )
    elif not turns:
        yield RouteStep(StepKind.PASS, node.sequence_id, end.x_m, end.y_m, is_arrival=True)
    if end.heading_rad is not None:
        yield RouteStep(StepKind.TURN, node.sequence_id, end.x_m, end.y_m, is_arrival=True, heading_rad=end.heading_rad)
