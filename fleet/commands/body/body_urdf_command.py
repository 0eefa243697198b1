"""The command `thymio-fleet body-urdf`: writes a fleet as a body for the body coupler."""

import argparse
import sys
from pathlib import Path

from fleet.commands.body.fleet_urdf import fleet_urdf
from fleet.errors import ConfigError
from fleet.settings.config import load_config
from thymio_base.exit_code import ExitCode
from thymio_base.shipped_files import shipped_file


def add_body_urdf(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--config", type=Path, default=shipped_file("fleet.yaml"), help="the fleet (default: the shipped one)"
    )
    parser.add_argument("--output", type=Path, help="file to write (default: standard output)")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    try:
        config = load_config(options.config)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    if not config.driver.accept.cmd_vel:
        print(f"{options.config}: set driver.accept.cmd_vel to true, or the robots will not move", file=sys.stderr)
    text = fleet_urdf(config, shipped_file("thymio.urdf", "description").read_text(encoding="utf-8"))
    if options.output is None:
        print(text, end="")
    else:
        options.output.write_text(text, encoding="utf-8")
    return ExitCode.DONE
