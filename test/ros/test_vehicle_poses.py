"""Where a vehicle's poses come from: its driver's common topic, and its own topic where no driver publishes that."""

import time
from collections.abc import Callable, Iterator

import pytest
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from thymio_fleet_interfaces.msg import RobotPoses

from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_to_ros
from fleet.interface.names import POSES_TOPIC
from fleet.interface.quality import POSES_QOS
from fleet.vda5050.link.robot_observer import RobotObserver
from fleet.watch.driver_poses import DriverPoses
from fleet.watch.robot_watch import RobotWatch
from harness.ros.program import Program, program

DEADLINE_S = 60.0
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Observed:
    """A robot that publishes its status and its pose alone, and what its vehicle knows of it."""

    def __init__(self, program: Program, reader: Node) -> None:
        self._program, server = program, program.node
        self._statuses = server.create_publisher(DiagnosticStatus, "/factory/robot_1/status", LATCHED)
        self._alone = server.create_publisher(PoseStamped, "/factory/robot_1/pose", 1)
        self._together = server.create_publisher(RobotPoses, POSES_TOPIC, POSES_QOS)
        self._poses = DriverPoses(reader, "map")
        self._places: dict[int, Pose2D] = {}
        watch = RobotWatch(reader, "map")
        self._observer = RobotObserver(1, watch, self._places, lambda _: False)
        self.together_m: float | None = None  # x of the pose on the common topic
        self.frame = "map"

    @property
    def x_m(self) -> float | None:
        pose = self._observer.observe(is_run_over=True).pose
        return None if pose is None else pose.x_m

    @property
    def reads_own_topic(self) -> bool:
        return bool(self._alone.get_subscription_count() > 0)

    def until(self, condition: Callable[[], bool], what: str) -> None:
        end_s = time.monotonic() + DEADLINE_S
        while not condition():
            if time.monotonic() > end_s:
                pytest.fail(f"waited in vain for {what}")
            self._statuses.publish(DiagnosticStatus(values=[KeyValue(key="state", value="idle")]))
            self._alone.publish(pose_to_ros(Pose2D(1.0, 2.0, 0.0), 0, "map"))
            if self.together_m is not None:
                message = RobotPoses(robots=[1], stamps_ns=[0], xs_m=[self.together_m], ys_m=[2.0], headings_rad=[0.0])
                message.header.frame_id = self.frame
                self._together.publish(message)
            self._program.spin_once()
            for poses in self._poses.take(time.monotonic_ns()):
                self._places.update(poses)


@pytest.fixture
def observed() -> Iterator[Observed]:
    with program("its_server") as server, program("its_vehicle") as vehicle:
        yield Observed(server, vehicle.node)


def test_own_topic_is_read_while_no_driver_publishes_poses_together(observed: Observed) -> None:
    observed.until(lambda: observed.x_m == 1.0, "the pose on the robot's own topic")
    observed.together_m = 3.0
    observed.until(lambda: observed.x_m == 3.0 and not observed.reads_own_topic, "the pose on the common topic")
    observed.together_m = None
    observed.until(lambda: observed.x_m == 1.0, "the pose on the robot's own topic again")


def test_poses_together_in_another_frame_are_left_aside(observed: Observed) -> None:
    observed.together_m, observed.frame = 3.0, "elsewhere"
    observed.until(lambda: observed.x_m == 1.0, "the pose on the robot's own topic")
