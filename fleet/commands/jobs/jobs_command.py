"""The command `thymio-fleet jobs`: shows the fleet's jobs, live or once, and changes them."""

import argparse
import sys
from contextlib import closing
from dataclasses import asdict
from typing import Any, Final

from rich.live import Live

from fleet.client.job_client import JobClient
from fleet.commands.fleet_table import table_console
from fleet.commands.jobs.backup_command import add_backup
from fleet.commands.jobs.queue_table import QueueTable
from fleet.dispatch.job_report import JobReport
from fleet.errors import NoServerError
from fleet.interface.job_messages import job_states_from_ros
from thymio_base.argument_types import identifier, priority
from thymio_base.exit_code import ExitCode
from thymio_base.texts.json_lines import add_json_option, print_json_lines

_FIRST_S: Final = 6.0
_REFRESH_S: Final = 0.25


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the actions and options."""
    parser.add_argument("--once", action="store_true", help="show the jobs once instead of live")
    add_json_option(parser)
    parser.set_defaults(run=_show)
    actions = parser.add_subparsers(metavar="ACTION", title="actions")
    for name, text in (
        ("cancel", "cancel jobs, in any state"),
        ("hold", "let jobs wait until they are released"),
        ("release", "release jobs that are held"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("jobs", nargs="+", metavar="JOB")
        action.set_defaults(run=_change, orders=True, change=name)
    before = actions.add_parser("before", help="start a job before another one")
    before.add_argument("jobs", nargs=1, metavar="JOB")
    before.add_argument("before", metavar="OTHER")
    before.set_defaults(run=_change, orders=True, change="before")
    urgency = actions.add_parser("priority", help="set the priority of a job, from 0 to 9")
    urgency.add_argument("jobs", nargs=1, metavar="JOB")
    urgency.add_argument("priority", type=priority, metavar="PRIORITY")
    urgency.set_defaults(run=_change, orders=True, change="priority")
    robots = actions.add_parser("robots", help="set which robots may perform a job; none means any")
    robots.add_argument("jobs", nargs=1, metavar="JOB")
    robots.add_argument("robots", nargs="*", type=identifier, metavar="ROBOT")
    robots.set_defaults(run=_change, orders=True, change="robots")
    export = actions.add_parser("export", help="write jobs as JSON, one object a line")
    export.add_argument(
        "jobs", nargs="*", metavar="JOB", help="default: those that have not ended, and the last 20 others"
    )
    export.set_defaults(run=_export)
    add_backup(actions)


def _change(options: argparse.Namespace) -> int:
    values: dict[str, Any] = {
        name: getattr(options, name) for name in ("before", "priority", "robots") if hasattr(options, name)
    }
    with closing(JobClient()) as client:
        client.change(options.jobs, options.change, **values)
    done = {"cancel": "canceled", "hold": "held", "release": "released"}.get(options.change, "changed")
    print(f"{done}: {', '.join(options.jobs)}")
    return ExitCode.DONE


def _export(options: argparse.Namespace) -> int:
    with closing(JobClient()) as client:
        print_json_lines(map(_row, client.list(options.jobs)))
    return ExitCode.DONE


def _row(report: JobReport) -> dict[str, Any]:
    return asdict(report) | {"state": report.state.value}


def _show(options: argparse.Namespace) -> int:
    with closing(JobClient()) as client:
        client.watch()
        if not client.graph.spin_until(lambda: client.latest is not None, _FIRST_S):
            raise NoServerError("no driver gives jobs: run one with `dispatch: {enabled: true}`, see docs/jobs.md")
        if options.json:
            print_json_lines(map(_row, _table(client).reports))
            return ExitCode.DONE
        console = table_console()
        if options.once or not sys.stdout.isatty():
            console.print(_table(client))
            return ExitCode.DONE
        with Live(_table(client), console=console, auto_refresh=False, screen=True) as live:
            while True:
                client.graph.spin_until(lambda: False, _REFRESH_S)
                live.update(_table(client), refresh=True)


def _table(client: JobClient) -> QueueTable:
    message = client.latest
    if message is None:
        return QueueTable([])
    reports = job_states_from_ros(message.jobs)
    return QueueTable(
        reports, list(message.off_duty), message.trouble, host=message.host, standby=list(message.standby)
    )
