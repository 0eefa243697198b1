"""Why a vehicle does not do what its master asks; each version of the protocol has names of its own for these."""

from dataclasses import dataclass
from enum import Enum

from fleet.errors import FleetError


class VehicleFaultKind(Enum):
    """A kind of fault of orders and actions, and of the vehicle itself."""

    INVALID = "invalid"  # a message that the protocol does not allow
    NO_ROUTE = "no_route"  # a node that the robot cannot stand at, or that has no position
    START_TOO_FAR = "start_too_far"  # the robot stands elsewhere than the first node
    OTHER_ORDER = "other_order"  # another order is active
    OUTDATED = "outdated"  # an update that is older, or continues another node
    SAME_UPDATE = "same_update"  # the same update id with other content
    AFTER_CANCEL = "after_cancel"  # an update of an order that was canceled
    ACTION = "action"  # an action that is unknown, or not possible there
    PARAMETER = "parameter"  # something optional that no vehicle of ours can do
    UNKNOWN_MAP = "unknown_map"
    NO_ORDER = "no_order"  # nothing to cancel
    NOT_AVAILABLE = "not_available"  # the vehicle takes no orders now
    UNREACHED = "unreached"  # the robot did not get through, and tries again
    BLOCKED = "blocked"  # others are in its way
    LOCALIZATION = "localization"  # the robot does not know where it is
    LOST = "lost"  # there is no link to the robot
    BATTERY_LOW = "battery_low"
    BATTERY_CRITICAL = "battery_critical"


@dataclass(frozen=True, slots=True)
class VehicleFault:
    """A fault: its kind, a sentence with value and limit, and what it is about as pairs of key and value."""

    kind: VehicleFaultKind
    text: str
    references: tuple[tuple[str, str], ...] = ()


class OrderRefusedError(FleetError, ValueError):
    """A message of the master is not accepted; `fault` says why."""

    def __init__(self, fault: VehicleFault) -> None:
        self.fault = fault
        super().__init__(fault.text)


def refusal(kind: VehicleFaultKind, text: str, **references: object) -> OrderRefusedError:
    """Return the error that refuses a message; the references have the names of the protocol's fields."""
    return OrderRefusedError(VehicleFault(kind, text, tuple((key, str(value)) for key, value in references.items())))
