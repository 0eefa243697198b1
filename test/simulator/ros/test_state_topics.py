"""Markers of the bodies on the floor."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from simulator.ros.state_topics import StateTopics
from simulator.simulation.pace import Pace
from simulator.simulation.simulation import Simulation
from simulator.simulation.simulation_control import Control
from simulator.simulation.spawning import SpawnRequest, spawn
from simulator.world.config import load_world

WORLD = """
arena: {width_m: 3.0, height_m: 2.0}
robots: [{node_id: 1, x_m: 1.0, y_m: 1.0}]
"""


def test_markers_show_an_object_that_replaces_another_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "world.yaml"
    path.write_text(WORLD, encoding="utf-8")
    control = Control(Simulation(load_world(path)), Pace(0.01, 1.0, 0))
    sent: list[Any] = []
    node = SimpleNamespace(create_publisher=lambda *_: SimpleNamespace(publish=sent.append))
    topics = StateTopics(control.simulation, node)
    for kind in ("box", "cylinder"):
        name = spawn(control, SpawnRequest(kind, kind, False, (2.0, 1.5, 0.0), ""))
        topics.publish_markers()
        topics.publish_markers()
        control.delete(name)
    shown = [[marker.text for marker in message.markers if marker.text] for message in sent]
    assert shown == [[], ["box"], ["cylinder"]]
