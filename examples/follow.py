"""Makes a robot drive an eight and prints its distance from the path, with only rclpy and the fleet's interfaces.

    python examples/follow.py 1          # robot 1

The robot returns to where it starts, and gets up to 0.2 m away from there.
"""

import sys
import uuid

import rclpy
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from thymio_fleet_interfaces.action import FollowPath

SERVER_S, ANSWER_S, TASK_S = 10.0, 5.0, 300.0
EIGHT = "{shape: eight, size_m: 0.4, laps: 2}"  # the text of a path file; relative to where the robot is


def main() -> None:
    """Send one goal and wait for its end."""
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
        sys.exit("usage: python examples/follow.py ROBOT, such as 1")
    robot_id = int(sys.argv[1])
    rclpy.init()
    node, executor = rclpy.create_node("follow"), SingleThreadedExecutor()
    executor.add_node(node)
    client = ActionClient(node, FollowPath, f"/factory/robot_{robot_id}/x/follow_path")
    if not client.wait_for_server(timeout_sec=SERVER_S):
        sys.exit("no server for this robot")
    executor.spin_until_future_complete(executor.create_task(lambda: None))  # the executor listens from now on
    goal = FollowPath.Goal(task_id=f"eight-{uuid.uuid4()}", path=EIGHT)
    sent = client.send_goal_async(goal, feedback_callback=show)
    executor.spin_until_future_complete(sent, ANSWER_S)
    if not sent.done() or not sent.result().accepted:
        sys.exit("rejected; see the robot's status or the driver's log" if sent.done() else "no answer")
    ended = sent.result().get_result_async()
    executor.spin_until_future_complete(ended, TASK_S)
    if not ended.done():
        executor.spin_until_future_complete(sent.result().cancel_goal_async(), ANSWER_S)
        sys.exit(f"no end within {TASK_S:.0f} s, canceled")
    result = ended.result().result
    print(f"\n{'done' if result.success else result.reason or 'canceled'} after {result.duration_s:.1f} s")
    print(f"cross-track error: max {1e3 * result.max_cross_track_m:.1f}, rms {1e3 * result.rms_cross_track_m:.1f} mm")


def show(message: FollowPath.Impl.FeedbackMessage) -> None:
    """Overwrite one line with the latest feedback."""
    feedback = message.feedback
    print(
        f"\rlap {feedback.lap}, {feedback.progress:4.0%}, {1e3 * feedback.cross_track_m:+5.1f} mm off the path ",
        end="",
        flush=True,
    )


if __name__ == "__main__":
    main()
