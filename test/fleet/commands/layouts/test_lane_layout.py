"""Stations and lanes of a floor as a LIF file."""

from pathlib import Path

import pytest

from fleet.commands.layouts.lane_layout import LIF_VERSION, lif_layout
from fleet.commands.main import main
from fleet.settings.config import FleetConfig, load_config
from thymio_base.texts.json_text import read_json

TEXT = """
arena: {x_min_m: 0, y_min_m: 0, x_max_m: 2, y_max_m: 2}
floor: {walls: [{x1_m: 1.0, y1_m: 0.0, x2_m: 1.0, y2_m: 1.4}]}
stations:
- {name: press, pose: {x_m: 0.4, y_m: 0.4}, role: load}
- {name: packing, pose: {x_m: 1.6, y_m: 0.4, heading_rad: 1.5}, role: unload}
robots: [{id: 1, node_id: 1, home: {x_m: 0.4, y_m: 1.6}}]
"""


@pytest.fixture
def config() -> FleetConfig:
    return load_config(Path("fleet.yaml"), text=TEXT)


def test_layout_has_what_the_format_requires(config: FleetConfig) -> None:
    assert config.arena is not None
    found = lif_layout(config, config.arena, 0.3, "2026-01-01T00:00:00Z")
    assert found["metaInformation"]["lifVersion"] == LIF_VERSION
    layout = found["layouts"][0]
    assert layout.keys() >= {"layoutId", "layoutVersion", "nodes", "edges", "stations"}
    nodes = {node["nodeId"]: node for node in layout["nodes"]}
    assert len(nodes) == len(layout["nodes"])
    assert all(node["vehicleTypeNodeProperties"][0]["vehicleTypeId"] == "thymio" for node in layout["nodes"])
    assert nodes["packing"]["vehicleTypeNodeProperties"][0]["theta"] == 1.5
    assert len({edge["edgeId"] for edge in layout["edges"]}) == len(layout["edges"])
    assert all({edge["startNodeId"], edge["endNodeId"]} <= nodes.keys() for edge in layout["edges"])
    assert [station["interactionNodeIds"] for station in layout["stations"]] == [["press"], ["packing"]]


def test_lanes_lead_around_walls_from_station_to_station(config: FleetConfig) -> None:
    assert config.arena is not None
    layout = lif_layout(config, config.arena, 0.3, "")["layouts"][0]
    places = {node["nodeId"]: node["nodePosition"] for node in layout["nodes"]}
    lanes = [(edge["startNodeId"], edge["endNodeId"]) for edge in layout["edges"]]
    reached = {"press"}
    while further := {end for start, end in lanes if start in reached} - reached:
        reached |= further
    assert reached == places.keys()
    crossing = [lane for lane in lanes if (places[lane[0]]["x"] < 1.0) != (places[lane[1]]["x"] < 1.0)]
    assert crossing
    assert all(places[name]["y"] > 1.4 for lane in crossing for name in lane)


def test_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet, output = tmp_path / "fleet.yaml", tmp_path / "floor.lif"
    fleet.write_text(TEXT)
    assert main(["lif", str(fleet), "--output", str(output)]) == 0
    assert read_json(output.read_text())["layouts"][0]["layoutId"] == "map"
    assert main(["lif", str(fleet), "--spacing", "0.001"]) == 2
    assert "choose a wider spacing" in capsys.readouterr().err
