"""The commands `thymio-fleet up`, `sim` and `discovery-server`, which start other programs."""

import argparse
import os
from pathlib import Path

from fleet.commands.processes import Processes, discovery_server_command, driver_command, simulator_command
from fleet.settings.config import load_config
from thymio_base.shipped_files import shipped_file


def add_up(parser: argparse.ArgumentParser) -> None:
    """Add the options of `up`."""
    parser.add_argument(
        "--config", type=Path, default=shipped_file("fleet.yaml"), help="the fleet (default: %(default)s)"
    )
    _add_world(parser)
    parser.add_argument(
        "--speed", metavar="FACTOR", help="simulated seconds per second, or max; everything is on simulated time then"
    )
    parser.set_defaults(run=_up)


def add_sim(parser: argparse.ArgumentParser) -> None:
    """Add the options of `sim`."""
    parser.epilog = "Further options are the simulator's."
    _add_world(parser)
    parser.set_defaults(run=_sim)


def add_discovery_server(parser: argparse.ArgumentParser) -> None:
    """Add the options of `discovery-server`."""
    parser.add_argument("--address", default="0.0.0.0", help="interface to listen on (default: %(default)s, all)")
    parser.add_argument("--port", type=int, default=11811, help="UDP port (default: %(default)s)")
    parser.set_defaults(run=_discovery_server)


def _add_world(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--world", type=Path, default=shipped_file("world.yaml"), help="the world (default: %(default)s)"
    )


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
