"""The latest knowledge of each robot: its pose, its truth, its status."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fleet.client.robot_report import RobotReport, level_of
from fleet.dashboard.model.pose_frames import UNKNOWN_LEVEL, pose_row
from fleet.geometry import Pose2D
from thymio_base.palette import Tone


@dataclass(slots=True)
class PicturedRobot:
    """The latest knowledge of one robot.

    Parameters
    ----------
    pose, truth : its estimated and its true pose with their times of arrival; None before the first
    level : its latest status's level; None before the first status
    can : what its server offers
    order : a master control's order; None without one
    """

    robot_id: int
    pose: Pose2D | None = None
    pose_ns: int = 0
    truth: Pose2D | None = None
    truth_ns: int = 0
    level: int | None = None
    message: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    status_ns: int = 0
    host: str = ""
    driver_node: str = ""
    can: tuple[str, ...] = ()
    order: dict[str, Any] | None = None
    report: RobotReport = field(default_factory=lambda: RobotReport(0))
    _tone: Tone = Tone.IDLE  # from the report; kept because rows need tone and level twenty times a second
    _level: int = UNKNOWN_LEVEL

    def refresh(self, now_ns: int) -> RobotReport:
        """Update `report` with what is known now, and return it."""
        level = None if self.level is None else level_of(self.level)
        self.report = RobotReport(
            self.robot_id,
            level=level,
            message=self.message,
            values=self.values,
            pose=self.pose,
            age_s=None if level is None else (now_ns - self.status_ns) * 1e-9,
            host=self.host,
            driver_node=self.driver_node,
        )
        self._tone = self.report.tone
        self._level = UNKNOWN_LEVEL if level is None else level.value
        return self.report

    def row(self, pose: Pose2D, received_ns: int, now_ns: int) -> bytes:
        """Return the robot's row in a frame, at its estimated or its true pose."""
        return pose_row(self.robot_id, self._level, self._tone, pose, max(now_ns - received_ns, 0) * 1e-9)


class FleetPicture:
    """All robots ever seen, by ID, until they are dismissed."""

    def __init__(self) -> None:
        self.robots: dict[int, PicturedRobot] = {}
        self._by_node: dict[int, PicturedRobot] = {}  # by the node ids of the simulator
        self._has_moved = False

    @property
    def node_ids(self) -> Collection[int]:
        """The node ids of the simulated robots."""
        return self._by_node.keys()

    def robot(self, robot_id: int) -> PicturedRobot:
        """Return a robot; add it if it is new."""
        robot = self.robots.get(robot_id)
        if robot is None:
            robot = PicturedRobot(robot_id)
            self.robots = dict(sorted({**self.robots, robot_id: robot}.items()))
        return robot

    def on_poses(self, poses: Mapping[int, Pose2D], now_ns: int) -> None:
        """Note the poses of robots, by ID."""
        for robot_id, pose in poses.items():
            robot = self.robots.get(robot_id) or self.robot(robot_id)
            robot.pose, robot.pose_ns = pose, now_ns
            self._has_moved = True

    def on_truth(self, node_id: int, pose: Pose2D, now_ns: int) -> None:
        """Note the true pose of a simulated robot, by its node id."""
        robot = self._by_node.get(node_id)
        if robot is not None:
            robot.truth, robot.truth_ns = pose, now_ns
            self._has_moved = True

    def on_status(self, robot_id: int, level: int, message: str, values: Mapping[str, str], now_ns: int) -> None:
        """Note a robot's status."""
        robot = self.robot(robot_id)
        robot.level, robot.message, robot.values, robot.status_ns = level, message, values, now_ns
        node_id = robot.refresh(now_ns).node_id
        if node_id is not None:
            self._by_node[node_id] = robot

    def forget(self, robot_id: int) -> None:
        """Forget a robot."""
        self.robots.pop(robot_id, None)
        self._by_node = {node: robot for node, robot in self._by_node.items() if robot.robot_id != robot_id}

    def pop_movement(self) -> bool:
        """Return whether any pose was noted since the previous call."""
        has_moved, self._has_moved = self._has_moved, False
        return has_moved

    def pose_rows(self, now_ns: int) -> list[bytes]:
        """Return the rows of the estimates of all robots that have one."""
        return [one.row(one.pose, one.pose_ns, now_ns) for one in self.robots.values() if one.pose is not None]

    def truth_rows(self, now_ns: int) -> list[bytes]:
        """Return the rows of the truths of all robots that have one."""
        return [one.row(one.truth, one.truth_ns, now_ns) for one in self.robots.values() if one.truth is not None]

    def __iter__(self) -> Iterator[PicturedRobot]:
        return iter(self.robots.values())
