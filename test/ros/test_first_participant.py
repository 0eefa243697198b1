"""Tests of this folder do not depend on which of them is the first one in its process."""

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from thymio_base.fast_dds import use_shipped_profile


def test_node_hears_itself_beside_clients_of_ours() -> None:
    use_shipped_profile()  # as they do
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    heard: list[String] = []
    context = Context()
    rclpy.init(context=context)
    node = rclpy.create_node("speaker", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    node.create_subscription(String, "said", heard.append, latched)
    node.create_publisher(String, "said", latched).publish(String(data="hello"))
    executor.spin_once(timeout_sec=60.0)
    executor.shutdown()
    node.destroy_node()
    context.shutdown()
    assert heard == [String(data="hello")]
