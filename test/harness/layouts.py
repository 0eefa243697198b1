"""The layouts for RViz and Foxglove that are shipped: the topics that they show."""

import json
from collections.abc import Iterator
from typing import Any

import yaml

from harness.pages import ROOT

RVIZ = ROOT / "config/rviz/fleet.rviz"
FOXGLOVE = ROOT / "config/foxglove/fleet.json"

_RVIZ_TYPES = {
    "rviz_default_plugins/MarkerArray": ("Topic", "visualization_msgs/msg/MarkerArray"),
    "rviz_default_plugins/PoseArray": ("Topic", "geometry_msgs/msg/PoseArray"),
    "rviz_default_plugins/RobotModel": ("Description Topic", "std_msgs/msg/String"),
}
_FOXGLOVE_3D_TYPES = {
    "geometry_msgs/msg/PoseArray",
    "geometry_msgs/msg/PoseStamped",
    "visualization_msgs/msg/MarkerArray",
}
_ANY_TYPE: set[str] = set()


def rviz_topics() -> Iterator[tuple[str, str, bool]]:
    """Yield topic, type, and whether the display asks for the latest message, of each display with a topic."""
    layout = yaml.safe_load(RVIZ.read_text(encoding="utf-8"))
    for display in layout["Visualization Manager"]["Displays"]:
        if display["Class"] in _RVIZ_TYPES:
            key, kind = _RVIZ_TYPES[display["Class"]]
            yield display[key]["Value"], kind, display[key]["Durability Policy"] == "Transient Local"


def foxglove_topics() -> Iterator[tuple[str, set[str]]]:
    """Yield each topic of the layout, with the types that its panel can show; empty is any."""
    panels: dict[str, dict[str, Any]] = json.loads(FOXGLOVE.read_text(encoding="utf-8"))["configById"]
    for name, panel in panels.items():
        match name.partition("!")[0]:
            case "3D":
                yield from ((topic, _FOXGLOVE_3D_TYPES) for topic in panel["topics"])
                yield from _models(panel)
            case "DiagnosticSummary":
                yield panel["topicToRender"], {"diagnostic_msgs/msg/DiagnosticArray"}
            case "RawMessages":
                yield panel["topicPath"], _ANY_TYPE
            case "Plot":
                topics = (path["value"].partition(".")[0] for path in panel["paths"])
                yield from ((topic, {"geometry_msgs/msg/PoseStamped"}) for topic in topics)
            case kind:
                raise AssertionError(f"no test knows panels of the kind {kind!r}")


def _models(panel: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    layers = panel["layers"].values()
    yield from ((layer["topic"], {"std_msgs/msg/String"}) for layer in layers if layer["layerId"] == "foxglove.Urdf")
