"""The command `thymio-fleet view` beside a running fleet."""

import subprocess
import sys
from pathlib import Path

from PIL import Image

from harness.ros.running_fleet import RunningFleet

COMMAND = [sys.executable, "-m", "fleet.commands.main", "view"]


def view(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=180.0, check=False)


def test_picture_is_printed(shared_fleet: RunningFleet) -> None:
    done = view("--once")
    assert done.returncode == 0, done.stderr
    assert "2 robots: 2 idle" in done.stdout
    assert "n1" not in done.stdout  # the driver's ids are known
    assert "⣇" in done.stdout  # the lower left corner of the wall


def test_picture_shows_the_drivers_poses(shared_fleet: RunningFleet) -> None:
    done = view("--once", "--poses", "fleet")
    assert done.returncode == 0, done.stderr
    assert "2 robots" in done.stdout


def test_picture_is_written(shared_fleet: RunningFleet, tmp_path: Path) -> None:
    done = view("--png", str(tmp_path / "now.png"), "--after", "0.2")
    assert done.returncode == 0, done.stderr
    with Image.open(tmp_path / "now.png") as picture:
        assert picture.size[0] > 500


def test_pictures_of_both_kinds_are_written(shared_fleet: RunningFleet, tmp_path: Path) -> None:
    done = view("--png", str(tmp_path / "now.png"), "--svg", str(tmp_path / "now.svg"))
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["now.png", "now.svg"]


def test_unwritable_file_is_reported(shared_fleet: RunningFleet, tmp_path: Path) -> None:
    done = view("--svg", str(tmp_path / "nowhere" / "now.svg"))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("nowhere/now.svg: No such file or directory")


def test_unsupported_file_type_is_reported(tmp_path: Path) -> None:
    done = view("--png", "now.jpeg")
    assert done.returncode == 2
    assert "now.jpeg does not end with .png" in done.stderr
