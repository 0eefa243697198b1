"""The picture of a demonstration: the floor with the paths of all robots, and where they waited for others."""

from collections.abc import Mapping
from pathlib import Path

from rclpy.qos import DurabilityPolicy, QoSProfile
from visualization_msgs.msg import MarkerArray

from fleet.client.fleet_client import FleetClient
from fleet.geometry import Pose2D
from fleet.interface.floor_markers import ground_from_ros
from fleet.view.scene import RobotDescription, Scene

_MARKERS_TOPIC = "/simulator/markers"


class DemoPicture:
    """Collects the true paths of robots while they perform.

    Parameters
    ----------
    client : owns the subscription to walls and objects
    homes : of all robots
    stations : by their names
    """

    def __init__(self, client: FleetClient, homes: Mapping[int, Pose2D], stations: Mapping[str, Pose2D]) -> None:
        self._scene = Scene(track_points=None)
        self._scene.stations.update(stations)
        for robot_id, home in homes.items():
            self._scene.describe(str(robot_id), RobotDescription(str(robot_id), home=home))
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        client.node.create_subscription(MarkerArray, _MARKERS_TOPIC, self._on_markers, latched)

    def note(self, robot_id: int, pose: Pose2D, *, is_waiting: bool) -> None:
        """Note where a robot is, and whether it waits for others there."""
        self._scene.update_robot(str(robot_id), pose)
        if is_waiting:
            self._scene.robots[str(robot_id)].wait()

    def save(self, file: Path) -> None:
        """Draw the paths so far into a file: SVG, PNG or PDF, by its extension.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        from fleet.view.drawing import save_picture  # noqa: PLC0415  matplotlib costs the start 0.4 s

        save_picture(self._scene, file)

    def _on_markers(self, message: MarkerArray) -> None:
        self._scene.ground = ground_from_ros(message)
