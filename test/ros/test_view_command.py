"""The command `thymio-fleet view` beside a running fleet."""

import subprocess
import sys
from pathlib import Path

from PIL import Image

from running_fleet import RunningFleet

COMMAND = [sys.executable, "-m", "fleet.cli", "view"]


def view(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=60.0, check=False)


def test_picture_is_printed(shared_fleet: RunningFleet) -> None:
    done = view("--once")
    assert done.returncode == 0, done.stderr
    assert "2 robots" in done.stdout
    assert "⣇" in done.stdout  # the lower left corner of the wall


def test_poses_of_the_driver_are_shown(shared_fleet: RunningFleet) -> None:
    done = view("--once", "--poses", "fleet")
    assert done.returncode == 0, done.stderr
    assert "2 robots" in done.stdout


def test_picture_is_written(shared_fleet: RunningFleet, tmp_path: Path) -> None:
    done = view("--png", str(tmp_path / "now.png"), "--after", "0.2")
    assert done.returncode == 0, done.stderr
    with Image.open(tmp_path / "now.png") as picture:
        assert picture.size[0] > 500


def test_file_that_cannot_be_written_is_told(shared_fleet: RunningFleet, tmp_path: Path) -> None:
    done = view("--svg", str(tmp_path / "nowhere" / "now.svg"))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("nowhere/now.svg: No such file or directory")


def test_file_of_another_kind_is_told(tmp_path: Path) -> None:
    done = view("--png", "now.jpeg")
    assert done.returncode == 2
    assert "now.jpeg does not end with .png" in done.stderr
