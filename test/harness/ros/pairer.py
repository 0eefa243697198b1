"""Nodes under an orchestrator: pairer.py pair DELAY_S synchronizes two topics; pairer.py decide changes the stack."""

import random
import sys
import time
from contextlib import suppress
from typing import Any

import rclpy
from geometry_msgs.msg import PointStamped
from orchestrator_interfaces.srv import ReconfigurationAnnouncement, ReconfigurationRequest
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from std_msgs.msg import String

from fleet.ros.orchestrated.counted_node import CountedNode
from fleet.ros.orchestrated.declared_callbacks import DeclaredCallbacks

LEFT, RIGHT, PAIRS = "/left", "/right", "/pairs"
SLOP_S, QUEUE = 0.015, 3
IN, OTHER = "/in", "/other"
NEXT = "next.json"


def declaration(name: str) -> dict[str, Any]:
    """Return a node's configuration."""
    if name == "pair":
        trigger = {"type": "approximate_time_sync", "input_topics": [LEFT, RIGHT], "slop": SLOP_S, "queue_size": QUEUE}
        return {"name": name, "callbacks": [{"name": "pair", "trigger": trigger, "outputs": [PAIRS]}]}
    callbacks = [
        {"name": "decide", "trigger": IN, "outputs": [], "may_cause_reconfiguration": True},
        {"name": "other", "trigger": OTHER, "outputs": ["/decided"]},
    ]
    return {"name": name, "callbacks": callbacks}


def main() -> None:
    name, *rest = sys.argv[1:]
    rules = (part for topic in (LEFT, RIGHT, IN, OTHER) for part in ("-r", f"{topic}:=/intercepted/{name}/sub{topic}"))
    rclpy.init(args=["pairer", "--ros-args", *rules])
    node = CountedNode(name, DeclaredCallbacks(declaration(name)))
    if name == "pair":
        pair(node, float(rest[0]))
    else:
        decide(node)
    with suppress(ExternalShutdownException):
        rclpy.spin(node)


def pair(node: CountedNode, delay_s: float) -> None:
    publisher = node.create_publisher(String, PAIRS, 10)

    def on_pair(left: PointStamped, right: PointStamped) -> None:
        time.sleep(random.uniform(0.0, delay_s))
        if left.point.x % 5 != 4:  # omits what it declares now and then
            publisher.publish(String(data=f"{left.point.x:g} {right.point.x:g}"))

    node.create_synchronized_subscriptions([(PointStamped, LEFT), (PointStamped, RIGHT)], on_pair)


def decide(node: CountedNode) -> None:
    other = rclpy.create_node("decide_client")  # whoever serves this callback cannot serve the answer
    executor = SingleThreadedExecutor()
    executor.add_node(other)
    client = other.create_client(ReconfigurationAnnouncement, "/announce_reconfig")
    client.wait_for_service()
    publisher = node.create_publisher(String, "/decided", 10)
    heard: list[str] = []

    def on_message(message: String) -> None:
        heard.append(message.data)
        if len(heard) == 3:
            executor.spin_until_future_complete(client.call_async(ReconfigurationAnnouncement.Request()))

    def on_request(_: Any, response: ReconfigurationRequest.Response) -> ReconfigurationRequest.Response:
        response.new_launch_config_filename = NEXT
        return response

    node.create_subscription(String, IN, on_message, 10)
    node.create_subscription(String, OTHER, lambda _: publisher.publish(String(data=" ".join(heard))), 10)
    node.create_service(ReconfigurationRequest, "/request_reconfig", on_request)


if __name__ == "__main__":
    main()
