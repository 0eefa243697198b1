"""The fleet under an orchestrator: equal runs, whatever the machine does; and a node that breaks that is named."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import run

from experiments.orchestrated.run_comparison import RunRecord, first_difference, read_record
from experiments.orchestrated.runs import RunError, run_stack
from experiments.orchestrated.stack import Stack, write_stack
from harness.ros import delayed
from harness.ros import restless as restless_neighbour
from harness.ros.program import DEADLINE_S

ROOT = Path(__file__).parents[2]
SQUARES, WATCHER = (ROOT / f"examples/orchestrated/{name}.yaml" for name in ("squares", "watcher"))
SHORT_S = 8.0

CHEAT = """
import random, sys
from pathlib import Path
import rclpy
from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Float64
from fleet.ros.orchestrated.counted_node import CountedNode
from fleet.ros.orchestrated.declared_callbacks import read_declared
rclpy.init()
node = CountedNode("cheat", read_declared(Path(__file__).with_suffix(".json")))
said = node.create_publisher(Float64, "/cheat", 10)
node.create_subscription(
    PoseStamped, "/factory/robot_1/pose", lambda pose: said.publish(Float64(data=random.random())), 10
)
rclpy.spin(node)
"""


def record(stack: Stack, folder: Path, name: str = "run") -> RunRecord:
    with run_stack(stack, folder, name, is_busy=False).open(encoding="utf-8") as lines:
        return read_record(lines)


def delayed_by(stack: Stack, sleep_s: float) -> Stack:
    """Return a stack whose callbacks take longer, each by a random time."""
    commands = {
        name: (sys.executable, delayed.__file__, command[2], str(sleep_s), *command[3:])
        for name, command in stack.others.items()
    }
    return replace(stack, others=commands)


def test_runs_are_identical_also_beside_busy_processes() -> None:
    done = run("repeat", str(SQUARES), "--runs", "2", "--under-load", "--duration", "8", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    verdict = json.loads(done.stdout)
    assert (verdict["identical"], verdict["runs"]) == (True, 2)
    assert {"/aseba/to_robots", "/factory/robot_2/status", "/simulator/truth"} <= verdict["topics"].keys()
    assert verdict["messages"] > 750


def test_tasks_are_performed(tmp_path: Path) -> None:
    stack = write_stack(WATCHER, tmp_path)
    statuses = record(stack, tmp_path).messages["/factory/robot_2/status"]
    ended = {value["value"] for status in statuses for value in status["values"] if value["key"] == "last_task"}
    assert ended == {"", "after 1 m", "after 2 m"}


def test_delays_another_executor_and_a_restless_neighbour_change_nothing(tmp_path: Path) -> None:
    stack = write_stack(SQUARES, tmp_path, SHORT_S)
    slow = delayed_by(stack, 0.02)
    restless = (sys.executable, restless_neighbour.__file__, *stack.others)
    others = {**slow.others, "/multi_thymio_driver": _waiting(slow), "/restless": restless}
    plain, late = record(stack, tmp_path), record(replace(slow, others=others), tmp_path, "late")
    assert first_difference(plain, late) is None
    assert plain.digests() == late.digests()


def _waiting(stack: Stack) -> tuple[str, ...]:
    """Return the driver's command, with the other executor."""
    command = stack.others["/multi_thymio_driver"]
    place = command.index("--config")
    return (*command[:place], "--executor", "waiting", *command[place:])


def test_node_with_random_numbers_is_found(tmp_path: Path) -> None:
    file = tmp_path / "cheat.yaml"
    text = SQUARES.read_text().replace("duration_s: 60", f"duration_s: {SHORT_S}")
    file.write_text(text + "orchestrated: {nodes: {cheat: {run: cheat.py, config: cheat.json}}}\n")
    (tmp_path / "cheat.py").write_text(CHEAT)
    callback = {"name": "pose", "trigger": "/factory/robot_1/pose", "outputs": ["/cheat"]}
    (tmp_path / "cheat.json").write_text(json.dumps({"name": "cheat", "callbacks": [callback]}))
    done = run("repeat", str(file), "--runs", "2")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "/cheat, callback 'pose' made it, after 1 equal inputs" in done.stdout


def test_driver_that_dies_is_named_at_once(tmp_path: Path) -> None:
    stack = write_stack(SQUARES, tmp_path)
    killer = tmp_path / "killer.py"
    killer.write_text("import os, signal, time\ntime.sleep(1.5)\nos.kill(os.getpid(), signal.SIGKILL)\n")
    dying = replace(stack, others={**stack.others, "/multi_thymio_driver": (sys.executable, str(killer))})
    with pytest.raises(RunError, match="/multi_thymio_driver has ended with exit code -9"):
        run_stack(dying, tmp_path, "run", is_busy=False)


def test_simulator_names_the_node_that_owes_an_answer(tmp_path: Path) -> None:
    stack = write_stack(SQUARES, tmp_path, 1000.0)
    others = {name: subprocess.Popen(command) for name, command in stack.others.items()}
    log = tmp_path / "log"
    record_file = tmp_path / "record"
    with log.open("wb") as output:
        command = [*stack.simulator, "--record", str(record_file), "--patience", "6"]
        simulator = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        _wait_for(lambda: record_file.exists() and "/factory/robot_1/pose" in record_file.read_text())
        others["/multi_thymio_driver"].kill()
        _wait_for(lambda: "no answer for 4 s: /multi_thymio_driver, " in log.read_text())
        assert "waiting for 6 s" in log.read_text()
        assert simulator.wait(DEADLINE_S) == 1
        assert "no answer for 6 s: /multi_thymio_driver, " in log.read_text()
    finally:
        for process in (simulator, *others.values()):
            process.kill()
            process.wait()


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.05)


@pytest.mark.slow
def test_eight_robots_do_not_come_to_rest(tmp_path: Path) -> None:
    file = tmp_path / "eight.yaml"
    file.write_text(
        f"title: eight\nworld: {ROOT}/config/world.yaml\nfleet: {ROOT}/config/fleet.yaml\nduration_s: 10\n"
        "tasks: [{id: home, robot: 1, go_home: true}]\n"
    )
    found = record(write_stack(file, tmp_path), tmp_path)
    assert len(found.messages["/factory/robot_8/pose"]) > 80


def test_same_bytes_under_ros2_def(tmp_path: Path) -> None:
    pytest.importorskip("orchestrator.lib", reason="ros2_def is not installed: docs/orchestrator.md")
    plain = record(write_stack(SQUARES, tmp_path, SHORT_S), tmp_path).digests()
    peer = record(write_stack(SQUARES, tmp_path, SHORT_S, "ros2_def"), tmp_path, "peer").digests()
    assert plain == peer


def test_fleet_that_an_orchestrator_cannot_have_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "fleet.yaml"
    config.write_text("link: {switch_port: 33399}\nrobots: [{id: 1, node_id: 1, home: {x_m: 1, y_m: 1}}]\n")
    command = [sys.executable, "-m", "fleet.ros.driver_node", "--config", str(config), "--orchestrated"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert done.returncode == 2
    assert "link.switch_port: 33399 lets programs connect at any time: set it to 0" in done.stderr
