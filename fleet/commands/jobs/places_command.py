"""The command `thymio-fleet places`: the stations of the fleet, and the robots there."""

import argparse
from contextlib import closing
from dataclasses import asdict
from typing import Any

from rich.table import Table

from fleet.client.graph_client import GraphClient
from fleet.client.place_client import PlaceClient
from fleet.commands.fleet_table import table_console
from fleet.robots.place_report import PlaceReport
from thymio_base.exit_code import ExitCode
from thymio_base.heading import whole_degrees
from thymio_base.texts.json_lines import add_json_option, print_json_lines


def add_places(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_json_option(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    with closing(GraphClient()) as graph:
        places = PlaceClient(graph).find()
    if options.json:
        print_json_lines(map(_row, places))
        return ExitCode.DONE
    if not places:
        print("fleet.yaml has no stations: see docs/jobs.md")
        return ExitCode.DONE
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("station", "role", "x y heading", "who"):
        table.add_column(heading)
    for place in places:
        pose = place.station.pose
        where = f"{pose.x_m:.2f} {pose.y_m:.2f} {whole_degrees(pose.heading_rad):4d}°"
        table.add_row(place.station.name, place.station.role.value, where, _who(place))
    table_console().print(table)
    return ExitCode.DONE


def _row(place: PlaceReport) -> dict[str, Any]:
    return {
        "name": place.station.name,
        "role": place.station.role.value,
        "pose": asdict(place.station.pose),
        "robot_ids": list(place.robot_ids),
        "coming_ids": list(place.coming_ids),
    }


def _who(place: PlaceReport) -> str:
    parts = [f"robot {robot_id}" for robot_id in place.robot_ids]
    parts += [f"robot {robot_id} on its way" for robot_id in place.coming_ids]
    return ", ".join(parts) or "free"
