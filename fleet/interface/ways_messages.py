"""Converts what drivers share about their robots to messages and back: pure functions."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from std_msgs.msg import Header
from thymio_fleet_interfaces.msg import KnownWays as KnownWaysMessage
from thymio_fleet_interfaces.msg import SharedWay as SharedWayMessage
from thymio_fleet_interfaces.msg import SharedWays as SharedWaysMessage

from fleet.errors import WaysError
from fleet.geometry import Pose2D
from fleet.hosts.claims import DriverId
from fleet.timetable.knots import Knot
from fleet.timetable.shared_ways import KnownWays, SharedWay, SharedWays
from thymio_base.ros.stamps import time_from_ros, time_to_ros

# more of anything would delay the fleet, or is a mistake
WAYS_MAX = 500
KNOTS_MAX = 3000  # of one way
NAME_MAX = 256  # characters
DURATION_MAX_S = 600.0
COORDINATE_MAX_M = 1000.0
SPEED_MAX_MPS = 0.5
RADIUS_MAX_M = 0.5
STOP_MAX_S = 2.0
_ROUNDING_M = 1e-3  # coordinates are sent with seven digits


def ways_to_ros(shared: SharedWays, frame: str, before: SharedWaysMessage | None = None) -> SharedWaysMessage:
    """Return the ways of a driver's robots as a message; unchanged ways are taken from `before`."""
    made = {} if before is None else {(way.robot_id, way.version): way for way in before.ways}
    return SharedWaysMessage(
        header=Header(stamp=time_to_ros(shared.stamp_ns), frame_id=frame),
        host=shared.driver.host,
        node=shared.driver.node,
        token=shared.driver.token,
        number=shared.number,
        radius_m=shared.radius_m,
        speed_mps=shared.speed_mps,
        stop_s=shared.stop_s,
        is_leaving=shared.is_leaving,
        ways=[_way_to_ros(way, made.get((way.robot_id, way.version))) for way in shared.ways],
    )


def ways_from_ros(message: SharedWaysMessage, before: SharedWays | None = None) -> SharedWays:
    """Return a message as the ways of a driver's robots; unchanged ways are taken from `before`.

    Raises
    ------
    WaysError
        A value is not finite or out of range, or there are too many.
    """
    driver = DriverId(message.host, message.node, message.token)
    _check_driver(driver)
    _check(0.0 < message.radius_m <= RADIUS_MAX_M, f"radius_m is {message.radius_m:g}")
    _check(0.0 <= message.speed_mps <= SPEED_MAX_MPS, f"speed_mps is {message.speed_mps:g}")
    _check(0.0 <= message.stop_s <= STOP_MAX_S, f"stop_s is {message.stop_s:g}")
    _check(len(message.ways) <= WAYS_MAX, f"{len(message.ways)} ways, at most {WAYS_MAX} are read")
    known: Mapping[int, SharedWay] = {}
    if before is not None and before.driver == driver:
        known = {way.robot_id: way for way in before.ways}
    return SharedWays(
        driver,
        message.number,
        time_from_ros(message.header.stamp),
        message.radius_m,
        message.speed_mps,
        message.stop_s,
        tuple(_way_from_ros(way, known.get(way.robot_id)) for way in message.ways),
        message.is_leaving,
    )


def known_to_ros(known: KnownWays) -> KnownWaysMessage:
    """Return which ways a driver knows as a message."""
    return KnownWaysMessage(
        header=Header(stamp=time_to_ros(known.stamp_ns)),
        host=known.driver.host,
        node=known.driver.node,
        token=known.driver.token,
        tokens=list(known.numbers),
        numbers=list(known.numbers.values()),
    )


def known_from_ros(message: KnownWaysMessage) -> KnownWays:
    """Return a message as the ways that a driver knows.

    Raises
    ------
    WaysError
        A name is missing or too long.
    """
    driver = DriverId(message.host, message.node, message.token)
    _check_driver(driver)
    numbers = dict(zip(message.tokens, message.numbers, strict=False))
    return KnownWays(driver, time_from_ros(message.header.stamp), numbers)


def _way_to_ros(way: SharedWay, before: SharedWayMessage | None) -> SharedWayMessage:
    if before is not None:
        before.start, before.asked = time_to_ros(way.start_ns), time_to_ros(way.asked_ns)
        return before
    return SharedWayMessage(
        robot_id=way.robot_id,
        version=way.version,
        start=time_to_ros(way.start_ns),
        time_s=[knot.time_s for knot in way.knots],
        x_m=[knot.pose.x_m for knot in way.knots],
        y_m=[knot.pose.y_m for knot in way.knots],
        heading_rad=[knot.pose.heading_rad for knot in way.knots],
        asked=time_to_ros(way.asked_ns),
        is_roaming=way.is_roaming,
        is_lost=way.is_lost,
        is_asking=way.is_asking,
    )


def _way_from_ros(message: SharedWayMessage, before: SharedWay | None) -> SharedWay:
    start_ns, asked_ns = time_from_ros(message.start), time_from_ros(message.asked)
    if before is not None and before.version == message.version:
        return replace(before, start_ns=start_ns, asked_ns=asked_ns)
    return SharedWay(
        message.robot_id,
        message.version,
        start_ns,
        tuple(_knots_from_ros(message)),
        asked_ns,
        message.is_roaming,
        message.is_lost,
        message.is_asking,
    )


def _knots_from_ros(message: SharedWayMessage) -> Iterator[Knot]:
    robot = f"robot {message.robot_id}"
    columns = (message.time_s, message.x_m, message.y_m, message.heading_rad)
    counts = {len(column) for column in columns}
    _check(len(counts) == 1, f"{robot}: its arrays have {', '.join(str(len(column)) for column in columns)} numbers")
    _check(1 <= max(counts) <= KNOTS_MAX, f"{robot} has {max(counts)} poses, 1 to {KNOTS_MAX} are read")
    _check(all(map(math.isfinite, _joined(columns))), f"{robot}: a number is not finite")
    far_m = max(map(abs, (*message.x_m, *message.y_m)))
    _check(far_m <= COORDINATE_MAX_M, f"{robot}: a pose is {far_m:g} m away")
    _check_times(robot, message)
    for time_s, x_m, y_m, heading_rad in zip(*columns, strict=True):
        yield Knot(time_s, Pose2D(x_m, y_m, heading_rad))


def _check_times(robot: str, message: SharedWayMessage) -> None:
    """Check that a robot's times ascend, and that the robot is not too fast."""
    first_s, last_s = message.time_s[0], message.time_s[-1]
    _check(first_s >= 0.0 and last_s <= DURATION_MAX_S, f"{robot}: its times are {first_s:g} to {last_s:g} s")
    poses = zip(message.time_s, message.x_m, message.y_m, strict=True)
    for (start_s, x1_m, y1_m), (end_s, x2_m, y2_m) in pairwise(poses):
        length_m = math.hypot(x2_m - x1_m, y2_m - y1_m)
        is_slow = length_m <= SPEED_MAX_MPS * (end_s - start_s) + _ROUNDING_M
        _check(start_s <= end_s and is_slow, f"{robot} drives {length_m:g} m between {start_s:g} s and {end_s:g} s")


def _check_driver(driver: DriverId) -> None:
    _check(bool(driver.token), "the token is empty")
    names = (driver.host, driver.node, driver.token)
    _check(max(map(len, names)) <= NAME_MAX, f"a name has more than {NAME_MAX} characters")


def _check(is_right: bool, problem: str) -> None:
    if not is_right:
        raise WaysError(problem)


def _joined(columns: Iterable[Iterable[float]]) -> Iterator[float]:
    for column in columns:
        yield from column
