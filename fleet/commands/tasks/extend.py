"""The command `thymio-fleet extend`: extends the path that a robot follows, by waypoints or by laps."""

import argparse
from contextlib import closing

from fleet.client.fleet_client import FleetClient
from fleet.work.work import RouteUpdate
from thymio_base.argument_types import count, identifier, metres
from thymio_base.exit_code import ExitCode
from thymio_base.number_text import count_text


def add_extend(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("id", type=identifier, metavar="ID", help="the robot's ID")
    parser.add_argument(
        "waypoints",
        type=_waypoint,
        nargs="*",
        metavar="X,Y",
        help="metres in the fleet's frame: the last waypoint of the path so far, and the further ones",
    )
    parser.add_argument("--laps", type=count, default=0, metavar="N", help="further laps of a closed path, instead")
    parser.add_argument(
        "--after", type=count, default=0, metavar="N", help="how many waypoints the path has so far, if you know it"
    )
    parser.add_argument("--task", default="", metavar="TASK_ID", help="default: the one that the robot performs")
    parser.set_defaults(run=_run)


def _waypoint(text: str) -> tuple[float, float]:
    x, *others = text.split(",")
    if len(others) != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not X,Y, two numbers in metres")
    return metres(x), metres(others[0])


def _run(options: argparse.Namespace) -> int:
    update = RouteUpdate(options.after, tuple(options.waypoints), options.laps)
    with closing(FleetClient()) as client:
        task_id = options.task or client.assigned_task(options.id)
        if not task_id:
            print(f"robot {options.id} performs no task")
            return ExitCode.FAILED
        answer = client.extend_path(options.id, task_id, update)
    if not answer.accepted:
        print(f"robot {options.id}: {answer.reason}: {answer.detail}")
        return ExitCode.FAILED
    by = count_text(options.laps, "lap") if options.laps else f"{answer.waypoints} waypoints in all"
    print(f"robot {options.id}: task {task_id} continues ({by})")
    return ExitCode.DONE
