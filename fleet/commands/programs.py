"""The commands `thymio-fleet up`, `sim` and `discovery-server`, which start other programs."""

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import IO, TYPE_CHECKING, cast

from aseba_link.errors import ListenError
from aseba_link.link.listener import Listener
from fleet.commands.processes import (
    Processes,
    dashboard_command,
    discovery_server_command,
    driver_command,
    simulator_command,
)
from fleet.commands.registry import START_CHECK
from fleet.dashboard.access.roles import Role
from fleet.errors import FleetError
from fleet.geometry import Pose2D
from thymio_base.argument_types import port
from thymio_base.exit_code import ExitCode
from thymio_base.logs.json_log import start_json_log
from thymio_base.number_text import number_text
from thymio_base.shipped_files import shipped_file
from thymio_base.stop_signal import say

if TYPE_CHECKING:  # loaded once the dashboard has been started
    from fleet.settings.config import FleetConfig, RobotConfig

_LOG_FORMAT = "[{date_time_with_ms}] [{severity}] {message}"  # ROS's own has seconds since 1970
_CHECK_S = 0.2  # between two checks whether a program has ended
_PATIENCE_S = 20.0  # after which robots that are not ready are named
_STEP_M = 0.3  # from a robot's home to the goal of the command that is proposed


def add_up(parser: argparse.ArgumentParser) -> None:
    """Add the options of `up`."""
    parser.add_argument(
        "--config", type=Path, default=shipped_file("fleet.yaml"), help="the fleet (default: %(default)s)"
    )
    _add_world(parser)
    parser.add_argument(
        "--speed", metavar="FACTOR", help="simulated seconds per second, or max; everything is on simulated time then"
    )
    page = parser.add_mutually_exclusive_group()
    page.add_argument("--open", dest="opens", action="store_true", help="open the dashboard in a browser")
    parser.add_argument("--port", type=port, help="the first port that the dashboard tries, of ten")
    parser.add_argument("--host", help="where the dashboard listens, too, such as 0.0.0.0 for phones")
    parser.add_argument(
        "--role", choices=[role.value for role in Role], help="what the dashboard's address allows (default: teacher)"
    )
    page.add_argument("--no-dashboard", dest="dashboard", action="store_false", help="show no page in browsers")
    parser.set_defaults(run=_up)


def add_sim(parser: argparse.ArgumentParser) -> None:
    """Add the options of `sim`."""
    parser.epilog = "Further options are the simulator's."
    _add_world(parser)
    parser.set_defaults(run=_sim)


def add_discovery_server(parser: argparse.ArgumentParser) -> None:
    """Add the options of `discovery-server`."""
    parser.add_argument("--address", default="0.0.0.0", help="interface to listen on (default: %(default)s, all)")
    parser.add_argument("--port", type=port, default=11811, help="UDP port (default: %(default)s)")
    parser.set_defaults(run=_discovery_server)


def _add_world(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--world", type=Path, default=shipped_file("world.yaml"), help="the world (default: %(default)s)"
    )


def _up(options: argparse.Namespace) -> int:
    os.environ.setdefault("RCUTILS_CONSOLE_OUTPUT_FORMAT", _LOG_FORMAT)
    start_json_log("thymio_fleet_up", sys.argv, options.config)
    with Processes() as processes:
        if options.dashboard:
            keep_dashboard(processes, options.config, page_options(options), is_held=True)  # it loads meanwhile
        config = _checked_config(options.config, options.world)
        processes.release()
        pace = ["--speed", options.speed] if options.speed else []
        clock = ["--ros-args", "-p", "use_sim_time:=true"] if options.speed else []
        processes.keep("simulator", [*simulator_command(options.world), *pace, *clock], is_needed=True)
        processes.keep("driver", [*driver_command(options.config), *clock], is_needed=True)
        try:
            if _is_ready(processes, config, options.config):
                say("\n".join(_proposals(config)))
                processes.remind()
        except KeyboardInterrupt:
            return ExitCode.DONE
        return processes.wait()


def page_options(options: argparse.Namespace) -> list[str]:
    """Return those options of `up` that are passed on to the dashboard."""
    given = {"--port": options.port, "--host": options.host, "--role": options.role}
    values = [text for name, value in given.items() if value is not None for text in (name, str(value))]
    return [*values, "--open"] if options.opens else values


def _checked_config(file: Path, world: Path) -> "FleetConfig":
    """Return the configuration of a fleet; print what does not match the world, and refuse what cannot start."""
    from fleet.settings.config import load_config  # noqa: PLC0415

    remarks, address = _checked(file, world)
    config = load_config(file)
    say(f"fleet {file}, world {world}")
    for remark in remarks:
        say(f"warning: {remark}", sys.stderr)
    _refuse_taken(*address)
    return config


def _checked(config: Path, world: Path) -> tuple[list[str], tuple[str, int]]:
    """Return the findings of `experiments.checks.start_check`; fleet and simulator do not know each other."""
    check = cast(Callable[[Path, Path], tuple[list[str], tuple[str, int]]], resolve_name(START_CHECK))
    return check(config, world)


def _refuse_taken(address: str, port: int) -> None:
    """Raise FleetError if the simulator, which starts later, could not listen."""
    try:
        Listener(address, port).close()
    except ListenError as error:
        raise FleetError(str(error)) from error


def keep_dashboard(
    processes: Processes,
    config: Path,
    options: Sequence[str] = (),
    output: IO[bytes] | None = None,
    *,
    is_held: bool = False,
) -> None:
    """Start the dashboard beside a fleet, if what it needs is installed; see `Processes.keep`."""
    if find_spec("aiohttp") is None:
        say("no dashboard: aiohttp is missing (apt-get install python3-aiohttp)", sys.stderr)
    else:
        processes.keep("dashboard", dashboard_command(config, options, is_held=is_held), output, is_held=is_held)


def _is_ready(processes: Processes, config: "FleetConfig", file: Path) -> bool:
    """Wait until every robot accepts tasks; return False if a program ends before that."""
    from fleet.client.fleet_client import FleetClient  # noqa: PLC0415  ROS costs `sim` and `--help` half a second

    robot_ids = [robot.id for robot in config.robots]
    patient_until_s = time.monotonic() + _PATIENCE_S
    with closing(FleetClient(config.frame)) as client:
        for robot_id in robot_ids:
            client.watch(robot_id)
        while not processes.ended():
            if client.spin_until(lambda: all(map(client.is_ready, robot_ids)), _CHECK_S):
                return True
            if time.monotonic() >= patient_until_s:
                patient_until_s = math.inf
                missing = [robot_id for robot_id in robot_ids if not client.is_ready(robot_id)]
                say(_missing_text(robot_ids, missing, file))
    return False


def _missing_text(robot_ids: list[int], missing: list[int], file: Path) -> str:
    """Return which robots are still not ready, with advice."""
    ready = f"{len(robot_ids) - len(missing)} of {len(robot_ids)} robots are ready"
    return (
        f"{ready}; missing: {number_text(missing)}. `thymio-fleet status` shows why. "
        f"If the world has no such robots, {file} belongs to another one: name the fleet of this world with --config"
    )


def _proposals(config: "FleetConfig") -> Iterator[str]:
    """Yield the lines that propose next steps with a ready fleet."""
    robot = config.robots[0]
    goal = _goal_near_home(robot, config)
    domain = os.environ.get("ROS_DOMAIN_ID")
    program = f"ROS_DOMAIN_ID={domain} thymio-fleet" if domain else "thymio-fleet"
    is_one = len(config.robots) == 1
    yield f"\n{len(config.robots)} {'robot is' if is_one else 'robots are'} ready. Now try in another terminal:"
    yield f"  {program} status"
    yield f"  {program} go-to {robot.id} {goal.x_m:.2f} {goal.y_m:.2f}"
    yield f"  {program} view"


def _goal_near_home(robot: "RobotConfig", config: "FleetConfig") -> Pose2D:
    """Return a place a short drive from a robot's home, towards the middle of the arena or straight ahead."""
    home, arena = robot.home, config.arena
    if arena is None:
        return home.compose(Pose2D(_STEP_M, 0.0, 0.0))
    middle = Pose2D(0.5 * (arena.x_min_m + arena.x_max_m), 0.5 * (arena.y_min_m + arena.y_max_m), 0.0)
    way = Pose2D(home.x_m, home.y_m, home.bearing_to(middle))
    return way.compose(Pose2D(_STEP_M, 0.0, 0.0))


def _sim(options: argparse.Namespace) -> int:
    command = simulator_command(options.world) + options.further
    os.execv(command[0], command)


def _discovery_server(options: argparse.Namespace) -> int:
    command = discovery_server_command(options.address, options.port)
    os.execvp(command[0], command)
