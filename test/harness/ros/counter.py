"""Nodes around a service, under an orchestrator: counter.py counter serves; counter.py NAME asks for each message."""

import sys
from contextlib import suppress
from typing import Any

import rclpy
from orchestrator_interfaces.srv import SampleService
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from std_msgs.msg import String

from fleet.ros.orchestrated.counted_node import CountedNode
from fleet.ros.orchestrated.declared_callbacks import DeclaredCallbacks

SERVER, SERVICE, INPUT = "counter", "/count", "/in"


def declaration(name: str) -> dict[str, Any]:
    """Return a node's configuration."""
    if name == SERVER:
        return {"name": name, "callbacks": [], "services": [SERVICE]}
    callback = {"name": "ask", "trigger": INPUT, "outputs": [f"/{name}"], "service_calls": [SERVICE]}
    return {"name": name, "callbacks": [callback]}


def main() -> None:
    name = sys.argv[1]
    rclpy.init(args=["counter", "--ros-args", "-r", f"{INPUT}:=/intercepted/{name}/sub{INPUT}"])
    node = CountedNode(name, DeclaredCallbacks(declaration(name)))
    if name == SERVER:
        serve(node)
    else:
        ask(node, name)
    with suppress(ExternalShutdownException):
        rclpy.spin(node)


def serve(node: CountedNode) -> None:
    count = 0

    def on_request(request: SampleService.Request, response: SampleService.Response) -> SampleService.Response:
        nonlocal count
        count += 1
        response.message = f"{count} for {request.caller}"
        return response

    node.create_service(SampleService, SERVICE, on_request)


def ask(node: CountedNode, name: str) -> None:
    other = rclpy.create_node(f"{name}_client")  # whoever serves this callback cannot serve the answer
    executor = SingleThreadedExecutor()
    executor.add_node(other)
    client = other.create_client(SampleService, SERVICE)
    client.wait_for_service()
    publisher = node.create_publisher(String, f"/{name}", 10)

    def on_message(_: String) -> None:
        future = client.call_async(SampleService.Request(caller=name))
        executor.spin_until_future_complete(future)
        publisher.publish(String(data=future.result().message))

    node.create_subscription(String, INPUT, on_message, 10)


if __name__ == "__main__":
    main()
