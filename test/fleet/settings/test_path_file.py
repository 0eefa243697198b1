import math
import re
from pathlib import Path

import pytest

from fleet.errors import PathError
from fleet.geometry import Pose2D
from fleet.paths.parametric import KNOTS_MAX
from fleet.paths.placement import Placement, placed
from fleet.settings.path_file import PathFile, load_path, read_path
from fleet.settings.path_limits import TEXT_MAX, WAYPOINTS_MAX

SQUARE = "waypoints_m: [[0, 0], [1, 0], [1, 1], [0, 1]]\n"


def read(folder: Path, text: str, name: str = "path.yaml") -> PathFile:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return load_path(file)


def problems(folder: Path, text: str, name: str = "path.yaml") -> list[str]:
    with pytest.raises(PathError) as caught:
        read(folder, text, name)
    return [line.removeprefix(f"{folder}/") for line in str(caught.value).splitlines()]


def test_waypoints_are_joined_by_lines_from_the_robots_position(tmp_path: Path) -> None:
    found = read(tmp_path, SQUARE)
    assert (found.path.length_m, found.placement, found.laps, found.speed_mps) == (3.0, Placement.POSITION, 1, None)


def test_a_closed_path_is_driven_in_laps_at_a_speed(tmp_path: Path) -> None:
    found = read(tmp_path, SQUARE + "closed: true\nlaps: 3\nspeed_mps: 0.1\n")
    assert (found.path.length_m, found.lap.length_m, found.speed_mps) == (12.0, 4.0, 0.1)


def test_back_and_forth_returns_along_the_same_path(tmp_path: Path) -> None:
    found = read(tmp_path, SQUARE + "back_and_forth: true\nlaps: 2\n")
    assert found.path.length_m == pytest.approx(12.0)


def test_corners_can_be_rounded(tmp_path: Path) -> None:
    assert len(read(tmp_path, SQUARE + "corner_radius_m: 0.1\n").path.legs) == 1


def test_waypoints_can_be_joined_by_a_spline(tmp_path: Path) -> None:
    found = read(tmp_path, SQUARE + "curve: spline\nclosed: true\n")
    assert found.path.is_closed
    assert len(found.path.legs) == 1


def test_a_shape_has_a_size_and_a_place(tmp_path: Path) -> None:
    found = read(tmp_path, "shape: circle\nsize_m: 0.4\nstart: {x_m: 1, heading_rad: 1.5}\nrelative_to: map\n")
    assert found.path.start == Pose2D(1.0, 0.0, 1.5)
    assert found.path.length_m == pytest.approx(0.4 * 3.14159265, rel=1e-6)


def test_pieces_follow_each_other(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "pieces:\n- line_m: 0.5\n- {arc_rad: -1.5707963267948966, radius_m: 0.2}\n- turn_rad: 3\n- line_m: -0.1\n",
    )
    assert [piece.is_backward for piece in found.path.pieces] == [False, False, False, True]
    corner = found.path.sample(found.path.legs[0].to_s_m, arriving=True).pose
    assert (corner.x_m, corner.y_m) == pytest.approx((0.7, -0.2))


def test_an_arc_with_a_negative_radius_is_driven_backward(tmp_path: Path) -> None:
    end = read(tmp_path, "pieces: [{arc_rad: 1.5707963267948966, radius_m: -0.2}]").path.end
    assert (end.x_m, end.y_m, end.heading_rad) == pytest.approx((-0.2, -0.2, 1.5707963267948966))


def test_all_problems_are_reported_together_with_their_lines(tmp_path: Path) -> None:
    text = "waypoints_m:\n- [0, 0]\n- [1, 0]\n- [1, 0]\n- [1, x]\nsped_mps: 0.1\nsize_m: 3\nlaps: 0\n"
    assert problems(tmp_path, text) == [
        "path.yaml:4: waypoints_m[2]: [1, 0] is the same as the waypoint before it",
        "path.yaml:5: waypoints_m[3][1]: 'x' is not of type 'number'",
        "path.yaml:6: sped_mps: unknown key, did you mean 'speed_mps'?",
        "path.yaml:7: size_m: is valid only with shape, not with waypoints_m",
        "path.yaml:8: laps: 0 is less than the minimum of 1",
    ]


def test_every_bad_piece_is_reported(tmp_path: Path) -> None:
    text = "pieces:\n- line_m: 0\n- {turn_rad: 1, line_m: 2}\n- {arc_rad: 0, radius_m: 1}\n- line_m: 1\n"
    assert problems(tmp_path, text) == [
        "path.yaml:2: pieces[0]: a line cannot be 0 m long",
        "path.yaml:3: pieces[1]: a piece is line_m, or arc_rad and radius_m, or turn_rad, not turn_rad and line_m",
        "path.yaml:4: pieces[2]: an arc cannot turn by 0 rad with a radius of 1 m",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "path.yaml:1: nothing defines the path; give one of shape, waypoints_m, pieces"),
        (
            "shape: sqare",
            "path.yaml:1: shape: there is no path 'sqare'; there are straight, square, star, circle, eight",
        ),
        ("shape: star\n" + SQUARE, "path.yaml:2: waypoints_m: shape already defines the path"),
        (SQUARE + "laps: 2", "path.yaml:2: laps: a path that is not closed cannot be driven 2 times"),
        (SQUARE + "closed: true\nback_and_forth: true", "path.yaml:3: back_and_forth: the path is already closed"),
        (SQUARE + "curve: spline\ncorner_radius_m: 1", "path.yaml:3: corner_radius_m: a spline has no corners"),
        ("waypoints_m: [[0, 0]]", "path.yaml:1: waypoints_m: a path through waypoints needs 2 of them, not 1"),
        (
            SQUARE + "corner_radius_m: 0.6",
            "path.yaml:1: waypoints_m: the edge from waypoint 1, 1 m long, is too short for a radius of 0.6 m at its "
            "ends; up to 0.5 m would fit",
        ),
    ],
)
def test_contradiction_is_reported_with_its_position(text: str, problem: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text) == [problem]


@pytest.mark.parametrize("file", sorted((Path(__file__).parents[3] / "examples" / "paths").iterdir()), ids=str)
def test_every_example_is_a_path(file: Path) -> None:
    assert load_path(file).path.length_m > 0.5


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PathError, match=r"nowhere\.yaml: No such file"):
        load_path(tmp_path / "nowhere.yaml")


def test_csv_has_one_waypoint_per_line(tmp_path: Path) -> None:
    found = read(tmp_path, "x_m, y_m\n0,0\n1,0 # a corner\n\n1,1\n", "path.csv")
    assert found.path.length_m == 2.0


def test_csv_that_ends_where_it_starts_is_closed(tmp_path: Path) -> None:
    assert read(tmp_path, "0,0\n1,0\n1,1\n0,0\n", "path.csv").path.is_closed


def test_all_problems_in_csv_are_reported_together_with_their_lines(tmp_path: Path) -> None:
    assert problems(tmp_path, "x,y\n0,0\n1,0,3\n\n1,b\nnan,0\n1,0\n1,0\n", "path.csv") == [
        "path.csv:3: 3 columns instead of 2",
        "path.csv:5: 'b' is not a number",
        "path.csv:6: 'nan' is not a number",
    ]


def test_csv_without_waypoints_is_refused(tmp_path: Path) -> None:
    assert problems(tmp_path, "x_m,y_m\n", "path.csv") == ["path.csv: a path through waypoints needs 2 of them, not 0"]


def test_path_is_placed_where_its_coordinates_are_relative_to(tmp_path: Path) -> None:
    path, robot = read(tmp_path, SQUARE).path, Pose2D(1.0, 2.0, 1.5)
    assert placed(path, Placement.MAP, robot).start == Pose2D(0.0, 0.0, 0.0)
    assert placed(path, Placement.POSITION, robot).start == Pose2D(1.0, 2.0, 0.0)
    assert placed(path, Placement.POSE, robot).start == robot


def test_text_is_read_like_a_file() -> None:
    found = read_path(SQUARE + "closed: true\nlaps: 3\n", "goal")
    assert (found.path.length_m, found.laps, found.placement) == (12.0, 3, Placement.POSITION)


def test_shape_name_alone_is_a_valid_text() -> None:
    assert read_path(" circle\n", "goal").lap.length_m == pytest.approx(0.6 * 3.14159265, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("sqare", "goal:1: shape: there is no path 'sqare'; there are straight, square, star, circle, eight"),
        ("shape: square\nsped_mps: 1", "goal:2: sped_mps: unknown key, did you mean 'speed_mps'?"),
        ("shape: square\nrelative_to: pos", "goal:2: relative_to: 'pos' is unknown, did you mean 'pose'?"),
        ("shape: [", "goal:1: not YAML: expected the node content, but found '<stream end>'"),
        ("2020-99-99", "goal:1: '2020-99-99' is not a path: write [[x, y], ...] in metres"),
        ("[" * 2000, "goal: not YAML: lists and mappings are nested more than 32 deep"),
    ],
)
def test_invalid_text_is_reported_with_its_source(text: str, problem: str) -> None:
    with pytest.raises(PathError) as caught:
        read_path(text, "goal")
    assert problem in str(caught.value)


def test_files_have_the_limits_of_goals(tmp_path: Path) -> None:
    circuit = tmp_path / "circuit.csv"
    circuit.write_text("\n".join(f"{0.2 * number}, 0" for number in range(WAYPOINTS_MAX + 1)), encoding="utf-8")
    with pytest.raises(PathError, match=f"circuit.csv: {WAYPOINTS_MAX + 1} waypoints, more than {WAYPOINTS_MAX}"):
        load_path(circuit)
    circuit.write_text("0, 0\n1, 0\n1, 400\n", encoding="utf-8")
    with pytest.raises(PathError, match=r"circuit\.csv: a path of 401 m is longer than 300 m"):
        load_path(circuit)
    long = tmp_path / "long.yaml"
    long.write_text("shape: eight\n" + "#" * TEXT_MAX, encoding="utf-8")
    with pytest.raises(PathError, match=rf"long.yaml: path has {TEXT_MAX + 13} characters, more than {TEXT_MAX}"):
        load_path(long)


def test_a_curve_with_too_many_knots_is_refused_before_it_is_built() -> None:
    places = ", ".join(f"[{x}, {10 * (x % 2)}]" for x in range(20))
    with pytest.raises(PathError, match=f"at most {KNOTS_MAX}; make it shorter"):
        read_path(f"{{waypoints_m: [{places}], curve: spline}}", "path")


ARC_M = [(0.6 * math.sin(0.05 * index), 0.6 - 0.6 * math.cos(0.05 * index)) for index in range(30)]
ARC = ", ".join(f"[{x_m:.4f}, {y_m:.4f}]" for x_m, y_m in ARC_M)


def stops(path: PathFile) -> int:
    return sum(piece.length_m == 0.0 for piece in path.lap.pieces)


@pytest.mark.parametrize(("more", "expected"), [("", 0), (", corner_m: 0.02", 0), (", corner_m: 0", len(ARC_M) - 2)])
def test_dense_waypoints_are_a_curve_unless_corners_are_not_to_be_rounded(more: str, expected: int) -> None:
    assert stops(read_path(f"{{waypoints_m: [{ARC}]{more}}}", "path")) == expected
    assert stops(read_path(f"{{waypoints_m: [{ARC}], back_and_forth: true{more}}}", "path")) == 2 * expected + 2


def test_tables_and_lists_of_dense_waypoints_are_curves(tmp_path: Path) -> None:
    table = tmp_path / "arc.csv"
    table.write_text("\n".join(f"{x_m},{y_m}" for x_m, y_m in ARC_M), encoding="utf-8")
    assert stops(load_path(table)) == stops(read_path(f"[{ARC}]", "path")) == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{shape: circle, corner_m: 0.02}", "corner_m: is valid only with waypoints_m, not with shape"),
        (f"{{waypoints_m: [{ARC}], corner_m: 0.02, curve: spline}}", "corner_m: a spline has no corners"),
        (
            f"{{waypoints_m: [{ARC}], corner_m: 0.02, corner_radius_m: 0.01}}",
            "corner_m: corner_radius_m already says how corners are rounded",
        ),
        (f"{{waypoints_m: [{ARC}], corner_m: 0.5}}", "corner_m: 0.5 is greater than the maximum of 0.1"),
    ],
)
def test_bad_tolerance_names_the_key(text: str, problem: str) -> None:
    with pytest.raises(PathError, match=re.escape(problem)):
        read_path(text, "path")


def test_waypoints_of_a_thousand_kilometres_are_refused_before_a_curve_is_fitted() -> None:
    with pytest.raises(PathError, match="longer than 300 m"):
        read_path("[[-1000, 0], [1000, 0], [-1000, 1], [1000, 1]]", "path")
