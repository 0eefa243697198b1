"""The command `thymio-fleet conformance`: tests a server of the interface, or any action server."""

import argparse
import json
import re
import shlex
import sys
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from conformance.cases.all_cases import CASES
from conformance.cases.case import Judgement
from conformance.play.plan import SCENARIOS, KitScenario, RunProfile, missing, planned
from conformance.play.robot_stage import GENERAL, ScenarioStage
from conformance.record.run_record import ServerRecording, load_recording, write_recording
from conformance.reports.html_page import matrix_page, run_page
from conformance.reports.run_report import differences, exit_code, load_report, report_of, verdict_lines
from conformance.reports.text_reports import console_lines, harmless, junit_text
from conformance.run.kit_run import applicable, judge, perform
from conformance.run.set_up import read_set_up
from thymio_base.argument_types import suggestion
from thymio_base.errors import SettingsError, TextError
from thymio_base.exit_code import ExitCode
from thymio_base.program_version import distribution_name, package_version
from thymio_base.settings_file import load_text
from thymio_base.stop_signal import StopSignal, say
from thymio_base.texts.yaml_text import yaml_values

if TYPE_CHECKING:  # reports and dry runs need no ROS
    from conformance.ros.ros_port import RosPort

_FIND_S: Final = 25.0  # long enough for a starting server on a slow machine
_SIMULATOR_S: Final = 3.0  # a simulator's services may be found later than the server's
_ACTION_TYPE: Final = re.compile(r"([a-z][a-z0-9_]*)/action/([A-Z][A-Za-z0-9]*)")
_ROBOT_ACTIONS: Final = {"task_go_to": "TaskGoTo", "task_go_home": "TaskGoHome", "task_transport": "TaskTransport"}


def add_conformance(parser: argparse.ArgumentParser) -> None:
    """Add the options of `conformance`."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--namespace", metavar="NAME", help="the robot to test, such as /factory/robot_1")
    what.add_argument(
        "--action",
        nargs=2,
        metavar=("NAME", "TYPE"),
        help="any action server, such as /fibonacci PACKAGE/action/Fibonacci",
    )
    what.add_argument("--judge", type=Path, metavar="RECORDING", help="judge a recording again, without ROS")
    what.add_argument(
        "--compare", nargs="+", type=Path, metavar="REPORT", help="write a page with several report.json side by side"
    )
    parser.add_argument(
        "--goal", type=Path, metavar="FILE", help="with --action: a goal in YAML that takes a second or more"
    )
    parser.add_argument(
        "--profile", type=RunProfile, choices=list(RunProfile), default=RunProfile.CORE, help="default: core"
    )
    parser.add_argument(
        "--setup", type=Path, metavar="FILE", help="tolerances, the area, hooks and more, see docs/conformance.md"
    )
    parser.add_argument("--case", nargs="+", default=[], metavar="ID", help="only these cases, such as G2")
    parser.add_argument("--no-motion", action="store_true", help="only scenarios that cannot move the robot")
    parser.add_argument("--strict", action="store_true", help="count unmet should-cases as failures")
    parser.add_argument("--dry-run", action="store_true", help="list the cases, and do nothing")
    parser.add_argument(
        "--expect", type=Path, metavar="FILE", help="print differences from these verdicts, and fail if there are any"
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="folder for the reports; default: conformance-ROBOT")
    parser.add_argument("--yes", action="store_true", help="do not ask before a robot moves")
    parser.set_defaults(run=_conformance)


def _conformance(options: argparse.Namespace) -> int:
    try:
        if options.compare:
            return _compare(options)
        if options.judge:
            return _judge(options)
        return _test(options)
    except (SettingsError, TextError) as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE


def _compare(options: argparse.Namespace) -> int:
    page = (options.out or Path()) / "conformance-matrix.html"
    reports = [load_report(path) for path in options.compare]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(matrix_page(reports), encoding="utf-8")
    say(f"page: {page}")
    return ExitCode.DONE


def _judge(options: argparse.Namespace) -> int:
    recording = load_recording(options.judge)
    setup = recording.header.get("setup")
    if not isinstance(setup, dict):
        raise TextError(f"{options.judge}: its first line has no set-up")
    recording.header["setup"] = setup = read_set_up(None, "", RunProfile.CORE) | setup | {"strict": options.strict}
    if options.case:
        setup["cases"] = _addresses(options.case)
    return _report(options, recording, judge(recording, setup), options.out)


def _test(options: argparse.Namespace) -> int:
    changes: dict[str, Any] = {"strict": options.strict, "no_motion": options.no_motion}
    if options.case:
        changes["cases"] = _addresses(options.case)
    name = options.namespace or options.action[0]
    if options.action:
        goal = yaml_values(load_text(options.goal)) if options.goal else {}
        changes |= {"action": options.action[1], "goal": goal}
    setup = read_set_up(options.setup, name, options.profile, changes)
    wanted = {CASES[address].scenario for address in setup.get("cases", ())}
    scenarios = planned(options.profile, setup, wanted)
    if options.dry_run:
        return _list(setup)
    return _run(options, setup, scenarios)


def _addresses(texts: Sequence[str]) -> list[str]:
    for text in texts:
        if text not in CASES:
            raise TextError(f"there is no case {text!r}{suggestion(text, CASES) or '; --dry-run lists them'}")
    return list(texts)


def _list(setup: dict[str, Any]) -> int:
    for case in applicable(setup):
        why_not = missing(SCENARIOS[case.scenario], setup)
        print(f"{case.address:<4} {case.level.value:<7} {case.requirement}{f'  ({why_not})' if why_not else ''}")
    return ExitCode.DONE


def _run(options: argparse.Namespace, setup: dict[str, Any], scenarios: Sequence[KitScenario]) -> int:
    from conformance.ros.ros_port import RosPort  # noqa: PLC0415  takes half a second, and other uses need no ROS

    actions = _action_types(setup)
    stop = StopSignal()
    header = {
        "kit": f"thymio_fleet {package_version('thymio_fleet')}".strip(),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "ros": distribution_name(),
    }
    port = RosPort(setup, actions, header, lambda: stop.is_requested)
    try:
        if not port.find(_FIND_S):
            print(
                f"no server of {setup['namespace']} within {_FIND_S:g} s; {_advice(setup)}",
                file=sys.stderr,
            )
            return ExitCode.USAGE
        port.meet()
        if not _may_start(options, port, setup, scenarios):
            return ExitCode.USAGE
        return _perform(options, port, setup, scenarios, stop)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    finally:
        port.close()


def _advice(setup: dict[str, Any]) -> str:
    import os  # noqa: PLC0415

    return f"ROS domain {os.environ.get('ROS_DOMAIN_ID', '0')}; `thymio-fleet up` starts a server with simulated robots"


def _action_types(setup: dict[str, Any]) -> dict[str, Any]:
    """Return the types of the actions by their names; raise TextError if they cannot be imported."""
    from importlib import import_module  # noqa: PLC0415

    from conformance.ros.message_values import to_message  # noqa: PLC0415

    wanted = (
        {GENERAL: setup["action"]}
        if setup["action"]
        else {name: f"ricaip_interfaces/action/{kind}" for name, kind in _ROBOT_ACTIONS.items()}
    )
    found: dict[str, Any] = {}
    for name, kind in wanted.items():
        match = _ACTION_TYPE.fullmatch(kind)
        if match is None:
            raise TextError(f"{kind[:80]!r} is not the type of an action; write PACKAGE/action/NAME")
        try:
            found[name] = getattr(import_module(f"{match[1]}.action"), match[2])
        except (ImportError, AttributeError) as error:
            raise TextError(f"the type {kind} cannot be imported ({error}): source its workspace") from error
    if setup["action"]:
        if not isinstance(setup["goal"], dict):
            raise TextError("the goal is not a mapping; write the fields of the goal")
        to_message(found[GENERAL].Goal, setup["goal"])
    return found


def _may_start(
    options: argparse.Namespace, port: "RosPort", setup: dict[str, Any], scenarios: Sequence[KitScenario]
) -> bool:
    """Announce the run; return False if the robot is busy, or the user does not agree that it moves."""
    moves = any(scenario.moves for scenario in scenarios)
    about_s = sum(scenario.about_s for scenario in scenarios)
    say(f"{setup['namespace']}: {len(applicable(setup))} cases, about {about_s / 60:.0f} min")
    values = port.latest.get("status", {}).get("values", [])
    if moves and {"key": "busy", "value": "yes"} in values:
        print("the robot is busy with another client's task; nothing was sent to it", file=sys.stderr)
        return False
    if not moves or options.yes or port.wait(port.has_simulator, _SIMULATOR_S):
        return True
    if setup["action"]:
        what = "the server gets goals"
    else:
        what = f"the robot moves within {setup['reach_m']:g} m of here, and home; a wrong server may drive elsewhere"
    if not sys.stdin.isatty():
        print(f"{what}: add --yes if it may, or --no-motion", file=sys.stderr)
        return False
    return input(f"{what}. Start? [y/N] ").strip().lower() in ("y", "yes")


def _perform(
    options: argparse.Namespace,
    port: "RosPort",
    setup: dict[str, Any],
    scenarios: Sequence[KitScenario],
    stop: StopSignal,
) -> int:
    folder = options.out or Path(f"conformance-{setup['namespace'].rpartition('/')[2]}")
    stage = ScenarioStage(port, setup, f"ct-{uuid.uuid4().hex[:8]}")
    try:
        perform(stage, scenarios, setup, _progress)
    except KeyboardInterrupt:
        stop.is_requested = False
        say("canceling all goals; press Ctrl-C again to leave at once")
        has_ended = stage.end_all()
        say("all goals have ended" if has_ended else "a goal has not ended: stop the robot by hand")
        _write(folder, port.recording, None)
        raise
    except Exception:  # a defect of the kit must not leave a robot driving
        stage.end_all()
        raise
    return _report(options, port.recording, judge(port.recording, setup), folder)


def _progress(scenario: KitScenario, found: Sequence[Judgement]) -> None:
    verdicts = [one.verdict.value for one in found]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts))
    say(f"  {scenario.name}: {counts}")


def _report(
    options: argparse.Namespace, recording: ServerRecording, found: Sequence[Judgement], folder: Path | None
) -> int:
    """Print the report, and write it into a folder if one is given; return the exit code."""
    report = report_of(recording.header, found)
    expected = load_text(options.expect) if options.expect else None
    changed = differences(report, expected, str(options.expect), options.case) if expected is not None else []
    for line in changed if expected is not None else console_lines(report, _again(report)):
        print(harmless(line))
    if folder is not None:
        _write(folder, recording, report)
    if expected is not None:
        print(f"{len(changed)} verdicts differ from {options.expect}")
        return ExitCode.FAILED if changed else ExitCode.DONE
    return exit_code(found)


def _again(report: dict[str, Any]) -> str:
    """Return the command that tests the same server again."""
    kind = report["setup"].get("action")
    target = ["--action", report["server"], kind] if kind else ["--namespace", report["server"]]
    return shlex.join(["thymio-fleet", "conformance", *target])


def _write(folder: Path, recording: ServerRecording, report: dict[str, Any] | None) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_recording(folder / "run.jsonl", recording)
        if report is not None:
            (folder / "report.json").write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")
            (folder / "junit.xml").write_text(junit_text(report), encoding="utf-8")
            (folder / "verdicts.txt").write_text(verdict_lines(report), encoding="utf-8")
            (folder / "index.html").write_text(run_page(report, recording), encoding="utf-8")
    except OSError as error:
        raise TextError(f"{folder}: {error.strerror}") from error
    say(f"recording{' and reports' if report else ''}: {folder}")
