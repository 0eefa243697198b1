"""The command `thymio-fleet check`."""

from pathlib import Path

import pytest

from fleet.commands.main import main
from thymio_base.shipped_files import shipped_file

ROOT = Path(__file__).parents[3]
FLEET, WORLD = str(shipped_file("fleet.yaml")), str(shipped_file("world.yaml"))
CALIBRATION = "robots: [{id: 1, wheels: {left_unit_mps: 0.0003, right_unit_mps: 0.0003, axle_length_m: 0.094}}]\n"
REFUSED = """title: t
world: {arena: {width_m: 3, height_m: 2}, robots: [{node_id: 1, x_m: 1, y_m: 1}]}
fleet:
  arena: {x_min_m: 0, x_max_m: 3, y_min_m: 0, y_max_m: 2}
  floor: {walls: [{x1_m: 2, y1_m: 0, x2_m: 2, y2_m: 2}]}
  robots: [{id: 1, node_id: 1, home: {x_m: 1, y_m: 1}}]
duration_s: 5
tasks: [{id: a, robot: 1, TASK}]
"""


def lines(capsys: pytest.CaptureFixture[str]) -> tuple[list[str], list[str]]:
    """Return what was printed, and what was reported as mistakes."""
    captured = capsys.readouterr()
    return captured.out.splitlines(), captured.err.splitlines()


def test_shipped_fleet_fits_the_shipped_world(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", FLEET, "--world", WORLD]) == 0
    assert lines(capsys) == (
        [
            f"{WORLD}: world of 4.2 m by 2.2 m, 8 robots, 0 objects: ok",
            f"{FLEET}: fleet of 8 robots, 1 target: ok",
            "  no calibration_file: every robot uses `body` and Enki's proximity model",
        ],
        [],
    )


@pytest.mark.parametrize("name", ["factory", "lab_table", "maze"])
def test_fleets_of_the_examples_fit_their_worlds(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ROOT / "examples/worlds"
    assert main(["check", str(folder / f"{name}_fleet.yaml"), "--world", str(folder / f"{name}.yaml")]) == 0
    assert "warning" not in capsys.readouterr().out


def test_every_kind_of_file_is_summarized(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calibration = tmp_path / "measured"
    calibration.write_text(CALIBRATION, encoding="utf-8")
    relay, dock = ROOT / "examples/experiments/relay.yaml", ROOT / "examples/paths/dock.yaml"
    slalom = ROOT / "examples/paths/slalom.csv"
    assert main(["check", *map(str, (relay, dock, slalom, calibration))]) == 0
    assert lines(capsys)[0] == [
        f"{relay}: experiment of 4 runs with 6 tasks, 1 fault, fleet of 3 robots, 1 target: ok",
        f"{dock}: path of 0.99 m, 1 lap: ok",
        f"{slalom}: path of 1.72 m, 1 lap: ok",
        f"{calibration}: calibration of 1 robot: ok",
    ]


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        ("follow_path: {shape: square, size_m: 0.5}, speed_mps: 0.19, relative_to: map", "BAD_SPEED"),
        ("follow_path: {shape: square, size_m: 0.5, speed_mps: 0.19}", "BAD_SPEED"),
        ("go_to: {x_m: 9, y_m: 1}", "OUT_OF_ARENA"),
        ("go_to: {x_m: 2, y_m: 1}", "UNREACHABLE"),
        ("follow_route: '9,1'", "OUT_OF_ARENA"),
        ("dock: {x_m: 1, y_m: 0.5}", "NOT_A_CHARGER"),
    ],
)
def test_task_that_the_run_refuses_is_a_mistake(
    task: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "experiment.yaml"
    file.write_text(REFUSED.replace("TASK", task), encoding="utf-8")
    assert main(["check", str(file)]) == 2
    (line,) = lines(capsys)[1]
    assert line.startswith(f"{file}: task 'a' would be refused: ")
    assert line.endswith(f"({reason})")
    assert main(["experiment", str(file), "--out", str(tmp_path / "out"), "--jobs", "1", "--tables-only"]) == 0
    assert reason in capsys.readouterr().out


def test_condition_whose_task_is_refused_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "experiment.yaml"
    sweep = "sweep: {tasks.a.speed_mps: [0.05, 0.19]}\n"
    file.write_text(REFUSED.replace("TASK", "follow_path: circle, speed_mps: 0.05") + sweep, encoding="utf-8")
    assert main(["check", str(file)]) == 2
    (line,) = lines(capsys)[1]
    assert "tasks.a.speed_mps=0.19: task 'a' would be refused: " in line


def test_mistakes_of_all_files_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet, world, path = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    fleet.write_text("calibration_file: d\nrobots: [{id: 1, node_id: 1, home: {x_m: 1}}]\n", encoding="utf-8")
    world.write_text("arena: {width_m: 3, height_m: 2}\nrobots: [{node_id: 1, x_m: 9, y_m: 1}]\n", encoding="utf-8")
    path.write_text("shape: hexagon\nlaps: 0\n", encoding="utf-8")
    (tmp_path / "d").write_text("robots: [{id: 0}]\n", encoding="utf-8")
    assert main(["check", str(fleet), str(world), str(path)]) == 2
    printed, mistakes = lines(capsys)
    assert printed == [
        f"{fleet}, read as a fleet: 2 mistakes",
        f"{world}, read as a world: 1 mistake",
        f"{path}, read as a path: 2 mistakes",
    ]
    assert [line.removeprefix(f"{tmp_path}/").partition(" ")[0] for line in mistakes] == [
        "a:2:",
        "d:1:",
        "b:2:",
        "c:1:",
        "c:2:",
    ]


def test_file_of_no_kind_names_the_nearest_and_all_kinds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "any.yaml"
    file.write_text("arena: {width_m: 3}\nrobot: []\ncolor: 3\nfoo: 2\n", encoding="utf-8")
    assert main(["check", str(file)]) == 2
    assert lines(capsys)[1] == [
        f"{file}: not a file that can be checked; the closest kind is a world, which has 2 of its 5 keys; "
        "kinds are fleet, world, experiment, path, calibration, script, and --kind forces one"
    ]


def test_kind_is_forced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "any.yaml"
    file.write_text("foo: 2\n", encoding="utf-8")
    assert main(["check", "--kind", "calibration", str(file)]) == 2
    assert lines(capsys) == (
        [f"{file}, read as a calibration: 2 mistakes"],
        [f"{file}:1: foo: unknown key; known: robots", f"{file}:1: key 'robots' is missing"],
    )


def test_large_and_missing_files_are_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "large.yaml"
    file.write_text(" " * 1_000_001, encoding="utf-8")
    assert main(["check", str(file), str(tmp_path / "missing.yaml")]) == 2
    assert lines(capsys)[1] == [
        f"{file}: has 1000001 bytes; a settings file may have at most 1000000",
        f"{tmp_path}/missing.yaml: No such file or directory",
    ]


def test_world_without_a_fleet_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", WORLD, "--world", WORLD]) == 2
    assert lines(capsys)[1] == [f"--world {WORLD}: there is no fleet among the files to check with it"]


def test_of_many_mistakes_of_a_path_three_are_listed_and_all_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, table = tmp_path / "path.yaml", tmp_path / "table.csv"
    path.write_text(f"waypoints_m: [{', '.join(['[a, b]'] * 50)}]\n", encoding="utf-8")
    table.write_text("x,y\n" + "a,b\n" * 2200, encoding="utf-8")
    assert main(["check", "--kind", "path", str(path), str(table)]) == 2
    printed, mistakes = lines(capsys)
    assert printed == [f"{path}, read as a path: 100 mistakes", f"{table}, read as a path: 2200 mistakes"]
    assert (len(mistakes), mistakes[3], mistakes[7]) == (8, "and 97 more lines", "and 2197 more lines")


def test_a_speed_that_no_fleet_allows_is_a_warning_and_with_a_fleet_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "path.yaml"
    path.write_text("{shape: star, size_m: 0.6, speed_mps: 0.19}\n", encoding="utf-8")
    assert main(["check", str(path)]) == 0
    assert "0.19 m/s on average is too fast for the path" in lines(capsys)[0][1]
    assert main(["check", FLEET, str(path)]) == 2
    assert "try --speed 0.060" in lines(capsys)[1][0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("\n".join(f"{0.1 * index},0" for index in range(1152)), "1152 waypoints, more than 1000"),
        ("\n".join(f"{index},0" for index in range(400)), "a path of 399 m is longer than 300 m"),
    ],
)
def test_a_path_beyond_the_limits_of_the_driver_is_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, why: str
) -> None:
    (tmp_path / "path.csv").write_text(text, encoding="utf-8")
    assert main(["check", "--kind", "path", str(tmp_path / "path.csv")]) == 2
    assert lines(capsys)[1] == [f"{tmp_path / 'path.csv'}: {why}"]
