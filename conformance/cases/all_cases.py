"""All cases, in the order of their addresses."""

from typing import Final

from conformance.cases import (
    acceptance_cases,
    cancel_cases,
    execution_cases,
    fault_cases,
    graph_cases,
    pose_cases,
    status_cases,
    transport_cases,
)
from conformance.cases.case import ServerCase

_ROOMS: Final = (
    graph_cases,
    pose_cases,
    status_cases,
    acceptance_cases,
    execution_cases,
    cancel_cases,
    transport_cases,
    fault_cases,
)
CASES: Final[dict[str, ServerCase]] = {
    case.address: case
    for case in sorted((case for room in _ROOMS for case in room.TABLE.cases.values()), key=lambda case: case.order)
}
