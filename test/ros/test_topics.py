"""The topics of a robot, as used by a third-party dashboard."""

import itertools
import socket
import statistics
import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from harness.ros.running_fleet import RunningFleet
from thymio_base.ros.stamps import time_from_ros

LATE = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
TRIES = 10  # on a busy machine the next status may arrive before the late subscriber
KEYS = [
    "battery",
    "busy",
    "assigned_task",
    "state",
    "activity",
    "progress",
    "eta_s",
    "reason",
    "reason_detail",
    "last_task",
    "last_result",
    "last_result_detail",
    "localization",
    "link",
    "battery_pct",
    "charging",
    "law",
    "along_track_mm",
    "cross_track_mm",
    "heading_error_deg",
    "position_std_mm",
    "heading_std_deg",
    "poses_hz",
    "pose_age_s",
    "poses_rejected",
    "task",
    "plan",
    "home",
    "node",
    "traffic",
    "waiting_for",
    "blocked_by",
    "waited_s",
    "gives_up_s",
]


def test_poses_arrive_ten_times_a_second_with_increasing_stamps(shared_fleet: RunningFleet) -> None:
    received: list[PoseStamped] = []
    node = shared_fleet.client.node
    subscription = node.create_subscription(PoseStamped, "/factory/robot_1/pose", received.append, 10)
    shared_fleet.wait_for(lambda: len(received) >= 30, "poses")
    node.destroy_subscription(subscription)
    stamps = [time_from_ros(message.header.stamp) for message in received]
    gaps_s = [1e-9 * (after - before) for before, after in itertools.pairwise(stamps)]
    assert statistics.median(gaps_s) == pytest.approx(0.1, abs=0.01)  # a busy machine delays some
    assert {message.header.frame_id for message in received} == {"map"}
    assert stamps == sorted(set(stamps))
    assert 0.0 < time.time() - stamps[-1] * 1e-9 < 60.0  # of the clock


def test_status_keys_have_the_customers_names_and_order(shared_fleet: RunningFleet) -> None:
    received: list[DiagnosticStatus] = []
    node = shared_fleet.client.node
    subscription = node.create_subscription(DiagnosticStatus, "/factory/robot_1/status", received.append, LATE)
    shared_fleet.wait_for(lambda: bool(received), "a status")
    node.destroy_subscription(subscription)
    status = received[0]
    assert (status.hardware_id, status.name) == ("robot_1", "robot_1")
    assert status.level == DiagnosticStatus.OK
    assert status.message == "idle"
    assert [value.key for value in status.values] == KEYS
    assert [value.value for value in status.values][:3] == ["ok", "no", ""]


def test_status_is_published_once_a_second(shared_fleet: RunningFleet) -> None:
    received_s: list[float] = []
    node = shared_fleet.client.node
    subscription = node.create_subscription(
        DiagnosticStatus, "/factory/robot_1/status", lambda _: received_s.append(time.monotonic()), LATE
    )
    shared_fleet.wait_for(lambda: len(received_s) >= 5, "statuses")
    node.destroy_subscription(subscription)
    gaps_s = [after - before for before, after in itertools.pairwise(received_s[1:])]
    assert statistics.median(gaps_s) == pytest.approx(1.0, abs=0.1)  # a busy machine delays some


def test_late_subscriber_receives_the_latest_status_before_the_next(shared_fleet: RunningFleet) -> None:
    node = shared_fleet.client.node
    early: list[DiagnosticStatus] = []
    late: list[DiagnosticStatus] = []
    first = node.create_subscription(DiagnosticStatus, "/factory/robot_1/status", early.append, LATE)
    for _ in range(TRIES):
        shared_fleet.wait_for(lambda: bool(early), "a status")
        early.clear()
        second = node.create_subscription(DiagnosticStatus, "/factory/robot_1/status", late.append, LATE)
        shared_fleet.wait_for(lambda: bool(early or late), "a status")
        node.destroy_subscription(second)
        if late and not early:
            break
    node.destroy_subscription(first)
    assert late
    assert not early


def test_subscribers_with_the_customers_qos_are_served(shared_fleet: RunningFleet) -> None:
    received: list[object] = []
    node = shared_fleet.client.node
    qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)
    subscription = node.create_subscription(DiagnosticStatus, "/factory/robot_2/status", received.append, qos)
    shared_fleet.wait_for(lambda: bool(received), "a status")
    node.destroy_subscription(subscription)


def test_diagnostics_cover_the_link_the_driver_and_every_robot(shared_fleet: RunningFleet) -> None:
    received: list[DiagnosticArray] = []
    node = shared_fleet.client.node
    subscription = node.create_subscription(DiagnosticArray, "/diagnostics", received.append, 10)
    shared_fleet.wait_for(lambda: len(received) >= 2, "diagnostics")
    node.destroy_subscription(subscription)
    names, host = [status.name for status in received[-1].status], socket.gethostname()
    parts = ("link", "driver", "robot_1", "robot_2")
    assert names == [f"multi_thymio_driver: {part} on {host}" for part in parts]
    assert {status.hardware_id for status in received[-1].status} == {f"{host}/multi_thymio_driver"}
    assert {status.level for status in received[-1].status} == {DiagnosticStatus.OK}


def test_live_driver_says_nothing_to_an_orchestrator(shared_fleet: RunningFleet) -> None:
    assert shared_fleet.client.node.get_publishers_info_by_topic("/status") == []
    assert shared_fleet.client.node.get_publishers_info_by_topic("/aseba/to_robots") == []
