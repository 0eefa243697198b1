"""The launch files on a ROS installation, as a launch test: launch_test test/launch/fleet_simulation.py."""

import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import launch
import launch.actions
import launch_testing.actions
import launch_testing.asserts
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped

sys.path.insert(0, str(Path(__file__).parents[1]))  # launch_test leaves it to us
from thymio_base.ros.private_domain import reserve_free_port, reserve_private_domain

M = TypeVar("M")

DEADLINE_S = 60.0
ROOT = Path(__file__).parents[2]

reserve_private_domain()


@pytest.mark.launch_test
def generate_test_description() -> launch.LaunchDescription:
    folder = Path(tempfile.mkdtemp(prefix="thymio_fleet_"))
    files = on_a_free_port(folder, {"config": "fleet.yaml", "world": "world.yaml"})
    simulation = str(ROOT / "launch" / "fleet_simulation.launch.py")
    return launch.LaunchDescription(
        [
            launch.actions.IncludeLaunchDescription(simulation, launch_arguments=files.items()),
            launch_testing.actions.ReadyToTest(),
        ]
    )


def on_a_free_port(folder: Path, names: dict[str, str]) -> dict[str, str]:
    """Copy shipped files to a folder, with a free port; return the paths of the copies."""
    port = reserve_free_port()
    for name in names.values():
        text = (ROOT / "config" / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace("33333", str(port)), encoding="utf-8")
    return {argument: str(folder / name) for argument, name in names.items()}


class TestFleetSimulation(unittest.TestCase):
    def setUp(self) -> None:
        rclpy.init()
        self.node = rclpy.create_node("launch_test")

    def tearDown(self) -> None:
        self.node.destroy_node()
        rclpy.shutdown()

    def test_robot_1_has_a_pose_in_map(self) -> None:
        pose = self._first(PoseStamped, "/factory/robot_1/pose", lambda _: True)
        assert pose.header.frame_id == "map"

    def test_robot_1_reports_ok(self) -> None:
        status = self._first(
            DiagnosticStatus, "/factory/robot_1/status", lambda message: message.level == DiagnosticStatus.OK
        )
        assert status.hardware_id == "robot_1"

    def _first(self, kind: type[M], topic: str, matches: Callable[[M], bool]) -> M:
        """Return the first matching message; fail after the deadline."""
        received: list[M] = []
        subscription = self.node.create_subscription(kind, topic, received.append, 10)
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.1)
            for message in filter(matches, received):
                self.node.destroy_subscription(subscription)
                return message
        raise AssertionError(f"{len(received)} messages on {topic}, none of them matches")


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    def test_programs_exit_with_0(self, proc_info: launch_testing.ProcInfoHandler) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
