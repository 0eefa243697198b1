"""The command `thymio-fleet duty`: chooses whether robots take jobs."""

import argparse
from contextlib import closing

from fleet.client.job_client import JobClient
from fleet.dispatch.records.job import Duty
from thymio_base.argument_types import identifier
from thymio_base.exit_code import ExitCode
from thymio_base.number_text import robots_text


def add_duty(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("robots", nargs="+", type=identifier, metavar="ROBOT", help="robots, by ID")
    parser.add_argument(
        "duty",
        choices=[duty.value for duty in Duty],
        help="in: take jobs; out: take none, and hand on the present one; out_after_job: none after that one",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    with closing(JobClient()) as client:
        client.set_duty(options.robots, options.duty)
    print(f"{robots_text(options.robots)}: {options.duty}")
    return ExitCode.DONE
