"""Measures how far robot 1 has driven, and sends robot 2 home after each metre: a node whose callbacks are counted."""

import math
from contextlib import suppress
from pathlib import Path

import rclpy
from geometry_msgs.msg import Point, PoseStamped
from rclpy.executors import ExternalShutdownException
from ricaip_interfaces.action import TaskGoHome
from std_msgs.msg import Float64

from fleet.ros.orchestrated.counted_node import CountedNode
from fleet.ros.orchestrated.declared_callbacks import read_declared
from fleet.ros.orchestrated.goal_sender import GoalSender
from fleet.tasks.task_kind import TaskKind


class Watcher(CountedNode):
    """Measures and decides in its callbacks alone, as watcher.json declares them."""

    def __init__(self) -> None:
        super().__init__("watcher", read_declared(Path(__file__).with_suffix(".json")))
        self.last: Point | None = None
        self.way_m, self.metres = 0.0, 0
        self.goals = GoalSender("watcher_clients", {(2, TaskKind.GO_HOME): TaskGoHome})
        self.ways = self.create_publisher(Float64, "/watcher/way_m", 10)
        self.create_subscription(PoseStamped, "/factory/robot_1/pose", self.on_pose, 10)
        self.create_timer(1.0, self.decide)

    def on_pose(self, message: PoseStamped) -> None:
        """Publish how far robot 1 has driven."""
        place = message.pose.position
        self.way_m += math.hypot(place.x - self.last.x, place.y - self.last.y) if self.last else 0.0
        self.last = place
        self.ways.publish(Float64(data=self.way_m))

    def decide(self) -> None:
        """Send robot 2 home after each metre."""
        if int(self.way_m) > self.metres:
            self.metres = int(self.way_m)
            self.goals.send(2, TaskKind.GO_HOME, TaskGoHome.Goal(task_id=f"after {self.metres} m"))


rclpy.init()
with suppress(ExternalShutdownException):
    rclpy.spin(Watcher())
