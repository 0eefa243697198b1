"""A ROS service whose answers may come later, without a thread or a coroutine that waits.

The event executor takes no coroutines as callbacks of services. It sends answers through the service's `send_response`,
as other executors do, which is the place where an answer can be held back.
"""

from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.task import Future


def create_deferring_service(node: Node, service_type: Any, name: str, callback: Callable[[Any, Any], Any]) -> Any:
    """Return a service; `callback` gives the response, or a future of it."""
    service = node.create_service(service_type, name, callback)
    send = service.send_response

    def send_when_known(response: Any, header: Any) -> None:
        if isinstance(response, Future):
            response.add_done_callback(lambda known: send(known.result(), header))
        else:
            send(response, header)

    service.send_response = send_when_known
    return service
