"""Makes a robot patrol between corners, with only rclpy and the customer's interface.

    python examples/patrol.py 1          # robot 1, until Ctrl-C

This is a client that knows only `ricaip_interfaces`; it works with any server of that interface, and each of its waits
has a timeout: docs/clients.md.
"""

import itertools
import sys
import time
import uuid

import rclpy
from rclpy.action import ActionClient
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.task import Future
from ricaip_interfaces.action import TaskGoTo

CORNERS = ((0.4, 0.4), (0.8, 0.4), (0.8, 0.8), (0.4, 0.8))  # metres, in the frame `map`
SERVER_S, ANSWER_S, TASK_S = 10.0, 5.0, 120.0


def main() -> None:
    """Send one goal after the other."""
    rclpy.init()
    node, executor = rclpy.create_node("patrol"), SingleThreadedExecutor()  # one for the whole program
    executor.add_node(node)
    client = ActionClient(node, TaskGoTo, f"/factory/robot_{int(sys.argv[1])}/task_go_to")
    if not client.wait_for_server(timeout_sec=SERVER_S):
        sys.exit("no server for this robot")
    wait_for(executor, executor.create_task(lambda: None), ANSWER_S)  # the executor listens for answers from now on
    for x_m, y_m in itertools.cycle(CORNERS):
        print(f"({x_m}, {y_m}): {go_to(executor, client, x_m, y_m)}", flush=True)


def go_to(executor: Executor, client: ActionClient, x_m: float, y_m: float) -> str:
    """Send the robot to a point; return the outcome."""
    goal = TaskGoTo.Goal(task_id=f"patrol-{uuid.uuid4()}")  # a new id each time
    goal.goal_pose.header.frame_id = "map"
    goal.goal_pose.pose.position.x, goal.goal_pose.pose.position.y = x_m, y_m
    sent = client.send_goal_async(goal)
    if not wait_for(executor, sent, ANSWER_S) or not sent.result().accepted:
        time.sleep(1.0)  # busy, stopped or not reached; see the robot's status
        return "rejected" if sent.done() else "no answer"
    ended = sent.result().get_result_async()
    if not wait_for(executor, ended, TASK_S):
        wait_for(executor, sent.result().cancel_goal_async(), ANSWER_S)
        return "no end, canceled"
    return "reached" if ended.result().result.success else "not reached"


def wait_for(executor: Executor, future: Future, timeout_s: float) -> bool:
    """Serve callbacks until a future is done; return whether it is."""
    end_s = time.monotonic() + timeout_s
    while not future.done() and time.monotonic() < end_s:
        executor.spin_once(timeout_sec=0.1)
    return bool(future.done())


if __name__ == "__main__":
    main()
