"""Files of waypoints as people have them: columns and lists are found, and notes say what was left aside."""

import json
import math
import random
from pathlib import Path

import pytest

from experiments.checks.file_check import check_file
from experiments.checks.file_kind import FileKind
from fleet.errors import PathError
from fleet.settings.path_file import PathFile, load_path, read_path

CORNER = ((0.5, 0.5), (1.0, 0.5), (1.5, 1.0))


def read(folder: Path, text: str, name: str = "path.csv") -> PathFile:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return load_path(file)


def problems(folder: Path, text: str, name: str = "path.csv") -> list[str]:
    with pytest.raises(PathError) as caught:
        read(folder, text, name)
    return [line.removeprefix(f"{folder}/") for line in str(caught.value).splitlines()]


def notes(found: PathFile) -> list[str]:
    return [note.partition(": ")[2] for note in found.notes]


UNNAMED = "columns without names; the first two are read as x and y"
TABLES = {
    "plain": "0.5,0.5\n1.0,0.5\n1.5,1.0\n",
    "capitals": "X,Y\n0.5,0.5\n1,0.5\n1.5,1\n",
    "units": "X (meters),Y (meters)\n0.5,0.5\n1,0.5\n1.5,1\n",
    "brackets": "x [m], y [m]\n0.5,0.5\n1,0.5\n1.5,1\n",
    "quotes": '"x","y"\n"0.5","0.5"\n1,0.5\n1.5,1\n',
    "commented header": "# x_m,y_m\n0.5,0.5\n1,0.5\n1.5,1\n",
    "trailing commas": "x, y, \n0.5, 0.5, \n1.0, 0.5, \n1.5, 1.0,\n",
    "decimal commas": "x;y\n0,5;0,5\n1,0;0,5\n1,5;1,0\n",
    "decimal commas and blanks": "0,5 0,5\n1,0 0,5\n1,5 1,0\n",
    "tabs": "x\ty\n0.5\t0.5\n1.0\t0.5\n1.5\t1.0\n",
    "blanks": "0.5 0.5\n1.0   0.5\n1.5 1.0\n",
    "byte order mark": "\ufeffx,y\r\n0.5,0.5\r\n1,0.5\r\n1.5,1\r\n",
    "empty cells": "x,y\n0.5,0.5\n,\n1,0.5\n1.5,1\n,,\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_table_of_two_columns_is_read_without_notes(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, TABLES[name])
    assert (found.waypoints_m, found.notes) == (CORNER, ())


@pytest.mark.parametrize(
    ("text", "aside"),
    [
        ("x,y,yaw\n0.5,0.5,0\n1,0.5,0\n1.5,1,0\n", "yaw"),
        ("index,X (m),Y (m)\n0,0.5,0.5\n1,1,0.5\n2,1.5,1\n", "index"),
        ("time,y,x\n0,0.5,0.5\n1,0.5,1\n2,1,1.5\n", "time"),
        ("# a\n# s_m; x_m; y_m; psi_rad\n0;0.5;0.5;1\n1;1;0.5;1\n2;1.5;1;1\n", "s_m, psi_rad"),
        ("// x, y, yaw\n0.5, 0.5, -90\n1, 0.5, 0\n1.5, 1, 0\n", "yaw"),
        ("pose.position.x,pose.position.y,pose.orientation.x\n.5,.5,0\n1,.5,0\n1.5,1,0\n", "pose.orientation.x"),
        ("0.5,0.5,3\n1,0.5,4\n1.5,1,3\n2,2,2", None),
        ("0.5,0.5,3\n1,0.5,4\n1.6,1,3\n", f"1 of 3 {UNNAMED}"),
        (
            "0.5,0.5,0,0,1\n1,0.5,0,0,1\n1.6,1,0,0,1\n",
            "3 of 5 columns without names; the first two are read as x and y",
        ),
    ],
)
def test_further_columns_are_left_aside_with_a_note_unless_ambiguous(
    tmp_path: Path, text: str, aside: str | None
) -> None:
    if aside is None:
        reason = "3 columns, the first of which may be x, time or an index: name the columns in the first line"
        assert problems(tmp_path, text) == [f"path.csv:1: {reason}, such as x,y,yaw"]
    else:
        found = read(tmp_path, text)
        assert notes(found) == [f"left aside: {aside}"]
        assert found.waypoints_m[:2] == CORNER[:2]


@pytest.mark.parametrize("header", ["[" * 60_000, " " * 60_000 + "x", "a\n" * 60_000, "(" + " " * 60_000])
def test_header_that_names_nothing_is_refused_at_once(tmp_path: Path, header: str) -> None:
    (tmp_path / "path.txt").write_text(f"{header}\n0,0\n1,0\n")
    with pytest.raises(PathError):
        load_path(tmp_path / "path.txt")


def test_repeated_points_are_left_out_with_a_note(tmp_path: Path) -> None:
    found = read(tmp_path, "x,y\n0,0\n0,0\n1,0\n1,0.0000001\n1,0\n2,0\n")
    assert (len(found.waypoints_m), notes(found)) == (3, ["3 repeated waypoints left out"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("lat,lon\n49,16\n49,17\n", "path.csv:1: no columns x and y among lat, lon: name them x_m and y_m"),
        *(
            (text, f"path.csv: {name} is not in metres: convert the numbers, and name the columns x_m and y_m")
            for text, name in (
                ("x (mm),y (mm)\n1,2\n3,4\n", "x (mm)"),
                ("time,x_m,y_mm\n1,2,3\n3,4,5\n", "y_mm"),
                ("# x_cm, y_cm\n0, 0\n200, 0\n", "x_cm"),
                ("% X [ MM ];Y [ MM ]\n0;0\n200;0\n", "X [ MM ]"),
            )
        ),
        ("1\n2\n", "path.csv:1: one column instead of x and y"),
        ("x,y\n0,0\n1\n", "path.csv:3: 1 column instead of 2"),
        ("x,y\n0,0\n2000,0\n", "path.csv:3: (2000, 0) is more than 1000 m away"),
        ("", "path.csv: a path through waypoints needs 2 of them, not 0"),
    ],
)
def test_table_that_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path, text: str, problem: str) -> None:
    assert problems(tmp_path, text) == [problem]


def test_three_problems_are_listed_and_the_others_counted(tmp_path: Path) -> None:
    found = problems(tmp_path, "x,y\n" + "1,b\n" * 2200)
    assert found[:1] == ["path.csv:2: 'b' is not a number"]
    assert (len(found), found[-1]) == (4, "and 2197 more lines")


LISTS = {
    "points.json": json.dumps(CORNER),
    "points.yaml": "[[0.5, 0.5], [1, 0.5], [1.5, 1]]",
    "objects.json": json.dumps({"waypoints": [{"X": x, "y": y} for x, y in CORNER]}),
    "triples.yaml": "waypoints:\n- [0.5, 0.5, 1.57]\n- [1.0, 0.5, 0]\n- [1.5, 1.0, 0]\n",
    "places.yaml": "waypoints:\n- {frame_id: map, x: 0.5, y: 0.5}\n- {x: 1.0, y: 0.5}\n- {x: 1.5, y: 1.0, z: 0}\n",
    "flat.yaml": "/**:\n  ros__parameters:\n    waypoints: [0.5, 0.5, 1.0, 0.5, 1.5, 1.0]\n",
    "odd.yaml": "points: [0.5, 0.5, 0, 1.0, 0.5, 0, 1.5, 1.0, 0]\n",
    "path.yaml": "header: {frame_id: map}\nposes:\n"
    + "".join(f"- pose:\n    position: {{x: {x}, y: {y}, z: 0.0}}\n" for x, y in CORNER)
    + "---\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_list_of_another_program_is_read(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, LISTS[name], name)
    assert found.waypoints_m == CORNER
    assert bool(found.notes) == (name not in ("points.json", "points.yaml", "objects.json"))


@pytest.mark.parametrize("name", LISTS)
def test_check_recognizes_lists_and_prints_what_was_skipped(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, LISTS[name], name)
    checked = check_file(tmp_path / name)
    assert (checked.kind, checked.mistakes, checked.notes) == (FileKind.PATH, (), found.notes)


def test_list_is_a_path_of_a_goal() -> None:
    assert read_path(LISTS["points.json"], "goal").waypoints_m == CORNER


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("track.gpx", "<gpx/>", "track.gpx: places on the globe, in degrees, are not read"),
        ("points.yaml", "0.5,0.5\n1,1\n", "points.yaml:1: '0.5,0.5 1,1' is not a path: write [[x, y], ...] in metres"),
        ("points.json", '["a", "b"]', "points.json:1: ['a', 'b'] is not a path"),
        ("flat.yaml", "waypoints: [1, 2, 3, 4, 5]", "flat.yaml: 5 numbers are neither pairs x, y nor triples"),
        ("far.json", "[[0, 0], [5000, 0]]", "far.json: waypoint 2: (5000, 0) is not within 1000 m"),
        ("long.json", json.dumps([[n / 10, 0] for n in range(1200)]), "long.json: 1200 waypoints, more than 1000"),
    ],
)
def test_file_that_is_not_a_path_is_refused_in_a_sentence(tmp_path: Path, name: str, text: str, problem: str) -> None:
    found = problems(tmp_path, text, name)
    assert len(found) == 1
    assert found[0].startswith(problem)


def test_check_takes_places_on_the_globe_for_a_path(tmp_path: Path) -> None:
    (tmp_path / "track.gpx").write_text("<gpx/>", encoding="utf-8")
    assert check_file(tmp_path / "track.gpx").kind is FileKind.PATH


def test_text_file_may_be_a_path_in_yaml(tmp_path: Path) -> None:
    assert read(tmp_path, "# x: see below\nshape: circle\n", "path.txt").name == "circle"
    assert read(tmp_path, TABLES["blanks"], "path.txt").waypoints_m == CORNER


def drawn(seed: int) -> tuple[str, str, list[tuple[float, float]]]:
    """Returns a file's name and text as a program may write it, and the points in it."""
    draw = random.Random(seed)
    points = [
        (round(math.cos(n / 3) * n / 9, 4), round(math.sin(n / 3) * n / 9, 4)) for n in range(draw.randint(3, 40))
    ]
    if draw.random() < 0.25:
        return (
            "path.json",
            json.dumps({"frame": "map", "points": [{"x": x, "y": y, "id": 1} for x, y in points]}),
            points,
        )
    separator = draw.choice([",", ";", "\t", " ", ", "])
    names = draw.sample(["time", "yaw", "v_mps", "kappa", "id"], draw.randrange(4))
    places = sorted(draw.sample(range(len(names) + 2), 2))
    pattern = draw.choice(["{}", "{}_m", "{}[m]", "pos_{}", "pose.position.{}"])
    header, rows = list(names), [[str(draw.randrange(9)) for _ in names] for _ in points]
    for axis, place in enumerate(places):
        header.insert(place, pattern.format("xy"[axis]))
        for row, point in zip(rows, points, strict=True):
            row.insert(place, f"{point[axis]:.4f}".replace(".", "," if separator == ";" else "."))
    mark, end = draw.choice(["", "# ", "// "]), draw.choice(["", "  ", separator.strip()])
    lines = ["# made by a program", mark + separator.join(header), *(separator.join(row) + end for row in rows)]
    return draw.choice(["path.csv", "path.tsv", "PATH.TXT"]), draw.choice(["\n", "\r\n"]).join(lines), points


@pytest.mark.parametrize("seed", range(20))
def test_files_as_programs_write_them_are_read(tmp_path: Path, seed: int) -> None:
    name, text, points = drawn(seed)
    assert list(read(tmp_path, text, name).waypoints_m) == points


@pytest.mark.parametrize("seed", range(20))
def test_any_text_is_read_or_refused(tmp_path: Path, seed: int) -> None:
    text = "".join(random.Random(seed).choices("01.,;\t #/%xy-e\n'\"[]", k=60))
    (tmp_path / "path.csv").write_text(text, encoding="utf-8")
    checked = check_file(tmp_path / "path.csv")
    assert checked.mistakes or checked.summary.startswith("path of")
