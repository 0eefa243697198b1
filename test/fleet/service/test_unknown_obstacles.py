"""Robots drive around what their proximity sensors detect and nobody knows of, with `traffic.detects_obstacles`."""

import math
import re
from pathlib import Path

import pytest

from fleet.geometry import Pose2D
from fleet.reason import Reason
from fleet.tasks.task import TaskState
from fleet.traffic.traffic_state import TrafficPhase
from harness.shared_floor import SharedFloor, Wall

LEFT, RIGHT = Pose2D(0.4, 1.0, 0.0), Pose2D(1.6, 1.0, 0.0)
BOX = "{name: box, shape: box, x_m: 1.0, y_m: 1.0, length_m: 0.1, width_m: 0.1, movable: false}"
DETECTS = "traffic: {detects_obstacles: true}"
CORRIDOR: list[Wall] = [(0.6, 0.88, 1.4, 0.88), (0.6, 1.12, 1.4, 1.12), (1.0, 0.0, 1.0, 0.88), (1.0, 1.12, 1.0, 2.0)]
PLUG = "{name: plug, shape: cylinder, x_m: 1.1, y_m: 1.0, radius_m: 0.05, movable: false}"


def contacts(floor: SharedFloor) -> int:
    """Return how often robots have begun to touch something."""
    return int(floor.lab.simulation.world.collisions.counts.sum())


def test_robot_drives_around_an_unknown_box(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT], 2.0, settings=DETECTS, unknown=[BOX])
    floor.send({1: RIGHT})
    assert floor.run_until_ended(1)[0].state is TaskState.SUCCEEDED
    assert contacts(floor) == 0


def test_robot_touches_the_box_without_detection(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT], 2.0, unknown=[BOX])
    floor.send({1: RIGHT})
    floor.run(10.0)
    assert contacts(floor) > 0


@pytest.mark.parametrize("response", ["enki", "smooth", "real"])
def test_every_model_of_the_sensors_is_enough(tmp_path: Path, response: str) -> None:
    floor = SharedFloor(tmp_path, [LEFT], 2.0, settings=DETECTS, unknown=[BOX], sensors=response)
    floor.send({1: RIGHT})
    assert floor.run_until_ended(1)[0].state is TaskState.SUCCEEDED
    assert contacts(floor) == 0


def test_robot_that_drives_backward_detects_the_box_too(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [Pose2D(0.4, 1.0, math.pi)], 2.0, settings=DETECTS, unknown=[BOX])
    floor.send({1: Pose2D(1.6, 1.0, math.pi)})
    assert floor.run_until_ended(1)[0].state is TaskState.SUCCEEDED
    assert contacts(floor) == 0


def test_task_is_blocked_by_an_obstacle_across_the_only_way(tmp_path: Path) -> None:
    settings = "traffic: {detects_obstacles: true, blocked_s: 15}"
    floor = SharedFloor(tmp_path, [LEFT], 2.0, CORRIDOR, settings, unknown=[PLUG])
    floor.send({1: RIGHT})
    floor.run(10.0)
    assert floor.lab.status(1).traffic.going is TrafficPhase.BLOCKED
    obstacle = floor.lab.status(1).traffic.blocked_by
    assert re.fullmatch(r"obstacle at \(1\.0[3-7], (0\.9[89]|1\.0[0-2])\)", obstacle)
    outcome = floor.run_until_ended(1)[0]
    assert (outcome.state, outcome.reason) == (TaskState.ABORTED, Reason.BLOCKED)
    assert obstacle in outcome.detail
    assert contacts(floor) == 0


def test_robot_goes_on_when_the_obstacle_is_taken_away(tmp_path: Path) -> None:
    floor = SharedFloor(tmp_path, [LEFT], 2.0, CORRIDOR, DETECTS, unknown=[PLUG])
    floor.send({1: RIGHT})
    floor.run(10.0)
    assert floor.lab.status(1).traffic.going is TrafficPhase.BLOCKED
    floor.lab.simulation.world.remove_object(0)
    assert floor.run_until_ended(1)[0].state is TaskState.SUCCEEDED


def test_passing_robots_and_walls_are_not_unknown_obstacles(tmp_path: Path) -> None:
    starts = [Pose2D(0.3, 1.0, 0.0), Pose2D(1.7, 1.0, math.pi), Pose2D(1.0, 0.3, 1.5), Pose2D(1.0, 1.7, -1.5)]
    walls: list[Wall] = [(0.5, 0.5, 0.7, 0.7), (1.3, 1.5, 1.5, 1.3)]
    floor = SharedFloor(tmp_path, starts, 2.0, walls, DETECTS)
    floor.send({1: starts[1], 2: starts[0], 3: starts[3], 4: starts[2]})
    seen: set[str] = set()
    while len(floor.lab.outcomes) < 4:
        floor.run(0.05)
        seen |= {floor.lab.status(robot_id).traffic.blocked_by for robot_id in floor.lab.robot_ids}
        assert floor.lab.now_ns < 100e9, floor.words
    assert not any("obstacle" in words for words in seen)


def test_obstacle_that_one_robot_detects_is_avoided_by_all(tmp_path: Path) -> None:
    starts = [Pose2D(0.75, 1.0, 0.0), Pose2D(0.3, 0.4, 0.0)]
    floor = SharedFloor(tmp_path, starts, 2.0, settings=DETECTS, unknown=[BOX])
    floor.run(1.0)
    floor.send({2: Pose2D(0.93, 1.18, 0.0)})
    floor.run(2.0)
    assert floor.lab.status(2).traffic.blocked_by.startswith("obstacle at (0.9")
