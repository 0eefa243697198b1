"""`thymio-fleet world` and `script` without a simulator, and without a driver."""

from pathlib import Path

import pytest
from command_line import run

from harness.ros.running_fleet import RunningFleet

NO_SIMULATOR = "(ROS_DOMAIN_ID); `thymio-fleet up` or `thymio-fleet sim` starts one\n"


@pytest.mark.parametrize("arguments", [["pause"], ["press", "1", "center"], ["list"]], ids=" ".join)
def test_missing_simulator_is_reported(arguments: list[str]) -> None:
    result = run("world", *arguments)
    assert result.returncode == 1
    assert result.stderr.startswith("no simulator runs in the ROS domain ")
    assert result.stderr.endswith(NO_SIMULATOR)


def test_script_without_any_robot_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.aesl").write_text("<network/>", encoding="utf-8")
    result = run("script", "load", str(tmp_path / "a.aesl"), "node:1")
    assert result.returncode == 1
    assert result.stderr.endswith("; is a fleet running? `thymio-fleet up` starts a simulated one\n")


def test_robots_are_named_by_their_nodes_without_a_driver(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    try:
        fleet.start_simulator()
        fleet.wait_for(lambda: len(fleet.truths) == 2, "the simulator")
        done, refused = run("world", "press", "node:1", "center"), run("world", "press", "1", "center")
    finally:
        fleet.close()
    assert done.stdout == "node 1: button center is pressed for 0.5 s of simulated time\n"
    assert (refused.returncode, refused.stderr) == (
        1,
        "no driver runs that knows robot 1; name it by its node id, such as node:1\n",
    )
