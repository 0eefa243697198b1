"""The command `thymio-fleet repeat`: runs an experiment as ROS nodes several times, and compares the runs."""

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from pkgutil import resolve_name

from thymio_base.argument_types import count, seconds
from thymio_base.exit_code import ExitCode
from thymio_base.ros.start.ros_environment import end_if_ros_cannot_start


def add_repeat(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the experiment; docs/orchestrator.md")
    parser.add_argument("--runs", type=count, default=3, metavar="N", help="number of runs (default: %(default)s)")
    parser.add_argument("--under-load", action="store_true", help="run three busy processes during every second run")
    parser.add_argument("--duration", type=seconds, metavar="S", help="simulated time; default: that of the experiment")
    parser.add_argument(
        "--orchestrator",
        choices=("conductor", "ros2_def"),
        default="conductor",
        help="ours, or that of ros2_def where it is installed (default: %(default)s)",
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="keep records and output of all programs there")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON, with the SHA-256 of each topic")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    end_if_ros_cannot_start()
    errors = resolve_name("experiments.scenarios.file.experiment_file").ExperimentError  # `--help` loads neither
    repeat = resolve_name("experiments.orchestrated.repeat")
    try:
        with ExitStack() as opened:
            folder = options.out or Path(opened.enter_context(tempfile.TemporaryDirectory()))
            folder.mkdir(parents=True, exist_ok=True)
            return int(repeat.repeat(options, folder.resolve()))
    except errors as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    except repeat.RunError as error:
        print(error, file=sys.stderr)
        return ExitCode.INCONCLUSIVE
