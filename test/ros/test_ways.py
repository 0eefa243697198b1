"""What a driver tells other drivers about its robots, and what it believes of what it is told."""

import time
from collections.abc import Callable, Iterator

import pytest
from rclpy.serialization import serialize_message
from thymio_fleet_interfaces.msg import KnownWays as KnownWaysMessage
from thymio_fleet_interfaces.msg import SharedWays as SharedWaysMessage

from fleet.geometry import Pose2D
from fleet.hosts.claims import DriverId
from fleet.interface.names import KNOWN_WAYS_TOPIC, WAYS_TOPIC
from fleet.interface.quality import KNOWN_WAYS_QOS, WAYS_QOS, WAYS_READER_QOS
from fleet.interface.ways_messages import known_to_ros, ways_from_ros, ways_to_ros
from fleet.timetable.knots import Knot
from fleet.timetable.shared_ways import KnownWays, SharedWay, SharedWays
from harness.ros.program import Program, program
from harness.ros.running_fleet import RunningFleet

BENCH = DriverId("bench", "/driver", "token of bench")
GOAL = Pose2D(1.0, 1.6, 0.0)


class OtherDriver:
    """A driver with robot 12, which stands; it confirms what the driver under test tells."""

    def __init__(self, running: Program, fleet: RunningFleet) -> None:
        self._running = running
        self._fleet = fleet
        self._number = 0
        self.told: SharedWays | None = None  # by the driver under test
        node = running.node
        self._ways = node.create_publisher(SharedWaysMessage, WAYS_TOPIC, WAYS_QOS)
        self._known = node.create_publisher(KnownWaysMessage, KNOWN_WAYS_TOPIC, KNOWN_WAYS_QOS)
        node.create_subscription(SharedWaysMessage, WAYS_TOPIC, self._on_ways, WAYS_READER_QOS)

    def stand(self, place: Pose2D, frame: str = "map") -> None:
        """Tell where robot 12 stands."""
        self._ways.publish(ways_to_ros(self.shared(place), frame))

    def shared(self, place: Pose2D, *, is_leaving: bool = False) -> SharedWays:
        """Return what to tell."""
        self._number += 1
        way = SharedWay(12, self._number, time.time_ns(), (Knot(0.0, place),))
        return SharedWays(BENCH, self._number, time.time_ns(), 0.08, 0.15, 0.2, (way,), is_leaving=is_leaving)

    def publish(self, message: SharedWaysMessage) -> None:
        """Tell something, whatever it is."""
        self._ways.publish(serialize_message(message))

    def leave(self) -> None:
        """Leave the floor, and robot 12 at a place far from the others."""
        self._ways.publish(ways_to_ros(self.shared(Pose2D(0.2, 0.2, 0.0), is_leaving=True), "map"))

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        """Serve both programs until a condition holds."""

        def is_so() -> bool:
            self._running.spin_once()
            return condition()

        self._fleet.wait_for(is_so, what)

    def _on_ways(self, message: SharedWaysMessage) -> None:
        if message.host != BENCH.host:
            self.told = ways_from_ros(message)
            numbers = {self.told.driver.token: self.told.number}
            self._known.publish(known_to_ros(KnownWays(BENCH, time.time_ns(), numbers)))


@pytest.fixture
def other(shared_fleet: RunningFleet) -> Iterator[OtherDriver]:
    """Another driver, whose robot is taken to a corner at the end."""
    with program("other_driver") as running:
        driver = OtherDriver(running, shared_fleet)
        driver.wait_for(lambda: driver.told is not None, "the driver's ways")
        yield driver
        driver.leave()
        driver.wait_for(lambda: shared_fleet.client.value(1, "busy") == "no", "the robot to be idle")


def test_late_joiner_learns_the_places_of_all_robots(other: OtherDriver) -> None:
    assert other.told is not None
    places = {way.robot_id: way.knots[-1].pose for way in other.told.ways}
    assert sorted(places) == [1, 2]
    assert places[2].distance_to(Pose2D(2.0, 1.0, 0.0)) < 0.02


def test_way_of_a_task_is_published(shared_fleet: RunningFleet, other: OtherDriver) -> None:
    goal = shared_fleet.client.go_to(2, Pose2D(2.0, 1.3, 0.0))

    def leads_there() -> bool:
        ways = () if other.told is None else other.told.ways
        return any(len(way.knots) > 1 and way.knots[-1].pose.distance_to(Pose2D(2.0, 1.3, 0.0)) < 0.03 for way in ways)

    other.wait_for(leads_there, "the way")
    other.wait_for(lambda: goal.state.is_final, "the task to end")
    assert goal.success


def test_robot_of_another_host_at_the_goal_is_named_until_it_leaves(
    shared_fleet: RunningFleet, other: OtherDriver
) -> None:
    other.stand(GOAL)
    goal = shared_fleet.client.go_to(1, GOAL)
    other.wait_for(
        lambda: "robot 12 of host bench" in (shared_fleet.client.value(1, "blocked_by") or ""), "the robot to be named"
    )
    other.stand(Pose2D(0.2, 0.2, 0.0))
    other.wait_for(lambda: goal.state.is_final, "the task to end")
    assert goal.success


def test_impossible_values_are_refused_and_logged_once(shared_fleet: RunningFleet, other: OtherDriver) -> None:
    other.stand(Pose2D(0.2, 0.2, 0.0))
    bad = ways_to_ros(other.shared(GOAL), "map")
    bad.ways[0].x_m = [float("nan")]
    for _ in range(100):
        other.publish(bad)
    problem = "ways of host bench are not used: robot 12: a number is not finite"
    other.wait_for(lambda: problem in shared_fleet.logs(), "the problem to be logged")
    goal = shared_fleet.client.go_to(1, Pose2D(1.0, 1.3, 0.0))
    other.wait_for(lambda: goal.state.is_final, "the task to end")
    assert goal.success
    assert shared_fleet.logs().count(problem) <= 3  # each five seconds


def test_drivers_with_another_frame_have_another_floor(shared_fleet: RunningFleet, other: OtherDriver) -> None:
    other.stand(Pose2D(1.0, 1.5, 0.0), frame="attic")
    other.wait_for(lambda: "has the frame 'attic', not 'map'" in shared_fleet.logs(), "the frame to be logged")
    goal = shared_fleet.client.go_to(1, Pose2D(1.0, 1.5, 0.0))
    other.wait_for(lambda: goal.state.is_final, "the task to end")
    assert goal.success
