"""A node that passes on what it hears, with its name, under an orchestrator: relay.py NAME OUTPUT DELAY_S INPUT..."""

import random
import sys
import time
from contextlib import suppress
from functools import partial

import rclpy
from rclpy.executors import ExternalShutdownException
from std_msgs.msg import String

from fleet.ros.orchestrated.counted_node import CountedNode
from fleet.ros.orchestrated.declared_callbacks import DeclaredCallbacks


def declaration(name: str, output: str, inputs: list[str]) -> dict[str, object]:
    """Return the node's configuration."""
    callbacks = [{"name": f"on {topic}", "trigger": topic, "outputs": [output]} for topic in inputs]
    return {"name": name, "callbacks": callbacks}


def main() -> None:
    name, output, delay_s, *inputs = sys.argv[1:]
    rclpy.init(args=["relay", *_rules(name, inputs)])
    node = CountedNode(name, DeclaredCallbacks(declaration(name, output, inputs)))
    publisher = node.create_publisher(String, output, 10)
    heard = 0

    def on_message(topic: str, message: String) -> None:
        nonlocal heard
        heard += 1
        time.sleep(random.uniform(0.0, float(delay_s)))
        publisher.publish(String(data=f"{name} {heard} {topic}: {message.data}"))

    for topic in inputs:
        node.create_subscription(String, topic, partial(on_message, topic), 3)
    with suppress(ExternalShutdownException):
        rclpy.spin(node)


def _rules(name: str, inputs: list[str]) -> list[str]:
    return ["--ros-args", *(part for topic in inputs for part in ("-r", f"{topic}:=/intercepted/{name}/sub{topic}"))]


if __name__ == "__main__":
    main()
