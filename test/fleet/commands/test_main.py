"""The command `thymio-fleet`: its subcommands, and what it imports for them."""

import argparse
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fleet.commands.main import main, read_options
from fleet.commands.registry import SUBCOMMANDS, Subcommand
from fleet.commands.tasks.goals import goal_of
from fleet.geometry import Pose2D
from thymio_base.shipped_files import shipped_file

HEAVY = ("rclpy", "rich", "matplotlib", "geometry_msgs")


@pytest.mark.parametrize("name", [subcommand.name for subcommand in SUBCOMMANDS])
def test_every_subcommand_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: thymio-fleet {name} ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["check", str(shipped_file("fleet.yaml")), "--world", str(shipped_file("world.yaml"))],
        ["experiment", "--help"],
        ["sim", "--help"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_that_need_no_ros_import_none(arguments: list[str], tmp_path: Path) -> None:
    for name in HEAVY:
        (tmp_path / f"{name}.py").write_text(f"raise ImportError('{name} is not needed')\n")
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    command = [sys.executable, "-m", "fleet.commands.main", *arguments]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_every_command_that_orders_something_is_in_the_audit_log() -> None:
    """A new command is named here, unless it changes what the fleet or the simulator does."""
    only_tell = {"status", "list", "places", "view", "check", "floor", "experiment", "repeat"}
    only_write_files = {"layouts", "lif", "node-config", "body-urdf", "twin"}
    start_programs = {"up", "sim", "demo", "discovery-server", "dashboard", "vda5050"}
    have_actions_of_both_kinds = {"jobs"}
    others = only_tell | only_write_files | start_programs | have_actions_of_both_kinds
    assert {one.name for one in SUBCOMMANDS if not one.orders} == others


def test_options_that_a_subcommand_does_not_know_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["up", "--further"])
    assert caught.value.code == 2
    assert "unknown argument '--further'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["goto", "1"], "there is no command 'goto', did you mean 'go-to'?\n"),
        (["xyzzy"], "there is no command 'xyzzy'; see thymio-fleet --help\n"),
        (["status", "--onse"], "unknown argument '--onse', did you mean '--once'?\n"),
        (["follow", "1", "--path", "star", "--sise=2"], "unknown argument '--sise=2', did you mean '--size'?\n"),
        (["go-to", "1", "abc", "2"], "argument x: must be a number in metres, got 'abc'\n"),
        (["cancel", "first"], "argument id: must be a robot's ID, a whole number from 1, got 'first'\n"),
        (["go-to", "1", "0.5"], "the following arguments are required: y\n"),
        (["go-to", "1", "1,1", "2"], "X,Y,THETA is one word, or X Y THETA are three\n"),
        (["go-to", "1", "1", "1", "90"], "argument theta: 90 rad? degrees are 90deg\n"),
        (["world", "psh", "1"], "argument ACTION: there is no 'psh', did you mean 'push'?\n"),
        (["follow", "1", "--path", "star", "--relative-to", "x"], "there is no 'x'; known: position, pose, map\n"),
        (["transport", "1", "2", "3,4"], "must be X,Y or X,Y,THETA, in metres and radians, got '2'\n"),
    ],
)
def test_wrong_usage_is_answered_with_what_is_right(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err.endswith(expected)


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        (["go-to", "1", "-0.5", "-.5", "-30deg"], {"x": (-0.5,), "y": -0.5, "theta": math.radians(-30)}),
        (["transport", "1", "-0.5,0.3", "-1,-2,-90deg"], {"from": Pose2D(-0.5, 0.3, 0.0)}),
    ],
)
def test_values_may_start_like_negative_numbers(arguments: list[str], values: dict[str, object]) -> None:
    options = vars(read_options(arguments))
    assert {name: options[name] for name in values} == values


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["1", "-2"], (1.0, -2.0, None)),
        (["1", "2", "0.5"], (1.0, 2.0, 0.5)),
        (["1,-2"], (1.0, -2.0, None)),
        (["-1,2,90deg"], (-1.0, 2.0, math.radians(90))),
    ],
)
def test_goal_is_given_in_one_word_or_several(words: list[str], expected: tuple[float, float, float | None]) -> None:
    assert goal_of(argparse.ArgumentParser(), read_options(["go-to", "1", *words])) == expected


def test_program_without_a_command_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2
    assert "  transport " in capsys.readouterr().err


def test_version_names_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    words = r"thymio-fleet \S+.*, (ROS \S+|no ROS), (compiled|interpreted) core, Python 3\.\d+\.\d+\n"
    assert re.fullmatch(words, capsys.readouterr().out)


def test_help_of_follow_names_the_default_size_of_each_shape(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["follow", "--help"])
    assert "default: straight 1, square 1, star 2.854, circle 0.6, eight 1" in " ".join(capsys.readouterr().out.split())


def test_interrupt_while_a_command_is_imported_ends_the_program_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "std_srvs").mkdir()
    (tmp_path / "std_srvs" / "__init__.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    command = [sys.executable, "-m", "fleet.commands.main", "stop"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_command_without_its_packages_says_what_is_missing_and_what_to_do() -> None:
    command = Subcommand("status", "absent_package.status", "show the fleet")
    with pytest.raises(SystemExit, match=r"thymio-fleet status needs absent_package: .*make setup"):
        command.add_options(argparse.ArgumentParser())


@pytest.mark.parametrize("name", ["stop", "list"])
def test_command_that_imports_ros_late_says_what_is_missing_too(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))  # without drivers
    monkeypatch.setitem(sys.modules, "rclpy", None)
    for module in ("graph_client", "fleet_client", "fleet_stop"):
        monkeypatch.delitem(sys.modules, f"fleet.client.{module}", raising=False)
    assert main([name]) == 1
    assert f"thymio-fleet {name} needs rclpy: " in capsys.readouterr().err
