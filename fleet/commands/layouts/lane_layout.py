"""Nodes and lanes of a fleet's floor for master controls, in the Layout Interchange Format (LIF) of VDMA; pure."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from fleet.geometry import Pose2D
from fleet.routing.fleet_roadmap import roadmap_of
from fleet.routing.roadmap import Roadmap
from fleet.settings.config import ArenaConfig, FleetConfig

LIF_VERSION: Final = "1.0.0"
_VEHICLE: Final = "thymio"
_JOINED: Final = 3  # lanes from a station at most, to the nearest nodes
_NODES_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class LaneNode:
    """A node of the layout; `theta_rad` is None where robots may have any heading."""

    name: str
    x_m: float
    y_m: float
    theta_rad: float | None = None


def lif_layout(config: FleetConfig, area: ArenaConfig, spacing_m: float, written: str) -> dict[str, Any]:
    """Return the stations of a fleet, and lanes between them, as the content of a LIF file.

    Parameters
    ----------
    config
        the fleet's configuration
    area
        the area that lanes should cover
    spacing_m
        distance between nodes of lanes, which lie on a grid wherever a robot has room
    written
        the time of writing, in ISO 8601

    Raises
    ------
    ValueError
        The grid would have too many nodes.
    """
    roadmap = roadmap_of(config)
    grid = _grid(roadmap, area, spacing_m)
    places = [_node(station.name, station.pose) for station in config.stations]
    places += [_node(f"home_{robot.id}", robot.home) for robot in config.robots]
    nodes = [*places, *(node for row in grid for node in row if node is not None)]
    lanes = [*_lanes_of_grid(roadmap, grid), *_lanes_of_places(roadmap, places, nodes, spacing_m)]
    edges = [_edge(*ends, config) for lane in lanes for ends in (lane, lane[::-1])]
    layout = {
        "layoutId": config.frame,
        "layoutVersion": "1",
        "layoutLevelId": "0",
        "nodes": [_written_node(node, config.frame) for node in nodes],
        "edges": edges,
        "stations": [_station(node) for node in places[: len(config.stations)]],
    }
    about = {"projectIdentification": "thymio_fleet", "creator": "thymio-fleet lif", "exportTimestamp": written}
    return {"metaInformation": {**about, "lifVersion": LIF_VERSION}, "layouts": [layout]}


def _grid(roadmap: Roadmap, area: ArenaConfig, spacing_m: float) -> list[list[LaneNode | None]]:
    """Return the nodes of the grid, row by row; None where a robot has no room."""
    columns = math.floor((area.x_max_m - area.x_min_m) / spacing_m)
    rows = math.floor((area.y_max_m - area.y_min_m) / spacing_m)
    if columns * rows > _NODES_MAX:
        raise ValueError(
            f"{columns * rows} nodes are more than {_NODES_MAX}; choose a wider spacing than {spacing_m:g} m"
        )
    left_m = area.x_min_m + 0.5 * (area.x_max_m - area.x_min_m - (columns - 1) * spacing_m)
    below_m = area.y_min_m + 0.5 * (area.y_max_m - area.y_min_m - (rows - 1) * spacing_m)
    return [
        [
            _grid_node(roadmap, column, row, left_m + column * spacing_m, below_m + row * spacing_m)
            for column in range(columns)
        ]
        for row in range(rows)
    ]


def _grid_node(roadmap: Roadmap, column: int, row: int, x_m: float, y_m: float) -> LaneNode | None:
    is_free = roadmap.is_line_free(x_m, y_m, x_m, y_m)
    return LaneNode(f"n{column}_{row}", round(x_m, 6), round(y_m, 6)) if is_free else None


def _node(name: str, pose: Pose2D) -> LaneNode:
    return LaneNode(name, pose.x_m, pose.y_m, pose.heading_rad)


def _lanes_of_grid(roadmap: Roadmap, grid: Sequence[Sequence[LaneNode | None]]) -> Iterator[tuple[LaneNode, LaneNode]]:
    """Yield the lanes between neighbours on the grid."""
    for line in (*grid, *zip(*grid, strict=True)):
        for one, other in pairwise(line):
            if one is not None and other is not None and _is_free(roadmap, one, other):
                yield one, other


def _lanes_of_places(
    roadmap: Roadmap, places: Sequence[LaneNode], nodes: Sequence[LaneNode], spacing_m: float
) -> Iterator[tuple[LaneNode, LaneNode]]:
    """Yield lanes from stations and homes to the nearest nodes in line of sight, each once."""
    for index, place in enumerate(places):
        others = nodes[index + 1 :]
        near = sorted(others, key=lambda node: _distance_m(place, node))
        seen = [node for node in near if _distance_m(place, node) <= 2.0 * spacing_m and _is_free(roadmap, place, node)]
        for node in seen[:_JOINED]:
            yield place, node


def _is_free(roadmap: Roadmap, one: LaneNode, other: LaneNode) -> bool:
    return roadmap.is_line_free(one.x_m, one.y_m, other.x_m, other.y_m)


def _distance_m(one: LaneNode, other: LaneNode) -> float:
    return math.hypot(one.x_m - other.x_m, one.y_m - other.y_m)


def _written_node(node: LaneNode, frame: str) -> dict[str, Any]:
    heading = {} if node.theta_rad is None else {"theta": node.theta_rad}
    return {
        "nodeId": node.name,
        "mapId": frame,
        "nodePosition": {"x": node.x_m, "y": node.y_m},
        "vehicleTypeNodeProperties": [{"vehicleTypeId": _VEHICLE, **heading, "actions": []}],
    }


def _edge(start: LaneNode, end: LaneNode, config: FleetConfig) -> dict[str, Any]:
    properties = {
        "vehicleTypeId": _VEHICLE,
        "vehicleOrientation": 0.0,
        "orientationType": "TANGENTIAL",
        "rotationAllowed": False,
        "maxSpeed": config.following.speed_mps,
        "loadRestriction": {"unloaded": True, "loaded": True},
        "actions": [],
    }
    names = {"edgeId": f"{start.name}-{end.name}", "startNodeId": start.name, "endNodeId": end.name}
    return {**names, "vehicleTypeEdgeProperties": [properties]}


def _station(node: LaneNode) -> dict[str, Any]:
    position = {"x": node.x_m, "y": node.y_m, "theta": node.theta_rad}
    return {"stationId": node.name, "interactionNodeIds": [node.name], "stationPosition": position}
