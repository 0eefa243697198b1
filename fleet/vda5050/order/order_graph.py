"""Orders of a master: nodes and edges with actions, in one model for all versions of VDA 5050."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final


class ActionType(Enum):
    """An action that a vehicle knows; the value is its name in messages."""

    PICK = "pick", "NODE", "Stands still, and carries a load afterwards."
    DROP = "drop", "NODE", "Stands still, and carries no load afterwards."
    WAIT = "wait", "NODE", "Waits for the parameter duration, in seconds."
    BEEP = "beep", "INSTANT NODE EDGE", "Lights up and beeps."
    START_CHARGING = "startCharging", "NODE", "Drives onto the charger at the node, until it charges the robot."
    STOP_CHARGING = "stopCharging", "NODE", "Ends charging: the next edge leaves the charger."
    CANCEL_ORDER = "cancelOrder", "INSTANT", "Cancels the active order."
    START_PAUSE = "startPause", "INSTANT", "Stops the robot, and keeps its order."
    STOP_PAUSE = "stopPause", "INSTANT", "Goes on with the order."
    INIT_POSITION = "initPosition", "INSTANT", "Puts a simulated robot at x, y, theta."
    STATE_REQUEST = "stateRequest", "INSTANT", "Publishes a state."
    FACTSHEET_REQUEST = "factsheetRequest", "INSTANT", "Publishes the factsheet."
    CLEAR_INSTANT_ACTIONS = "clearInstantActions", "INSTANT", "Forgets the states of instant actions that have ended."

    scopes: tuple[str, ...]  # where a master may ask for it: INSTANT is at any time
    text: str  # what happens

    def __new__(cls, name: str, scopes: str, text: str) -> "ActionType":
        """Return a member whose value is its name alone."""
        kind = object.__new__(cls)
        kind._value_, kind.scopes, kind.text = name, tuple(scopes.split()), text
        return kind


_TYPES: Final = {kind.value: kind for kind in ActionType}


class BlockingType(Enum):
    """What else may happen during an action; the value is that of messages."""

    NONE = "NONE"  # driving and other actions
    SINGLE = "SINGLE"  # driving, and no other action
    SOFT = "SOFT"  # other actions, and no driving
    HARD = "HARD"  # nothing


@dataclass(frozen=True, slots=True)
class OrderedAction:
    """An action of an order, or an instant one."""

    action_id: str  # chosen by the master
    name: str  # of its type, which may be unknown
    blocking: BlockingType = BlockingType.HARD
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> ActionType | None:
        """Its type; None if our vehicles do not know it."""
        return _TYPES.get(self.name)


@dataclass(frozen=True, slots=True)
class OrderPlace:
    """Where a node is, in the frame `map_id`."""

    x_m: float
    y_m: float
    heading_rad: float | None = None  # of the robot at the node; None if any will do
    deviation_m: float = 0.0  # how far from the node the robot may pass it; 0 is the vehicle's own choice
    map_id: str = ""


@dataclass(frozen=True, slots=True)
class OrderNode:
    """One node; `place` is None where the master expects the vehicle to know its position."""

    node_id: str
    sequence_id: int
    is_released: bool
    place: OrderPlace | None
    actions: tuple[OrderedAction, ...] = ()

    @property
    def checked_place(self) -> OrderPlace:
        """The place; nodes of accepted orders have one."""
        assert self.place is not None
        return self.place


@dataclass(frozen=True, slots=True)
class OrderEdge:
    """One edge, from the node before it to the node after it; a `speed_mps` of 0 leaves it to the vehicle."""

    edge_id: str
    sequence_id: int
    is_released: bool
    speed_mps: float = 0.0
    actions: tuple[OrderedAction, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """Alternating nodes and edges: first the released ones (the base), then the horizon."""

    order_id: str
    update_id: int
    nodes: tuple[OrderNode, ...]
    edges: tuple[OrderEdge, ...]

    @property
    def elements(self) -> Iterator[OrderNode | OrderEdge]:
        """All nodes and edges, by sequence id."""
        both: list[OrderNode | OrderEdge] = [*self.nodes, *self.edges]
        return iter(sorted(both, key=lambda element: element.sequence_id))

    @property
    def base_end(self) -> OrderNode:
        """The last released node, where updates continue."""
        return [node for node in self.nodes if node.is_released][-1]

    @property
    def actions(self) -> Iterator[OrderedAction]:
        """All actions, in the order of nodes and edges."""
        return (action for element in self.elements for action in element.actions)

    def added_actions(self, update: "Order") -> tuple[OrderedAction, ...]:
        """Return the actions that an update adds to the stitching node."""
        known = {action.action_id for action in self.base_end.actions}
        return tuple(action for action in update.nodes[0].actions if action.action_id not in known)

    def extended(self, update: "Order") -> "Order":
        """Return this order with its horizon replaced by an update's part after the stitching node.

        New actions at the stitching node are appended to the known ones.
        """
        stitch, added = self.base_end, self.added_actions(update)
        stitched = OrderNode(
            stitch.node_id, stitch.sequence_id, True, stitch.place or update.nodes[0].place, stitch.actions + added
        )
        nodes = tuple(node for node in self.nodes if node.sequence_id < stitch.sequence_id)
        edges = tuple(edge for edge in self.edges if edge.sequence_id < stitch.sequence_id)
        return Order(update.order_id, update.update_id, (*nodes, stitched, *update.nodes[1:]), (*edges, *update.edges))


NO_ORDER: Final = Order("", 0, (), ())
