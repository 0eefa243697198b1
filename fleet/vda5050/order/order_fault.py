"""Faults: why a vehicle does not obey its master. Each version of the protocol names them differently."""

from dataclasses import dataclass
from enum import Enum, unique

from fleet.errors import FleetError


class ErrorLevel(Enum):
    """The level of a fault; the value is that of messages."""

    WARNING = "WARNING"
    URGENT = "URGENT"  # of version 3
    CRITICAL = "CRITICAL"  # of version 3
    FATAL = "FATAL"


@unique
class VehicleFaultKind(Enum):
    """A kind of fault of orders and actions, and of the vehicle itself.

    The value is its name in version 2 of the protocol, its name in version 3, and its level there.
    """

    # a message that the protocol does not allow
    INVALID = "validationError", "VALIDATION_FAILURE", ErrorLevel.WARNING
    # a node without position, or where the robot cannot be
    NO_ROUTE = "noRouteError", "NO_ROUTE_TO_TARGET", ErrorLevel.WARNING
    # the robot is not at the first node
    START_TOO_FAR = "noRouteError", "START_NODE_OUT_OF_RANGE", ErrorLevel.WARNING
    OTHER_ORDER = "orderError", "OTHER_ORDER_ACTIVE", ErrorLevel.WARNING
    # an update that is outdated, or continues another node
    OUTDATED = "orderUpdateError", "OUTDATED_ORDER_UPDATE", ErrorLevel.WARNING
    # the same update id with different content
    SAME_UPDATE = "orderUpdateError", "SAME_ORDER_UPDATE_ID", ErrorLevel.WARNING
    AFTER_CANCEL = "orderUpdateError", "ORDER_UPDATE_FOLLOWING_CANCEL", ErrorLevel.WARNING
    # an action that is unknown, or impossible there
    ACTION = "orderError", "INVALID_ORDER_ACTION", ErrorLevel.WARNING
    # an optional feature that our vehicles lack
    PARAMETER = "orderError", "UNSUPPORTED_PARAMETER", ErrorLevel.CRITICAL
    UNKNOWN_MAP = "orderError", "UNKNOWN_MAP_ID", ErrorLevel.WARNING
    NO_ORDER = "noOrderToCancel", "NO_ORDER_TO_CANCEL", ErrorLevel.WARNING
    NOT_AVAILABLE = "orderError", "MOBILE_ROBOT_NOT_AVAILABLE", ErrorLevel.WARNING
    # the robot could not get through, and retries
    UNREACHED = "nodeUnreachable", "NODE_UNREACHABLE", ErrorLevel.CRITICAL
    BLOCKED = "blocked", "BLOCKED", ErrorLevel.WARNING
    LOCALIZATION = "localizationError", "LOCALIZATION_ERROR", ErrorLevel.FATAL
    LOST = "robotLost", "ROBOT_LOST", ErrorLevel.FATAL
    BATTERY_LOW = "batteryLow", "BATTERY_LOW", ErrorLevel.WARNING
    BATTERY_CRITICAL = "batteryCritical", "BATTERY_CRITICAL", ErrorLevel.URGENT


@dataclass(frozen=True, slots=True)
class VehicleFault:
    """A fault: its kind, a sentence with value and limit, and references as pairs of key and value."""

    kind: VehicleFaultKind
    text: str
    references: tuple[tuple[str, str], ...] = ()


class OrderRefusedError(FleetError, ValueError):
    """A message of the master is refused; `fault` says why."""

    def __init__(self, fault: VehicleFault) -> None:
        self.fault = fault
        super().__init__(fault.text)


def refusal(kind: VehicleFaultKind, text: str, **references: object) -> OrderRefusedError:
    """Return the error that refuses a message; references are named after the protocol's fields."""
    return OrderRefusedError(VehicleFault(kind, text, tuple((key, str(value)) for key, value in references.items())))
