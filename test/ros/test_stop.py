"""The commands that stop, resume and list the fleet, with servers that confirm, and with servers that do not."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
from command_line import run
from diagnostic_msgs.msg import DiagnosticStatus
from thymio_fleet_interfaces.msg import Driver

from fleet.commands.processes import Processes, driver_command
from fleet.interface.names import DRIVERS_TOPIC, action_name
from fleet.interface.quality import DRIVERS_QOS, STATUS_QOS
from fleet.tasks.task_kind import TaskKind
from harness.ros.program import Program, program
from harness.ros.running_fleet import RunningFleet


@pytest.fixture
def server() -> Iterator[Program]:
    with program("server") as running:
        yield running


def announce(server: Program, *robot_ids: int) -> None:
    """Announce a driver on host b that serves robots, and whose fleet is not stopped."""
    publisher = server.node.create_publisher(Driver, DRIVERS_TOPIC, DRIVERS_QOS)
    publisher.publish(Driver(host="b", node="/driver", token="b", serves=robot_ids, since_ns=[1] * len(robot_ids)))


def publish_status(server: Program, robot_id: int) -> None:
    """Publish the status of a robot, as any server of the interface does."""
    topic = f"/factory/robot_{robot_id}/status"
    server.node.create_publisher(DiagnosticStatus, topic, STATUS_QOS).publish(DiagnosticStatus(message="idle"))


def serve_cancel(server: Program, robot_id: int) -> list[str]:
    """Serve the cancel requests of the customer's actions; return the list of those that arrive."""
    canceled: list[str] = []
    for kind in (TaskKind.GO_TO, TaskKind.GO_HOME, TaskKind.TRANSPORT):

        def answer(_: Any, response: CancelGoal.Response, kind: TaskKind = kind) -> CancelGoal.Response:
            canceled.append(kind.value)
            response.goals_canceling = [GoalInfo()]
            return response

        server.node.create_service(CancelGoal, f"{action_name(robot_id, kind)}/_action/cancel_goal", answer)
    return canceled


def run_beside(server: Program, *arguments: str) -> tuple[int, str, str]:
    """Run the command while the server is spun; return its exit code, output and errors."""
    command = [sys.executable, "-m", "fleet.commands.main", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        server.spin_until(lambda: process.poll() is not None, "the command to end")
        output, errors = process.communicate()
    return process.returncode, output, errors


def listed_ids(output: str) -> list[str]:
    """Return the robots of a table, below the line with its headings."""
    lines = [line.split() for line in output.splitlines()]
    headings = next(index for index, words in enumerate(lines) if words[:1] == ["robot"])
    return [words[0] for words in lines[headings + 1 :]]


def test_stop_is_confirmed_by_every_driver(fleet: RunningFleet, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("""
link: {targets: ['tcp:host=127.0.0.1;port=1']}
hosts: {name: elsewhere}
robots:
- {id: 11, node_id: 1, home: {x_m: 1.0, y_m: 1.0}}
""")
    with (tmp_path / "second.log").open("wb") as log, Processes() as processes:
        processes.start("second", driver_command(other), log)
        fleet.wait_for(lambda: fleet.client.driver(11) is not None, "the second driver to serve its robot")
        stopped, resumed = run("stop"), run("resume")
    assert (stopped.returncode, stopped.stderr) == (0, "")
    assert "stopped robots 1 and 2: confirmed by host " in stopped.stdout
    assert "stopped robot 11: confirmed by host elsewhere (node /multi_thymio_driver)" in stopped.stdout
    assert resumed.stdout.count("resumed robot") == 2


def test_driver_that_does_not_confirm_a_stop_is_named(server: Program) -> None:
    announce(server, 5, 6, 7)
    result = run("stop")
    assert result.returncode == 1
    assert result.stderr == (
        "robots 5 to 7 of host b (node /driver) have not confirmed the stop; switch off those that still drive\n"
    )


def test_robot_whose_server_cannot_be_stopped_is_canceled(server: Program) -> None:
    publish_status(server, 9)
    canceled = serve_cancel(server, 9)
    code, output, _ = run_beside(server, "stop")
    assert (code, sorted(canceled)) == (0, ["task_go_home", "task_go_to", "task_transport"])
    assert output == "canceled the task of robot 9, whose server cannot be stopped: it accepts new tasks\n"


def test_stop_without_any_server_fails() -> None:
    result = run("stop")
    assert (result.returncode, result.stdout) == (1, "")
    assert "; is a fleet running? `thymio-fleet up` starts" in result.stderr


@pytest.mark.parametrize("arguments", [["status", "--once"], ["list"]], ids=lambda arguments: arguments[0])
def test_announced_robot_without_a_status_is_named(server: Program, arguments: list[str]) -> None:
    announce(server, 5, 6)
    publish_status(server, 5)
    result = run(*arguments)
    assert result.returncode == 1
    assert result.stderr == "no status of robot 6 within 5 s\n"
    assert listed_ids(result.stdout) == ["5", "6"]


@pytest.mark.parametrize("arguments", [["status", "--once"], ["list"]], ids=lambda arguments: arguments[0])
def test_robots_of_a_server_that_announces_nothing_are_shown(server: Program, arguments: list[str]) -> None:
    publish_status(server, 3)
    publish_status(server, 8)
    result = run(*arguments)
    assert (result.returncode, result.stderr) == (0, "")
    assert listed_ids(result.stdout) == ["3", "8"]
