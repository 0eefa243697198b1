import re
from pathlib import Path

import pytest

from fleet.geometry import Pose2D
from fleet.settings.config import load_config
from fleet.settings.station_config import StationConfig, StationRole
from harness.fleets import ONE_ROBOT, problems_of, read

WORLDS = Path(__file__).parents[3] / "examples" / "worlds"
A = "{name: A, pose: {x_m: 1, y_m: 1}, role: load}"
ARENA = "arena: {x_min_m: -1, y_min_m: -1, x_max_m: 3, y_max_m: 3}\n"


def stations(*entries: str) -> str:
    return "stations:\n" + "".join(f"- {entry}\n" for entry in entries)


def test_stations_are_read_in_order(tmp_path: Path) -> None:
    text = stations(
        "{name: A, pose: {x_m: 1.0, y_m: 2.0, heading_rad: 0.5}, role: load}",
        "{name: dock, pose: {x_m: 2.0, y_m: 2.0}, role: charge}",
    )
    assert read(tmp_path, text + ONE_ROBOT).stations == (
        StationConfig("A", Pose2D(1.0, 2.0, 0.5), StationRole.LOAD),
        StationConfig("dock", Pose2D(2.0, 2.0, 0.0), StationRole.CHARGE),
    )


def test_no_stations_exist_by_default_and_viewers_may_stop(tmp_path: Path) -> None:
    config = read(tmp_path)
    assert (config.stations, config.dashboard.viewers_may_stop) == ((), True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (stations("{name: A, pose: {x_m: 1, y_m: 1}}"), "2: stations[0]: key 'role' is missing"),
        (stations("{name: '', pose: {x_m: 1, y_m: 1}, role: load}"), "2: stations[0].name: '' should be non-empty"),
        (
            stations("{name: A, pose: {x_m: 1, y_m: 1}, role: lod}"),
            "2: stations[0].role: 'lod' is unknown, did you mean 'load'?",
        ),
        (
            stations("{name: A, pose: {x_m: 1, y_m: 1}, role: load}", "{name: A, pose: {x_m: 2, y_m: 1}, role: park}"),
            "3: stations[1].name: 'A' is taken by stations[0]",
        ),
        (
            stations(A, "{name: B, pose: {x_m: 1.1, y_m: 1}, role: load}"),
            "3: stations[1].pose: only 0.100 m from stations[0]; robots need 0.165 m",
        ),
        (
            ARENA + stations("{name: A, pose: {x_m: 2.95, y_m: 1}, role: load}"),
            "3: stations[0].pose: (2.95, 1) is not inside the arena, 0.08 m from its edges",
        ),
        (
            "floor: {walls: [{x1_m: 1, y1_m: -1, x2_m: 1, y2_m: 1}]}\n"
            + stations("{name: A, pose: {x_m: 1.05, y_m: 0}, role: load}"),
            "3: stations[0].pose: (1.05, 0) is 0.050 m from a wall or area of `floor`; a body needs 0.08 m",
        ),
        ("dashboard: {viewers_may_stop: 1}\n", "1: dashboard.viewers_may_stop: 1 is not of type 'boolean'"),
    ],
)
def test_bad_station_is_named_with_what_is_wrong(tmp_path: Path, text: str, problem: str) -> None:
    assert problems_of(tmp_path, text + ONE_ROBOT) == [problem]


def test_mistakes_of_the_schema_do_not_hide_the_others(tmp_path: Path) -> None:
    text = stations("{name: A, pose: {x_m: x, y_m: 1}, role: load}", "{name: A, pose: {x_m: 1, y_m: 1}, role: load}")
    assert [problem.partition(": ")[2].partition(":")[0] for problem in problems_of(tmp_path, text + ONE_ROBOT)] == [
        "stations[0].pose.x_m",
        "stations[1].name",
    ]


def test_comment_of_the_small_factory_names_its_stations() -> None:
    comment = (WORLDS / "factory.yaml").read_text(encoding="utf-8").partition("\n\n")[0]
    stations = {station.name for station in load_config(WORLDS / "factory_fleet.yaml").stations}
    named = re.search(r"\((.+?)\)", comment)
    assert named is not None
    assert {*named[1].split(", "), *re.findall(r"transport 1 (\w+) (\w+)", comment)[0]} <= stations
