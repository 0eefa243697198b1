"""The commands `thymio-fleet cancel`, `stop` and `resume`: end one robot's task, or hold the whole fleet."""

import argparse
import sys

from fleet.client.fleet_client import DISCOVERY_S, FleetClient
from fleet.commands.exit_code import ExitCode


def add_cancel(parser: argparse.ArgumentParser) -> None:
    """Add the options of `cancel`."""
    parser.add_argument("id", type=int, help="the robot's ID")
    parser.set_defaults(run=_cancel)


def add_stop(parser: argparse.ArgumentParser) -> None:
    """Add the options of `stop`."""
    parser.set_defaults(run=_stop)


def add_resume(parser: argparse.ArgumentParser) -> None:
    """Add the options of `resume`."""
    parser.set_defaults(run=_resume)


def _cancel(options: argparse.Namespace) -> int:
    client = FleetClient()
    try:
        count = client.cancel_all(options.id)
        print(f"robot {options.id}: {'canceling its task' if count else 'has no task'}")
        return ExitCode.DONE
    finally:
        client.close()


def _stop(_: argparse.Namespace) -> int:
    """Stop through the fleet's own service, and cancel every goal, which works with any server."""
    client = FleetClient()
    try:
        answer = client.trigger("/fleet/stop", 1.0)
        client.spin_until(lambda: bool(client.robot_ids()), DISCOVERY_S)
        robot_ids = client.robot_ids()
        for robot_id in robot_ids:
            client.cancel_all(robot_id)
        # on a busy network the service may be found later than the robots; wheels stand by now
        answer = answer or client.trigger("/fleet/stop")
        print(answer or f"canceled the tasks of robots {', '.join(map(str, robot_ids)) or '(none found)'}")
        return ExitCode.DONE if answer or robot_ids else ExitCode.FAILED
    finally:
        client.close()


def _resume(_: argparse.Namespace) -> int:
    client = FleetClient()
    try:
        answer = client.trigger("/fleet/resume")
        print(
            answer or "no server for /fleet/resume; is the driver running?", file=sys.stdout if answer else sys.stderr
        )
        return ExitCode.DONE if answer else ExitCode.FAILED
    finally:
        client.close()
