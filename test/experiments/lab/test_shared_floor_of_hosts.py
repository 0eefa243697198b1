"""Robots of two hosts on one floor: nobody touches anybody, and everybody arrives."""

import math
from pathlib import Path

from fleet.geometry import Pose2D
from fleet.tasks.task import TaskState
from harness.shared_hosts import SharedHosts

APART_M = 0.162  # two bodies may touch at 0.16 m
WEST, EAST = Pose2D(0.3, 0.8, 0.0), Pose2D(1.3, 0.8, math.pi)
SOUTH, NORTH = Pose2D(0.8, 0.3, 0.5 * math.pi), Pose2D(0.8, 1.3, -0.5 * math.pi)


def crossing(folder: Path, **network: object) -> SharedHosts:
    """Return two hosts whose robots drive across each other's ways."""
    floor = SharedHosts(folder, {"bench": {1: WEST}, "desk": {2: SOUTH}}, 1.6, **network)
    floor.run(1.0)
    floor.send({1: EAST, 2: NORTH})
    return floor


def on_circle(count: int, side_m: float) -> dict[int, Pose2D]:
    radius_m = 0.5 * side_m - 0.2
    angles = [math.tau * index / count for index in range(count)]
    return {
        number: Pose2D(
            0.5 * side_m + radius_m * math.cos(angle), 0.5 * side_m + radius_m * math.sin(angle), math.pi + angle
        )
        for number, angle in enumerate(angles, 1)
    }


def test_robots_of_two_hosts_cross_each_others_ways(tmp_path: Path) -> None:
    floor = crossing(tmp_path)
    assert {outcome.state for outcome in floor.run_until_ended(2, 40.0)} == {TaskState.SUCCEEDED}
    assert (floor.contacts, floor.least_m >= APART_M) == (0, True)
