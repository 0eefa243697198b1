"""A node whose callbacks cannot end the program."""

from collections.abc import Callable, Sequence
from typing import Any

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.parameter import Parameter

from thymio_base.fence import Fence
from thymio_base.ros.eventless_node import EventlessNode

_TEXTS = ("message", "error_message", "status_message", "details")  # fields of responses that explain a refusal
_INTERNAL = "INTERNAL"  # in fields named `reasons`, for people and programs
_RESULT_OPERATION_FAILED = 4  # of simulation_interfaces/msg/Result
_CANCEL_REJECTED = 1  # of action_msgs/srv/CancelGoal
_CLOCK = "use_sim_time"
_TYPES = frozenset(kind.value for kind in Parameter.Type)


def refusing(service_type: Any, callback: Callable[..., Any]) -> Callable[..., Any]:
    """Return the callback of a service; services that set parameters also check them."""
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
    """Refuse a request that sets parameters, with a result for each of them; leave other requests alone."""
    refused = SetParametersResult(successful=False, reason=why)
    if isinstance(response, SetParameters.Response):
        response.results = [refused] * len(request.parameters)
    elif isinstance(response, SetParametersAtomically.Response):
        response.result = refused


def _problem(parameters: Sequence[ParameterMessage]) -> str:
    """Return why parameters cannot be set; "" if they can."""
    unknown = next((one for one in parameters if one.value.type not in _TYPES), None)
    if unknown is not None:
        kind = f"type {unknown.value.type} of parameter {unknown.name!r}"
        return f"nothing is set: {kind} is unknown; types are 0 to {max(_TYPES)}"
    if any(one.name == _CLOCK for one in parameters):
        return f"nothing is set: {_CLOCK} is set when a program starts: --ros-args -p {_CLOCK}:=true"
    return ""


class FencedNode(EventlessNode):
    """A node with a fence around each callback: after an exception, services refuse, others continue.

    Parameters
    ----------
    name : name of the node
    fence : notes the exceptions of callbacks
    options : options of rclpy's Node
    """

    def __init__(self, name: str, fence: Fence, **options: Any) -> None:
        self.fence = fence
        super().__init__(name, **options)

    def create_subscription(
        self, msg_type: Any, topic: str, callback: Callable[..., Any], *args: Any, **kw: Any
    ) -> Any:
        """Create a subscription."""
        return super().create_subscription(msg_type, topic, self.fence.fenced(topic, callback), *args, **kw)

    def create_timer(self, timer_period_sec: float, callback: Callable[..., Any], *args: Any, **kw: Any) -> Any:
        """Create a timer."""
        door = f"timer {getattr(callback, '__qualname__', '')}".rstrip()
        return super().create_timer(timer_period_sec, self.fence.fenced(door, callback), *args, **kw)

    def create_service(self, srv_type: Any, srv_name: str, callback: Callable[..., Any], *args: Any, **kw: Any) -> Any:
        """Create a service; an exception of its callback is answered with a refusal."""
        sound = refusing(srv_type, callback)

        def answer(request: Any, response: Any) -> Any:
            try:
                return sound(request, response)
            except Exception as error:
                refused = refusal(srv_type, text := self.fence.note(srv_name, error, request))
                refuse_parameters(request, refused, text)
                return refused

        return super().create_service(srv_type, srv_name, answer, *args, **kw)


def refusal(service_type: Any, text: str) -> Any:
    """Return a response saying that nothing was done, with a text if the type has a field for it."""
    response = service_type.Response()
    _refuse(response, text)
    result: Any = getattr(response, "result", None)
    if hasattr(result, "error_message"):
        result.result = _RESULT_OPERATION_FAILED
        _refuse(result, text)
    return response


def _refuse(part: Any, text: str) -> None:
    """Set the fields that express a refusal; all others in a new message are False, 0 or ""."""
    fields = part.get_fields_and_field_types()
    for name in _TEXTS:
        if name in fields:
            setattr(part, name, text if fields[name] == "string" else [text])
    if "reasons" in fields:
        part.reasons = [_INTERNAL]
    if fields.get("return_code") == "int8":
        part.return_code = _CANCEL_REJECTED
