"""The same driver, two Thymios of the Aseba playground: a third-party simulator, firmware and virtual machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fleet.client.fleet_client import FleetClient
from fleet.commands.processes import driver_command
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState, SentGoal
from harness.playground import Placed, running, running_playground
from thymio_base.ros.private_domain import reserve_free_port, reserve_private_domain

DEADLINE_S = 120.0

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module", autouse=True)
def private_domain() -> None:
    reserve_private_domain()


def write_config(folder: Path, ports: list[int]) -> Path:
    """Write a fleet whose robots are distinguished by their targets, and located by their wheels alone."""
    targets = [f"tcp:host=127.0.0.1;port={port}" for port in ports]
    robots = "\n".join(
        f"- {{id: {index + 1}, node_id: 1, target: '{target}', home: {{x_m: 0.5, y_m: {0.5 + 0.5 * index}}}}}"
        for index, target in enumerate(targets)
    )
    path = folder / "fleet.yaml"
    path.write_text(f"link: {{targets: {targets}}}\nrobots:\n{robots}\n")
    return path


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FleetClient]:
    """A client of a ready fleet in the playground."""
    ports = [reserve_free_port(), reserve_free_port()]
    robots = [Placed(port, y_cm=50.0 + 50.0 * index) for index, port in enumerate(ports)]
    driver = driver_command(write_config(tmp_path, ports))
    with running_playground(tmp_path, robots), running(driver, tmp_path / "driver.log"):
        fleet_client = FleetClient()
        try:
            fleet_client.watch(1)
            fleet_client.watch(2)
            ready = fleet_client.spin_until(
                lambda: all(fleet_client.value(robot_id, "link") == "connected" for robot_id in (1, 2)), DEADLINE_S
            )
            assert ready, (tmp_path / "driver.log").read_text()
            yield fleet_client
        finally:
            fleet_client.close()


def finish(client: FleetClient, goals: list[SentGoal]) -> list[tuple[GoalState, bool]]:
    client.spin_until(lambda: all(goal.state.is_final for goal in goals), DEADLINE_S)
    return [(goal.state, goal.success) for goal in goals]


def test_two_playground_robots_drive_to_goals_and_home(client: FleetClient) -> None:
    places = {1: Pose2D(0.9, 0.6, 1.57), 2: Pose2D(0.8, 1.1, -1.57)}
    there = finish(client, [client.go_to(robot_id, place) for robot_id, place in places.items()])
    client.spin(0.3)
    arrived = {robot_id: client.poses[robot_id] for robot_id in places}
    home = finish(client, [client.go_home(robot_id) for robot_id in places])
    client.spin(0.3)
    assert there == home == [(GoalState.SUCCEEDED, True)] * 2
    for robot_id, place in places.items():
        assert arrived[robot_id].distance_to(place) < 0.03
        assert abs(arrived[robot_id].heading_error_to(place)) < 0.1
        assert client.poses[robot_id].distance_to(Pose2D(0.5, 0.5 * robot_id, 0.0)) < 0.03
