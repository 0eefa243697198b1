"""Robots of higher priority are hardly delayed by others, and everybody arrives."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from fleet.geometry import Pose2D
from fleet.tasks.task import TaskState, go_to
from harness.shared_floor import SharedFloor

APART_M = 0.162  # two bodies may touch at 0.16 m
COUNT, SIDE_M = 8, 2.0


def on_circle() -> list[Pose2D]:
    """Return poses on a circle; each looks at the opposite one."""
    angles = [math.tau * index / COUNT for index in range(COUNT)]
    return [Pose2D(1.0 + 0.8 * math.cos(angle), 1.0 + 0.8 * math.sin(angle), math.pi + angle) for angle in angles]


def time_across_s(folder: Path, first_id: int, *, others_swap: bool) -> float:
    """Return how long a robot of priority 9 takes across a circle that all others may cross before it."""
    starts = on_circle()
    if not others_swap:
        starts = [starts[first_id - 1]]
        first_id = 1
    floor = SharedFloor(folder, starts, SIDE_M)
    lab = floor.lab
    goals = {number: Pose2D(2.0 - one.x_m, 2.0 - one.y_m, one.heading_rad) for number, one in enumerate(starts, 1)}
    floor.send({number: goal for number, goal in goals.items() if number != first_id})
    floor.run(3.0)
    sent_ns = lab.now_ns
    assert lab.service.assign(first_id, replace(go_to("first", goals[first_id]), priority=9), lab.now_ns) is None
    while not any(outcome.task_id == "first" for outcome in lab.outcomes):
        floor.run(0.05)
        assert (lab.now_ns - sent_ns) * 1e-9 < 60.0, floor.words
    taken_s = (lab.now_ns - sent_ns) * 1e-9
    outcomes = floor.run_until_ended(len(starts))
    assert all(outcome.state is TaskState.SUCCEEDED for outcome in outcomes)
    assert floor.least_m >= APART_M
    return taken_s


@pytest.mark.slow
@pytest.mark.parametrize("first_id", [1, 4, 8])
def test_robot_of_high_priority_drives_nearly_as_if_alone(first_id: int, tmp_path: Path) -> None:
    times_s = []
    for others_swap in (True, False):
        folder = tmp_path / str(others_swap)
        folder.mkdir()
        times_s.append(time_across_s(folder, first_id, others_swap=others_swap))
    assert times_s[0] <= 1.1 * times_s[1]


def test_priority_of_a_robot_is_configured(tmp_path: Path) -> None:
    starts = [Pose2D(0.8, 0.2, math.pi / 2), Pose2D(0.2, 0.8, 0.0)]
    floor = SharedFloor(tmp_path, starts, 1.6, priorities={2: 9})
    floor.send({1: Pose2D(0.8, 1.4, math.pi / 2), 2: Pose2D(1.4, 0.8, 0.0)})
    assert [outcome.robot_id for outcome in floor.run_until_ended(2)] == [2, 1]
    assert floor.least_m >= APART_M


@pytest.mark.slow
def test_robots_of_high_priority_in_a_dense_crowd_do_not_stop_others_for_ever(tmp_path: Path) -> None:
    starts = on_circle()
    floor = SharedFloor(tmp_path, starts, SIDE_M, priorities={number: number for number in range(1, COUNT + 1)})
    floor.send({number: starts[(number + 3) % COUNT] for number in range(1, COUNT + 1)})
    assert all(outcome.state is TaskState.SUCCEEDED for outcome in floor.run_until_ended(COUNT))
    assert floor.least_m >= APART_M
