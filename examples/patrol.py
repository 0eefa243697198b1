"""Makes a robot patrol between corners: `python examples/patrol.py 1`, until Ctrl-C. Each wait has a timeout."""

import itertools
import sys
import time
import uuid

import rclpy
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future
from ricaip_interfaces.action import TaskGoTo

if len(sys.argv) != 2:
    sys.exit("usage: python examples/patrol.py ROBOT, such as 1")
rclpy.init()
node, executor = rclpy.create_node("patrol"), SingleThreadedExecutor()  # one for the whole program
executor.add_node(node)
robot = ActionClient(node, TaskGoTo, f"/factory/robot_{sys.argv[1]}/task_go_to")


def wait_for(future: Future, timeout_s: float) -> bool:
    """Serve callbacks until a future is done; return whether it is."""
    end_s = time.monotonic() + timeout_s
    while not future.done() and time.monotonic() < end_s:
        executor.spin_once(timeout_sec=0.1)
    return bool(future.done())


def go_to(x_m: float, y_m: float) -> str:
    """Send the robot to a point in the frame `map`; return the outcome."""
    goal = TaskGoTo.Goal(task_id=f"patrol-{uuid.uuid4()}")  # a new id each time
    goal.goal_pose.pose.position.x, goal.goal_pose.pose.position.y = float(x_m), float(y_m)
    if not wait_for(sent := robot.send_goal_async(goal), 5.0) or not sent.result().accepted:
        time.sleep(1.0)  # busy, stopped or not reached: the robot's status has the reason
        return "rejected" if sent.done() else "no answer"
    if not wait_for(ended := sent.result().get_result_async(), 120.0):
        wait_for(sent.result().cancel_goal_async(), 5.0)
        return "no end, canceled"
    return "reached" if ended.result().result.success else "not reached"


if not robot.wait_for_server(timeout_sec=10.0):
    sys.exit("no server for this robot")
wait_for(executor.create_task(lambda: None), 5.0)  # the executor listens for answers from now on
for corner in itertools.cycle([(0.4, 0.4), (0.8, 0.4), (0.8, 0.8), (0.4, 0.8)]):  # metres
    print(f"{corner}: {go_to(*corner)}", flush=True)
