"""Writes a run as an MCAP file of ROS 2 messages, which Foxglove and rosbag2 read; ROS is not needed.

Topics are those of the simulator and of the driver: /simulator/thymio_<node id>/truth, /factory/robot_<id>/pose and
/factory/robot_<id>/status. Messages are in CDR, little endian (OMG, DDS-XTYPES 1.3, section 7.4.3, as rmw has it). Time
begins at 0, and nothing depends on when, where or with which library version the file was made.
"""

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mcap.writer import CompressionType, Writer

from experiments.scenarios.recorder import Recording
from fleet.robots.robot_status import RobotStatus

_LIBRARY = "thymio_fleet"
_BEGINS = b"\x00\x01\x00\x00"  # plain CDR, little endian
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
    """A message on a topic, with its time."""

    time_ns: int
    topic: str
    data: bytes


class Cdr:
    """The bytes of one message; numbers are aligned to their size."""

    def __init__(self) -> None:
        self._data = bytearray()

    @property
    def data(self) -> bytes:
        """The message, preceded by its encoding."""
        return _BEGINS + bytes(self._data)

    def add(self, kind: str, *values: float) -> None:
        """Append numbers in a format of `struct`."""
        size = struct.calcsize(f"<{kind}")
        for value in values:
            self._data += bytes(-len(self._data) % size) + struct.pack(f"<{kind}", value)

    def add_text(self, text: str) -> None:
        """Append a text: its length, itself, and a zero."""
        encoded = text.encode() + b"\x00"
        self.add("I", len(encoded))
        self._data += encoded


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
    truths = [_truth_topic(node_id) for node_id in recording.node_ids]
    estimates = [_estimate_topic(robot_id) for robot_id in recording.robot_ids]
    for topics, poses in ((truths, recording.truth), (estimates, recording.estimates)):
        for time_s, row in zip(recording.times_s.tolist(), poses, strict=True):
            for topic, pose in zip(topics, row, strict=True):
                if not np.isnan(pose).any():
                    yield _Entry(_ns(time_s), topic, _pose_message(_ns(time_s), frame, pose.tolist()))
    for status_record in recording.statuses:
        topic = _status_topic(status_record.status.robot_id)
        yield _Entry(_ns(status_record.time_s), topic, _status_message(status_record.status))


def _ns(time_s: float) -> int:
    return round(time_s * 1e9)


def _pose_message(time_ns: int, frame: str, pose: Sequence[float]) -> bytes:
    x_m, y_m, heading_rad = pose
    half_rad = 0.5 * math.remainder(heading_rad, math.tau)
    message = Cdr()
    message.add("i", time_ns // 1_000_000_000)
    message.add("I", time_ns % 1_000_000_000)
    message.add_text(frame)
    message.add("d", x_m, y_m, 0.0, 0.0, 0.0, math.sin(half_rad), math.cos(half_rad))
    return message.data


def _status_message(status: RobotStatus) -> bytes:
    message, name = Cdr(), f"robot_{status.robot_id}"
    message.add("B", status.level.value)
    for text in (name, status.message, name):
        message.add_text(text)
    values = status.values
    message.add("I", len(values))
    for key, value in values:
        message.add_text(key)
        message.add_text(value)
    return message.data
