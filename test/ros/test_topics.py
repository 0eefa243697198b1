"""What a robot publishes, as a dashboard that was built elsewhere sees it."""

import itertools
import time

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from fleet.conversions import time_from_ros
from running_fleet import RunningFleet

KEYS = [
    "battery",
    "busy",
    "assigned_task",
    "state",
    "progress",
    "eta_s",
    "reason",
    "last_task",
    "last_result",
    "localization",
    "link",
    "battery_pct",
    "law",
    "along_track_mm",
    "cross_track_mm",
    "heading_error_deg",
    "position_std_mm",
    "heading_std_deg",
    "poses_hz",
    "pose_age_s",
    "poses_rejected",
]


def test_poses_come_ten_times_a_second_each_with_a_later_stamp(shared_fleet: RunningFleet) -> None:
    received: list[PoseStamped] = []
    node = shared_fleet.client.node
    subscription = node.create_subscription(PoseStamped, "/factory/robot_1/pose", received.append, 10)
    shared_fleet.wait_for(lambda: bool(received), "a pose")
    received.clear()
    shared_fleet.client.spin(3.0)
    node.destroy_subscription(subscription)
    stamps = [time_from_ros(message.header.stamp) for message in received]
    assert 28 <= len(received) <= 32
    assert {message.header.frame_id for message in received} == {"map"}
    assert stamps == sorted(set(stamps))
    assert 0.0 < time.time() - stamps[-1] * 1e-9 < 0.5


def test_status_has_the_names_and_the_order_of_the_customers_keys(shared_fleet: RunningFleet) -> None:
    status = shared_fleet.client.statuses[1]
    assert (status.hardware_id, status.name) == ("robot_1", "robot_1")
    assert status.level == DiagnosticStatus.OK
    assert status.message == "idle"
    assert [value.key for value in status.values] == KEYS
    assert [value.value for value in status.values][:3] == ["ok", "no", ""]


def test_status_comes_once_a_second_and_late_comers_get_the_latest_at_once(shared_fleet: RunningFleet) -> None:
    received: list[float] = []
    node = shared_fleet.client.node
    qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    subscription = node.create_subscription(
        DiagnosticStatus, "/factory/robot_1/status", lambda _: received.append(time.monotonic()), qos
    )
    shared_fleet.client.spin(4.5)
    node.destroy_subscription(subscription)
    assert 5 <= len(received) <= 6
    gaps = [after - before for before, after in itertools.pairwise(received[1:])]
    assert all(0.9 < gap < 1.1 for gap in gaps)


def test_subscribers_of_the_customers_quality_of_service_are_served(shared_fleet: RunningFleet) -> None:
    received: list[object] = []
    node = shared_fleet.client.node
    qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)
    subscription = node.create_subscription(DiagnosticStatus, "/factory/robot_2/status", received.append, qos)
    shared_fleet.wait_for(lambda: bool(received), "a status")
    node.destroy_subscription(subscription)


def test_diagnostics_tell_of_the_link_of_the_driver_and_of_every_robot(shared_fleet: RunningFleet) -> None:
    received: list[DiagnosticArray] = []
    node = shared_fleet.client.node
    subscription = node.create_subscription(DiagnosticArray, "/diagnostics", received.append, 10)
    shared_fleet.wait_for(lambda: len(received) >= 2, "diagnostics")
    node.destroy_subscription(subscription)
    names = [status.name for status in received[-1].status]
    assert names == [f"multi_thymio_driver: {name}" for name in ("link", "driver", "robot_1", "robot_2")]
    assert {status.level for status in received[-1].status} == {DiagnosticStatus.OK}
