"""`thymio-fleet world` and `thymio-fleet script` control the running simulator and its robots."""

import math
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import run
from diagnostic_msgs.msg import DiagnosticArray
from rosgraph_msgs.msg import Clock
from simulation_interfaces.msg import SimulationState
from simulation_interfaces.srv import GetEntities, GetEntityState, GetSimulationState

from harness.ros.running_bridge import SCRIPT
from harness.ros.running_fleet import RunningFleet, ready
from thymio_base.ros.stamps import time_from_ros

OBJECTS = "objects: [{name: crate, shape: box, x_m: 2.7, y_m: 1.7}]\n"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    """Robots 1 and 2, a crate, and a driver with a bridge."""
    folder = tmp_path_factory.mktemp("fleet")
    yield from ready(RunningFleet(folder, link_settings=", bridge: true", world_settings=OBJECTS))


@pytest.fixture
def paused(fleet: RunningFleet) -> Iterator[RunningFleet]:
    assert done("world", "pause") == "the simulation is paused"
    yield fleet
    assert done("world", "play") == "the simulation is playing"


def done(*arguments: str) -> str:
    """Run a command that must succeed; return what it prints."""
    result = run(*arguments)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.strip()


def refused(*arguments: str) -> str:
    """Run a command that must fail; return its error."""
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (1, "")
    return result.stderr.strip()


def state(fleet: RunningFleet) -> int:
    response = fleet.call(GetSimulationState, "get_simulation_state", GetSimulationState.Request())
    return int(response.state.state)


def position(fleet: RunningFleet, entity: str) -> tuple[float, float]:
    response = fleet.call(GetEntityState, "get_entity_state", GetEntityState.Request(entity=entity))
    return response.state.pose.position.x, response.state.pose.position.y


def names(fleet: RunningFleet) -> list[str]:
    return list(fleet.call(GetEntities, "get_entities", GetEntities.Request()).entities)


def robot_values(fleet: RunningFleet, node_id: int) -> dict[str, str]:
    """Return the simulator's state of a robot."""
    messages: list[DiagnosticArray] = []
    subscription = fleet.client.node.create_subscription(DiagnosticArray, "/simulator/robots", messages.append, 10)
    fleet.wait_for(lambda: bool(messages), "the states of robots")
    fleet.client.node.destroy_subscription(subscription)
    (status,) = (status for status in messages[-1].status if status.name == f"thymio_{node_id}")
    return {value.key: value.value for value in status.values}


def test_simulation_is_paused_and_played(fleet: RunningFleet) -> None:
    assert done("world", "pause") == "the simulation is paused"
    assert state(fleet) == SimulationState.STATE_PAUSED
    assert done("world", "pause") == "the simulation is already paused"
    assert done("world", "play") == "the simulation is playing"
    assert state(fleet) == SimulationState.STATE_PLAYING


def test_paused_simulation_is_stepped(paused: RunningFleet) -> None:
    clocks: list[int] = []
    subscription = paused.client.node.create_subscription(
        Clock, "/clock", lambda message: clocks.append(time_from_ros(message.clock)), 100
    )
    assert done("world", "step", "50") == "50 steps of 10 ms: 0.50 s of simulated time"
    paused.wait_for(lambda: len(clocks) >= 50, "the clock")
    paused.client.node.destroy_subscription(subscription)
    assert clocks[-1] - clocks[0] == 49 * 10_000_000


def test_playing_simulation_cannot_be_stepped(fleet: RunningFleet) -> None:
    assert refused("world", "step").endswith("while it is paused; `thymio-fleet world pause` pauses it")


def test_robots_and_objects_are_pushed_and_moved(paused: RunningFleet) -> None:
    before = position(paused, "thymio_2")
    assert done("world", "push", "2", "0.1", "0.05", "90deg").startswith("robot 2 was pushed to (")
    assert math.dist(before, position(paused, "thymio_2")) == pytest.approx(math.hypot(0.1, 0.05), abs=1e-6)
    assert done("world", "move", "node:2", "2.0", "1.0", "0") == "node 2 was moved to (2.000, 1.000), 0 degrees"
    assert position(paused, "thymio_2") == pytest.approx((2.0, 1.0))
    done("world", "push", "crate", "-0.2")
    assert position(paused, "crate") == pytest.approx((2.5, 1.7))


def test_world_is_listed(paused: RunningFleet) -> None:
    lines = done("world", "list").splitlines()
    assert lines[0] == "the simulation is paused"
    assert [line.split()[0] for line in lines[1:]] == ["node:1", "node:2", "crate"]


def test_place_outside_of_the_arena_is_refused(fleet: RunningFleet) -> None:
    assert refused("world", "move", "crate", "9", "1") == "(9, 1) is not inside the arena, 3 m by 2 m"


def test_unknown_entities_are_answered_with_the_existing_ones(fleet: RunningFleet) -> None:
    assert refused("world", "press", "9", "center") == "robot 9 is not served; robots 1 and 2 are"
    assert refused("world", "battery", "node:9", "1") == "node 9 is not in this world; nodes 1 and 2 are"
    assert refused("world", "remove", "duck") == "object 'duck' is not in this world; its objects are crate"


def test_button_is_pressed(fleet: RunningFleet) -> None:
    text = done("world", "press", "1", "left", "--for", "3600")
    assert text == "robot 1: button left is pressed for 3600 s of simulated time"
    assert robot_values(fleet, 1)["buttons"] == "left"
    done("world", "press", "1", "left", "--for", "0.01")


def test_battery_is_drained_and_charged(fleet: RunningFleet) -> None:
    assert done("world", "battery", "2", "15%") == "robot 2: its battery has 15 % of its charge"
    assert float(robot_values(fleet, 2)["charge"]) == pytest.approx(0.15, abs=0.01)
    done("world", "battery", "2", "1")


@pytest.mark.parametrize("options", [[], ["--unplug"]])
def test_robot_is_cut_off_and_joined_again(fleet: RunningFleet, options: list[str]) -> None:
    assert "`thymio-fleet world join 1` ends it" in done("world", "cut", "1", *options)
    fleet.wait_for(lambda: fleet.client.value(1, "link") == "lost", "the loss of the robot")
    assert done("world", "join", "1") == "robot 1 is connected"
    fleet.wait_for(lambda: fleet.client.is_ready(1), "the robot")


def test_robot_is_hidden_from_motion_capture_and_shown_again(fleet: RunningFleet) -> None:
    assert "`thymio-fleet world show 1` ends it" in done("world", "hide", "1")
    fleet.wait_for(lambda: not fleet.client.is_ready(1), "the loss of the pose")
    assert fleet.client.is_ready(2)
    assert done("world", "show", "1") == "robot 1 is seen by motion capture"
    fleet.wait_for(lambda: fleet.client.is_ready(1), "the robot")


def test_object_is_spawned_carried_and_removed(fleet: RunningFleet) -> None:
    assert done("world", "spawn", "cylinder", "0.5", "0.5", "--name", "drum", "--set", "radius_m=0.02") == (
        "drum was spawned at (0.500, 0.500), 0 degrees"
    )
    assert "robot 2 carries drum" in done("world", "carry", "2", "drum")
    assert math.dist(position(fleet, "drum"), position(fleet, "thymio_2")) < 0.01
    assert done("world", "put-down", "drum").startswith("drum was put down at (")
    assert refused("world", "put-down", "drum") == "no robot carries drum"
    assert done("world", "remove", "drum") == "drum was removed"
    assert "drum" not in names(fleet)


def test_robot_is_spawned_and_removed(fleet: RunningFleet) -> None:
    assert done("world", "spawn", "thymio", "0.5", "1.5", "90deg") == "node:3 was spawned at (0.500, 1.500), 90 degrees"
    assert "thymio_3" in names(fleet)
    assert done("world", "remove", "node:3") == "node 3 was removed"


def test_unknown_key_of_a_new_object_is_refused(fleet: RunningFleet) -> None:
    text = refused("world", "spawn", "box", "0.5", "0.5", "--set", "lenght_m=1")
    assert text == "--set: lenght_m: unknown key, did you mean 'length_m'?"


def test_speed_is_set(fleet: RunningFleet) -> None:
    assert done("world", "speed", "2") == "simulated time passes at 2 times real time"
    for factor in ("2000", "1e-320", "1_0"):
        assert (
            "argument FACTOR: must be a number from 0.001 to 1000, such as 2, or max"
            in run("world", "speed", factor).stderr
        )
    done("world", "speed", "1")


def test_state_is_reset(fleet: RunningFleet) -> None:
    done("world", "push", "crate", "-0.3")
    assert done("world", "reset", "--only", "state").startswith("reset: robots, objects, batteries")
    assert position(fleet, "crate") == pytest.approx((2.7, 1.7))


def test_complete_reset_removes_what_was_spawned(fleet: RunningFleet) -> None:
    done("world", "spawn", "box", "0.5", "0.5", "--name", "parcel")
    ready = ready_count(fleet)
    assert done("world", "reset").startswith("reset everything")
    assert names(fleet) == ["thymio_1", "thymio_2", "crate"]
    fleet.wait_for(lambda: ready_count(fleet) >= ready + 2, "the driver to connect again")  # statuses are older
    fleet.wait_for(lambda: all(map(fleet.client.is_ready, fleet.ROBOT_IDS)), "the robots")


def ready_count(fleet: RunningFleet) -> int:
    """Return how often the driver has found a robot that is ready."""
    found = re.findall(r"nodes? (.*) on \S+ (?:is|are) ready", fleet.logs())
    return sum(len(re.findall(r"\d+", nodes)) for nodes in found)


def write_script(folder: Path, text: str) -> str:
    (folder / "count.aesl").write_text(text, encoding="utf-8")
    return str(folder / "count.aesl")


def test_script_is_loaded_and_the_fleets_own_again(fleet: RunningFleet, tmp_path: Path) -> None:
    file = write_script(tmp_path, SCRIPT)
    assert done("script", "load", file, "1", "--constant", "STEP=2") == f"robot 1 runs {file}"
    fleet.wait_for(lambda: "loaded to it" in fleet.client.statuses[1].message, "the script in the robot's status")
    assert done("script", "default", "1") == "robot 1 runs the default script"
    fleet.wait_for(lambda: fleet.client.is_ready(1), "the robot")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (SCRIPT.replace("count += STEP", "count += STEPS"), "STEPS"),
        (SCRIPT.replace("</network>", ""), "{file}"),
    ],
)
def test_script_with_a_mistake_is_refused(fleet: RunningFleet, tmp_path: Path, text: str, problem: str) -> None:
    file = write_script(tmp_path, text)
    assert problem.format(file=file) in refused("script", "load", file, "1")
    assert fleet.client.is_ready(1)


def test_script_for_unknown_robots_is_refused(fleet: RunningFleet, tmp_path: Path) -> None:
    file = write_script(tmp_path, SCRIPT)
    assert refused("script", "load", file, "9") == "robot 9 is not served; robots 1 and 2 are"
    assert refused("script", "load", file, "node:9") == f"node 9 does not run {file}: there is no node 9"


def test_missing_script_is_wrong_usage(fleet: RunningFleet) -> None:
    result: subprocess.CompletedProcess[str] = run("script", "load", "/nowhere.aesl", "1")
    assert (result.returncode, result.stderr.strip()) == (2, "/nowhere.aesl: No such file or directory")
