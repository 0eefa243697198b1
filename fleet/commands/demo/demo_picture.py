"""The pictures of a demonstration: the floor with the paths of all robots, and a chart of their jobs over time."""

import time
from collections.abc import Mapping
from pathlib import Path

from rclpy.qos import DurabilityPolicy, QoSProfile
from visualization_msgs.msg import MarkerArray

from fleet.client.fleet_client import FleetClient
from fleet.client.robot_report import RobotReport
from fleet.geometry import Pose2D
from fleet.interface.floor_markers import ground_from_ros
from fleet.view.scene import RobotDescription, Scene

_MARKERS_TOPIC = "/simulator/markers"


class DemoPicture:
    """Collects the true paths of robots while they perform jobs, and their reports.

    Parameters
    ----------
    client : owns the subscription to walls and objects
    homes : homes of all robots
    stations : stations by their names
    """

    def __init__(self, client: FleetClient, homes: Mapping[int, Pose2D], stations: Mapping[str, Pose2D]) -> None:
        self._robot_ids = list(homes)
        self._stations = stations
        self._begin_s = time.monotonic()
        self._reports: list[tuple[float, RobotReport]] = []
        self._scene = Scene(track_points=None)
        self._scene.stations.update(stations)
        for robot_id, home in homes.items():
            self._scene.describe(str(robot_id), RobotDescription(str(robot_id), home=home))
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        client.node.create_subscription(MarkerArray, _MARKERS_TOPIC, self._on_markers, latched)

    def note(self, pose: Pose2D, report: RobotReport) -> None:
        """Note a robot's pose, and its report there."""
        name = str(report.robot_id)
        self._scene.update_robot(name, pose)
        if report.is_waiting:
            self._scene.robots[name].wait()
        self._reports.append((time.monotonic() - self._begin_s, report))

    def save_paths(self, file: Path) -> None:
        """Draw the paths so far into a file: SVG, PNG or PDF, by its extension.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        from fleet.view.drawing import save_picture  # noqa: PLC0415  matplotlib costs the start 0.4 s

        save_picture(self._scene, file)

    def save_gantt(self, file: Path) -> None:
        """Draw the robots' jobs over time into a file, as `save_paths` does."""
        from thymio_base.drawing.gantt import Gantt  # noqa: PLC0415  as above

        stations_m = {name: (pose.x_m, pose.y_m) for name, pose in self._stations.items()}
        chart = Gantt(self._robot_ids, stations_m)
        for time_s, report in self._reports:
            words, tone = report.occupation, report.tone
            chart.note(time_s, report.robot_id, words, tone, is_waiting=report.is_waiting)
        chart.save(file)

    def _on_markers(self, message: MarkerArray) -> None:
        self._scene.ground = ground_from_ros(message)
