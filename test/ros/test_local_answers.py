"""`status --once` and `list` beside drivers of this host, which answer without ROS if they know the whole fleet."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import run
from diagnostic_msgs.msg import DiagnosticStatus

from fleet.client.local_question import ask_local_drivers
from fleet.commands.processes import Processes, driver_command
from fleet.hosts.known_fleet import KnownFleet, known_fleet_from_bytes
from fleet.hosts.local_drivers import FLEET_ENDING
from fleet.interface.quality import STATUS_QOS
from harness.ros.program import program
from harness.ros.running_fleet import RunningFleet

_WITHOUT_ROS = "import sys; sys.modules['rclpy'] = None; from fleet.commands.main import main; sys.exit(main())"
COMMANDS = pytest.mark.parametrize("arguments", [["status", "--once"], ["list"]], ids=lambda arguments: arguments[0])


def run_without_ros(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that cannot load rclpy."""
    command = [sys.executable, "-c", _WITHOUT_ROS, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60.0, check=False)


def rows(output: str) -> dict[str, list[str]]:
    """Return the words of a table's lines by robot; the line with the sum of robots has a colon."""
    lines = (line.split() for line in output.splitlines() if "robots:" not in line)
    return {words[0]: words[1:] for words in lines if words and words[0].isdigit()}


def is_listed(*robots: str) -> bool:
    """Whether the command lists these robots and no others; it is not started before the drivers know them."""
    known = {str(one) for answer in answers() for one in (*answer.serves, *answer.foreign_ids)}
    return known == set(robots) and set(rows(run_without_ros("list").stdout)) == set(robots)


def answers() -> list[KnownFleet]:
    """Return what the drivers of this host know, those that answer."""
    found = ask_local_drivers(int(os.environ["ROS_DOMAIN_ID"]), FLEET_ENDING, 1.0).answers
    return [known for known in map(known_fleet_from_bytes, found) if known is not None]


@contextmanager
def second_driver(fleet: RunningFleet, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a driver of robot 11 on host elsewhere, beside the fleet; both are found without ROS when it starts."""
    config = folder / "second.yaml"
    config.write_text("""
link: {targets: ['tcp:host=127.0.0.1;port=1']}
hosts: {name: elsewhere}
robots:
- {id: 11, node_id: 1, home: {x_m: 1.0, y_m: 1.0}}
""")
    with (folder / "second.log").open("wb") as log, Processes() as processes:
        second = processes.start("second", driver_command(config), log)
        fleet.wait_for(lambda: is_listed("1", "2", "11"), "all robots to be listed")
        try:
            yield second
        finally:
            second.send_signal(signal.SIGCONT)


@COMMANDS
def test_robots_of_two_drivers_are_shown_without_ros(
    shared_fleet: RunningFleet, tmp_path: Path, arguments: list[str]
) -> None:
    with second_driver(shared_fleet, tmp_path):
        result = run_without_ros(*arguments)
        assert (result.returncode, result.stderr) == (0, "")
        assert set(rows(result.stdout)) == {"1", "2", "11"}
        assert "elsewhere" in rows(run_without_ros("list").stdout)["11"]


def test_answer_of_a_driver_is_what_it_publishes(shared_fleet: RunningFleet) -> None:
    shared_fleet.wait_for(lambda: run_without_ros("list").returncode == 0, "the driver to know the fleet")
    for robot in answers()[0].robots:
        published = shared_fleet.client.report(robot.robot_id)
        assert published.pose is not None
        assert robot.pose is not None
        assert robot.pose.distance_to(published.pose) < 0.01
        assert (robot.message, robot.values.keys()) == (published.message, published.values.keys())
        assert robot.values["state"] == "idle"


@COMMANDS
def test_robots_of_a_server_that_announces_nothing_are_shown_too(
    shared_fleet: RunningFleet, arguments: list[str]
) -> None:
    with program("server") as server:
        publisher = server.node.create_publisher(DiagnosticStatus, "/factory/robot_42/status", STATUS_QOS)
        publisher.publish(DiagnosticStatus(message="idle"))
        shared_fleet.wait_for(lambda: [known.foreign_ids for known in answers()] == [(42,)], "the driver to see it")
        result = run(*arguments)
    assert (result.returncode, result.stderr) == (0, "")
    assert set(rows(result.stdout)) == {"1", "2", "42"}
    shared_fleet.wait_for(lambda: is_listed("1", "2"), "the server to be forgotten")


@COMMANDS
def test_suspended_driver_is_reported(shared_fleet: RunningFleet, tmp_path: Path, arguments: list[str]) -> None:
    with second_driver(shared_fleet, tmp_path) as second:
        second.send_signal(signal.SIGSTOP)
        result = run(*arguments)
        assert result.returncode == 1
        assert rows(result.stdout).keys() >= {"1", "2"}
        assert "a driver on this host does not answer: its robots are missing" in result.stderr
        second.send_signal(signal.SIGCONT)
        shared_fleet.wait_for(lambda: is_listed("1", "2", "11"), "the driver to answer again")


def test_robots_of_a_killed_driver_are_not_shown_as_served(shared_fleet: RunningFleet, tmp_path: Path) -> None:
    with second_driver(shared_fleet, tmp_path) as second:
        second.send_signal(signal.SIGKILL)
        second.wait()
        assert run_without_ros("list").returncode != 0  # until the other driver has forgotten it
        result = run("list")
        assert "OK" not in rows(result.stdout).get("11", [])
        assert rows(result.stdout).keys() >= {"1", "2"}
        shared_fleet.wait_for(lambda: is_listed("1", "2"), "the driver to be forgotten")
