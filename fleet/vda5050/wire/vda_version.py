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


_W: Final = ErrorLevel.WARNING
_NAMES: Final = {  # of version 2, and of version 3
    VehicleFaultKind.INVALID: (("validationError", _W), ("VALIDATION_FAILURE", _W)),
    VehicleFaultKind.NO_ROUTE: (("noRouteError", _W), ("NO_ROUTE_TO_TARGET", _W)),
    VehicleFaultKind.START_TOO_FAR: (("noRouteError", _W), ("START_NODE_OUT_OF_RANGE", _W)),
    VehicleFaultKind.OTHER_ORDER: (("orderError", _W), ("OTHER_ORDER_ACTIVE", _W)),
    VehicleFaultKind.OUTDATED: (("orderUpdateError", _W), ("OUTDATED_ORDER_UPDATE", _W)),
    VehicleFaultKind.SAME_UPDATE: (("orderUpdateError", _W), ("SAME_ORDER_UPDATE_ID", _W)),
    VehicleFaultKind.AFTER_CANCEL: (("orderUpdateError", _W), ("ORDER_UPDATE_FOLLOWING_CANCEL", _W)),
    VehicleFaultKind.ACTION: (("orderError", _W), ("INVALID_ORDER_ACTION", _W)),
    VehicleFaultKind.PARAMETER: (("orderError", _W), ("UNSUPPORTED_PARAMETER", ErrorLevel.CRITICAL)),
    VehicleFaultKind.UNKNOWN_MAP: (("orderError", _W), ("UNKNOWN_MAP_ID", _W)),
    VehicleFaultKind.NO_ORDER: (("noOrderToCancel", _W), ("NO_ORDER_TO_CANCEL", _W)),
    VehicleFaultKind.NOT_AVAILABLE: (("orderError", _W), ("MOBILE_ROBOT_NOT_AVAILABLE", _W)),
    VehicleFaultKind.UNREACHED: (("nodeUnreachable", _W), ("NODE_UNREACHABLE", ErrorLevel.CRITICAL)),
    VehicleFaultKind.BLOCKED: (("blocked", _W), ("BLOCKED", _W)),
    VehicleFaultKind.LOCALIZATION: (("localizationError", ErrorLevel.FATAL), ("LOCALIZATION_ERROR", ErrorLevel.FATAL)),
    VehicleFaultKind.LOST: (("robotLost", ErrorLevel.FATAL), ("ROBOT_LOST", ErrorLevel.FATAL)),
    VehicleFaultKind.BATTERY_LOW: (("batteryLow", _W), ("BATTERY_LOW", _W)),
    VehicleFaultKind.BATTERY_CRITICAL: (("batteryCritical", _W), ("BATTERY_CRITICAL", ErrorLevel.URGENT)),
}


def error_name(kind: VehicleFaultKind, version: VdaVersion) -> tuple[str, ErrorLevel]:
    """Return the type and the level of a fault's error in a version."""
    return _NAMES[kind][version.is_3]
