"""The command `thymio-fleet submit`: submits a job to the fleet, and shows its end if requested."""

import argparse
import math
import sys
import time
import uuid
from contextlib import closing
from typing import Final

from fleet.client.job_client import JobClient
from fleet.commands.tasks.path_options import PATH_HELP, add_path_options
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import USUAL_ATTEMPTS, USUAL_PRIORITY, Job, JobState
from fleet.geometry import Pose2D
from fleet.work.kinds import KINDS, kind_named
from fleet.work.named_path import named_path
from fleet.work.route_text import ROUTE_HELP, route_of_words
from fleet.work.work import Place, Work
from thymio_base.argument_types import angle_rad, count, identifier, metres, positive_seconds, priority
from thymio_base.exit_code import ExitCode

_POLL_S: Final = 0.5
_PLACE: Final = "the name of a station, or X,Y[,THETA] in metres and radians"


def add_submit(parser: argparse.ArgumentParser) -> None:
    """Add the kinds of jobs and their options."""
    kinds = parser.add_subparsers(required=True, metavar="KIND", title="kinds", dest="kind")
    for kind, facts in KINDS.items():
        name = kind.public_name.replace("_", "-")
        one = kinds.add_parser(name, aliases=facts.aliases, help=facts.summary)
        one.set_defaults(run=_run)
        for place in facts.places:
            one.add_argument(place, type=_place, metavar=place.upper(), help=_PLACE)
        if facts.has_path:
            one.add_argument("path", metavar="NAME|FILE", help=PATH_HELP)
            add_path_options(one)
        if facts.has_route:
            one.add_argument("legs", nargs="+", metavar="LEG", help=ROUTE_HELP)
        _add_terms(one)


def _add_terms(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--id", default="", help="the job's id (default: a new one); the same id is performed once")
    parser.add_argument("--robot", type=identifier, action="append", default=[], help="a permitted robot; repeatable")
    parser.add_argument("--priority", type=priority, default=USUAL_PRIORITY, help="from 0 to 9 (default: 5)")
    parser.add_argument("--after", action="append", default=[], metavar="JOB", help="start when this job has succeeded")
    parser.add_argument(
        "--in", dest="wait_s", type=positive_seconds, default=0.0, metavar="SECONDS", help="start this much later"
    )
    parser.add_argument(
        "--within", dest="within_s", type=positive_seconds, metavar="SECONDS", help="its deadline, from now on"
    )
    parser.add_argument("--abort-when-late", action="store_true", help="abort it when its deadline has passed")
    parser.add_argument("--attempts", type=count, default=USUAL_ATTEMPTS, help="robots that may try (default: 3)")
    parser.add_argument("--estimate", action="store_true", help="only estimate how long it would take")
    parser.add_argument("--wait", action="store_true", help="wait until it has ended; Ctrl-C leaves the job alone")


def _place(text: str) -> Place:
    parts = text.split(",")
    if len(parts) == 1 and text.strip():
        return Place(Pose2D(0.0, 0.0, 0.0), text)
    if len(parts) not in (2, 3):
        raise argparse.ArgumentTypeError(f"must be {_PLACE}, got {text!r}")
    return Place(Pose2D(metres(parts[0]), metres(parts[1]), angle_rad(parts[2]) if len(parts) == 3 else 0.0))


def _run(options: argparse.Namespace) -> int:
    with closing(JobClient()) as client:
        job = _job(options)
        if options.estimate:
            return _print_estimate(client.estimate_s([job])[0])
        eta_s = client.estimate_s([job])[0] if options.within_s else 0.0
        client.submit([job])
        print(f"{job.job_id}: accepted{_lateness(eta_s, options.within_s)}", flush=True)
        return _follow(client, job.job_id) if options.wait else ExitCode.DONE


def _job(options: argparse.Namespace) -> Job:
    now_ns = time.time_ns()
    return Job(
        job_id=options.id or f"{options.kind}-{uuid.uuid4().hex[:8]}",
        work=_work(options),
        robots=tuple(options.robot),
        priority=options.priority,
        not_before_ns=now_ns + round(options.wait_s * 1e9) if options.wait_s else 0,
        deadline_ns=now_ns + round(options.within_s * 1e9) if options.within_s else 0,
        is_aborted_late=options.abort_when_late,
        after=tuple(options.after),
        attempts=options.attempts,
    )


def _work(options: argparse.Namespace) -> Work:
    kind = kind_named(options.kind.replace("-", "_"))
    assert kind is not None, options.kind
    if KINDS[kind].has_route:
        return Work(kind, route=route_of_words(options.legs, lambda _: Pose2D(0.0, 0.0, 0.0)))
    if not KINDS[kind].has_path:
        return Work(kind, tuple(getattr(options, place) for place in KINDS[kind].places))
    path = named_path(options.path, options.size, options.speed, options.laps, options.relative_to)
    return Work(kind, path=path)


def _lateness(eta_s: float, within_s: float | None) -> str:
    if within_s is None or eta_s <= within_s:
        return ""
    if math.isinf(eta_s):
        return "; no permitted robot can perform it now"
    return f"; it will take about {eta_s:.0f} s, {eta_s - within_s:.0f} s more than its deadline leaves"


def _print_estimate(eta_s: float) -> int:
    if math.isinf(eta_s):
        print("no permitted robot can perform it now", file=sys.stderr)
        return ExitCode.FAILED
    print(f"about {eta_s:.0f} s")
    return ExitCode.DONE


def _follow(client: JobClient, job_id: str) -> int:
    """Show a job's states until it has ended."""
    shown = ""
    while True:
        found = client.list([job_id])
        words = _words(found[0]) if found else "is no longer known"
        if words != shown:
            print(f"{job_id}: {words}", flush=True)
            shown = words
        if not found or found[0].state.is_final:
            return ExitCode.DONE if found and found[0].state is JobState.SUCCEEDED else ExitCode.FAILED
        client.graph.spin_until(lambda: False, _POLL_S)


def _words(report: JobReport) -> str:
    robot = f", robot {report.robot_id}" if report.robot_id else ""
    why = f": {f'{report.reason} {report.detail}'.strip()}" if report.reason or report.detail else ""
    return f"{report.state.value}{robot}{why}"
