"""An action server as rclpy's users write one: it accepts every goal, and executes each for two seconds."""

import time
from typing import Any

import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from ricaip_interfaces.action import TaskGoHome


def execute(goal: Any) -> Any:
    end_s = time.monotonic() + 2.0
    while time.monotonic() < end_s:
        if goal.is_cancel_requested:
            goal.canceled()
            return TaskGoHome.Result(success=False)
        time.sleep(0.02)
    goal.succeed()
    return TaskGoHome.Result(success=True)


def main() -> None:
    rclpy.init()
    node = rclpy.create_node("plain_action_server")
    server = ActionServer(
        node,
        TaskGoHome,
        "/plain",
        execute,
        cancel_callback=lambda _: CancelResponse.ACCEPT,
        callback_group=ReentrantCallbackGroup(),
    )
    rclpy.spin(node, MultiThreadedExecutor())
    server.destroy()


if __name__ == "__main__":
    main()
