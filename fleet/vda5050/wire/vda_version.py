"""The versions of VDA 5050, and how each of them names faults."""

from enum import Enum
from typing import Final

from fleet.vda5050.order.order_fault import FaultKind


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
_NAMES_2: Final = {
    FaultKind.INVALID: ("validationError", _W),
    FaultKind.NO_ROUTE: ("noRouteError", _W),
    FaultKind.START_TOO_FAR: ("noRouteError", _W),
    FaultKind.OTHER_ORDER: ("orderError", _W),
    FaultKind.OUTDATED: ("orderUpdateError", _W),
    FaultKind.SAME_UPDATE: ("orderUpdateError", _W),
    FaultKind.AFTER_CANCEL: ("orderUpdateError", _W),
    FaultKind.ACTION: ("orderError", _W),
    FaultKind.PARAMETER: ("orderError", _W),
    FaultKind.UNKNOWN_MAP: ("orderError", _W),
    FaultKind.NO_ORDER: ("noOrderToCancel", _W),
    FaultKind.NOT_AVAILABLE: ("orderError", _W),
    FaultKind.UNREACHED: ("nodeUnreachable", _W),
    FaultKind.BLOCKED: ("blocked", _W),
    FaultKind.LOCALIZATION: ("localizationError", ErrorLevel.FATAL),
    FaultKind.LOST: ("robotLost", ErrorLevel.FATAL),
    FaultKind.BATTERY_LOW: ("batteryLow", _W),
    FaultKind.BATTERY_CRITICAL: ("batteryCritical", _W),
}
_NAMES_3: Final = {
    FaultKind.INVALID: ("VALIDATION_FAILURE", _W),
    FaultKind.NO_ROUTE: ("NO_ROUTE_TO_TARGET", _W),
    FaultKind.START_TOO_FAR: ("START_NODE_OUT_OF_RANGE", _W),
    FaultKind.OTHER_ORDER: ("OTHER_ORDER_ACTIVE", _W),
    FaultKind.OUTDATED: ("OUTDATED_ORDER_UPDATE", _W),
    FaultKind.SAME_UPDATE: ("SAME_ORDER_UPDATE_ID", _W),
    FaultKind.AFTER_CANCEL: ("ORDER_UPDATE_FOLLOWING_CANCEL", _W),
    FaultKind.ACTION: ("INVALID_ORDER_ACTION", _W),
    FaultKind.PARAMETER: ("UNSUPPORTED_PARAMETER", ErrorLevel.CRITICAL),
    FaultKind.UNKNOWN_MAP: ("UNKNOWN_MAP_ID", _W),
    FaultKind.NO_ORDER: ("NO_ORDER_TO_CANCEL", _W),
    FaultKind.NOT_AVAILABLE: ("MOBILE_ROBOT_NOT_AVAILABLE", _W),
    FaultKind.UNREACHED: ("NODE_UNREACHABLE", ErrorLevel.CRITICAL),
    FaultKind.BLOCKED: ("BLOCKED", _W),
    FaultKind.LOCALIZATION: ("LOCALIZATION_ERROR", ErrorLevel.FATAL),
    FaultKind.LOST: ("ROBOT_LOST", ErrorLevel.FATAL),
    FaultKind.BATTERY_LOW: ("BATTERY_LOW", _W),
    FaultKind.BATTERY_CRITICAL: ("BATTERY_CRITICAL", ErrorLevel.URGENT),
}


def error_name(kind: FaultKind, version: VdaVersion) -> tuple[str, ErrorLevel]:
    """Return the type and the level of a fault's error in a version."""
    return (_NAMES_3 if version.is_3 else _NAMES_2)[kind]
