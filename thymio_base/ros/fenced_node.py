"""A node whose callbacks cannot end the program."""

from collections.abc import Callable
from typing import Any

from thymio_base.fence import Fence
from thymio_base.ros.eventless_node import EventlessNode
from thymio_base.ros.parameter_requests import refuse_parameters, refusing

_TEXTS = ("message", "error_message", "status_message", "details")  # fields of responses that explain a refusal
_INTERNAL = "INTERNAL"  # for people and programs, in fields named `reasons`
_RESULT_OPERATION_FAILED = 4  # of simulation_interfaces/msg/Result
_CANCEL_REJECTED = 1  # of action_msgs/srv/CancelGoal


class FencedNode(EventlessNode):
    """A node with a fence around each callback: services refuse, subscriptions and timers go on.

    Parameters
    ----------
    name : of the node
    fence : notes the exceptions of callbacks
    options : those of rclpy's Node
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
    """Return a response that says that nothing was done, with a text where the type has a field for one."""
    response = service_type.Response()
    _refuse(response, text)
    result: Any = getattr(response, "result", None)
    if hasattr(result, "error_message"):
        result.result = _RESULT_OPERATION_FAILED
        _refuse(result, text)
    return response


def _refuse(part: Any, text: str) -> None:
    """Set what says no: new messages have False, 0 and "" everywhere else."""
    fields = part.get_fields_and_field_types()
    for name in _TEXTS:
        if name in fields:
            setattr(part, name, text if fields[name] == "string" else [text])
    if "reasons" in fields:
        part.reasons = [_INTERNAL]
    if fields.get("return_code") == "int8":
        part.return_code = _CANCEL_REJECTED
