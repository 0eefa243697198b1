"""The shipped layouts for RViz and Foxglove: their files, and the robots that they show."""

import json
import re
from collections.abc import Iterator

from fleet.settings.config import load_config
from harness.layouts import FOXGLOVE, foxglove_topics, rviz_topics
from harness.pages import ROOT

MODEL = re.compile(r"/factory/robot_(\d+)/robot_description")


def panels_in(node: object) -> Iterator[str]:
    """Yield the names of the panels in a layout's tree."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        yield from panels_in(node["first"])
        yield from panels_in(node["second"])


def models(topics: list[str]) -> list[int]:
    return [int(match.group(1)) for match in map(MODEL.fullmatch, topics) if match]


def test_rviz_shows_the_models_of_the_shipped_fleet() -> None:
    expected = [robot.id for robot in load_config(ROOT / "config/fleet.yaml").robots]
    assert models([topic for topic, _, _ in rviz_topics()]) == expected


def test_foxglove_shows_the_models_of_the_shipped_fleet() -> None:
    expected = [robot.id for robot in load_config(ROOT / "config/fleet.yaml").robots]
    assert models([topic for topic, _ in foxglove_topics()]) == expected


def test_every_panel_of_foxglove_is_placed_and_configured() -> None:
    layout = json.loads(FOXGLOVE.read_text(encoding="utf-8"))
    assert sorted(panels_in(layout["layout"])) == sorted(layout["configById"])
