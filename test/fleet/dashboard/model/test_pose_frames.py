import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.dashboard.model.pose_frames import HEADER, ROW, pose_frame, pose_row, renumbered
from fleet.geometry import Pose2D
from thymio_base.palette import Tone

ROBOT = pose_row(7, 1, Tone.WARNING, Pose2D(1.2345, -0.5, 1.5), 0.25)


def row(frame: bytes, index: int = 0) -> tuple[int, ...]:
    return ROW.unpack_from(frame, HEADER.size + index * ROW.size)


def test_sizes_are_those_of_the_protocol() -> None:
    assert (HEADER.size, ROW.size) == (24, 16)


def test_frame_has_estimates_then_truths() -> None:
    frame = pose_frame(3, 12.5, [ROBOT], [ROBOT, ROBOT], is_stopped=True)
    assert HEADER.unpack_from(frame) == (1, 1, 1, 3, 12.5, 2, 1, 0)
    assert len(frame) == 24 + 3 * 16


def test_row_has_integers_of_the_documented_units() -> None:
    assert row(pose_frame(0, 0.0, [ROBOT])) == (7, 1, 3, 12345, -5000, 15000, 25)


def test_old_age_and_far_place_are_clamped() -> None:
    far = pose_row(1, 0, Tone.LOST, Pose2D(1e9, -1e9, 0.0), 1e6)
    assert row(pose_frame(0, 0.0, [far])) == (1, 0, 5, 2**31 - 1, 1 - 2**31, 0, 65535)


def test_robot_whose_id_does_not_fit_is_left_out() -> None:
    frame = pose_frame(0, 0.0, [pose_row(70_000, 0, Tone.IDLE, Pose2D(0.0, 0.0, 0.0), 0.0), ROBOT])
    assert HEADER.unpack_from(frame)[2] == 1
    assert row(frame)[0] == 7


def test_renumbered_frame_differs_in_its_number_alone() -> None:
    frame = pose_frame(0, 1.0, [ROBOT])
    assert renumbered(frame, 258) == pose_frame(258, 1.0, [ROBOT])


@given(st.floats(-50.0, 50.0), st.floats(-1000.0, 1000.0))
def test_heading_is_wrapped_and_keeps_its_direction(x_m: float, heading_rad: float) -> None:
    frame = pose_frame(0, 0.0, [pose_row(1, 0, Tone.IDLE, Pose2D(x_m, 0.0, heading_rad), 0.0)])
    _, _, _, x_raw, _, heading_raw, _ = struct.unpack_from("<HBBiihH", frame, 24)
    assert 1e-4 * x_raw == pytest.approx(x_m, abs=6e-5)
    assert math.remainder(1e-4 * heading_raw - heading_rad, math.tau) == pytest.approx(0.0, abs=6e-5)
