"""The commands `thymio-fleet cancel`, `stop` and `resume`: end one robot's task, or hold the whole fleet."""

import argparse
import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from fleet.client.local_fleet import local_fleet
from fleet.client.local_question import stop_local_drivers
from fleet.errors import HOW_TO_START, NoServerError
from fleet.hosts.claims import DriverId
from thymio_base.argument_types import identifier
from thymio_base.exit_code import ExitCode
from thymio_base.number_text import robots_text
from thymio_base.ros.ros_domain import ros_domain_id

if TYPE_CHECKING:  # ROS takes half a second to load: drivers of this host are stopped before
    from fleet.client.fleet_stop import StopReport
    from fleet.client.graph_client import GraphClient


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
    from fleet.client.graph_client import GraphClient  # noqa: PLC0415

    with closing(GraphClient()) as client:
        count = _cancel_goals(client, options.id)
    print(f"robot {options.id}: {'canceling its task' if count else 'has no task'}")
    return ExitCode.DONE


def _stop(_: argparse.Namespace) -> int:
    """Stop the drivers of this host at once, then all others through the fleet's own service.

    Robots whose server lacks that service have their goals canceled.
    """
    local = stop_local_drivers(ros_domain_id())
    for stopped in local:
        _print_confirmation("stopped", stopped.robot_ids, stopped.driver)
    from fleet.client.fleet_stop import stop_fleet  # noqa: PLC0415
    from fleet.client.graph_client import GraphClient  # noqa: PLC0415

    with closing(GraphClient()) as client:
        report = stop_fleet(client, local_fleet(ros_domain_id()))
        _print_report(report, "stopped", {stopped.driver.token for stopped in local})
        canceled = _cancel_foreign(client, report.foreign_ids)
    _warn(report, "have not confirmed the stop; switch off those that still drive")
    if report.confirmed:
        print("they stay stopped until `thymio-fleet resume`")
    return _exit_code(report, is_done=bool(report.confirmed or report.is_answered or canceled))


def _resume(_: argparse.Namespace) -> int:
    from fleet.client.fleet_stop import resume_fleet  # noqa: PLC0415
    from fleet.client.graph_client import GraphClient  # noqa: PLC0415

    with closing(GraphClient()) as client:
        report = resume_fleet(client, local_fleet(ros_domain_id()))
    _print_report(report, "resumed")
    _warn(report, "have not confirmed that they resume; try again")
    return _exit_code(report, is_done=bool(report.confirmed or report.is_answered))


def _print_report(report: "StopReport", verb: str, printed: Collection[str] = ()) -> None:
    """Print which robots have stopped, or resumed, as each driver confirms, without `printed` drivers."""
    for announcement in report.confirmed:
        if announcement.driver.token not in printed:
            _print_confirmation(verb, announcement.serves, announcement.driver)
    if report.is_answered and not report.confirmed:
        print(f"{verb}: a server has answered, but no driver announces its robots")


def _print_confirmation(verb: str, robot_ids: Iterable[int], driver: DriverId) -> None:
    """Print at once that a driver has stopped, or resumed, its robots."""
    print(f"{verb} {robots_text(robot_ids)}: confirmed by {driver}", flush=True)


def _warn(report: "StopReport", text: str) -> None:
    for announcement in report.unconfirmed:
        print(f"{robots_text(announcement.serves)} of {announcement.driver} {text}", file=sys.stderr)


def _exit_code(report: "StopReport", *, is_done: bool) -> int:
    if not is_done and not report.unconfirmed:
        print(f"no driver and no robot on ROS domain {ros_domain_id()}; {HOW_TO_START}", file=sys.stderr)
    return ExitCode.DONE if is_done and not report.unconfirmed else ExitCode.FAILED


def _cancel_foreign(client: "GraphClient", robot_ids: Sequence[int]) -> bool:
    """Cancel the goals of robots whose server cannot be stopped; return whether all of them answered."""
    silent = []
    for robot_id in robot_ids:
        try:
            _cancel_goals(client, robot_id)
            print(f"canceled the task of robot {robot_id}, whose server cannot be stopped: it accepts new tasks")
        except NoServerError:
            silent.append(robot_id)
    if silent:
        print(f"{robots_text(silent)} did not answer; switch off what still drives", file=sys.stderr)
    return bool(robot_ids) and not silent


def _cancel_goals(client: "GraphClient", robot_id: int) -> int:
    """Cancel all goals of a robot; return how many are being canceled."""
    from fleet.client.cancellation import cancel_goals  # noqa: PLC0415
    from fleet.client.served_fleet import ServedFleet  # noqa: PLC0415

    return cancel_goals(client, ServedFleet(client), robot_id)
