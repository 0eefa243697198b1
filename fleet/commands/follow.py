"""The command `thymio-fleet follow`: lets robots follow a path, each from where it is, and shows their errors."""

import argparse
from contextlib import closing
from pathlib import Path
from typing import Any

from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path as PathMessage
from rich.console import Console
from thymio_fleet_interfaces.action import FollowPath

from fleet.client.fleet_client import FleetClient
from fleet.commands.exit_code import ExitCode
from fleet.commands.follow_table import FollowProgress, result_table
from fleet.errors import GoalRejectedError, PathError
from fleet.goals.sent_goal import GoalState, SentGoal
from fleet.interface.path_messages import path_from_ros
from fleet.paths.placement import Placement
from fleet.paths.polyline import Point
from fleet.paths.shapes import SHAPES
from fleet.settings.path_file import load_path
from fleet.tasks.task_kind import TaskKind
from thymio_base.argument_types import count, identifier, positive_metres, positive_mps, suggestion

_REFRESH_S = 0.1
_CANCEL_S = 5.0


def add_follow(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("ids", type=identifier, nargs="+", metavar="ID", help="the robots' IDs; they start together")
    parser.add_argument(
        "--path",
        required=True,
        metavar="NAME|FILE",
        help=f"{', '.join(SHAPES)}, or a file of waypoints or YAML",
    )
    sizes = ", ".join(f"{name} {shape.size_m:g}" for name, shape in SHAPES.items())
    parser.add_argument(
        "--size", type=positive_metres, metavar="M", help=f"width of a shape in metres; default: {sizes}"
    )
    parser.add_argument(
        "--speed",
        type=positive_mps,
        default=0.0,
        metavar="M/S",
        help="mean speed, stops included; default: the file's value, or as fast as the limits of motion allow",
    )
    parser.add_argument("--laps", type=count, default=0, metavar="N", help="default: the file's value, or 1")
    parser.add_argument(
        "--relative-to",
        choices=[placement.value for placement in Placement],
        default="",
        help="position: each robot's position; pose: its position and heading; map: the fleet's frame; "
        "default: the file's value, or position",
    )
    parser.set_defaults(run=_run)


def path_goal(
    path: str, size_m: float | None = None, speed_mps: float = 0.0, laps: int = 0, relative_to: str = ""
) -> FollowPath.Goal:
    """Return the goal for a named path or a file, checked in the same way as by the server.

    Omitted values are taken from the file, or have the defaults of the fields of FollowPath.

    Raises
    ------
    PathError
        The path has problems; the message lists all of them, each with file and line if it has them.
    """
    fields = {"speed_mps": speed_mps, "laps": laps, "relative_to": relative_to}
    goal = FollowPath.Goal(**fields, **_path_fields(path, size_m))
    if goal.waypoints.poses and not relative_to:
        goal.relative_to = Placement.POSITION.value
    try:
        path_from_ros(goal, "")
    except GoalRejectedError as error:
        raise PathError(f"{path}: {error}") from error
    return goal


def _path_fields(path: str, size_m: float | None) -> dict[str, Any]:
    if path in SHAPES:
        return {"path": path if size_m is None else f"{{shape: {path}, size_m: {size_m}}}"}
    if size_m is not None:
        raise PathError(f"--size is for {', '.join(SHAPES)}; {path!r} has its own")
    file = Path(path)
    if not file.suffix and not file.exists():
        advice = suggestion(path, SHAPES) or f"; there are {', '.join(SHAPES)}, and files"
        raise PathError(f"there is no path {path!r}{advice}")
    found = load_path(file)
    if not found.waypoints_m:
        return {"path": file.read_text(encoding="utf-8")}
    return {"waypoints": PathMessage(poses=list(map(_waypoint, found.waypoints_m)))}


def _waypoint(point_m: Point) -> PoseStamped:
    stamped = PoseStamped()
    stamped.pose.position.x, stamped.pose.position.y = point_m
    return stamped


def _run(options: argparse.Namespace) -> int:
    goal = path_goal(options.path, options.size, options.speed, options.laps, options.relative_to)
    with closing(FleetClient()) as client:
        return _follow(client, list(dict.fromkeys(options.ids)), goal)


def _follow(client: FleetClient, robot_ids: list[int], goal: FollowPath.Goal) -> int:
    for robot_id in robot_ids:  # all or none: no robot starts if another cannot
        client.reach(robot_id, TaskKind.FOLLOW_PATH)
        client.watch(robot_id)
    sent: list[SentGoal] = []
    is_interrupted = False
    try:
        sent += (client.follow_path(robot_id, goal) for robot_id in robot_ids)
        _show(client, sent)
    except KeyboardInterrupt:
        is_interrupted = True
        print(f"canceling robots {', '.join(str(goal.robot_id) for goal in sent)}", flush=True)
        for one in sent:
            one.cancel()
        client.spin_until(lambda: all(one.state.is_final for one in sent), _CANCEL_S)
    Console().print(result_table(client, sent))
    _print_details(sent)
    if is_interrupted:
        return ExitCode.INTERRUPTED
    is_done = all(one.state is GoalState.SUCCEEDED and one.success for one in sent)
    return ExitCode.DONE if is_done else ExitCode.FAILED


def _print_details(sent: list[SentGoal]) -> None:
    """Print why goals did not succeed where the table gives only the name of the reason."""
    for goal in sent:
        if goal.state is not GoalState.CANCELED and ": " in goal.reason:
            print(f"robot {goal.robot_id}: {goal.reason}")


def _show(client: FleetClient, sent: list[SentGoal]) -> None:
    """Show a bar for each robot until all are done."""
    with FollowProgress(sent) as progress:
        while not client.spin_until(lambda: all(goal.state.is_final for goal in sent), _REFRESH_S):
            progress.update()
