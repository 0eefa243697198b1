"""When a client knows the whole fleet, on a clock that the test moves: also while its process or a driver stands."""

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.publisher import Publisher
from thymio_fleet_interfaces.msg import Driver

from fleet.client.graph_client import GraphClient
from fleet.client.served_fleet import ServedFleet
from fleet.interface.names import DRIVERS_TOPIC
from fleet.interface.quality import DRIVERS_QOS, STATUS_QOS
from harness.ros.program import DEADLINE_S, Program, program

STEP_S = 0.05


class Search:
    """A client that searches, and the time that it sees [s]."""

    def __init__(self, client: GraphClient) -> None:
        self._client = client
        self.now_s = 0.0
        self.fleet = ServedFleet(client, lambda: self.now_s)

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Serve the client until a condition holds, while its clock stands; fail otherwise."""
        assert self._client.spin_until_found(condition, DEADLINE_S), f"in vain: {what}"

    def listen(self, duration_s: float) -> bool:
        """Check again and again; return whether the fleet is complete at last."""
        for _ in range(round(duration_s / STEP_S)):
            self.now_s += STEP_S
            self.fleet.is_complete()
        return self.fleet.is_complete()


@pytest.fixture
def search() -> Iterator[Search]:
    with closing(GraphClient()) as client:
        yield Search(client)


@pytest.fixture
def server() -> Iterator[Program]:
    with program("server") as running:
        yield running


def publish_status(server: Program, robot_id: int) -> None:
    topic = f"/factory/robot_{robot_id}/status"
    server.node.create_publisher(DiagnosticStatus, topic, STATUS_QOS).publish(DiagnosticStatus(message="idle"))


def silent_driver(server: Program) -> Publisher:
    return server.node.create_publisher(Driver, DRIVERS_TOPIC, DRIVERS_QOS)


def announce(driver: Publisher, *robot_ids: int) -> None:
    driver.publish(Driver(host="b", node="/driver", token="b", serves=robot_ids, since_ns=[1] * len(robot_ids)))


def test_driver_on_the_graph_is_awaited_for_longer_than_announcements_are_apart(
    search: Search, server: Program
) -> None:
    publish_status(server, 5)
    driver = silent_driver(server)
    search.until(lambda: search.fleet.foreign_ids() == [5] and search.fleet.has_unmet_driver(), "robot and driver")
    assert not search.listen(6.0)
    announce(driver, 5, 6)
    search.until(lambda: not search.fleet.has_unmet_driver(), "the announcement")
    assert search.listen(1.0)
    assert search.fleet.expected_ids() == [5, 6]


def test_driver_that_never_announces_itself_is_not_awaited_for_ever(search: Search, server: Program) -> None:
    publish_status(server, 5)
    silent_driver(server)
    search.until(lambda: search.fleet.foreign_ids() == [5] and search.fleet.has_unmet_driver(), "robot and driver")
    assert search.listen(21.0)
    assert search.fleet.has_unmet_driver()


def test_time_in_which_a_client_is_suspended_does_not_count_as_quiet(search: Search, server: Program) -> None:
    publish_status(server, 5)
    search.until(lambda: search.fleet.foreign_ids() == [5], "the robot")
    assert not search.fleet.is_complete()
    search.now_s += 30.0
    assert not search.fleet.is_complete()
    assert search.listen(1.0)


def test_robots_stay_known_when_their_drivers_last_announcement_is_old(search: Search, server: Program) -> None:
    announce(silent_driver(server), 5, 6)
    search.until(lambda: search.fleet.expected_ids() == [5, 6], "the announcement")
    search.now_s += 6.0
    assert (search.fleet.expected_ids(), search.fleet.met_ids()) == ([], [5, 6])
