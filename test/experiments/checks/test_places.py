"""Advice on homes and chargers that are too near to each other, or that cut each other off."""

from pathlib import Path

import pytest

from experiments.checks.places import StayingPlace, place_advice
from fleet.geometry import Pose2D
from fleet.settings.config import FleetConfig, load_config

ARENA = "arena: {x_min_m: 0, y_min_m: 0, x_max_m: 2, y_max_m: 1}\n"
CORRIDOR = "floor: {walls: [{x1_m: 0, y1_m: 0.3, x2_m: 1, y2_m: 0.3}]}\n"


def fleet(folder: Path, homes: list[tuple[float, float]], settings: str = "") -> FleetConfig:
    robots = "".join(
        f"- {{id: {index}, node_id: {index}, home: {{x_m: {x_m}, y_m: {y_m}}}}}\n"
        for index, (x_m, y_m) in enumerate(homes, start=1)
    )
    return load_config(folder / "fleet.yaml", text=f"{ARENA}{settings}robots:\n{robots}")


def test_homes_with_room_between_them_need_no_advice(tmp_path: Path) -> None:
    assert list(place_advice(fleet(tmp_path, [(0.2, 0.5), (0.6, 0.5), (1.0, 0.5)]))) == []


def test_homes_that_robots_pass_slowly_are_named(tmp_path: Path) -> None:
    advice = list(place_advice(fleet(tmp_path, [(0.5, 0.5), (0.68, 0.5)])))
    assert [line.partition(" m apart")[0] for line in advice] == [
        "the home of robot 1 and the home of robot 2 are 0.180"
    ]


def test_home_that_another_home_cuts_off_is_named(tmp_path: Path) -> None:
    advice = list(place_advice(fleet(tmp_path, [(0.15, 0.15), (0.7, 0.15)], CORRIDOR)))
    assert [line.partition(":")[0] for line in advice] == [
        "the home of robot 1 can be cut off by a robot at the home of robot 2"
    ]


def test_home_that_two_others_cut_off_is_named(tmp_path: Path) -> None:
    advice = list(place_advice(fleet(tmp_path, [(0.15, 0.15), (0.5, 0.15), (0.8, 0.15)], CORRIDOR)))
    assert [line.partition(" can")[0] for line in advice] == ["the home of robot 1", "the home of robot 2"]


def test_charger_that_cuts_off_a_home_is_named(tmp_path: Path) -> None:
    charger = StayingPlace("chargers[0] of world.yaml", Pose2D(0.7, 0.15, 0.0))
    advice = list(place_advice(fleet(tmp_path, [(0.15, 0.15)], CORRIDOR), [charger]))
    assert [line.partition(":")[0] for line in advice] == [
        "the home of robot 1 can be cut off by a robot at chargers[0] of world.yaml"
    ]


def test_charger_beneath_a_home_is_not_a_separate_place(tmp_path: Path) -> None:
    charger = StayingPlace("chargers[0] of world.yaml", Pose2D(0.5, 0.5, 0.0))
    assert list(place_advice(fleet(tmp_path, [(0.5, 0.5)]), [charger])) == []


def test_charger_that_touches_a_home_is_named(tmp_path: Path) -> None:
    charger = StayingPlace("chargers[0] of world.yaml", Pose2D(0.6, 0.5, 0.0))
    assert "are 0.100 m apart: robots need 0.165 m" in next(place_advice(fleet(tmp_path, [(0.5, 0.5)]), [charger]))


@pytest.mark.parametrize("homes", [[(0.15, 0.15), (0.7, 0.15)], [(0.5, 0.5), (0.65, 0.5)]])
def test_without_traffic_there_is_no_advice(homes: list[tuple[float, float]], tmp_path: Path) -> None:
    settings = f"{CORRIDOR}traffic: {{enabled: false}}\n"
    assert list(place_advice(fleet(tmp_path, homes, settings))) == []


def test_home_at_the_end_of_a_narrow_arena_is_cut_off(tmp_path: Path) -> None:
    text = "arena: {x_min_m: 0, y_min_m: 0, x_max_m: 4, y_max_m: 0.3}\nrobots:\n"
    text += "".join(f"- {{id: {index}, node_id: {index}, home: {{x_m: {index}, y_m: 0.15}}}}\n" for index in (1, 2))
    advice = list(place_advice(load_config(tmp_path / "fleet.yaml", text=text)))
    assert [line.partition(":")[0] for line in advice] == [
        "the home of robot 1 can be cut off by a robot at the home of robot 2"
    ]
