"""The command `thymio-fleet follow`: lets robots follow a path, each from its position, and shows their errors."""

import argparse
from contextlib import closing

from fleet.client.fleet_client import FleetClient
from fleet.commands.fleet_table import table_console
from fleet.commands.tasks.follow_table import FollowProgress, result_table
from fleet.commands.tasks.path_options import PATH_HELP, add_path_options
from fleet.errors import PathError
from fleet.goals.sent_goal import GoalState, SentGoal
from fleet.tasks.task_kind import TaskKind
from fleet.work.named_path import named_path
from fleet.work.work import PathWish
from thymio_base.argument_types import identifier
from thymio_base.exit_code import ExitCode

_REFRESH_S = 0.1
_CANCEL_S = 5.0


def add_follow(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("ids", type=identifier, nargs="+", metavar="ID", help="the robots' IDs; they start together")
    parser.add_argument("--path", required=True, metavar="NAME|FILE", help=PATH_HELP)
    add_path_options(parser)
    parser.add_argument(
        "--endless", action="store_true", help="drive a closed path again and again until Ctrl-C, in one task"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if options.endless and options.laps:
        raise PathError(f"--endless has no number of laps: leave --laps {options.laps} out")
    path = named_path(
        options.path, options.size, options.speed, options.laps, options.relative_to, is_endless=options.endless
    )
    robot_ids = list(dict.fromkeys(options.ids))
    with closing(FleetClient()) as client:
        return _follow(client, robot_ids, path)


def _follow(client: FleetClient, robot_ids: list[int], path: PathWish) -> int:
    for robot_id in robot_ids:  # all or none: no robot starts if another cannot
        client.reach(robot_id, TaskKind.FOLLOW_PATH)
        client.watch(robot_id)
    sent: list[SentGoal] = []
    is_interrupted = False
    try:
        sent += (client.follow_path(robot_id, path) for robot_id in robot_ids)
        _show(client, sent)
    except KeyboardInterrupt:
        is_interrupted = True
        print(f"canceling robots {', '.join(str(goal.robot_id) for goal in sent)}", flush=True)
        for one in sent:
            one.cancel()
        client.spin_until(lambda: all(one.state.is_final for one in sent), _CANCEL_S)
    table_console().print(result_table(client, sent))
    _print_details(sent)
    if is_interrupted:
        return ExitCode.INTERRUPTED
    is_done = all(one.state is GoalState.SUCCEEDED and one.success for one in sent)
    return ExitCode.DONE if is_done else ExitCode.FAILED


def _print_details(sent: list[SentGoal]) -> None:
    """Print why goals failed, as the table only has the name of the reason."""
    for goal in sent:
        if goal.state is not GoalState.CANCELED and ": " in goal.reason:
            print(f"robot {goal.robot_id}: {goal.reason}")


def _show(client: FleetClient, sent: list[SentGoal]) -> None:
    """Show a bar for each robot until all are done."""
    with FollowProgress(sent) as progress:
        while not client.spin_until(lambda: all(goal.state.is_final for goal in sent), _REFRESH_S):
            progress.update()
