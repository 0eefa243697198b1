import math
from dataclasses import replace

import pytest
from thymio_fleet_interfaces.msg import SharedWays as SharedWaysMessage

from fleet.errors import WaysError
from fleet.geometry import Pose2D
from fleet.hosts.claims import DriverId
from fleet.interface.ways_messages import (
    KNOTS_MAX,
    NAME_MAX,
    WAYS_MAX,
    known_from_ros,
    known_to_ros,
    ways_from_ros,
    ways_to_ros,
)
from fleet.timetable.knots import Knot, knots_of
from fleet.timetable.shared_ways import KnownWays, SharedWay, SharedWays
from harness.timed_ways import eastward, straight_way

BENCH = DriverId("bench", "/driver", "token")
WAY = SharedWay(12, 3, 1_500_000_000, knots_of(straight_way(eastward(0.2, 0.3), Pose2D(1.2, 0.9, 1.0))), 1_000_000_001)
PLACE = SharedWay(7, 4, 1_700_000_000, (Knot(0.0, eastward(1.0, 1.0)),), 0, True, True, True)
WAYS = SharedWays(BENCH, 9, 2_000_000_000, 0.08, 0.15, 0.2, (WAY, PLACE))


def message(**changes: object) -> SharedWaysMessage:
    found = ways_to_ros(WAYS, "map")
    for name, value in changes.items():
        setattr(found, name, value)
    return found


def with_way(**changes: object) -> SharedWaysMessage:
    found = message()
    for name, value in changes.items():
        setattr(found.ways[0], name, value)
    return found


def test_ways_arrive_as_they_were_sent_but_for_rounding() -> None:
    received = ways_from_ros(message())
    assert replace(received, ways=()) == replace(WAYS, ways=())
    for way, sent in zip(received.ways, WAYS.ways, strict=True):
        assert replace(way, knots=()) == replace(sent, knots=())
        for knot, before in zip(way.knots, sent.knots, strict=True):
            assert knot.time_s == pytest.approx(before.time_s, abs=1e-5)
            assert knot.pose.distance_to(before.pose) < 1e-6
            assert knot.pose.heading_rad == pytest.approx(before.pose.heading_rad, abs=1e-6)


def test_way_that_has_not_changed_is_not_read_again() -> None:
    before = ways_from_ros(message())
    assert ways_from_ros(with_way(x_m=[math.nan]), before).ways[0].knots is before.ways[0].knots


def test_way_that_has_not_changed_is_not_written_again() -> None:
    before = message()
    unchanged = before.ways[0]
    turned = replace(PLACE, version=5, is_lost=False)
    later = replace(WAYS, ways=(replace(WAY, start_ns=1_500_000_007, asked_ns=8), turned))
    written = ways_to_ros(later, "map", before)
    assert written == ways_to_ros(later, "map")
    assert written.ways[0] is unchanged


def test_frame_is_that_of_the_header() -> None:
    assert message().header.frame_id == "map"


def test_known_ways_arrive_as_they_were_sent() -> None:
    known = KnownWays(BENCH, 2_000_000_000, {"one": 4, "two": 2**40})
    assert known_from_ros(known_to_ros(known)) == known


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (message(token=""), "token is empty"),
        (message(host="x" * (NAME_MAX + 1)), f"more than {NAME_MAX} characters"),
        (message(radius_m=math.nan), "radius_m is nan"),
        (message(radius_m=-1.0), "radius_m is -1"),
        (message(speed_mps=math.inf), "speed_mps is inf"),
        (message(stop_s=1e9), "stop_s is 1e"),
        (message(ways=[message().ways[1]] * (WAYS_MAX + 1)), f"{WAYS_MAX + 1} ways"),
        (with_way(x_m=[1.0]), "robot 12: its arrays have"),
        (with_way(time_s=[], x_m=[], y_m=[], heading_rad=[]), "robot 12 has 0 poses"),
        (
            with_way(**dict.fromkeys(("time_s", "x_m", "y_m", "heading_rad"), [0.0] * (KNOTS_MAX + 1))),
            f"robot 12 has {KNOTS_MAX + 1} poses",
        ),
        (with_way(time_s=[0.0], x_m=[math.nan], y_m=[0.0], heading_rad=[0.0]), "not finite"),
        (with_way(time_s=[0.0], x_m=[0.0], y_m=[0.0], heading_rad=[math.inf]), "not finite"),
        (with_way(time_s=[0.0], x_m=[1e6], y_m=[0.0], heading_rad=[0.0]), "1e+06 m away"),
        (with_way(time_s=[-1.0], x_m=[0.0], y_m=[0.0], heading_rad=[0.0]), "times are -1 to -1 s"),
        (with_way(time_s=[0.0, 1e9], x_m=[0.0] * 2, y_m=[0.0] * 2, heading_rad=[0.0] * 2), "times are 0 to 1e+09 s"),
        (with_way(time_s=[2.0, 1.0], x_m=[0.0] * 2, y_m=[0.0] * 2, heading_rad=[0.0] * 2), "between 2 s and 1 s"),
        (with_way(time_s=[0.0, 1.0], x_m=[0.0, 9.0], y_m=[0.0] * 2, heading_rad=[0.0] * 2), "drives 9 m"),
        (with_way(time_s=[0.0, 1.0], x_m=[0.0] * 2, y_m=[-4.0, 4.0], heading_rad=[0.0] * 2), "drives 8 m"),
    ],
)
def test_message_that_cannot_be_true_is_refused_with_the_problem(bad: SharedWaysMessage, problem: str) -> None:
    with pytest.raises(WaysError, match=problem.replace("+", r"\+")):
        ways_from_ros(bad)
