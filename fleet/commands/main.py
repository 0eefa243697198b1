"""The command `thymio-fleet`: starts a fleet, watches it, and gives it tasks through the customer's interface."""

import argparse
import math
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from experiments.control_study.report_command import add_report
from experiments.scenarios.experiment_command import add_experiment
from fleet.client.fleet_client import DISCOVERY_S, FleetClient
from fleet.client.sent_goal import GoalState, SentGoal
from fleet.commands.calibrate import add_calibrate
from fleet.commands.demo import run_demo
from fleet.commands.fleet_table import fleet_table, hosts_table
from fleet.commands.follow import add_follow
from fleet.commands.law import add_law
from fleet.commands.processes import Processes, discovery_server_command, driver_command, simulator_command
from fleet.commands.view import add_view
from fleet.errors import ConfigError, FleetError, PathError
from fleet.geometry import Pose2D
from fleet.settings.config import load_config
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.shipped_files import shipped_file

EXIT_OK, EXIT_FAILED, EXIT_USAGE = 0, 1, 2
_REFRESH_S = 0.25
_QUIET_S = 1.5  # when no further robot was found for this long, all are
_NOBODY = f"no robots yet on ROS domain {os.environ.get('ROS_DOMAIN_ID') or 0}; waiting"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0 done, 1 not done by the robots, 2 wrong usage or configuration."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    use_shipped_profile()
    parser = _parser()
    options, further = parser.parse_known_args(argv)
    options.further = further
    if further and options.run is not _sim:
        parser.error(f"unrecognized arguments: {' '.join(further)}")
    try:
        return int(options.run(options))
    except FleetError as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE if isinstance(error, ConfigError | PathError) else EXIT_FAILED
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="thymio-fleet", description="A fleet of Thymio II robots on ROS 2.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    up = commands.add_parser("up", help="run the simulator and the driver until Ctrl-C")
    up.add_argument("--config", type=Path, default=shipped_file("fleet.yaml"), help="the fleet (default: %(default)s)")
    up.add_argument("--world", type=Path, default=shipped_file("world.yaml"), help="the world (default: %(default)s)")
    up.add_argument(
        "--speed", metavar="FACTOR", help="simulated seconds per second, or max; everything is on simulated time then"
    )
    up.set_defaults(run=_up)

    sim = commands.add_parser("sim", help="run the simulator alone", epilog="Further options are the simulator's.")
    sim.add_argument("--world", type=Path, default=shipped_file("world.yaml"), help="the world (default: %(default)s)")
    sim.set_defaults(run=_sim)

    demo = commands.add_parser("demo", help="run simulated robots through all three tasks")
    demo.add_argument("--robots", type=int, default=8, help="how many (default: %(default)s)")
    demo.add_argument("--picture", type=Path, metavar="SVG", help="also save the output as a picture")
    demo.set_defaults(run=lambda options: run_demo(options.robots, options.picture))

    status = commands.add_parser("status", help="show the fleet, live")
    status.add_argument("--once", action="store_true", help="show it once")
    status.set_defaults(run=_status)

    _add_hosts(commands)

    go_to = commands.add_parser("go-to", help="send a robot to a pose")
    _add_robot(go_to)
    go_to.add_argument("x", type=_number, help="metres")
    go_to.add_argument("y", type=_number, help="metres")
    go_to.add_argument(
        "theta", type=_angle, nargs="?", help="radians, or degrees with 'deg'; default: the goal's bearing"
    )
    go_to.set_defaults(run=_go_to)

    go_home = commands.add_parser("go-home", help="send a robot home")
    _add_robot(go_home)
    go_home.set_defaults(run=lambda options: _perform(lambda client: client.go_home(options.id)))

    transport = commands.add_parser("transport", help="let a robot carry something")
    _add_robot(transport)
    for name, text in (("pose_from", "where to load"), ("pose_to", "where to unload")):
        transport.add_argument(
            name, type=_pose, metavar=name.removeprefix("pose_").upper(), help=f"{text}: X,Y[,THETA]"
        )
    transport.set_defaults(
        run=lambda options: _perform(lambda client: client.transport(options.id, options.pose_from, options.pose_to))
    )

    add_follow(commands)
    add_law(commands)

    cancel = commands.add_parser("cancel", help="cancel a robot's task")
    _add_robot(cancel)
    cancel.set_defaults(run=_cancel)

    stop = commands.add_parser("stop", help="stop all robots, until resumed")
    stop.set_defaults(run=_stop)
    resume = commands.add_parser("resume", help="let stopped robots take tasks again")
    resume.set_defaults(run=_resume)

    add_calibrate(commands)
    add_view(commands)
    add_report(commands)
    add_experiment(commands)

    check = commands.add_parser("check", help="report what is wrong with a configuration")
    check.add_argument("file", type=Path)
    check.set_defaults(run=_check)
    return parser


def _add_hosts(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the commands for fleets on several hosts."""
    hosts = commands.add_parser("list", help="show which host serves which robot")
    hosts.set_defaults(run=_list)

    server = commands.add_parser("discovery-server", help="run a Fast DDS discovery server, see docs/several_hosts.md")
    server.add_argument("--address", default="0.0.0.0", help="interface to listen on (default: %(default)s, all)")
    server.add_argument("--port", type=int, default=11811, help="UDP port (default: %(default)s)")
    server.set_defaults(run=_discovery_server)


def _add_robot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", type=int, help="the robot's ID")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number")
    return value


def _angle(text: str) -> float:
    return math.radians(_number(text.removesuffix("deg"))) if text.endswith("deg") else _number(text)


def _pose(text: str) -> Pose2D:
    parts = text.split(",")
    if len(parts) not in (2, 3):
        raise argparse.ArgumentTypeError(f"{text!r} is not X,Y or X,Y,THETA")
    return Pose2D(_number(parts[0]), _number(parts[1]), _angle(parts[2]) if len(parts) == 3 else 0.0)


def _up(options: argparse.Namespace) -> int:
    load_config(options.config)
    pace = ["--speed", options.speed] if options.speed else []
    clock = ["--ros-args", "-p", "use_sim_time:=true"] if options.speed else []
    with Processes() as processes:
        processes.start("simulator", [*simulator_command(options.world), *pace, *clock])
        processes.start("driver", [*driver_command(options.config), *clock])
        return processes.wait()


def _sim(options: argparse.Namespace) -> int:
    command = simulator_command(options.world) + options.further
    os.execv(command[0], command)


def _discovery_server(options: argparse.Namespace) -> int:
    command = discovery_server_command(options.address, options.port)
    os.execvp(command[0], command)


def _check(options: argparse.Namespace) -> int:
    config = load_config(options.file)
    print(f"{options.file}: {len(config.robots)} robots on {', '.join(config.link.targets)}")
    print(config.calibration_text)
    for advice in config.budget_advice:
        print(f"warning: {advice}")
    return EXIT_OK


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


def _show_once(client: FleetClient, table: Callable[[FleetClient, Sequence[int]], Table]) -> int:
    robot_ids = _find_robots(client)
    for robot_id in robot_ids:
        client.watch(robot_id)
    expected = set(robot_ids)
    client.spin_until(lambda: client.statuses.keys() >= expected, DISCOVERY_S)
    client.spin_until(lambda: client.poses.keys() >= expected, 0.5)  # a lost robot publishes none
    if not robot_ids:
        print(_NOBODY.removesuffix("; waiting"), file=sys.stderr)
        return EXIT_FAILED
    Console().print(table(client, robot_ids))
    return EXIT_OK


def _find_robots(client: FleetClient) -> list[int]:
    """Return the robots of all hosts; they are found one after the other, those of this host first."""
    client.spin_until(lambda: bool(client.robot_ids()), DISCOVERY_S)
    found: list[int] = []
    while client.spin_until(lambda: client.robot_ids() != found, _QUIET_S):
        found[:] = client.robot_ids()
    return found


def _show_live(client: FleetClient) -> int:
    with Live(_NOBODY, auto_refresh=False) as live:
        while True:
            robot_ids = client.robot_ids()
            for robot_id in robot_ids:
                client.watch(robot_id)
            live.update(fleet_table(client, robot_ids) if robot_ids else _NOBODY, refresh=True)
            client.spin(_REFRESH_S)


def _go_to(options: argparse.Namespace) -> int:
    def send(client: FleetClient) -> SentGoal:
        theta = options.theta if options.theta is not None else _bearing(client, options.id, options.x, options.y)
        return client.go_to(options.id, Pose2D(options.x, options.y, theta))

    return _perform(send)


def _bearing(client: FleetClient, robot_id: int, x_m: float, y_m: float) -> float:
    """Return the heading at which a robot arrives if it drives straight from where it is."""
    client.watch(robot_id)
    if not client.spin_until(lambda: robot_id in client.poses, DISCOVERY_S):
        raise FleetError(f"robot {robot_id} publishes no pose, so give the heading at which it shall arrive")
    return client.poses[robot_id].bearing_to(Pose2D(x_m, y_m, 0.0))


def _perform(send: Callable[[FleetClient], SentGoal]) -> int:
    """Send a goal and follow it to its end; Ctrl-C cancels it."""
    client = FleetClient()
    try:
        goal = send(client)
        client.watch(goal.robot_id)
        try:
            _follow(client, goal)
        except KeyboardInterrupt:
            goal.cancel()
            client.spin_until(lambda: goal.state.is_final, 5.0)
        return _tell_end(client, goal)
    finally:
        client.close()


def _follow(client: FleetClient, goal: SentGoal) -> None:
    """Show a progress bar until the goal is over."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[eta]}"), TimeElapsedColumn())
    with Progress(*columns, transient=True) as bars:
        bar = bars.add_task(f"robot {goal.robot_id} {goal.kind.value}", total=None, eta="")
        while not client.spin_until(lambda: goal.state.is_final, _REFRESH_S):
            progress, eta = client.value(goal.robot_id, "progress"), client.value(goal.robot_id, "eta_s")
            if progress and client.value(goal.robot_id, "assigned_task") == goal.task_id:
                bars.update(bar, total=1.0, completed=float(progress), eta=f"{float(eta):.0f} s to go")


def _tell_end(client: FleetClient, goal: SentGoal) -> int:
    """Print how a goal ended, and why if it did not succeed."""
    reason = client.reason(goal) if goal.state.is_final else "no end within 5 s"
    is_told = bool(reason) and goal.state is not GoalState.CANCELED
    text = f"robot {goal.robot_id} {goal.kind.value} {goal.task_id}: {goal.state.value}"
    print(f"{text}{f' ({reason})' if is_told else ''} after {goal.duration_s:.1f} s")
    return EXIT_OK if goal.state is GoalState.SUCCEEDED and goal.success else EXIT_FAILED


def _cancel(options: argparse.Namespace) -> int:
    client = FleetClient()
    try:
        count = client.cancel_all(options.id)
        print(f"robot {options.id}: {'canceling its task' if count else 'has no task'}")
        return EXIT_OK
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
        return EXIT_OK if answer or robot_ids else EXIT_FAILED
    finally:
        client.close()


def _resume(_: argparse.Namespace) -> int:
    client = FleetClient()
    try:
        answer = client.trigger("/fleet/resume")
        print(
            answer or "nobody serves /fleet/resume; is the driver running?", file=sys.stdout if answer else sys.stderr
        )
        return EXIT_OK if answer else EXIT_FAILED
    finally:
        client.close()


if __name__ == "__main__":
    sys.exit(main())
