"""The command `thymio-fleet check`: reports what is wrong with a configuration; needs no ROS."""

import argparse
from pathlib import Path

from fleet.commands.exit_code import ExitCode
from fleet.settings.config import load_config


def add_check(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=Path)
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    config = load_config(options.file)
    print(f"{options.file}: {len(config.robots)} robots on {', '.join(config.link.targets)}")
    print(config.calibration_text)
    for advice in config.budget_advice:
        print(f"warning: {advice}")
    return ExitCode.DONE
