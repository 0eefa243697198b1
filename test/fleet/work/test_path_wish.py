"""Paths of goals, jobs, orders and experiments are read within the same limits."""

import math
import re

import pytest

from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.paths.placement import Placement
from fleet.reason import Reason
from fleet.settings.path_file import PathFile, path_schema
from fleet.settings.path_limits import LENGTH_MAX_M, PIECES_MAX, SLOWEST_MPS, TEXT_MAX
from fleet.trajectories.limits import Limits
from fleet.work.path_wish import follow_task, path_of_wish, wished_path
from fleet.work.work import PathWish

LIMITS = Limits(speed_mps=0.14, acceleration_mps2=0.5, turn_radps=3.0, turn_acceleration_radps2=20.0)
CIRCLE = "{shape: circle, size_m: 0.3}"


def _path(text: str) -> PathFile:
    return path_of_wish(PathWish(text))


def refusal(text: str, speed_mps: float = 0.0, laps: int = 0, relative_to: str = "") -> str:
    with pytest.raises(GoalRejectedError) as caught:
        wished_path(_path(text), speed_mps, laps, relative_to)
    return str(caught.value)


@pytest.mark.parametrize("laps", [2_000_000, 4_294_967_295])
def test_laps_that_would_stop_the_fleet_for_minutes_are_refused_without_building_them(laps: int) -> None:
    assert refusal(CIRCLE, laps=laps) == f"BAD_PATH: {laps} laps of 0.942478 m are longer than {LENGTH_MAX_M:g} m"


def test_turns_on_the_spot_are_counted_as_they_have_no_length() -> None:
    many = PIECES_MAX + 1
    text = refusal("pieces: [turn_rad: 6.283185307179586]", laps=many)
    assert text == f"BAD_PATH: {many} laps of 1 lines, arcs and turns are more than {PIECES_MAX} of them"


@pytest.mark.parametrize("speed_mps", [1e-9, 1e-4, -1.0, math.nan, math.inf])
def test_speeds_below_the_slowest_one_are_refused(speed_mps: float) -> None:
    assert refusal("eight", speed_mps).startswith(f"BAD_SPEED: speed_mps is {speed_mps:g}, at least {SLOWEST_MPS:g}")


def test_the_slowest_speed_matches_that_of_path_files() -> None:
    assert path_schema()["properties"]["speed_mps"]["minimum"] == SLOWEST_MPS


@pytest.mark.parametrize("laps", ["2.0", "2"])
def test_whole_laps_may_be_written_as_a_float(laps: str) -> None:
    path = wished_path(_path(f'{{"shape": "square", "size_m": 0.3, "laps": {laps}}}'), 0.0, 0, "")
    assert isinstance(path.laps, int)
    assert path.laps == 2
    assert len(follow_task("id", path, LIMITS, Pose2D(0.0, 0.0, 0.0)).legs) == 1


@pytest.mark.parametrize("laps", ["2.5", "1e9", "-1", "0", "10001", ".inf", "1.0e+400", "true", "two"])
def test_other_laps_in_a_text_are_a_bad_path(laps: str) -> None:
    assert refusal(f"{{shape: square, size_m: 0.3, laps: {laps}}}").startswith("BAD_PATH: path:1: laps: ")


def test_laps_in_a_text_count_for_the_limits() -> None:
    assert refusal("{shape: square, size_m: 1, laps: 76}").startswith("BAD_PATH: path:1: laps: 76 laps of 4 m are")
    assert _path("{shape: square, size_m: 1, laps: 75}").laps == 75


def test_a_refusal_of_a_text_with_a_thousand_problems_lists_a_few() -> None:
    text = "{" + ",".join(f"k{number}: 1" for number in range(600)) + "}"
    lines = refusal(text).splitlines()
    assert len(lines) == 6
    assert re.fullmatch(r"and \d+ more", lines[-1])
    assert len(refusal(f"shape: {'a ' * 2000}")) < 400


def test_a_text_that_is_too_long_is_not_read() -> None:
    assert refusal("#" * (TEXT_MAX + 1)) == f"BAD_PATH: path has {TEXT_MAX + 1} characters, more than {TEXT_MAX}"


def test_an_unknown_placement_is_named() -> None:
    assert refusal("eight", relative_to="moon") == ("BAD_PATH: relative_to is 'moon', not one of position, pose, map")


def test_a_path_relative_to_an_unknown_pose_is_refused() -> None:
    path = wished_path(_path("eight"), 0.0, 0, "")
    with pytest.raises(GoalRejectedError) as caught:
        follow_task("id", path, LIMITS, None)
    assert caught.value.reason is Reason.POSE_LOST
    on_map = wished_path(_path("eight"), 0.0, 0, Placement.MAP.value)
    assert follow_task("id", on_map, LIMITS, None).task_id == "id"


def test_a_task_keeps_the_size_of_its_shape_for_advice() -> None:
    path = _path("{shape: circle, size_m: 1.9}")
    assert follow_task("id", path, LIMITS, Pose2D(0.0, 0.0, 0.0)).shape_size_m == 1.9


def test_a_speed_that_the_limits_do_not_allow_is_refused() -> None:
    path = wished_path(_path("square"), 0.19, 0, "")
    with pytest.raises(GoalRejectedError) as caught:
        follow_task("id", path, LIMITS, Pose2D(0.0, 0.0, 0.0))
    assert caught.value.reason is Reason.BAD_SPEED
