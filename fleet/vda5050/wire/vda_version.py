"""The versions of VDA 5050, and their names of faults."""

from enum import Enum

from fleet.vda5050.order.order_fault import ErrorLevel, VehicleFaultKind


class VdaVersion(Enum):
    """A version; the value is that of the settings."""

    V2_0 = "2.0.0"
    V2_1 = "2.1.0"
    V3_0 = "3.0.0"

    @property
    def is_3(self) -> bool:
        """Whether messages have the names of version 3."""
        return self is VdaVersion.V3_0

    def pick(self, name_2: str, name_3: str) -> str:
        """Return the name that applies in this version."""
        return name_3 if self.is_3 else name_2

    @property
    def topic_part(self) -> str:
        """The part of topics that names the version."""
        return self.pick("v2", "v3")


def error_name(kind: VehicleFaultKind, version: VdaVersion) -> tuple[str, ErrorLevel]:
    """Return the type and the level of a fault's error in a version; version 2 has two levels."""
    name_2, name_3, level = kind.value
    if version.is_3:
        return name_3, level
    return name_2, ErrorLevel.FATAL if level is ErrorLevel.FATAL else ErrorLevel.WARNING
