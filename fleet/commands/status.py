"""The commands `thymio-fleet status` and `list`: show the fleet, and which host serves which robot."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from rich.console import Console, RenderableType
from rich.live import Live

from fleet.client.fleet_client import DISCOVERY_S, FleetClient
from fleet.commands.exit_code import ExitCode
from fleet.commands.fleet_table import fleet_table, hosts_table

_REFRESH_S = 0.25
_QUIET_S = 1.5  # when no further robot was found for this long, all are
_NO_ROBOTS = f"no robots yet on ROS domain {os.environ.get('ROS_DOMAIN_ID') or 0}; waiting"


def add_status(parser: argparse.ArgumentParser) -> None:
    """Add the options of `status`."""
    parser.add_argument("--once", action="store_true", help="show it once")
    parser.set_defaults(run=_status)


def add_list(parser: argparse.ArgumentParser) -> None:
    """Add the options of `list`."""
    parser.set_defaults(run=_list)


def _status(options: argparse.Namespace) -> int:
    client = FleetClient()
    try:
        return _show_once(client, fleet_table) if options.once else _show_live(client)
    finally:
        client.close()


def _list(_: argparse.Namespace) -> int:
    client = FleetClient()
    try:
        client.watch_drivers()
        return _show_once(client, hosts_table)
    finally:
        client.close()


def _show_once(client: FleetClient, table: Callable[[FleetClient, Sequence[int]], RenderableType]) -> int:
    robot_ids = _find_robots(client)
    for robot_id in robot_ids:
        client.watch(robot_id)
    expected = set(robot_ids)
    client.spin_until(lambda: client.statuses.keys() >= expected, DISCOVERY_S)
    client.spin_until(lambda: client.poses.keys() >= expected, 0.5)  # a lost robot publishes none
    if not robot_ids:
        print(_NO_ROBOTS.removesuffix("; waiting"), file=sys.stderr)
        return ExitCode.FAILED
    Console().print(table(client, robot_ids))
    return ExitCode.DONE


def _find_robots(client: FleetClient) -> list[int]:
    """Return the robots of all hosts; they are found one after the other, those of this host first."""
    client.spin_until(lambda: bool(client.robot_ids()), DISCOVERY_S)
    found: list[int] = []
    while client.spin_until(lambda: client.robot_ids() != found, _QUIET_S):
        found[:] = client.robot_ids()
    return found


def _show_live(client: FleetClient) -> int:
    with Live(_NO_ROBOTS, auto_refresh=False) as live:
        while True:
            robot_ids = client.robot_ids()
            for robot_id in robot_ids:
                client.watch(robot_id)
            rows = live.console.height - 1 if live.console.is_terminal else None
            live.update(fleet_table(client, robot_ids, rows) if robot_ids else _NO_ROBOTS, refresh=True)
            client.spin(_REFRESH_S)
