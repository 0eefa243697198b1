"""How the command `thymio-fleet follow` reads its arguments, before it sends anything."""

from pathlib import Path

import pytest

from fleet.commands.follow import path_goal
from fleet.commands.main import main
from fleet.errors import PathError
from fleet.interface.path_messages import path_from_ros
from fleet.paths.placement import Placement

EXAMPLES = Path(__file__).parents[3] / "examples" / "paths"


def test_shape_has_the_requested_size() -> None:
    assert path_from_ros(path_goal("square", 0.5), "map").lap.length_m == pytest.approx(2.0)


def test_speed_laps_and_place_are_passed_on() -> None:
    goal = path_goal("star", speed_mps=0.1, laps=3, relative_to="map")
    assert (goal.speed_mps, goal.laps, goal.relative_to) == (0.1, 3, "map")


@pytest.mark.parametrize("file", sorted(EXAMPLES.iterdir()), ids=lambda file: file.name)
def test_the_examples_can_be_sent(file: Path) -> None:
    assert path_from_ros(path_goal(str(file)), "map").lap.length_m > 0.0


def test_waypoints_of_a_csv_file_are_relative_to_the_robot() -> None:
    found = path_from_ros(path_goal(str(EXAMPLES / "slalom.csv")), "map")
    assert found.placement is Placement.POSITION


def test_problem_in_a_file_is_reported_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "path.yaml"
    file.write_text("shape: square\nsped_mps: 0.1\n")
    assert main(["follow", "1", "--path", str(file)]) == 2
    assert capsys.readouterr().err == f"{file}:2: sped_mps: unknown key, did you mean 'speed_mps'?\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--path", "sqare"], "there is no path 'sqare', did you mean 'square'?"),
        (["--path", "oval"], "there is no path 'oval'; there are straight, square, star, circle, eight, and files"),
        (["--path", "absent.yaml"], "absent.yaml: No such file or directory"),
        (["--path", "absent.yaml", "--size", "1"], "--size is for straight, square"),
        (["--path", "square", "--size", "500"], "greater than the maximum of 100"),
        (["--path", "square", "--speed", "0.001"], "speed_mps is 0.001"),
        (["--path", "star", "--laps", "1000"], "1000 laps of"),
    ],
)
def test_goal_that_cannot_be_sent_is_a_usage_error(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["follow", "1", *arguments]) == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--speed", "nan"], ["--speed", "0"], ["--laps", "0"], ["--size", "-1"]])
def test_nonsensical_number_is_refused(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["follow", "1", "--path", "square", *option])
    assert caught.value.code == 2
    assert option[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["lqr", "kanayama"], "lqr and kanayama: a robot has one law"),
        (["cross_m=x"], "cross_m: 'x' is not a number"),
        (["cross_m=1", "cross_m=2"], "a gain is given twice"),
    ],
)
def test_invalid_change_of_a_law_is_a_usage_error(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["law", "1", *arguments])
    assert caught.value.code == 2
    assert expected in capsys.readouterr().err


def test_a_file_with_a_size_is_refused() -> None:
    with pytest.raises(PathError, match="--size is for"):
        path_goal(str(EXAMPLES / "slalom.csv"), 1.0)
