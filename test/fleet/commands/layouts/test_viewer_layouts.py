import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from fleet.commands.layouts.viewer_layouts import ShownFleet, foxglove_layout, rviz_layout
from fleet.commands.main import main
from fleet.settings.config import load_config
from harness.layouts import FOXGLOVE, RVIZ
from harness.pages import ROOT

RVIZ_PATTERN: dict[str, Any] = yaml.safe_load(RVIZ.read_text())
FOXGLOVE_PATTERN: dict[str, Any] = json.loads(FOXGLOVE.read_text())
SHIPPED = ShownFleet.of(load_config(ROOT / "config/fleet.yaml"))
OTHER = ShownFleet((7, 31), "lab", (1.0, 2.0), 3.0)


def test_layouts_of_the_shipped_fleet_are_up_to_date() -> None:
    assert rviz_layout(RVIZ_PATTERN, SHIPPED) == RVIZ_PATTERN
    assert foxglove_layout(FOXGLOVE_PATTERN, SHIPPED) == FOXGLOVE_PATTERN


def test_rviz_shows_the_models_of_other_robots_in_their_frame() -> None:
    manager = rviz_layout(RVIZ_PATTERN, OTHER)["Visualization Manager"]
    names = [display["Name"] for display in manager["Displays"]]
    assert names == ["Grid", "World", "True poses", "Robot 7", "Robot 31", "TF"]
    topics = [display["Description Topic"]["Value"] for display in manager["Displays"][3:5]]
    assert topics == ["/factory/robot_7/robot_description", "/factory/robot_31/robot_description"]
    assert manager["Global Options"]["Fixed Frame"] == "lab"
    assert manager["Views"]["Current"]["Focal Point"] == {"X": 1.0, "Y": 2.0, "Z": 0}


def test_foxglove_names_only_robots_of_the_fleet() -> None:
    layout = foxglove_layout(FOXGLOVE_PATTERN, OTHER)
    scene = layout["configById"]["3D!fleet"]
    assert list(scene["layers"]) == ["grid", "robot_7", "robot_31"]
    assert [layer["order"] for layer in scene["layers"].values()] == [1, 2, 3]
    assert set(layout["configById"]) == {"3D!fleet", "DiagnosticSummary!fleet", "RawMessages!robot_7", "Plot!robot_7"}
    text = json.dumps(layout)
    assert [number for number in (1, 2, 8) if f"robot_{number}" in text or f"Robot {number}:" in text] == []
    assert scene["followTf"] == scene["layers"]["grid"]["frameId"] == "lab"


def test_fleet_without_an_arena_is_seen_around_its_homes(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(
        "robots: [{id: 1, node_id: 1, home: {x_m: 1, y_m: 2}}, {id: 2, node_id: 2, home: {x_m: 5, y_m: 4}}]"
    )
    fleet = ShownFleet.of(load_config(file))
    assert (fleet.middle_m, fleet.distance_m) == ((3.0, 3.0), 4.4)


def test_command_writes_both_files_and_names_the_topics_to_publish(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new"
    assert main(["layouts", str(ROOT / "config/fleet.yaml"), "--output", str(folder)]) == 0
    assert yaml.safe_load((folder / "fleet.rviz").read_text()) == RVIZ_PATTERN
    assert json.loads((folder / "foxglove_fleet.json").read_text()) == FOXGLOVE_PATTERN
    assert "driver: { publish: { tf: true, description: true } }" in capsys.readouterr().out


def test_wrong_fleet_and_wrong_folder_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text("robots: 3")
    assert main(["layouts", str(file)]) == 2
    assert "robots" in capsys.readouterr().err
    assert main(["layouts", str(ROOT / "config/fleet.yaml"), "--output", str(file)]) == 2
    assert f"cannot write into {file}" in capsys.readouterr().err
