"""The topics of ros-thymio for simulated robots, as used by a user who migrates from it."""

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Twist, Vector3
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, Imu, JointState, Joy, LaserScan, Range, Temperature
from std_msgs.msg import Bool, ColorRGBA, Empty, Float32, Int16
from std_srvs.srv import Empty as EmptyService
from tf2_msgs.msg import TFMessage
from thymio_msgs.msg import Led, LedGesture, Sound, SystemSound

from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState
from fleet.interface.conversions import heading_from_ros
from harness.ros.driven_robot import EVERYTHING_ON
from harness.ros.running_fleet import RunningFleet, running_fleet
from thymio_base.ros.stamps import time_from_ros

DEADLINE_S = 60.0
NEAR_WALL = Pose2D(2.85, 1.0, 0.0)  # robot 2 faces the wall x = 3
NOSE_M = 0.08  # from the middle of the axle to the middle sensor
BAD = (math.nan, math.inf, -math.inf, 3.4e38, -3.4e38)
PUBLISHED = {
    "odom", "joint_states", "imu", "ground/left", "ground/right", "proximity/left", "proximity/center_left",
    "proximity/center", "proximity/center_right", "proximity/right", "proximity/rear_left", "proximity/rear_right",
    "proximity/laser", "buttons", "buttons/backward", "buttons/left", "buttons/center", "buttons/forward",
    "buttons/right", "tap", "temperature", "sound", "remote", "comm/rx", "battery",
}  # fmt: skip
SUBSCRIBED = {
    "cmd_vel", "led", "led/off", "led/body/top", "led/body/bottom_left", "led/body/bottom_right", "led/gesture",
    "led/gesture/off", "led/gesture/circle", "led/gesture/blink", "led/gesture/kit", "led/gesture/alive", "sound/play",
    "sound/play/system", "sound_threshold", "alarm", "comm/enable", "comm/tx", "shutdown",
}  # fmt: skip


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    """Two robots with every topic enabled; the second stands in front of a wall."""
    for running in running_fleet(tmp_path_factory.mktemp("fleet"), EVERYTHING_ON):
        goal = running.client.go_to(2, NEAR_WALL)
        running.wait_for(lambda goal=goal: goal.state.is_final, "robot 2 to stand before the wall", 40.0)
        assert goal.state is GoalState.SUCCEEDED
        yield running


def receive(fleet: RunningFleet, message_type: Any, topic: str, count: int = 1) -> list[Any]:
    """Return the next `count` messages of a topic."""
    received: list[Any] = []
    node = fleet.client.node
    subscription = node.create_subscription(message_type, topic, received.append, 10)
    fleet.wait_for(lambda: len(received) >= count, f"{count} messages on {topic}")
    node.destroy_subscription(subscription)
    return received


def publish(fleet: RunningFleet, robot_id: int, messages: list[tuple[str, Any]]) -> None:
    """Publish messages, each on its topic, once all topics have subscribers."""
    node = fleet.client.node
    types = {topic: type(message) for topic, message in messages}
    publishers = {
        topic: node.create_publisher(message_type, f"/factory/robot_{robot_id}/{topic}", 100)
        for topic, message_type in types.items()
    }
    fleet.wait_for(lambda: all(one.get_subscription_count() for one in publishers.values()), "subscribers")
    for topic, message in messages:
        publishers[topic].publish(message)
        fleet.client.spin(0.02)  # only the last ten of a burst are kept
    fleet.client.spin(0.5)
    for publisher in publishers.values():
        node.destroy_publisher(publisher)


def is_of_now(message: Any) -> bool:
    """Return whether a stamp is the clock's time, not the time since a machine or program started."""
    return 0.0 < time.time() - time_from_ros(message.header.stamp) * 1e-9 < 60.0


def drive(fleet: RunningFleet, robot_id: int, linear: float, angular: float, until: Callable[[], bool]) -> None:
    """Publish a twist ten times a second until a condition holds."""
    node = fleet.client.node
    publisher = node.create_publisher(Twist, f"/factory/robot_{robot_id}/cmd_vel", 1)
    fleet.wait_for(lambda: publisher.get_subscription_count() > 0, "a subscriber of cmd_vel")
    end_s = time.monotonic() + DEADLINE_S
    while not until():
        assert time.monotonic() < end_s, f"cmd_vel was published in vain\n{fleet.logs()}"
        publisher.publish(Twist(linear=Vector3(x=linear), angular=Vector3(z=angular)))
        fleet.client.spin(0.1)
    node.destroy_publisher(publisher)


def names(topics: list[tuple[str, list[str]]]) -> set[str]:
    prefix = "/factory/robot_1/"
    return {name.removeprefix(prefix) for name, _ in topics if name.startswith(prefix)}


def test_the_topics_have_the_names_of_ros_thymio(fleet: RunningFleet) -> None:
    node = fleet.client.node
    served = ("robot_1", "/factory")
    assert names(node.get_publisher_names_and_types_by_node(*served)) >= PUBLISHED
    assert names(node.get_subscriber_names_and_types_by_node(*served)) >= SUBSCRIBED


def test_wall_ahead_is_measured_at_its_distance(fleet: RunningFleet) -> None:
    message = receive(fleet, Range, "/factory/robot_2/proximity/center", 2)[-1]
    distance_m = 3.0 - fleet.truths[2].x_m - NOSE_M
    assert message.range == pytest.approx(distance_m, abs=0.005)
    assert message.header.frame_id == "robot_2/proximity_center_link"
    assert is_of_now(message)


def test_ranges_are_infinite_in_free_space(fleet: RunningFleet) -> None:
    for topic in ("robot_1/proximity/center", "robot_2/proximity/rear_left"):
        assert receive(fleet, Range, f"/factory/{topic}")[-1].range == math.inf


def test_a_scan_of_free_space_shows_nothing(fleet: RunningFleet) -> None:
    message = receive(fleet, LaserScan, "/factory/robot_1/proximity/laser")[-1]
    assert list(message.ranges) == [math.inf] * 5


def test_a_scan_of_a_wall_lies_on_the_wall(fleet: RunningFleet) -> None:
    message = receive(fleet, LaserScan, "/factory/robot_2/proximity/laser")[-1]
    truth = fleet.truths[2]
    hits_m = [
        truth.x_m + range_m * math.cos(truth.heading_rad + message.angle_min + index * message.angle_increment)
        for index, range_m in enumerate(message.ranges)
        if math.isfinite(range_m)
    ]
    assert len(hits_m) >= 3
    assert hits_m == pytest.approx([3.0] * len(hits_m), abs=0.01)
    assert message.header.frame_id == "robot_2/laser_link"


def test_white_floor_reads_as_near(fleet: RunningFleet) -> None:
    message = receive(fleet, Range, "/factory/robot_1/ground/left")[-1]
    assert (message.range, message.header.frame_id) == (-math.inf, "robot_1/ground_left_link")


def test_acceleration_of_a_level_robot_points_upwards(fleet: RunningFleet) -> None:
    message = receive(fleet, Imu, "/factory/robot_1/imu")[-1]
    assert message.linear_acceleration.z == pytest.approx(9.8, abs=0.5)
    assert message.orientation_covariance[0] == -1.0
    assert message.header.frame_id == "robot_1/base_link"


def test_the_temperature_has_a_stamp(fleet: RunningFleet) -> None:
    message = receive(fleet, Temperature, "/factory/robot_1/temperature")[-1]
    assert message.temperature == pytest.approx(22.0)
    assert is_of_now(message)


def test_battery_is_published(fleet: RunningFleet) -> None:
    message = receive(fleet, BatteryState, "/factory/robot_1/battery")[-1]
    assert (message.voltage, message.percentage) == pytest.approx((4.05, 1.0), abs=0.02)


def test_the_buttons_are_a_joystick(fleet: RunningFleet) -> None:
    assert list(receive(fleet, Joy, "/factory/robot_1/buttons")[-1].buttons) == [0] * 5


def test_odometry_follows_the_truth(fleet: RunningFleet) -> None:
    before = receive(fleet, Odometry, "/factory/robot_1/odom", 2)[-1]
    start = fleet.truths[1]
    drive(fleet, 1, 0.08, 1.0, lambda: abs(fleet.truths[1].heading_error_to(start)) > 1.5)
    fleet.let_pass(1.0)
    after = receive(fleet, Odometry, "/factory/robot_1/odom", 2)[-1]
    moved, truly = pose_of(after).relative_to(pose_of(before)), fleet.truths[1].relative_to(start)
    assert moved.distance_to(truly) < 0.02  # the simulated wheels differ by 2 %
    assert abs(moved.heading_error_to(truly)) < 0.15
    assert after.pose.covariance[35] > before.pose.covariance[35]
    assert (after.header.frame_id, after.child_frame_id) == ("robot_1/odom", "robot_1/base_link")


def pose_of(message: Odometry) -> Pose2D:
    pose = message.pose.pose
    return Pose2D(pose.position.x, pose.position.y, heading_from_ros(pose.orientation))


def test_odometry_has_one_stamp_for_each_event(fleet: RunningFleet) -> None:
    messages = receive(fleet, Odometry, "/factory/robot_1/odom", 10)
    stamps = [time_from_ros(message.header.stamp) for message in messages]
    assert stamps == sorted(set(stamps))


def test_joint_states_agree_with_odometry(fleet: RunningFleet) -> None:
    message = receive(fleet, JointState, "/factory/robot_1/joint_states")[-1]
    assert message.name == ["robot_1/left_wheel_joint", "robot_1/right_wheel_joint"]
    assert len(message.position) == len(message.velocity) == 2


def test_tf_messages_contain_all_robots_at_their_true_poses(fleet: RunningFleet) -> None:
    messages = receive(fleet, TFMessage, "/tf", 20)
    transforms = {
        (transform.header.frame_id, transform.child_frame_id): transform
        for message in messages
        for transform in message.transforms
    }
    chain = [("map", "robot_2/odom"), ("robot_2/odom", "robot_2/base_link")]
    poses = [transform_of(transforms[link]) for link in chain]
    assert set(transforms) == {*chain, ("map", "robot_1/odom"), ("robot_1/odom", "robot_1/base_link")}
    assert poses[0].compose(poses[1]).distance_to(fleet.truths[2]) < 0.02
    assert max(len(message.transforms) for message in messages) == 4


def transform_of(message: Any) -> Pose2D:
    transform = message.transform
    return Pose2D(transform.translation.x, transform.translation.y, heading_from_ros(transform.rotation))


def test_robot_is_driven_by_cmd_vel_and_stops_without_it(fleet: RunningFleet) -> None:
    start = fleet.truths[1]
    states: set[str] = set()

    def has_turned() -> bool:
        states.add(fleet.client.value(1, "state"))
        return "teleop" in states and abs(fleet.truths[1].heading_error_to(start)) > 1.0

    drive(fleet, 1, 0.0, 1.0, has_turned)
    fleet.let_pass(1.2)
    stood = fleet.truths[1]
    fleet.let_pass(0.3)
    assert abs(fleet.truths[1].heading_error_to(stood)) < 1e-6


def test_robot_with_a_task_refuses_cmd_vel_with_a_reason(fleet: RunningFleet) -> None:
    goal = fleet.client.go_to(1, Pose2D(1.0, 1.3, 0.0))
    fleet.wait_for(lambda: goal.state is GoalState.EXECUTING, "the task to start")
    refused = f"robot_1: cmd_vel refused: BUSY: it performs task '{goal.task_id}'"
    drive(fleet, 1, -0.1, 0.0, lambda: refused in fleet.logs())
    fleet.wait_for(lambda: goal.state.is_final, "the task to end", 40.0)
    assert goal.state is GoalState.SUCCEEDED
    assert fleet.truths[1].distance_to(Pose2D(1.0, 1.3, 0.0)) < 0.03


def test_clients_can_wait_until_a_robot_is_ready(fleet: RunningFleet) -> None:
    client = fleet.client.node.create_client(EmptyService, "/factory/robot_1/is_ready")
    fleet.wait_for(client.service_is_ready, "is_ready")
    future = client.call_async(EmptyService.Request())
    fleet.wait_for(future.done, "the answer of is_ready")
    fleet.client.node.destroy_client(client)


def storm() -> list[tuple[str, list[Any]]]:
    """Return invalid messages of every kind, for every topic."""
    return [
        ("cmd_vel", [Twist(linear=Vector3(x=value)) for value in BAD]),
        ("cmd_vel", [Twist(angular=Vector3(z=value)) for value in (*BAD, 1e308)]),
        ("led", [Led(id=group, values=[value] * 8) for value in BAD for group in (0, 1, 200)]),
        ("led", [Led(id=0, values=[]), Led(id=0, values=[0.5] * 1000)]),
        ("led/body/top", [ColorRGBA(r=value, g=value, b=value, a=value) for value in BAD]),
        ("led/body/bottom_left", [ColorRGBA(r=value) for value in BAD]),
        ("led/body/bottom_right", [ColorRGBA(b=value) for value in BAD]),
        ("led/gesture", [LedGesture(gesture=1, period=value, length=1) for value in BAD]),
        ("led/gesture", [LedGesture(gesture=255), LedGesture(gesture=1, leds=9, period=1.0)]),
        ("led/gesture", [LedGesture(gesture=1, period=1.0, length=65535, mirror=255, mask=[True] * 100)]),
        ("led/gesture/circle", [Float32(data=value) for value in BAD]),
        ("led/gesture/blink", [Float32(data=value) for value in BAD]),
        ("led/gesture/kit", [Float32(data=value) for value in BAD]),
        ("sound/play", [Sound(frequency=value, duration=Duration(sec=1)) for value in BAD]),
        ("sound/play", [Sound(frequency=440.0, duration=Duration(sec=sec)) for sec in (-(2**31), 0, 2**31 - 1)]),
        ("sound/play/system", [SystemSound(sound=sound) for sound in (-128, -2, 8, 127)]),
        ("sound_threshold", [Float32(data=value) for value in (*BAD, -1.0, 2.0)]),
        ("comm/tx", [Int16(data=value) for value in (-32768, -1, 2048, 32767)]),
    ]


def test_no_message_kills_the_driver(fleet: RunningFleet) -> None:
    stood = fleet.truths[1]
    publish(fleet, 1, [(topic, message) for topic, messages in storm() for message in messages])
    assert fleet.truths[1].distance_to(stood) < 0.005
    goal = fleet.client.go_home(1)
    fleet.wait_for(lambda: goal.state.is_final, "a task after the storm", 40.0)
    assert goal.state is GoalState.SUCCEEDED
    logs = fleet.logs()
    assert "robot_1: cmd_vel refused: " in logs  # only for the last one of a tick
    assert "robot_1: led refused: circle LEDs[0]: nan is not in 0 to 1" in logs
    assert "robot_1: sound_threshold refused: sound threshold: nan is not in 0 to 1" in logs
    assert "robot_1: sound/play refused: sound: frequency_hz: nan is not in 1 to 32767" in logs
    assert "Traceback" not in logs


def test_valid_commands_are_accepted_without_log_lines(fleet: RunningFleet) -> None:
    before = fleet.logs()
    publish(
        fleet,
        2,
        [
            ("led", Led(id=Led.CIRCLE, values=[1.0] * 8)),
            ("led/body/top", ColorRGBA(r=1.0)),
            ("led/gesture/kit", Float32(data=1.0)),
            ("led/off", Empty()),
            ("sound/play", Sound(frequency=440.0, duration=Duration(nanosec=100_000_000))),
            ("sound_threshold", Float32(data=0.5)),
            ("comm/enable", Bool(data=True)),
            ("comm/tx", Int16(data=5)),
            ("alarm", Bool(data=True)),
            ("alarm", Bool(data=False)),
        ],
    )
    logged = fleet.logs().removeprefix(before)
    assert "robot_2" not in logged
