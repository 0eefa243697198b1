"""Refuses requests to set parameters that rclpy cannot read: it raises at a type that it does not know."""

from collections.abc import Callable, Sequence
from typing import Any

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.parameter import Parameter

_TYPES = frozenset(kind.value for kind in Parameter.Type)


def refusing(service_type: Any, callback: Callable[..., Any]) -> Callable[..., Any]:
    """Return the callback of a service; for one that sets parameters, with a check of the types of their values."""
    if service_type not in (SetParameters, SetParametersAtomically):
        return callback

    def answer(request: Any, response: Any) -> Any:
        problem = _problem(request.parameters)
        if not problem:
            return callback(request, response)
        refused = SetParametersResult(successful=False, reason=problem)
        if service_type is SetParameters:
            response.results = [refused] * len(request.parameters)
        else:
            response.result = refused
        return response

    return answer


def _problem(parameters: Sequence[ParameterMessage]) -> str:
    """Return what is wrong with the first parameter whose type is unknown, "" if all are known."""
    unknown = next((one for one in parameters if one.value.type not in _TYPES), None)
    if unknown is None:
        return ""
    return (
        f"nothing is set: type {unknown.value.type} of parameter {unknown.name!r} is unknown, from 0 to {max(_TYPES)}"
    )
