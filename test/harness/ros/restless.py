"""A neighbour that comes and goes on the graph, and asks nodes for their parameters, until it is ended."""

import sys

import rclpy
from rcl_interfaces.srv import ListParameters
from rclpy.executors import SingleThreadedExecutor


def main() -> None:
    rclpy.init()
    number = 0
    while rclpy.ok():
        number += 1
        node = rclpy.create_node(f"restless_{number}")
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        for name in sys.argv[1:]:
            future = node.create_client(ListParameters, f"{name}/list_parameters").call_async(ListParameters.Request())
            executor.spin_until_future_complete(future, timeout_sec=0.2)
        executor.shutdown()
        node.destroy_node()


if __name__ == "__main__":
    main()
