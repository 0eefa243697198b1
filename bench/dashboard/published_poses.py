"""Publication times of robots' poses, to compare with their arrival in browsers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from thymio_fleet_interfaces.msg import RobotPoses

from fleet.dashboard.model.pose_frames import HEADER, ROW, UNKNOWN_LEVEL, pose_frame, pose_row
from fleet.geometry import Pose2D
from fleet.interface.names import POSES_TOPIC
from fleet.interface.quality import POSES_READER_QOS
from thymio_base.palette import Tone

PoseKey = tuple[int, int, int, int]  # robot ID, x, y and heading as frames have them


def keys_of(frame: bytes) -> Iterator[PoseKey]:
    """Yield the keys of the estimates in a frame."""
    end = HEADER.size + ROW.size * HEADER.unpack_from(frame)[2]
    for robot_id, _, _, x, y, heading, _ in ROW.iter_unpack(frame[HEADER.size : end]):
        yield robot_id, x, y, heading


@contextmanager
def published_poses() -> Iterator[dict[PoseKey, float]]:
    """Yield the first publication time of each pose, in Unix time [s], as a dict that a thread keeps filling."""
    found: dict[PoseKey, float] = {}
    context = Context()
    rclpy.init(context=context)
    node = rclpy.create_node("published_poses", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)

    def note(message: RobotPoses, info: dict[str, Any]) -> None:
        columns = zip(message.robots, message.xs_m, message.ys_m, message.headings_rad, strict=True)
        for key in keys_of(_frame_of(columns)):
            found.setdefault(key, 1e-9 * info["source_timestamp"])

    node.create_subscription(RobotPoses, POSES_TOPIC, note, POSES_READER_QOS)
    thread = Thread(target=_spin, args=(executor,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        context.try_shutdown()
        thread.join()


def _frame_of(poses: Iterable[tuple[int, float, float, float]]) -> bytes:
    rows = [pose_row(robot_id, UNKNOWN_LEVEL, Tone.IDLE, Pose2D(*pose), 0.0) for robot_id, *pose in poses]
    return pose_frame(0, 0.0, rows)


def _spin(executor: SingleThreadedExecutor) -> None:
    try:
        executor.spin()
    except ExternalShutdownException:
        return
