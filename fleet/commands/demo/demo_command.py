"""The command `thymio-fleet demo`: simulated robots share a factory floor, and none touches anything.

Everything goes through the customer's interface; the simulator's truth shows how well the robots arrived.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Collection
from pathlib import Path
from typing import IO

from rich.console import Console

from fleet.client.fleet_client import FleetClient
from fleet.commands.demo.demo_domain import choose_domain
from fleet.commands.demo.demo_run import DemoRun
from fleet.commands.demo.demo_stage import prepare_stage
from fleet.commands.processes import Processes, driver_command, simulator_command
from fleet.commands.programs import keep_dashboard
from thymio_base.argument_types import count
from thymio_base.exit_code import ExitCode

_PICTURE_COLUMNS = 130
_LOG_LINES = 25
_PICTURES = {"paths": "all paths", "gantt": "who did what when"}
_PROGRAMS = ("simulator", "driver")  # programs with a log


def add_demo(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "--robots", type=count, default=8, help="how many: up to 8 in the factory (default), more on a larger floor"
    )
    for name, what in _PICTURES.items():
        parser.add_argument(
            f"--{name}",
            type=Path,
            default=Path(f"demo_{name}.svg"),
            metavar="FILE",
            help=f"the picture of {what}, SVG or PNG (default: %(default)s)",
        )
    parser.add_argument("--no-dashboard", dest="dashboard", action="store_false", help="show no page in browsers")
    parser.add_argument("--picture", type=Path, metavar="SVG", help="also save the output as a picture")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    """Run the demonstration; succeed if every task did, every robot arrived, and none touched anything."""
    if not 1 <= options.robots <= 100:
        print(f"--robots {options.robots} is not in 1 to 100", file=sys.stderr)
        return ExitCode.USAGE
    for name in _PICTURES:
        file = getattr(options, name)
        if file.suffix.lower() not in (".svg", ".png"):
            print(f"--{name} {file} does not end with .svg or .png", file=sys.stderr)
            return ExitCode.USAGE
    choose_domain()
    folder = Path(tempfile.mkdtemp(prefix="thymio-fleet-demo-"))
    code = ExitCode.FAILED
    try:
        code = _run_in(folder, options)
    finally:
        leave_folder(folder, is_kept=code is not ExitCode.DONE)
    return code


def leave_folder(folder: Path, *, is_kept: bool) -> None:
    """Remove the folder of a demonstration, or name it if something went wrong."""
    if is_kept:
        print(f"configuration and logs are kept in {folder}", file=sys.stderr)
    else:
        shutil.rmtree(folder, ignore_errors=True)


def _run_in(folder: Path, options: argparse.Namespace) -> ExitCode:
    """Run the demonstration with its files in a folder."""
    os.environ.setdefault("ROS_LOG_DIR", str(folder))
    stage, picture = prepare_stage(folder, options.robots), options.picture
    console = Console(highlight=False, record=picture is not None, width=None if picture is None else _PICTURE_COLUMNS)
    console.print(f"{options.robots} simulated robots; until they succeed, logs are in {folder}", soft_wrap=True)
    console.print(
        f"watch from another terminal: ROS_DOMAIN_ID={os.environ['ROS_DOMAIN_ID']} thymio-fleet view", soft_wrap=True
    )
    with Processes() as processes, _log(folder, "simulator") as simulator_log, _log(folder, "driver") as driver_log:
        started_s = time.monotonic()
        if options.dashboard:
            keep_dashboard(processes, stage.config)
        processes.start("simulator", simulator_command(stage.world), simulator_log)
        processes.start("driver", driver_command(stage.config), driver_log)
        client = FleetClient()
        try:
            run = DemoRun(client, processes, stage, console)
            code = run.run(started_s)
            ended = processes.ended()
            run.save_pictures(options.paths, options.gantt)
        finally:
            client.close()
    if code:
        print_ends_of_logs(folder, ended, console)
    if picture is not None:
        console.save_svg(str(picture), title=f"thymio-fleet demo --robots {options.robots}")
    return code


def _log(folder: Path, name: str) -> IO[bytes]:
    return (folder / f"{name}.log").open("wb")


def print_ends_of_logs(folder: Path, ended: Collection[str], console: Console) -> None:
    """Print the last lines of the logs of ended programs; of the driver's log if both still run."""
    for name in [name for name in _PROGRAMS if name in ended] or ["driver"]:
        log = folder / f"{name}.log"
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        console.print(f"the last lines of {log}:", *lines[-_LOG_LINES:], sep="\n", markup=False, soft_wrap=True)
