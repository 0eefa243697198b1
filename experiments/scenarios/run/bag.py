"""Writes a run as an MCAP file of ROS 2 messages for Foxglove and rosbag2; needs no ROS.

Topics are those of the simulator and of the driver: /simulator/thymio_<node id>/truth, /factory/robot_<id>/pose and
/factory/robot_<id>/status. Messages are little-endian CDR. Time starts at 0, and the content does not depend on time,
place or library version.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mcap.writer import CompressionType, Writer

from experiments.scenarios.run.recorder import Recording
from fleet.robots.robot_status import RobotStatus
from thymio_base.cdr import CdrWriter, pose_writer

_LIBRARY = "thymio_fleet"
_SEPARATOR = "=" * 80
_HEADER = f"""{_SEPARATOR}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{_SEPARATOR}
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
_POSE_STAMPED = f"""std_msgs/Header header
geometry_msgs/Pose pose
{_HEADER}{_SEPARATOR}
MSG: geometry_msgs/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation
{_SEPARATOR}
MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
{_SEPARATOR}
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
"""
_DIAGNOSTIC_STATUS = f"""byte level
string name
string message
string hardware_id
diagnostic_msgs/KeyValue[] values
{_SEPARATOR}
MSG: diagnostic_msgs/KeyValue
string key
string value
"""


@dataclass(frozen=True, slots=True)
class _Entry:
    time_ns: int
    topic: str
    data: bytes


def write_bag(file: Path, recording: Recording, frame: str) -> None:
    """Write a run's poses and statuses."""
    with file.open("wb") as stream:
        writer = Writer(stream, compression=CompressionType.NONE)
        writer.start(profile="ros2", library=_LIBRARY)
        pose = writer.register_schema("geometry_msgs/msg/PoseStamped", "ros2msg", _POSE_STAMPED.encode())
        status = writer.register_schema("diagnostic_msgs/msg/DiagnosticStatus", "ros2msg", _DIAGNOSTIC_STATUS.encode())
        channels = {
            topic: writer.register_channel(topic, "cdr", schema)
            for schema, topics in ((pose, _pose_topics(recording)), (status, _status_topics(recording)))
            for topic in topics
        }
        for entry in sorted(_entries(recording, frame), key=lambda entry: entry.time_ns):
            writer.add_message(channels[entry.topic], entry.time_ns, entry.data, entry.time_ns)
        writer.finish()  # type: ignore[no-untyped-call]  # mcap is annotated except here


def _pose_topics(recording: Recording) -> Iterator[str]:
    for robot_id, node_id in zip(recording.robot_ids, recording.node_ids, strict=True):
        yield _truth_topic(node_id)
        yield _estimate_topic(robot_id)


def _status_topics(recording: Recording) -> Iterator[str]:
    return map(_status_topic, recording.robot_ids)


def _truth_topic(node_id: int) -> str:
    return f"/simulator/thymio_{node_id}/truth"


def _estimate_topic(robot_id: int) -> str:
    return f"/factory/robot_{robot_id}/pose"


def _status_topic(robot_id: int) -> str:
    return f"/factory/robot_{robot_id}/status"


def _entries(recording: Recording, frame: str) -> Iterator[_Entry]:
    write_pose = pose_writer(frame)
    truths = [_truth_topic(node_id) for node_id in recording.node_ids]
    estimates = [_estimate_topic(robot_id) for robot_id in recording.robot_ids]
    for topics, poses in ((truths, recording.truth), (estimates, recording.estimates)):
        for time_s, row in zip(recording.times_s.tolist(), poses, strict=True):
            for topic, pose in zip(topics, row, strict=True):
                if not np.isnan(pose).any():
                    x_m, y_m, heading_rad = pose.tolist()
                    yield _Entry(_ns(time_s), topic, write_pose(x_m, y_m, heading_rad, _ns(time_s)))
    for status_record in recording.statuses:
        topic = _status_topic(status_record.status.robot_id)
        yield _Entry(_ns(status_record.time_s), topic, _status_message(status_record.status))


def _ns(time_s: float) -> int:
    return round(time_s * 1e9)


def _status_message(status: RobotStatus) -> bytes:
    message, name = CdrWriter(), f"robot_{status.robot_id}"
    message.add("B", status.level.value)
    for text in (name, status.message, name):
        message.add_text(text)
    values = status.values
    message.add("I", len(values))
    for key, value in values:
        message.add_text(key)
        message.add_text(value)
    return message.data
