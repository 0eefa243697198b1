"""The commands `thymio-fleet status` and `list`: show the fleet, and which host serves which robot."""

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import closing

from rich.console import Console, RenderableType
from rich.live import Live

from fleet.client.fleet_client import FleetClient
from fleet.client.graph_client import DISCOVERY_S
from fleet.commands.exit_code import ExitCode
from fleet.commands.fleet_table import fleet_table, hosts_table
from thymio_base.number_text import robots_text
from thymio_base.ros.ros_domain import ros_domain_id

_REFRESH_S = 0.25
_POSE_S = 0.5  # longest wait for poses, which are published ten times a second
_NOWHERE = ("unknown", "lost")  # localization of robots that publish no pose
_NO_ROBOTS = f"no robots yet on ROS domain {ros_domain_id()}; waiting"


def add_status(parser: argparse.ArgumentParser) -> None:
    """Add the options of `status`."""
    parser.add_argument("--once", action="store_true", help="show it once")
    parser.set_defaults(run=_status)


def add_list(parser: argparse.ArgumentParser) -> None:
    """Add the options of `list`."""
    parser.set_defaults(run=_list)


def _status(options: argparse.Namespace) -> int:
    with closing(FleetClient()) as client:
        return _status_once(client) if options.once else _show_live(client)


def _list(_: argparse.Namespace) -> int:
    with closing(FleetClient()) as client:
        return _show_once(client, hosts_table, client.wait_for_statuses())


def _status_once(client: FleetClient) -> int:
    missing = client.wait_for_statuses()
    client.spin_until(lambda: client.poses.keys() >= _located(client), _POSE_S)
    return _show_once(client, fleet_table, missing)


def _located(client: FleetClient) -> set[int]:
    """Return the robots that publish poses, as their statuses say; those of other servers may."""
    return {
        robot_id
        for robot_id in client.statuses
        if client.value(robot_id, "link") != "lost" and client.value(robot_id, "localization") not in _NOWHERE
    }


def _show_once(
    client: FleetClient, table: Callable[[FleetClient, Sequence[int]], RenderableType], missing: Sequence[int]
) -> int:
    """Print a table of all robots; fail if there are none, or if some have published no status."""
    robot_ids = sorted({*client.statuses, *missing})
    if not robot_ids:
        print(_NO_ROBOTS.removesuffix("; waiting"), file=sys.stderr)
        return ExitCode.FAILED
    Console().print(table(client, robot_ids))
    if missing:
        print(f"no status of {robots_text(missing)} within {DISCOVERY_S:g} s", file=sys.stderr)
    return ExitCode.FAILED if missing else ExitCode.DONE


def _show_live(client: FleetClient) -> int:
    with Live(_NO_ROBOTS, auto_refresh=False) as live:
        while True:
            robot_ids = client.robot_ids()
            for robot_id in robot_ids:
                client.watch(robot_id)
            rows = live.console.height - 1 if live.console.is_terminal else None
            live.update(fleet_table(client, robot_ids, rows) if robot_ids else _NO_ROBOTS, refresh=True)
            client.spin(_REFRESH_S)
