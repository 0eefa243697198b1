"""A lab: the whole fleet in one thread, and robots that are cut off from it."""

from pathlib import Path

import pytest

from bench.instruments import whole_fleet
from experiments.lab.lab import LabError, NotEndedError, NotStartedError
from fleet.geometry import Pose2D
from fleet.robots.robot_status import LinkState
from fleet.tasks.task import go_to
from harness.closed_loop import closed_loop


@pytest.mark.slow
def test_unreached_robots_are_named(tmp_path: Path) -> None:
    lab = closed_loop(tmp_path, count=2)
    lab.cut_off(2)
    with pytest.raises(NotStartedError, match=r"^robot 2: no link to the robot: not seen yet"):
        lab.start()


def test_reconnected_robot_is_found_again(tmp_path: Path) -> None:
    lab = closed_loop(tmp_path)
    lab.cut_off(1)
    lab.run(5.0)
    before = lab.status().link
    lab.join(1)
    lab.start()
    assert (before, lab.status().link) == (LinkState.LOST, LinkState.CONNECTED)


def test_task_that_does_not_end_is_reported(tmp_path: Path) -> None:
    lab = closed_loop(tmp_path)
    lab.start()
    lab.service.assign(1, go_to("far", Pose2D(1.5, 1.0, 0.0)), lab.now_ns)
    with pytest.raises(NotEndedError, match="task 'far' has not ended within 1 s"):
        lab.run_until_ended("far", 1.0)


def test_robot_missing_from_the_world_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="robot 3 is not in the world"):
        closed_loop(tmp_path).truth(3)


def test_the_benchmark_drives_the_whole_fleet() -> None:
    assert min(whole_fleet.measure(2, 0.5)) > 0.0
