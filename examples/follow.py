"""Lets a robot drive an eight and tells how far it is from it, with nothing but rclpy and the fleet's interfaces.

    python examples/follow.py 1          # robot 1

The robot comes back to where it is, and goes 0.2 m away from there.
"""

import sys
import uuid

import rclpy
from rclpy.action import ActionClient
from thymio_fleet_interfaces.action import FollowPath

EIGHT = "{shape: eight, size_m: 0.4, laps: 2}"  # the text of a path file; relative to where the robot is


def main() -> None:
    """Send one goal and wait for its end."""
    robot_id = int(sys.argv[1])
    rclpy.init()
    node = rclpy.create_node("follow")
    client = ActionClient(node, FollowPath, f"/factory/robot_{robot_id}/x/follow_path")
    client.wait_for_server()
    goal = FollowPath.Goal(task_id=f"eight-{uuid.uuid4()}", path=EIGHT)
    sent = client.send_goal_async(goal, feedback_callback=show)
    rclpy.spin_until_future_complete(node, sent)
    if not sent.result().accepted:
        sys.exit("rejected; the robot's status and the driver's log tell why")
    ended = sent.result().get_result_async()
    rclpy.spin_until_future_complete(node, ended)
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
