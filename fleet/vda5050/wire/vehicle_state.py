"""What a vehicle reports, in one model for all versions of VDA 5050."""

from dataclasses import dataclass
from enum import Enum

from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.vda5050.order.action_book import ActionState
from fleet.vda5050.order.order_fault import VehicleFault
from fleet.vda5050.order.order_graph import OrderEdge, OrderNode
from fleet.vda5050.order.robot_facts import RobotControl


class ConnectionState(Enum):
    """Whether a vehicle is reachable; the value is that of version 3."""

    ONLINE = "ONLINE"
    OFFLINE = "OFFLINE"  # it was ended in an orderly way
    BROKEN = "CONNECTION_BROKEN"  # the broker says so: the connector is gone


@dataclass(frozen=True, slots=True)
class RobotState:
    """What is known of the robot itself.

    Parameters
    ----------
    control : who is in control
    pose : in the fleet's frame; None if unknown
    is_localized : whether the pose can be relied on
    twist : how it moves
    is_driving : whether it moves
    battery_pct : the last known charge
    is_charging : whether a charger feeds it
    is_stopped : whether the whole fleet is stopped
    faults : of the robot
    notes : type and text of what is not a fault, such as waiting for another robot
    """

    control: RobotControl = RobotControl.STARTUP
    pose: Pose2D | None = None
    is_localized: bool = False
    twist: Twist2D = STILL
    is_driving: bool = False
    battery_pct: float = 0.0
    is_charging: bool = False
    is_stopped: bool = False
    faults: tuple[VehicleFault, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class OrderState:
    """What is left of an order."""

    order_id: str
    update_id: int
    last_node_id: str
    last_sequence_id: int
    nodes: tuple[OrderNode, ...]
    edges: tuple[OrderEdge, ...]
    actions: tuple[ActionState, ...]
    instant_actions: tuple[ActionState, ...]
    is_paused: bool
    wants_base: bool
    load_id: str
    faults: tuple[VehicleFault, ...]
