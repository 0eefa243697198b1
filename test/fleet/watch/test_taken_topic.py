"""Bytes of other programs, which may be no message."""

import pytest
from rclpy.serialization import serialize_message
from thymio_fleet_interfaces.msg import RobotTask

from fleet.watch.taken_topic import message_from_bytes

TASK = RobotTask(task_id="first", plan_x_m=[1.0, 2.0], clients=["a"])


def test_whole_message_is_read() -> None:
    assert message_from_bytes(serialize_message(TASK), RobotTask) == TASK


@pytest.mark.parametrize("size", [0, 1, 4, 12, 30, 60])
def test_malformed_bytes_read_as_none(size: int) -> None:
    assert message_from_bytes(serialize_message(TASK)[:size], RobotTask) is None
