"""The commands of docs/body.md work as they are written, and those that fail say why."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import run

from body.description.urdf_reader import read_urdf
from harness.pages import blocks
from harness.ros.coupled_body import BODIES, CoupledBody, coupled_body

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/body.md"


@pytest.fixture
def arm(tmp_path: Path) -> Iterator[CoupledBody]:
    with coupled_body(tmp_path, BODIES / "arm.urdf") as body:
        yield body


def body_commands() -> list[list[str]]:
    """Return the arguments of the page's commands `thymio-fleet body`."""
    lines = [line for block in blocks(PAGE) if block.language == "sh" for line in block.text.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("thymio-fleet body ")]


def test_commands_of_the_page_move_the_arm(arm: CoupledBody) -> None:
    printed = []
    for arguments in body_commands():
        done = run(*arguments)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}\n{arm.logs()}"
        printed += done.stdout.split("\n")[:-1]
    assert printed == ["JR0: REACHED", "VF0: REACHED"]
    assert "VF0" in run("body", "list").stdout
    assert "arm_j0/q " in run("body", "show").stdout


def test_commands_that_fail_say_why(arm: CoupledBody) -> None:
    for arguments, expected in (
        (("body", "delete", "VF9"), "there is no VF9; there are none"),
        (("body", "create", "VF", "no-name"), "name is 'no-name'; write letters, digits and _"),
    ):
        done = run(*arguments)
        assert done.returncode == 1, arm.logs()
        assert expected in done.stderr
    wrong = run("body", "go", "VF0", "1", "2")
    assert (wrong.returncode, wrong.stderr.strip()) == (
        2,
        "2 numbers are not a pose: write x y z, or x y z qx qy qz qw",
    )


def test_fleet_becomes_a_body_with_each_robot_on_the_map(tmp_path: Path) -> None:
    file = tmp_path / "fleet.urdf"
    done = run("body-urdf", "--config", str(ROOT / "config/fleet.yaml"), "--output", str(file))
    assert done.returncode == 0
    assert "set driver.accept.cmd_vel to true" in done.stderr
    tree = read_urdf(file.read_text())
    assert tree.root == "map"
    assert {"robot_1/nose_link", "robot_2/base_link"} <= set(tree.links)
    assert {one.topic for one in tree.joint("robot_1/base_joint").variables} == {
        "/factory/robot_1/pose",
        "/factory/robot_1/cmd_vel",
    }
