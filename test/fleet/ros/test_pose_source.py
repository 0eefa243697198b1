"""Whatever keeps a measured pose from being used is in the status, with its values, and counted."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from geometry_msgs.msg import PoseStamped
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rclpy.serialization import serialize_message

from aseba_link.link.aseba_link import AsebaLink
from fleet.robots.robot_status import LinkState
from fleet.robots.status_level import Level
from fleet.ros.pose_source import PoseSource
from fleet.service.fleet_service import FleetService
from harness.fleets import read
from thymio_base.instant import Instant

SECOND = 1_000_000_000
FLEET = """
arena: {x_min_m: 0.0, y_min_m: 0.0, x_max_m: 4.2, y_max_m: 2.2}
robots:
- {id: 2, node_id: 2, home: {x_m: 1.6, y_m: 0.6}, pose_topic: /mocap/pose}
"""
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
NOTHING: Any = None  # a link without targets neither dials nor uploads


class Capture:
    """A pose source whose messages come from a test."""

    def __init__(self, folder: Path) -> None:
        self.service = FleetService(read(folder, FLEET), AsebaLink((), NOTHING, NOTHING))
        self.logged: list[str] = []
        self.now_ns = 0
        self._deliver: Callable[[bytes], None] = lambda _: None
        node: Any = SimpleNamespace(create_subscription=self._subscribe)
        logger: Any = SimpleNamespace(warning=self.logged.append)
        self._source = PoseSource(self.service, self.service.config.robots[0], node, logger, is_served=True)

    def _subscribe(self, *arguments: Any, **_: Any) -> None:
        self._deliver = arguments[2]

    def receive(self, data: bytes) -> None:
        """Pass on one message, 33 ms after the one before."""
        self.now_ns += 33_000_000
        self._deliver(data)
        self._source.receive(Instant(self.now_ns, self.now_ns))

    def pose(
        self, x_m: float, y_m: float, turn: tuple[float, ...] = UPRIGHT, frame: str = "map", age_s: float = 0.0
    ) -> None:
        """Measure a pose."""
        message = PoseStamped()
        message.header.frame_id = frame
        stamp_ns = self.now_ns + 33_000_000 - round(age_s * SECOND)
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp_ns, SECOND)
        place, turned = message.pose.position, message.pose.orientation
        place.x, place.y = x_m, y_m
        turned.x, turned.y, turned.z, turned.w = turn
        self.receive(serialize_message(message))

    @property
    def values(self) -> dict[str, str]:
        return dict(self.service.status(2, self.now_ns).values)

    @property
    def message(self) -> str:
        return self.service.status(2, self.now_ns).message


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    made = Capture(tmp_path)
    made.now_ns = 100 * SECOND
    for _ in range(30):
        made.pose(1.6, 0.6)
    assert made.values["poses_rejected"] == "0"
    return made


FRAME = "in another frame (UNKNOWN_FRAME: frame"
NUMBER = "not finite (NON_FINITE_POSE:"
TURN = "wrongly oriented (BAD_QUATERNION: orientation"
FAR = "more than 1000 m outside of the arena,"
ODD: list[tuple[dict[str, Any], str]] = [
    ({"frame": "world"}, f"{FRAME} 'world' is not 'map', send poses in that)"),
    ({"frame": "/map"}, f"{FRAME} '/map' is not 'map', frames of tf2 have no leading slash)"),
    ({"x_m": math.nan}, f"{NUMBER} position (nan, 0.6, 0) is not finite, send numbers)"),
    ({"turn": (0.0, 0.0, math.inf, 1.0)}, f"{NUMBER} orientation (0, 0, inf, 1) is not finite, send numbers)"),
    ({"turn": (0.0, 0.0, 0.0, 0.0)}, f"{TURN} (0, 0, 0, 0) has length 0, not 1"),
    ({"turn": (0.0, 0.0, 0.0, 0.5)}, f"{TURN} (0, 0, 0, 0.5) has length 0.5, not 1"),
    ({"turn": (0.7071, 0.0, 0.0, 0.7071)}, f"{TURN} (0.7071, 0, 0, 0.7071) tilts by 90 degrees from z"),
    (
        {"x_m": 1600.0, "y_m": 600.0},
        f"too far away (TOO_FAR: (1600, 600) is {FAR} are these millimetres? check motion_capture.unit_m)",
    ),
    (
        {"x_m": 1e308},
        f"too far away (TOO_FAR: (1e+308, 0.6) is {FAR} check motion_capture.unit_m and origin)",
    ),
    ({"x_m": -1e160, "y_m": 1e308}, f"too far away (TOO_FAR: (-1e+160, 1e+308) is {FAR}"),
    ({"age_s": 40.0}, "too old"),
    ({"age_s": -5.0}, "stamped in the future"),
]


@pytest.mark.parametrize(("changes", "refusal"), ODD)
def test_status_says_why_poses_are_not_used_and_counts_them(
    capture: Capture, changes: dict[str, Any], refusal: str
) -> None:
    for _ in range(90):
        capture.pose(**{"x_m": 1.6, "y_m": 0.6, **changes})
    told = f"pose lost: nothing usable on /mocap/pose, the last pose was {refusal}"
    assert told in capture.message
    assert capture.values["localization"] == "lost"
    assert capture.values["poses_rejected"] == "90"
    assert "; " not in capture.message.removeprefix("no link to the robot: not seen yet; ")
    assert refusal in capture.logged[0]


@pytest.mark.parametrize(("age_s", "told"), [(40.0, "40.000 s old"), (-5.0, "5.000 s ahead; synchronize the clocks")])
def test_log_reports_the_offset_of_a_stamp(capture: Capture, age_s: float, told: str) -> None:
    capture.pose(1.6, 0.6, age_s=age_s)
    assert capture.logged[0].endswith(f"its stamp is {told}")


def test_frozen_poses_are_reported_and_counted(capture: Capture) -> None:
    for step in range(1, 91):
        capture.pose(1.6, 0.6, age_s=0.033 * step)
    assert "pose lost: nothing usable on /mocap/pose, the last pose was too old" in capture.message
    assert "stamped like the one before" in capture.logged[0]
    assert capture.values["poses_rejected"] == "90"


def test_message_that_is_not_a_pose_is_reported_and_counted(capture: Capture) -> None:
    capture.receive(b"\0\1\0\0short")
    assert capture.values["poses_rejected"] == "1"
    assert "unreadable (9 bytes are not a pose" in capture.logged[0]


def test_good_poses_are_used_again_after_refusals(capture: Capture) -> None:
    for frame in ("world", "map") * 10:
        capture.pose(1.6, 0.6, frame=frame)
    assert (capture.values["localization"], capture.values["poses_rejected"]) == ("tracked", "10")
    assert "the last pose" not in capture.message


@pytest.mark.parametrize(
    ("x_m", "y_m", "advice"),
    [
        (600.0, 200.0, "outside of the arena by 628 m: are these millimetres? check motion_capture.unit_m"),
        (4.5, 0.6, "outside of the arena by 0.3 m: check motion_capture.unit_m and origin"),
    ],
)
def test_pose_outside_of_the_arena_is_used_with_a_warning(tmp_path: Path, x_m: float, y_m: float, advice: str) -> None:
    capture = Capture(tmp_path)
    for _ in range(9):
        capture.pose(x_m, y_m)
    status = capture.service.status(2, capture.now_ns)
    assert status.localization.value == "tracked"
    assert (status.outside, replace(status, link=LinkState.CONNECTED).message) == (advice, advice)
    assert replace(status, link=LinkState.CONNECTED).level is Level.WARN


def test_pose_just_outside_of_the_arena_is_believed(tmp_path: Path) -> None:
    capture = Capture(tmp_path)
    capture.pose(4.25, 0.6)
    assert capture.service.status(2, capture.now_ns).outside == ""


def test_frame_of_any_length_leaves_the_status_short(capture: Capture) -> None:
    for _ in range(90):
        capture.pose(1.6, 0.6, frame="x" * 5000)
    assert len(capture.message) < 300


numbers = st.floats() | st.sampled_from([0.0, 1.0, 1e160, 1e308, -1e308, math.nan, math.inf])
messages = st.binary(max_size=80) | st.builds(
    lambda place, turn, frame: (place, turn, frame),
    st.tuples(numbers, numbers),
    st.sampled_from([UPRIGHT]) | st.tuples(numbers, numbers, numbers, numbers),
    st.sampled_from(["map", "", "/map"]) | st.text(max_size=9),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(messages, max_size=12))
def test_any_messages_leave_a_status(tmp_path: Path, received: list[Any]) -> None:
    capture = Capture(tmp_path)
    for one in received:
        if isinstance(one, bytes):
            capture.receive(one)
        else:
            (x_m, y_m), turn, frame = one
            capture.pose(x_m, y_m, turn, frame)
    assert capture.values["localization"] in ("unknown", "tracked")
