"""The versions of VDA 5050, and how each of them names faults."""

from enum import Enum
from typing import Final

from fleet.vda5050.order.order_fault import VehicleFaultKind


class VdaVersion(Enum):
    """A version; the value is that of the settings."""

    V2_0 = "2.0.0"
    V2_1 = "2.1.0"
    V3_0 = "3.0.0"

    @property
    def is_3(self) -> bool:
        """Whether messages have the names of version 3."""
        return self is VdaVersion.V3_0

    @property
    def topic_part(self) -> str:
        """The part of topics that names the version."""
        return "v3" if self.is_3 else "v2"


class ErrorLevel(Enum):
    """How bad a fault is; the value is that of messages."""

    WARNING = "WARNING"
    URGENT = "URGENT"  # of version 3
    CRITICAL = "CRITICAL"  # of version 3
    FATAL = "FATAL"


_NAMES: Final = {  # of version 2, and of version 3
    VehicleFaultKind.INVALID: ("validationError", "VALIDATION_FAILURE"),
    VehicleFaultKind.NO_ROUTE: ("noRouteError", "NO_ROUTE_TO_TARGET"),
    VehicleFaultKind.START_TOO_FAR: ("noRouteError", "START_NODE_OUT_OF_RANGE"),
    VehicleFaultKind.OTHER_ORDER: ("orderError", "OTHER_ORDER_ACTIVE"),
    VehicleFaultKind.OUTDATED: ("orderUpdateError", "OUTDATED_ORDER_UPDATE"),
    VehicleFaultKind.SAME_UPDATE: ("orderUpdateError", "SAME_ORDER_UPDATE_ID"),
    VehicleFaultKind.AFTER_CANCEL: ("orderUpdateError", "ORDER_UPDATE_FOLLOWING_CANCEL"),
    VehicleFaultKind.ACTION: ("orderError", "INVALID_ORDER_ACTION"),
    VehicleFaultKind.PARAMETER: ("orderError", "UNSUPPORTED_PARAMETER"),
    VehicleFaultKind.UNKNOWN_MAP: ("orderError", "UNKNOWN_MAP_ID"),
    VehicleFaultKind.NO_ORDER: ("noOrderToCancel", "NO_ORDER_TO_CANCEL"),
    VehicleFaultKind.NOT_AVAILABLE: ("orderError", "MOBILE_ROBOT_NOT_AVAILABLE"),
    VehicleFaultKind.UNREACHED: ("nodeUnreachable", "NODE_UNREACHABLE"),
    VehicleFaultKind.BLOCKED: ("blocked", "BLOCKED"),
    VehicleFaultKind.LOCALIZATION: ("localizationError", "LOCALIZATION_ERROR"),
    VehicleFaultKind.LOST: ("robotLost", "ROBOT_LOST"),
    VehicleFaultKind.BATTERY_LOW: ("batteryLow", "BATTERY_LOW"),
    VehicleFaultKind.BATTERY_CRITICAL: ("batteryCritical", "BATTERY_CRITICAL"),
}
_LEVELS: Final = {  # of version 2, and of version 3; the others are warnings
    VehicleFaultKind.PARAMETER: (ErrorLevel.WARNING, ErrorLevel.CRITICAL),
    VehicleFaultKind.UNREACHED: (ErrorLevel.WARNING, ErrorLevel.CRITICAL),
    VehicleFaultKind.LOCALIZATION: (ErrorLevel.FATAL, ErrorLevel.FATAL),
    VehicleFaultKind.LOST: (ErrorLevel.FATAL, ErrorLevel.FATAL),
    VehicleFaultKind.BATTERY_CRITICAL: (ErrorLevel.WARNING, ErrorLevel.URGENT),
}
_WARNINGS: Final = ErrorLevel.WARNING, ErrorLevel.WARNING


def error_name(kind: VehicleFaultKind, version: VdaVersion) -> tuple[str, ErrorLevel]:
    """Return the type and the level of a fault's error in a version."""
    return _NAMES[kind][version.is_3], _LEVELS.get(kind, _WARNINGS)[version.is_3]
