"""The command `thymio-fleet up`."""

from pathlib import Path

from geometry_msgs.msg import PoseStamped
from rosgraph_msgs.msg import Clock

from harness.ros.running_fleet import RunningFleet
from thymio_base.ros.stamps import time_from_ros


def test_fleet_started_with_a_speed_factor_runs_on_simulated_time(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    clocks_ns: list[int] = []
    fleet.client.node.create_subscription(
        Clock, "/clock", lambda message: clocks_ns.append(time_from_ros(message.clock)), 10
    )
    stamps_ns: list[int] = []
    fleet.client.node.create_subscription(
        PoseStamped, "/factory/robot_1/pose", lambda message: stamps_ns.append(time_from_ros(message.header.stamp)), 10
    )
    try:
        fleet.start_both("--speed", "3")
        fleet.wait_for(lambda: bool(stamps_ns and clocks_ns), "poses and the clock")
        stamp_ns, count = stamps_ns[-1], len(clocks_ns)
        fleet.wait_for(lambda: len(clocks_ns) > count, "the next clock message, since the pose may have arrived first")
        assert 0 <= clocks_ns[-1] - stamp_ns < 2_000_000_000
    finally:
        fleet.close()
