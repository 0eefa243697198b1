"""Poses as arrays and as a list are the same."""

import numpy as np
import pytest

from simulator.physics.pose_table import PoseTable


@pytest.fixture
def poses() -> PoseTable:
    """Return two robots, an object and a wall."""
    table = PoseTable()
    table.lay_out(2, 3, np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 0.5], [5.0, 6.0, 1.0], [7.0, 8.0, 1.5]]))
    return table


def test_arrays_show_robots_and_objects(poses: PoseTable) -> None:
    assert poses.positions_m.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert poses.headings_rad.tolist() == [0.0, 0.5]
    assert poses.object_poses.tolist() == [[5.0, 6.0, 1.0]]


def test_written_pose_is_in_the_list_and_counts_as_a_jump(poses: PoseTable) -> None:
    before = poses.jumps
    poses.headings_rad[1] = -0.5
    assert poses.places()[5] == -0.5
    assert poses.jumps == before + 1


def test_reading_the_arrays_is_not_a_jump(poses: PoseTable) -> None:
    before = poses.jumps
    poses.positions_m.sum()
    poses.places()
    assert poses.jumps == before


def test_rolling_shows_in_the_arrays_and_is_not_a_jump(poses: PoseTable) -> None:
    before = poses.jumps
    poses.roll([0.01, 0.01, 0.0, 0.0], [0.094, 0.094])
    assert poses.array[0].tolist() == pytest.approx([1.01, 2.0, 0.0])
    assert (poses.jumps, poses.moved_m) == (before, pytest.approx(0.01))


def test_carried_object_is_where_its_carrier_is(poses: PoseTable) -> None:
    poses.carry({0: 1})
    assert poses.object_poses.tolist() == [[3.0, 4.0, 0.5]]


def test_truth_is_a_copy(poses: PoseTable) -> None:
    poses.truth()[:] = 0.0
    assert poses.places()[:3] == [1.0, 2.0, 0.0]
