from pathlib import Path

import pytest

from fleet.errors import PathError
from fleet.paths.placement import Placement
from fleet.work.named_path import named_path
from fleet.work.path_wish import path_of_wish

EXAMPLES = Path(__file__).parents[3] / "examples" / "paths"


def test_shape_has_the_requested_size() -> None:
    assert path_of_wish(named_path("square", 0.5)).lap.length_m == pytest.approx(2.0)


def test_speed_laps_and_place_are_passed_on() -> None:
    wish = named_path("star", speed_mps=0.1, laps=3, relative_to="map")
    assert (wish.speed_mps, wish.laps, wish.relative_to) == (0.1, 3, "map")


@pytest.mark.parametrize("file", sorted(EXAMPLES.iterdir()), ids=lambda file: file.name)
def test_the_examples_can_be_sent(file: Path) -> None:
    assert path_of_wish(named_path(str(file))).lap.length_m > 0.0


def test_file_is_looked_for_in_the_folder() -> None:
    assert named_path("slalom.csv", folder=EXAMPLES) == named_path(str(EXAMPLES / "slalom.csv"))


def test_waypoints_of_a_file_are_relative_to_the_robot() -> None:
    assert path_of_wish(named_path(str(EXAMPLES / "slalom.csv"))).placement is Placement.POSITION


def test_file_with_a_size_is_refused() -> None:
    with pytest.raises(PathError, match="a size is for straight"):
        named_path(str(EXAMPLES / "slalom.csv"), 1.0)


@pytest.mark.parametrize("name", ["é" * 300, "x" * 5000, "a\0b"])
def test_name_that_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(PathError, match="there is no path"):
        named_path(name)
