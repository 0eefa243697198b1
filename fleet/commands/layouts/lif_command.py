"""The command `thymio-fleet lif`: writes stations and lanes of a fleet's floor for master controls; needs no ROS."""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from fleet.commands.layouts.lane_layout import lif_layout
from fleet.errors import ConfigError
from fleet.settings.config import load_config
from thymio_base.argument_types import positive_metres
from thymio_base.exit_code import ExitCode

_SPACING_M: Final = 0.3


def add_lif(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("fleet", type=Path, metavar="FLEET", help="the fleet's file; its arena is where lanes are")
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
    parser.add_argument(
        "--spacing",
        type=positive_metres,
        default=_SPACING_M,
        metavar="M",
        help=f"between nodes (default: {_SPACING_M})",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    try:
        config = load_config(options.fleet)
        if config.arena is None:
            raise ValueError(f"{options.fleet} has no section arena, which defines where lanes go")
        written = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = json.dumps(lif_layout(config, config.arena, options.spacing, written), indent=2)
        if options.output is None:
            print(text)
        else:
            options.output.write_text(f"{text}\n", encoding="utf-8")
    except (ConfigError, ValueError) as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    except OSError as error:
        print(f"cannot write {options.output}: {error.strerror}", file=sys.stderr)
        return ExitCode.USAGE
    return ExitCode.DONE
