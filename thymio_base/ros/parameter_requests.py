"""Refuses requests to set parameters that rclpy cannot read, or that change the clock of a running program.

rclpy raises at a type that it does not know. All instants of a program are on the clock that it started with.
"""

from collections.abc import Callable, Sequence
from typing import Any

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.parameter import Parameter

_CLOCK = "use_sim_time"
_TYPES = frozenset(kind.value for kind in Parameter.Type)


def refusing(service_type: Any, callback: Callable[..., Any]) -> Callable[..., Any]:
    """Return the callback of a service; for one that sets parameters, with a check of them."""
    if service_type not in (SetParameters, SetParametersAtomically):
        return callback

    def answer(request: Any, response: Any) -> Any:
        problem = _problem(request.parameters)
        if not problem:
            return callback(request, response)
        refuse_parameters(request, response, problem)
        return response

    return answer


def refuse_parameters(request: Any, response: Any, why: str) -> None:
    """Refuse the parameters of a request, if it is one that sets parameters: each of them has a result."""
    refused = SetParametersResult(successful=False, reason=why)
    if isinstance(response, SetParameters.Response):
        response.results = [refused] * len(request.parameters)
    elif isinstance(response, SetParametersAtomically.Response):
        response.result = refused


def _problem(parameters: Sequence[ParameterMessage]) -> str:
    """Return why parameters cannot be set, "" if they can."""
    unknown = next((one for one in parameters if one.value.type not in _TYPES), None)
    if unknown is not None:
        kind = f"type {unknown.value.type} of parameter {unknown.name!r}"
        return f"nothing is set: {kind} is unknown, from 0 to {max(_TYPES)}"
    if any(one.name == _CLOCK for one in parameters):
        return f"nothing is set: {_CLOCK} is set when a program starts: --ros-args -p {_CLOCK}:=true"
    return ""
