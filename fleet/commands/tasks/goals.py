"""The commands `go-to`, `go-home`, `transport`, `dock` and `route`: give a robot one task, and show how it ends."""

import argparse
from collections.abc import Callable
from contextlib import closing

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from fleet.client.arrival_heading import bearing_in_parts
from fleet.client.fleet_client import FleetClient
from fleet.errors import NoServerError
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState, SentGoal
from fleet.reason import Reason
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KINDS
from fleet.work.route_text import ROUTE_HELP, route_of_words
from fleet.work.work import Place, Work
from thymio_base.argument_types import angle_rad, identifier, metres
from thymio_base.errors import TextError
from thymio_base.exit_code import ExitCode
from thymio_base.texts.decimal_text import real_number

_REFRESH_S = 0.25
_SIMULATION = "/simulator/get_simulation_state"
_DISCOVERED_S = 3.0  # a busy simulator is found late; real robots' failures wait as long
_OF_A_PAUSE = (Reason.POSE_LOST.value, Reason.ROBOT_LOST.value, Reason.NO_PROGRESS.value)
_CANCEL_S = 5.0  # longest wait for the end of a task that is being canceled


def add_go_to(parser: argparse.ArgumentParser) -> None:
    """Add the options of `go-to`."""
    _add_robot(parser)
    parser.add_argument("x", type=_coordinates_or_name, help="metres; or X,Y[,THETA]; or the name of a station")
    parser.add_argument("y", type=metres, nargs="?", help="metres")
    parser.add_argument(
        "theta", type=angle_rad, nargs="?", help="radians, or degrees with 'deg'; default: the goal's bearing"
    )
    parser.set_defaults(run=lambda options: _go_to(parser, options))


def add_go_home(parser: argparse.ArgumentParser) -> None:
    """Add the options of `go-home`."""
    _add_work(parser, TaskKind.GO_HOME)


def add_transport(parser: argparse.ArgumentParser) -> None:
    """Add the options of `transport`."""
    _add_work(parser, TaskKind.TRANSPORT)


def add_dock(parser: argparse.ArgumentParser) -> None:
    """Add the options of `dock`."""
    _add_work(parser, TaskKind.DOCK)


def add_route(parser: argparse.ArgumentParser) -> None:
    """Add the options of `route`."""
    _add_robot(parser)
    parser.add_argument("legs", nargs="+", metavar="LEG", help=ROUTE_HELP)
    parser.set_defaults(run=_route)


def _route(options: argparse.Namespace) -> int:
    def send(client: FleetClient) -> SentGoal:
        legs = route_of_words(options.legs, client.places.pose)
        return client.assign(options.id, Work(TaskKind.FOLLOW_ROUTE, route=legs))

    return _perform(send)


def _add_work(parser: argparse.ArgumentParser, kind: TaskKind) -> None:
    """Add the robot, and the places of a kind of task."""
    _add_robot(parser)
    for name in KINDS[kind].places:
        parser.add_argument(name, type=_pose_or_name, metavar=name.upper(), help="X,Y[,THETA], or a station")
    parser.set_defaults(run=lambda options: _perform(lambda client: _assign(client, kind, options)))


def _add_robot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", type=identifier, help="the robot's ID")


def _pose_or_name(text: str) -> Pose2D | str:
    if text[:1].isalpha():
        return text
    values = _coordinates(text)
    if len(values) < 2:
        raise argparse.ArgumentTypeError(f"must be X,Y or X,Y,THETA, in metres and radians, got {text!r}")
    return Pose2D(values[0], values[1], values[2] if len(values) == 3 else 0.0)


def _coordinates_or_name(text: str) -> tuple[float, ...] | str:
    return text if text[:1].isalpha() else _coordinates(text)


def _coordinates(text: str) -> tuple[float, ...]:
    """Return x, or x and y [m], or those and a heading [rad]."""
    x, *others = text.split(",", 2)
    return (metres(x), *map(metres, others[:1]), *map(angle_rad, others[1:]))


def goal_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[float, float, float | None]:
    """Return the goal of `go-to`: x and y [m], and the heading [rad] if it is given."""
    further = [value for value in (options.y, options.theta) if value is not None]
    if isinstance(options.x, str):
        parser.error(f"argument x: must be a number in metres, got {options.x!r}")
    if len(options.x) == 1 and not further:
        parser.error("the following arguments are required: y")
    if len(options.x) > 1 and further:
        parser.error("X,Y,THETA is one word, or X Y THETA are three")
    place: tuple[float, ...] = (*map(float, options.x), *further)
    x_m, y_m, *theta_rad = place
    return x_m, y_m, theta_rad[0] if theta_rad else None


def _go_to(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    if isinstance(options.x, str) and options.y is None:
        return _perform(lambda client: client.go_to(options.id, client.places.pose(options.x)))
    x_m, y_m, theta_rad = goal_of(parser, options)

    def send(client: FleetClient) -> SentGoal:
        bearing = bearing_in_parts(client, options.id, x_m, y_m)
        heading_rad = client.graph.finish(bearing) if theta_rad is None else theta_rad
        return client.go_to(options.id, Pose2D(x_m, y_m, heading_rad))

    return _perform(send)


def _assign(client: FleetClient, kind: TaskKind, options: argparse.Namespace) -> SentGoal:
    """Send a goal of a kind, to the places of the options."""
    named = [getattr(options, name) for name in KINDS[kind].places]
    poses = (client.places.pose(place) if isinstance(place, str) else place for place in named)
    return client.assign(options.id, Work(kind, tuple(map(Place, poses))))


def _perform(send: Callable[[FleetClient], SentGoal]) -> int:
    """Send a goal and follow it to its end; Ctrl-C cancels it."""
    with closing(FleetClient()) as client:
        goal = send(client)
        client.watch(goal.robot_id)
        try:
            _follow(client, goal)
        except KeyboardInterrupt:
            goal.cancel()
            client.spin_until(lambda: goal.state.is_final, _CANCEL_S)
            _print_end(client, goal)
            return ExitCode.INTERRUPTED
        return _print_end(client, goal)


def _follow(client: FleetClient, goal: SentGoal) -> None:
    """Show a progress bar until the goal is over."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[eta]}"), TimeElapsedColumn())
    with Progress(*columns, transient=True) as bars:
        bar = bars.add_task(f"robot {goal.robot_id} {goal.kind.value}", total=None, eta="")
        is_printed = False
        while not client.spin_until(lambda: goal.state.is_final, _REFRESH_S):
            progress, eta = client.value(goal.robot_id, "progress"), client.value(goal.robot_id, "eta_s")
            if not progress or client.value(goal.robot_id, "assigned_task") != goal.task_id:
                continue
            blocked = client.report(goal.robot_id).blocked_text
            bars.update(bar, total=1.0, completed=_shown(progress), eta=blocked or f"{_shown(eta):.0f} s to go")
            if blocked and not is_printed and not bars.console.is_terminal:
                is_printed = True
                print(f"robot {goal.robot_id} is {blocked}", flush=True)


def _print_end(client: FleetClient, goal: SentGoal) -> int:
    """Print how a goal ended, and why if it did not succeed."""
    reason = client.reason(goal) if goal.state.is_final else f"no end within {_CANCEL_S:g} s"
    name, _, detail = reason.partition(": ") if goal.state is not GoalState.CANCELED else ("", "", "")
    if name in _OF_A_PAUSE and _is_paused(client):
        detail += "; the simulation is paused: thymio-fleet world play"
    text = f"robot {goal.robot_id} {goal.kind.value} {goal.task_id}: {goal.state.value}"
    print(f"{text}{f' ({name})' if name else ''} after {goal.duration_s:.1f} s{f': {detail}' if detail else ''}")
    return ExitCode.DONE if goal.state is GoalState.SUCCEEDED and goal.success else ExitCode.FAILED


def _is_paused(client: FleetClient) -> bool:
    """Whether a simulator runs, and is paused."""
    if not client.graph.has_service(_SIMULATION, _DISCOVERED_S):
        return False
    from simulation_interfaces.msg import SimulationState  # noqa: PLC0415  tasks that end well need none of it
    from simulation_interfaces.srv import GetSimulationState  # noqa: PLC0415

    try:
        answer = client.graph.call(GetSimulationState, _SIMULATION, GetSimulationState.Request())
    except NoServerError:
        return False
    return bool(answer.state.state == SimulationState.STATE_PAUSED)


def _shown(text: str) -> float:
    """Return a number of a status, or 0."""
    try:
        return real_number(text)
    except TextError:
        return 0.0
