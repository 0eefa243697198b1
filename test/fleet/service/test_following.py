"""Robots follow paths: fleet, link and simulator in one thread."""

import math
from pathlib import Path

import pytest

from experiments.lab.lab import Lab
from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.shapes import circle, shape_path, square
from fleet.reason import Reason
from fleet.tasks.task import TaskRequest, TaskState, follow_path, go_to
from harness.closed_loop import closed_loop

START = Pose2D(1.0, 1.0, 0.0)


@pytest.fixture
def loop(tmp_path: Path) -> Lab:
    started = closed_loop(tmp_path, settings="arena: {x_min_m: 0, y_min_m: 0, x_max_m: 2, y_max_m: 2}")
    started.start()
    return started


def assign(loop: Lab, request: TaskRequest) -> Reason | None:
    return loop.service.assign(1, request, loop.now_ns)


def follow(loop: Lab, name: str, size_m: float, speed_mps: float | None = 0.08, laps: int = 1) -> TaskRequest:
    return follow_path("follow", shape_path(name, size_m).moved(START), loop.config.following, speed_mps, laps)


@pytest.mark.parametrize("name", ["straight", "square", "star", "circle", "eight"])
def test_robot_follows_a_path_and_stops_at_its_end(loop: Lab, name: str) -> None:
    request = follow(loop, name, 0.6, 0.05)
    path = shape_path(name, 0.6).moved(START)
    assert assign(loop, request) is None
    started_ns, off_m = loop.now_ns, 0.0
    while not loop.outcomes:
        loop.run(0.05)
        place = loop.truth()
        nearest = path.sample(path.project_between(place.x_m, place.y_m, 0.0, path.length_m, 0.0)).pose
        off_m = max(off_m, place.distance_to(nearest))
    assert loop.outcomes[0].state is TaskState.SUCCEEDED
    assert off_m < 0.005
    assert loop.truth().distance_to(path.end) < 0.005
    assert (loop.now_ns - started_ns) * 1e-9 == pytest.approx(path.length_m / 0.05, rel=0.1)


def test_closed_path_does_not_end_before_it_was_driven(loop: Lab) -> None:
    assign(loop, follow(loop, "circle", 0.5, laps=2))
    loop.run(20.0)
    assert loop.status().task_id == "follow"
    assert loop.status().progress == pytest.approx(0.5, abs=0.1)
    assert loop.run_until_ended("follow").state is TaskState.SUCCEEDED


def test_robot_first_drives_to_the_start_of_its_path(loop: Lab) -> None:
    path = square(0.4).moved(Pose2D(1.3, 0.8, 1.0))
    assign(loop, follow_path("a", path, loop.config.following))
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(path.end) < 0.005


def test_robot_that_is_carried_away_resumes_where_it_left_its_path(loop: Lab) -> None:
    assign(loop, follow(loop, "square", 0.6))
    loop.run(15.0)
    left_s = loop.status().eta_s
    loop.simulation.world.poses.positions_m[0] += (0.1, 0.25)
    loop.run(1.0)
    assert loop.status().eta_s == pytest.approx(left_s, abs=9.0)
    assert loop.run_until_ended("follow").state is TaskState.SUCCEEDED


def test_robot_whose_link_returns_resumes_where_it_was(loop: Lab) -> None:
    assign(loop, follow(loop, "square", 0.6))
    loop.run(15.0)
    left_s = loop.status().eta_s
    loop.switch_off()
    loop.run(1.0)
    loop.switch_on()
    loop.run(2.5)
    assert loop.status().eta_s == pytest.approx(left_s, abs=4.0)
    assert loop.run_until_ended("follow").state is TaskState.SUCCEEDED


def test_a_blocked_robot_gives_up(loop: Lab) -> None:
    assign(loop, follow(loop, "square", 0.6))
    loop.run(5.0)
    blocked_m = loop.simulation.world.poses.positions_m[0].copy()
    while not loop.outcomes:
        loop.run(0.01)
        loop.simulation.world.poses.positions_m[0] = blocked_m
    assert loop.outcomes[0].reason is Reason.NO_PROGRESS


def test_a_path_that_leaves_the_arena_is_rejected(loop: Lab) -> None:
    assert assign(loop, follow(loop, "circle", 1.9)) is Reason.OUT_OF_ARENA


def test_speed_beyond_the_limits_is_refused(loop: Lab) -> None:
    with pytest.raises(PathError, match="too fast"):
        follow(loop, "star", 0.6, speed_mps=0.14)


def test_zero_laps_are_refused(loop: Lab) -> None:
    with pytest.raises(PathError, match="cannot be driven 0 times"):
        follow_path("a", circle(0.6).moved(START), loop.config.following, None, 0)


@pytest.mark.parametrize("heading_rad", [-3.0, -1.0, 0.5, 2.0])
def test_robot_reaches_the_goal_heading_at_the_end(loop: Lab, heading_rad: float) -> None:
    goal = Pose2D(1.2, 1.2, heading_rad)
    assign(loop, go_to("a", goal))
    loop.run_until_ended("a")
    assert abs(loop.truth().heading_error_to(goal)) < math.radians(1.0)


def test_status_and_outcome_report_the_distance_from_the_path(loop: Lab) -> None:
    assert loop.status().tracking_error is None
    assign(loop, follow(loop, "circle", 0.6))
    loop.run(5.0)
    error = loop.status().tracking_error
    assert error is not None
    outcome = loop.run_until_ended("follow")
    assert outcome.cross_track is not None
    assert abs(error.cross_m) <= outcome.cross_track.max_m < 0.01
    assert 0.0 < outcome.cross_track.rms_m < outcome.cross_track.max_m
