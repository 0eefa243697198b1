"""Type checkers judge the programs of users: signatures and results are those of the calls, in scripts, too."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.pages import ROOT

PROGRAM = """
import asyncio

from thymio_fleet import FinishedTask, Fleet, JobReport, Pose2D, SyncFleet, TaskError


async def main() -> None:
    async with Fleet(simulated=2) as fleet:
        done: FinishedTask = await fleet[1].go_to(0.9, 0.8)
        each: dict[int, FinishedTask] = await fleet.all.follow("eight", size_m=0.3)
        spots: dict[int, Pose2D] = await fleet.all.pose()
        homes = await asyncio.gather(*(fleet[one].go_home() for one in each))
        print(done, spots, homes[0].duration_s)
        async for pose in fleet[1].poses():
            print(pose.x_m)


def script() -> None:
    with SyncFleet() as fleet, fleet.timeout(10.0):
        try:
            done: FinishedTask = fleet[1].go_to("press", heading_rad=1.0)
        except TaskError as error:
            print(error.reason, error.detail)
        report: JobReport = fleet.submit("go_to", "press").done()
        moved: dict[int, FinishedTask] = fleet.all.each(lambda robot: robot.go_to((0.5 * robot.robot_id, 1.0)))
        print(done, report.state, moved)
        for pose in fleet[1].poses():
            print(pose.heading_rad)
"""
MISTAKES = """
from thymio_fleet import SyncFleet

with SyncFleet() as fleet:
    fleet[1].follow(3)
    fleet.all.follow("eight", sise_m=0.3)
    fleet[1].go_to(0.9, 0.8).duration
"""


@pytest.mark.slow
def test_a_typed_program_passes_and_mistakes_are_found(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "mistakes.py").write_text(MISTAKES)
    options = ["--strict", "--config-file", "", "--follow-imports", "silent", "--cache-dir", str(tmp_path / "cache")]
    command = [sys.executable, "-m", "mypy", *options, str(tmp_path / "program.py"), str(tmp_path / "mistakes.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = [line.removeprefix(str(tmp_path)).split(": error:")[0] for line in done.stdout.splitlines()]
    assert [place.rpartition("/")[2] for place in found[:-1]] == ["mistakes.py:5", "mistakes.py:6", "mistakes.py:7"], (
        done
    )
