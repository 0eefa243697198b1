"""Two drivers on one host configured for the same robots, and tasks whose client leaves."""

import signal
from pathlib import Path

import pytest
from test_faults import send_far

from fleet.client.fleet_client import FleetClient
from fleet.commands.processes import Processes, driver_command
from fleet.geometry import Pose2D
from harness.ros.running_fleet import RunningFleet


def test_second_driver_leaves_robots_already_served_alone(fleet: RunningFleet, tmp_path: Path) -> None:
    goal = send_far(fleet)
    with (tmp_path / "second.log").open("wb") as log, Processes() as processes:
        processes.start("second", driver_command(fleet.config), log)
        fleet.wait_for(lambda: "robot 2 is already served" in fleet.logs(), "the second driver to report it")
        fleet.wait_for(lambda: goal.state.is_final, "the task to end", 30.0)
    assert goal.success, fleet.logs()
    second = (tmp_path / "second.log").read_text()
    assert "robot 1 is already served by host" in second
    assert "give each a name of its own, `hosts: {name: ...}`" in second
    assert "already served" not in (tmp_path / "driver.log").read_text()
    assert fleet.client.is_ready(2)


def test_waiting_driver_serves_the_robots_when_the_first_one_ends(fleet: RunningFleet, tmp_path: Path) -> None:
    with (tmp_path / "second.log").open("wb") as log, Processes() as processes:
        processes.start("second", driver_command(fleet.config), log)
        fleet.wait_for(lambda: "robot 2 is already served" in fleet.logs(), "the second driver to wait")
        first = fleet.client.driver(2)
        fleet.send_signal("driver", signal.SIGINT).wait()
        fleet.wait_for(lambda: fleet.client.driver(2) not in (None, first), "the second driver to serve")
        fleet.wait_for(lambda: fleet.client.is_ready(2), "the robot to be ready")
        goal = fleet.client.go_to(2, Pose2D(2.0, 1.3, 0.0))
        fleet.wait_for(lambda: goal.state.is_final, "a task to end", 30.0)
        assert goal.success


@pytest.mark.parametrize(
    ("settings", "result"), [("", "ABORTED:CLIENT_LOST"), ("tasks: {client_lost_s: 0}", "SUCCEEDED")]
)
def test_task_whose_client_has_left_ends_unless_allowed_to_continue(tmp_path: Path, settings: str, result: str) -> None:
    fleet = RunningFleet(tmp_path, settings)
    try:
        fleet.start_simulator()
        fleet.start_driver()
        fleet.wait_until_ready()
        client = FleetClient()
        goal = client.go_to(1, Pose2D(1.0, 1.6, 0.0))
        assert client.spin_until(lambda: goal.state.value == "executing", 10.0)
        client.close()
        fleet.wait_for(lambda: fleet.client.value(1, "last_result") == result, "the task to end", 30.0)
    finally:
        fleet.close()
