"""The dashboard with a server of the interface that is not ours: it announces nothing, and publishes what it must."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import Pose, PoseArray, PoseStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from thymio_fleet_interfaces.msg import RobotPoses

from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_to_ros
from fleet.interface.names import POSES_TOPIC
from fleet.interface.quality import POSES_QOS
from harness.dashboard.running_dashboard import RunningDashboard, running_dashboard
from harness.ros.program import Program, program
from harness.ros.scripted_server import Script, ScriptedServer

VOLATILE = QoSProfile(depth=1, durability=DurabilityPolicy.VOLATILE)


class OtherServer:
    """Robot 1, served as the customer's own simulator does: three keys, volatile topics."""

    def __init__(self, running: Program, values: Mapping[str, str] | None = None) -> None:
        self._values = values or {}
        self.goals = ScriptedServer(running, Script(lists_goals=True))
        self._poses = running.node.create_publisher(PoseStamped, "/factory/robot_1/pose", VOLATILE)
        self._statuses = running.node.create_publisher(DiagnosticStatus, "/factory/robot_1/status", VOLATILE)

    @property
    def has_pose_reader(self) -> bool:
        """Whether anybody reads the topic of the robot's pose."""
        return self._poses.get_subscription_count() > 0

    def serve(self) -> None:
        """Publish, and answer requests."""
        goals = self.goals.goals.values()
        task = next((goal.task_id for goal in goals if goal.status == GoalStatus.STATUS_EXECUTING), "")
        values = {"battery": "ok", "busy": "yes" if task else "no", "assigned_task": task, **self._values}
        pairs = [KeyValue(key=key, value=value) for key, value in values.items()]
        self._poses.publish(pose_to_ros(Pose2D(1.0, 2.0, 0.5), 0, "map"))
        self._statuses.publish(DiagnosticStatus(hardware_id="robot_1", message="fine", values=pairs))
        self.goals.serve()


def test_robot_of_another_server_is_shown_sent_and_not_called_lost(tmp_path: Path) -> None:
    with program("other_server") as running, running_dashboard(tmp_path) as dashboard:
        server = OtherServer(running)

        def shown() -> bool:
            server.serve()
            robots = dashboard.section("robots")
            return "1" in robots and robots["1"]["word"] == "idle" and robots["1"]["can"] == ["go_home"]

        dashboard.wait_for(shown, "the robot of another server")
        assert dashboard.section("fleet")["drivers"] == []
        command_id = sent_home(dashboard, server)
        dashboard.wait_for(lambda: task_of(dashboard, server) is not None, "the task")
        assert task_of(dashboard, server)["is_known"] is False
        assert state_at_end(dashboard, server, command_id) == "succeeded"


def test_status_of_a_robot_confirms_a_goal_whose_answer_was_lost(tmp_path: Path) -> None:
    with program("other_server") as running, running_dashboard(tmp_path) as dashboard:
        server = OtherServer(running)
        server.goals.script.lost_goal_answers = 100

        def is_shown() -> bool:
            server.serve()
            return dashboard.section("robots").get("1", {}).get("can") == ["go_home"]

        dashboard.wait_for(is_shown, "the robot of another server")
        command_id = sent_home(dashboard, server)
        dashboard.wait_for(lambda: "result" in requests(server), "the request for its result")
        assert state_at_end(dashboard, server, command_id) == "succeeded"


def test_truth_of_a_simulator_that_names_no_robots_is_read_robot_by_robot(tmp_path: Path) -> None:
    with program("other_server") as running, running_dashboard(tmp_path) as dashboard:
        server = OtherServer(running, {"node": "7"})
        everybody = running.node.create_publisher(PoseArray, "/simulator/truth", 1)
        single = running.node.create_publisher(PoseStamped, "/simulator/thymio_7/truth", 1)

        def is_shown() -> bool:
            server.serve()
            everybody.publish(PoseArray(poses=[Pose(), Pose()]))
            single.publish(pose_to_ros(Pose2D(1.25, 2.5, 0.0), 0, "map"))
            return dashboard.truths() == {1: pytest.approx((1.25, 2.5))}

        dashboard.wait_for(is_shown, "the truth of robot 1")


def test_poses_that_a_driver_publishes_together_need_no_topic_for_each_robot(tmp_path: Path) -> None:
    with program("other_server") as running, running_dashboard(tmp_path) as dashboard:
        server = OtherServer(running)
        together = running.node.create_publisher(RobotPoses, POSES_TOPIC, POSES_QOS)
        numbers = {"xs_m": [1.25, math.nan], "ys_m": [2.5, 1.0], "headings_rad": [0.5, 0.5]}

        def is_shown() -> bool:
            server.serve()
            together.publish(RobotPoses(robots=[1], stamps_ns=[0], xs_m=[9.0]))  # lists of different lengths
            together.publish(RobotPoses(robots=[1, 2], stamps_ns=[0, 0], **numbers))
            return dashboard.poses() == {1: pytest.approx((1.25, 2.5))} and not server.has_pose_reader

        def is_shown_alone() -> bool:
            server.serve()
            return dashboard.poses() == {1: pytest.approx((1.0, 2.0))}

        dashboard.wait_for(is_shown, "the pose of the driver")
        running.node.destroy_publisher(together)
        dashboard.wait_for(is_shown_alone, "the pose of the robot, as the driver is silent")


def sent_home(dashboard: RunningDashboard, server: OtherServer) -> str:
    """Send robot 1 home; return the id of the command once it is executing."""
    command_id: str = dashboard.post("go_home", {"robots": [1]})["commands"][0]["id"]
    dashboard.wait_for(lambda: is_executing(dashboard, server, command_id), "the command to be executing")
    return command_id


def state_at_end(dashboard: RunningDashboard, server: OtherServer, command_id: str) -> Any:
    """Let the server end its goals; return the state of a command once it is over."""
    server.goals.end()
    dashboard.wait_for(lambda: is_over(dashboard, server, command_id), "the end")
    return dashboard.get(f"/api/commands/{command_id}")["state"]


def is_executing(dashboard: RunningDashboard, server: OtherServer, command_id: str) -> bool:
    server.serve()
    return bool(dashboard.get(f"/api/commands/{command_id}")["state"] == "executing")


def task_of(dashboard: RunningDashboard, server: OtherServer) -> Any:
    """Return the only task that is shown, None if there is none."""
    server.serve()
    return next(iter(dashboard.section("tasks").values()), None)


def is_over(dashboard: RunningDashboard, server: OtherServer, command_id: str) -> bool:
    server.serve()
    return dashboard.get(f"/api/commands/{command_id}")["ended_s"] is not None


def requests(server: OtherServer) -> list[str]:
    """Return the requests for goals that the server has received."""
    server.serve()
    return server.goals.requests
