"""The commands `thymio-fleet cancel`, `stop` and `resume`: end one robot's task, or hold the whole fleet."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import closing

from fleet.client.fleet_stop import StopReport, resume_fleet, stop_fleet
from fleet.client.graph_client import GraphClient
from fleet.client.served_fleet import ServedFleet
from fleet.commands.exit_code import ExitCode
from fleet.errors import NoServerError
from thymio_base.argument_types import identifier
from thymio_base.number_text import robots_text


def add_cancel(parser: argparse.ArgumentParser) -> None:
    """Add the options of `cancel`."""
    parser.add_argument("id", type=identifier, help="the robot's ID")
    parser.set_defaults(run=_cancel)


def add_stop(parser: argparse.ArgumentParser) -> None:
    """Add the options of `stop`."""
    parser.set_defaults(run=_stop)


def add_resume(parser: argparse.ArgumentParser) -> None:
    """Add the options of `resume`."""
    parser.set_defaults(run=_resume)


def _cancel(options: argparse.Namespace) -> int:
    with closing(GraphClient()) as client:
        count = _cancel_goals(client, options.id)
    print(f"robot {options.id}: {'canceling its task' if count else 'has no task'}")
    return ExitCode.DONE


def _stop(_: argparse.Namespace) -> int:
    """Stop through the fleet's own service; cancel the goals of robots whose server does not have it."""
    with closing(GraphClient()) as client:
        report = stop_fleet(client)
        _print_report(report, "stopped")
        canceled = _cancel_foreign(client, report.foreign_ids)
    _warn(report, "have not confirmed the stop; switch off those that still drive")
    if report.confirmed:
        print("they stand until `thymio-fleet resume`")
    return _exit_code(report, is_done=bool(report.confirmed or report.is_answered or canceled))


def _resume(_: argparse.Namespace) -> int:
    with closing(GraphClient()) as client:
        report = resume_fleet(client)
    _print_report(report, "resumed")
    _warn(report, "have not confirmed that they resume; try again")
    return _exit_code(report, is_done=bool(report.confirmed or report.is_answered))


def _print_report(report: StopReport, verb: str) -> None:
    """Print which robots have stopped, or resumed, as each driver confirms."""
    for announcement in report.confirmed:
        print(f"{verb} {robots_text(announcement.serves)}: confirmed by {announcement.driver}", flush=True)
    if report.is_answered and not report.confirmed:
        print(f"{verb}: a server has answered, but no driver announces its robots")


def _warn(report: StopReport, text: str) -> None:
    for announcement in report.unconfirmed:
        print(f"{robots_text(announcement.serves)} of {announcement.driver} {text}", file=sys.stderr)


def _exit_code(report: StopReport, *, is_done: bool) -> int:
    if not is_done and not report.unconfirmed:
        domain = os.environ.get("ROS_DOMAIN_ID") or 0
        print(f"no driver and no robot on ROS domain {domain}; is the driver running?", file=sys.stderr)
    return ExitCode.DONE if is_done and not report.unconfirmed else ExitCode.FAILED


def _cancel_foreign(client: GraphClient, robot_ids: Sequence[int]) -> bool:
    """Cancel the goals of robots whose server cannot be stopped; return whether all of them have answered."""
    silent = []
    for robot_id in robot_ids:
        try:
            _cancel_goals(client, robot_id)
            print(f"canceled the task of robot {robot_id}, whose server cannot be stopped: it accepts new ones")
        except NoServerError:
            silent.append(robot_id)
    if silent:
        print(f"{robots_text(silent)} did not answer; switch off what still drives", file=sys.stderr)
    return bool(robot_ids) and not silent


def _cancel_goals(client: GraphClient, robot_id: int) -> int:
    """Cancel all goals of a robot; return how many are being canceled."""
    from fleet.client.cancellation import cancel_goals  # noqa: PLC0415  its messages cost a stop 0.1 s

    return cancel_goals(client, ServedFleet(client), robot_id)
