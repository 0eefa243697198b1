"""Whatever words an odometry event has: the robot has a status, and no event moves it faster than wheels roll."""

import contextlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aseba_link.errors import MessageError
from aseba_link.link.aseba_link import AsebaLink
from fleet.service.fleet_service import FleetService
from harness.fleets import read

FLEET = """
driver: {publish: {odom: true}}
robots:
- {id: 1, node_id: 1, home: {x_m: 0.0, y_m: 0.0}}
"""
NOTHING: Any = None  # a link without targets neither dials nor uploads
MS = 1_000_000
FASTEST_MPS = 4 * 500 * 0.000332
extremes = st.sampled_from([0, 1, -1, 5, 500, 32767, -32768, 65535])
words = st.lists(extremes | st.integers(-32768, 32767), min_size=5, max_size=5)
events = st.lists(words | st.lists(extremes, max_size=8), max_size=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events)
def test_any_odometry_leaves_a_status_and_a_possible_pose(tmp_path: Path, received: list[list[int]]) -> None:
    robot = FleetService(read(tmp_path, FLEET), AsebaLink((), NOTHING, NOTHING)).robot(1)
    robot.telemetry.on_ready(0)
    places = [(0.0, 0.0)]
    for index, event in enumerate(received):
        now_ns = (index + 1) * 50 * MS
        with contextlib.suppress(MessageError):
            robot.telemetry.on_odometry(event, now_ns)
        robot.telemetry.forecast(now_ns)
        assert dict(robot.status(now_ns).values)["localization"] == "odometry"
        estimate = robot.telemetry.estimate
        assert estimate is not None
        places.append((estimate.pose.x_m, estimate.pose.y_m))
    for one, other in pairwise(places):  # an event may stand for up to 65536 motor periods of 10 ms
        assert abs(one[0] - other[0]) + abs(one[1] - other[1]) < 2.0 * FASTEST_MPS * 656.0


def test_event_that_no_wheel_can_cause_is_dropped_and_later_events_count(tmp_path: Path) -> None:
    robot = FleetService(read(tmp_path, FLEET), AsebaLink((), NOTHING, NOTHING)).robot(1)
    robot.telemetry.on_ready(0)
    robot.telemetry.on_odometry((0, 0, 0, 0, 0), 50 * MS)
    with pytest.raises(MessageError, match="odometry of 65536 and 0 motor units in 5 motor periods"):
        robot.telemetry.on_odometry((5, 0, 1, 0, 0), 100 * MS)
    with pytest.raises(MessageError, match="odometry of -64536 and 1000"):
        robot.telemetry.on_odometry((10, 1000, 0, 1000, 0), 150 * MS)
    robot.telemetry.on_odometry((15, 2000, 0, 2000, 0), 200 * MS)
    estimate = robot.telemetry.estimate
    assert estimate is not None
    assert estimate.pose.x_m == pytest.approx(1000 * 0.000332 * 0.01)
