"""Tables that show a fleet in a terminal."""

import math
from collections.abc import Sequence

from diagnostic_msgs.msg import DiagnosticStatus
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from fleet.client.fleet_client import FleetClient

_LEVELS = {
    DiagnosticStatus.OK: ("OK", "green"),
    DiagnosticStatus.WARN: ("WARN", "yellow"),
    DiagnosticStatus.ERROR: ("ERROR", "bold red"),
}
_BAR_WIDTH = 16


def fleet_table(client: FleetClient, robot_ids: Sequence[int]) -> Table:
    """Return the table of the robots' latest statuses and poses."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("robot", "level", "x m", "y m", "heading", "battery", "task", "progress", "eta", "message"):
        table.add_column(heading, justify="right" if heading in ("x m", "y m", "heading", "eta") else "left")
    for robot_id in robot_ids:
        table.add_row(*_row(client, robot_id))
    return table


def hosts_table(client: FleetClient, robot_ids: Sequence[int]) -> Table:
    """Return the table of which host serves which robot."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("robot", "host", "driver", "level", "message"):
        table.add_column(heading)
    for robot_id in robot_ids:
        table.add_row(str(robot_id), *_host(client, robot_id), *_level(client, robot_id))
    return table


def _host(client: FleetClient, robot_id: int) -> tuple[Text | str, Text | str]:
    driver = client.driver(robot_id)
    return (driver.host, driver.node) if driver else (Text("-", style="dim"), Text("-", style="dim"))


def _level(client: FleetClient, robot_id: int) -> tuple[Text | str, str]:
    status = client.statuses.get(robot_id)
    others = "".join(f"; also claimed by {driver.host}" for driver in client.waiting(robot_id))
    if status is None:
        return Text("no status yet", style="dim"), others.removeprefix("; ")
    name, style = _LEVELS.get(status.level, ("STALE", "dim"))
    return Text(name, style=style), f"{status.message}{others}"


def _row(client: FleetClient, robot_id: int) -> list[Text | ProgressBar | str]:
    status = client.statuses.get(robot_id)
    if status is None:
        return [str(robot_id), Text("no status yet", style="dim")]
    name, style = _LEVELS.get(status.level, ("STALE", "dim"))
    pose = client.poses.get(robot_id)
    place = (f"{pose.x_m:.3f}", f"{pose.y_m:.3f}", f"{round(math.degrees(pose.heading_rad))}°") if pose else ("-",) * 3
    is_busy = client.value(robot_id, "busy") == "yes"
    return [
        str(robot_id),
        Text(name, style=style),
        *place,
        _battery(client, robot_id),
        client.value(robot_id, "assigned_task") or Text("-", style="dim"),
        _progress(client.value(robot_id, "progress")) if is_busy else "",
        _eta(client.value(robot_id, "eta_s")) if is_busy else "",
        status.message,
    ]


def _battery(client: FleetClient, robot_id: int) -> str:
    percent = client.value(robot_id, "battery_pct")
    level = client.value(robot_id, "battery")
    return f"{level} {percent} %" if percent not in ("", "-1") else level


def _progress(value: str) -> ProgressBar:
    """Return a progress bar; it pulses if the server reports no progress."""
    if not value:
        return ProgressBar(total=None, width=_BAR_WIDTH, pulse=True)
    return ProgressBar(total=1.0, completed=float(value), width=_BAR_WIDTH)


def _eta(value: str) -> str:
    return f"{float(value):.0f} s" if value else ""
