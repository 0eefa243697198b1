"""The commands `thymio-fleet status` and `list`: show the fleet, and which host serves which robot."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.live import Live

from fleet.client.local_fleet import LocalFleet, local_fleet
from fleet.client.robot_report import RobotReport
from fleet.commands.fleet_table import FleetTable, fleet_table, hosts_table, table_console
from fleet.errors import HOW_TO_START
from thymio_base.exit_code import ExitCode
from thymio_base.number_text import robots_text
from thymio_base.ros.ros_domain import ros_domain_id
from thymio_base.texts.json_lines import add_json_option, print_json_lines

if TYPE_CHECKING:  # ROS takes half a second to load: the drivers of this host are asked before
    from fleet.client.fleet_client import FleetClient

_REFRESH_S = 0.25
_STATUS_S = 5.0  # longest wait for drivers and statuses, which Fast DDS may find after 3 s
_POSE_S = 0.5  # longest wait for poses, which are published ten times a second
_NOWHERE = ("unknown", "lost")  # localization of robots that publish no pose
_NO_ROBOTS = f"no robots yet on ROS domain {ros_domain_id()}; waiting: {HOW_TO_START}"


def add_status(parser: argparse.ArgumentParser) -> None:
    """Add the options of `status`."""
    parser.add_argument("--once", action="store_true", help="show it once")
    add_json_option(parser)
    parser.set_defaults(run=_status)


def add_list(parser: argparse.ArgumentParser) -> None:
    """Add the options of `list`."""
    add_json_option(parser)
    parser.set_defaults(run=_list)


def _status(options: argparse.Namespace) -> int:
    if options.once or options.json:
        return _show_once(_fleet_table, has_poses=True, as_json=options.json)
    from fleet.client.fleet_client import FleetClient  # noqa: PLC0415

    with closing(FleetClient()) as client:
        return _show_live(client)


def _fleet_table(reports: Sequence[RobotReport]) -> FleetTable:
    return FleetTable(reports, str(ros_domain_id()))


def _list(options: argparse.Namespace) -> int:
    return _show_once(hosts_table, has_poses=False, as_json=options.json)


def _show_once(
    table: Callable[[Sequence[RobotReport]], RenderableType], *, has_poses: bool, as_json: bool = False
) -> int:
    """Print a table of all robots; fail if there are none, or if any are missing or have published no status."""
    local = local_fleet(ros_domain_id())
    reports, problems = list(local.reports.values()), list[str]()
    if not local.is_whole:
        reports, problems = _find_through_ros(local, has_poses)
    reports.sort(key=lambda report: report.robot_id)
    if as_json:
        print_json_lines(map(_row, reports))
    elif reports:
        table_console().print(table(reports))
    for problem in problems:
        print(problem, file=sys.stderr)
    return ExitCode.FAILED if problems else ExitCode.DONE


def _row(report: RobotReport) -> dict[str, Any]:
    """Return a robot as JSON: names are those of `RobotReport`, and `state` is its state in a word."""
    level = None if report.level is None else report.level.name
    return asdict(report) | {"level": level, "state": report.word, "values": dict(report.values)}


def _find_through_ros(local: LocalFleet, has_poses: bool) -> tuple[list[RobotReport], list[str]]:
    """Return the reports of all robots on the graph, and what is missing, in words."""
    from fleet.client.fleet_client import FleetClient  # noqa: PLC0415

    with closing(FleetClient()) as client:
        missing = client.wait_for_statuses(local, _STATUS_S)
        if has_poses:
            client.spin_until(lambda: client.poses.keys() >= _located(client), _POSE_S)
        reports = [client.report(robot_id) for robot_id in {*local.reports, *client.statuses, *missing}]
        return reports, list(_problems(client, reports, missing))


def _problems(client: "FleetClient", reports: Sequence[RobotReport], missing: Sequence[int]) -> Iterator[str]:
    if not reports:
        yield _NO_ROBOTS.replace("; waiting:", ";")
    if missing:
        yield f"no status of {robots_text(missing)} within {_STATUS_S:g} s"
    if client.has_silent_driver():
        yield "a driver on this host does not answer: its robots are missing"
    elif client.has_unmet_driver():
        yield "a driver on the ROS graph does not announce itself: its robots are missing"


def _located(client: "FleetClient") -> set[int]:
    """Return the robots that publish poses according to their statuses; those of other servers may."""
    return {
        robot_id
        for robot_id in client.statuses
        if client.value(robot_id, "link") != "lost" and client.value(robot_id, "localization") not in _NOWHERE
    }


def _show_live(client: "FleetClient") -> int:
    with Live(_NO_ROBOTS, auto_refresh=False) as live:
        while True:
            robot_ids = client.robot_ids()
            for robot_id in robot_ids:
                client.watch(robot_id)
            rows = live.console.height - 1 if live.console.is_terminal else None
            live.update(fleet_table(client, robot_ids, rows) if robot_ids else _NO_ROBOTS, refresh=True)
            client.spin(_REFRESH_S)
