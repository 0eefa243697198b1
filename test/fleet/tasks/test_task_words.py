"""What a robot performs, in words and as the poses that remain."""

from pathlib import Path

import pytest

from experiments.lab.lab import Lab
from fleet.geometry import Pose2D
from fleet.paths.path import Path as DrivenPath
from fleet.paths.polyline import polyline
from fleet.paths.shapes import shape_path
from fleet.robots.robot_status import RobotStatus
from fleet.tasks.task import TaskRequest, follow_path, go_home, go_to, transport
from fleet.tasks.task_words import plan_text
from harness.closed_loop import closed_loop

NEAR, FAR = Pose2D(1.1, 1.0, 0.0), Pose2D(1.3, 1.004, 1.5708)


@pytest.fixture
def loop(tmp_path: Path) -> Lab:
    started = closed_loop(tmp_path)
    started.start()
    return started


def status_of(loop: Lab, request: TaskRequest) -> RobotStatus:
    assert loop.service.assign(1, request, loop.now_ns) is None
    loop.run(0.2)
    return loop.status()


def plan_of(lap: DrivenPath, loop: Lab, laps: int = 1) -> list[str]:
    return plan_text(follow_path("a", lap, loop.config.following, laps=laps).legs).split(" ")


def test_idle_robot_has_neither_task_nor_plan(loop: Lab) -> None:
    status = loop.status()
    assert (status.task_words, status.plan, status.home, status.node_id) == ("", "", "1.00,1.00,0", 1)


def test_drive_is_described_by_its_goal(loop: Lab) -> None:
    status = status_of(loop, go_to("a", FAR))
    assert (status.task_words, status.plan) == ("go_to (1.30, 1.00)", "1.30,1.00,90")


def test_drive_home_needs_no_goal(loop: Lab) -> None:
    assert status_of(loop, go_home("a", Pose2D(1.0, 1.0, 0.0))).task_words == "go_home"


def test_transport_names_both_ends_and_plans_what_remains(loop: Lab) -> None:
    status = status_of(loop, transport("a", NEAR, FAR, 0.1))
    assert (status.task_words, status.plan) == ("transport (1.10, 1.00) > (1.30, 1.00)", "1.10,1.00,0 1.30,1.00,90")
    while loop.status().plan != "1.30,1.00,90":
        assert loop.outcomes == []
        loop.run(0.1)
    assert loop.status().task_words == status.task_words


def test_path_is_described_by_its_shape_and_lap(loop: Lab) -> None:
    lap = shape_path("circle", 0.12).moved(Pose2D(1.0, 1.0, 0.0))
    status = status_of(loop, follow_path("a", lap, loop.config.following, laps=2, name="circle"))
    assert status.task_words == "follow circle 1/2"
    while loop.status().task_words != "follow circle 2/2":
        assert loop.outcomes == []
        loop.run(0.1)


def test_path_of_one_lap_without_a_shape_is_a_path(loop: Lab) -> None:
    lap = polyline([(1.0, 1.0), (1.2, 1.0)], False)
    assert status_of(loop, follow_path("a", lap, loop.config.following)).task_words == "follow path"


def test_plan_of_a_path_is_one_lap_of_its_corners(loop: Lab) -> None:
    square = polyline([(0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5)], True)
    assert plan_of(square, loop, laps=3) == ["0.00,0.00", "0.50,0.00", "0.50,0.50", "0.00,0.50", "0.00,0.00"]


@pytest.mark.parametrize("name", ["straight", "square", "star", "circle", "eight"])
def test_plan_of_a_path_is_short(name: str, loop: Lab) -> None:
    assert 3 <= len(plan_of(shape_path(name), loop)) <= 32


def test_plan_of_a_path_with_many_corners_is_short(loop: Lab) -> None:
    zigzag = polyline([(0.1 * index, 0.1 * (index % 2)) for index in range(200)], False)
    assert len(plan_of(zigzag, loop)) == 32
