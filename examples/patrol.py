"""Lets a robot patrol between its corners, with nothing but rclpy and the customer's interface.

    python examples/patrol.py 1          # robot 1, until Ctrl-C

This is what a client looks like that knows only `ricaip_interfaces`; it works with any server of that interface.
"""

import itertools
import sys
import time
import uuid

import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from ricaip_interfaces.action import TaskGoTo

CORNERS = ((0.4, 0.4), (0.8, 0.4), (0.8, 0.8), (0.4, 0.8))  # metres, in the frame `map`


def main() -> None:
    """Send one goal after the other."""
    robot_id = int(sys.argv[1])
    rclpy.init()
    node = rclpy.create_node("patrol")
    client = ActionClient(node, TaskGoTo, f"/factory/robot_{robot_id}/task_go_to")
    client.wait_for_server()
    for x_m, y_m in itertools.cycle(CORNERS):
        print(f"({x_m}, {y_m}): {'reached' if go_to(node, client, x_m, y_m) else 'not reached'}", flush=True)


def go_to(node: Node, client: ActionClient, x_m: float, y_m: float) -> bool:
    """Send the robot to a point; return whether it got there."""
    goal = TaskGoTo.Goal(task_id=f"patrol-{uuid.uuid4()}")
    goal.goal_pose.header.frame_id = "map"
    goal.goal_pose.header.stamp = node.get_clock().now().to_msg()
    goal.goal_pose.pose.position.x = x_m
    goal.goal_pose.pose.position.y = y_m
    sent = client.send_goal_async(goal)
    rclpy.spin_until_future_complete(node, sent)
    if not sent.result().accepted:
        time.sleep(1.0)  # busy, stopped or not reached; the robot's status tells
        return False
    result = sent.result().get_result_async()
    rclpy.spin_until_future_complete(node, result)
    return bool(result.result().result.success)


if __name__ == "__main__":
    main()
