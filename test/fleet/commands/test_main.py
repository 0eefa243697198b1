"""The command `thymio-fleet`: its subcommands, and what it imports for them."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fleet.commands.main import main
from fleet.commands.registry import SUBCOMMANDS, Subcommand
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
        ["report", "tracking", "--help"],
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


def test_options_that_a_subcommand_does_not_know_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["up", "--further"])
    assert caught.value.code == 2
    assert "unrecognized arguments: --further" in capsys.readouterr().err


def test_command_without_its_packages_says_what_is_missing_and_what_to_do() -> None:
    command = Subcommand("status", "show the fleet", "absent_package.status:add_status")
    with pytest.raises(SystemExit, match=r"thymio-fleet status needs absent_package: .*make setup"):
        command.add_options(argparse.ArgumentParser())
