"""The command `thymio-fleet bringup`: checks a robot's hardware stage by stage, and writes a report."""

import argparse
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aseba_link.errors import TargetError
from aseba_link.link.dialer import ThreadDialer
from aseba_link.link.target import SerialTarget, parse_target
from fleet.bringup.bringup_report import BringupReport, compared, load_report, report_text
from fleet.bringup.bringup_run import NEEDED, STAGES, BringupRun, BringupState
from fleet.bringup.cause import Cause
from fleet.bringup.robot_bench import BenchOptions, Question, RobotBench
from fleet.bringup.stage_result import BringupStage, StageResult, StageVerdict, Symptom
from fleet.commands.bringup.bringup_page import page_text
from fleet.commands.bringup.host_facts import judge_port, port_facts, thymio_ports
from fleet.commands.bringup.typed_answers import TypedAnswers
from fleet.errors import BringupError, ConfigError, UnknownRobotError
from fleet.settings.config import RobotConfig, load_config
from thymio_base.argument_types import identifier, whole
from thymio_base.exit_code import ExitCode
from thymio_base.shipped_files import shipped_file
from thymio_base.texts.user_file import may_exist

if TYPE_CHECKING:
    from fleet.client.fleet_client import FleetClient

_TICK_S: Final = 0.01
_LAST_TICKS: Final = 10  # after a stop, for its bytes to leave
_YES: Final = ("y", "yes")
Say = Callable[[str], None]


def add_bringup(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.epilog = "docs/hardware.md describes the stages. Ctrl-C stops the wheels, and --resume continues."
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help="such as ser:device=/dev/ttyACM0; default: all Thymios on USB"
    )
    parser.add_argument("--node", type=_node, metavar="ID", help="the robot's node id, if others are on the target")
    parser.add_argument("--robot", type=identifier, metavar="ID", help="a robot of --config: target, node and poses")
    parser.add_argument(
        "--config", type=Path, default=shipped_file("fleet.yaml"), help="the fleet of --robot (default: %(default)s)"
    )
    parser.add_argument("--output", type=Path, default=Path("bringup"), metavar="FOLDER", help="default: %(default)s")
    parser.add_argument("--yes", action="store_true", help="allow all motion; you still touch, look and measure")
    parser.add_argument("--no-hands", action="store_true", help="skip what needs a person beside the robot")
    parser.add_argument("--floor", action="store_true", help="the robot is on the floor: it may drive half a metre")
    parser.add_argument("--resume", action="store_true", help="skip the stages that the report in --output has")
    parser.add_argument("--json", action="store_true", help="print the report as JSON, and all else to stderr")
    parser.add_argument(
        "--compare", nargs=2, type=Path, metavar=("A", "B"), help="print two reports side by side, and do nothing else"
    )
    parser.set_defaults(run=_run)


def _node(text: str) -> int:
    return whole(text, "a node id from 1 to 65535", 1, 0xFFFF)


def _run(options: argparse.Namespace) -> int:
    if options.compare:
        return _compare(*options.compare)
    robot = _robot(options)
    targets = list(options.targets) or ([robot.target] if robot is not None and robot.target else [])
    if robot is not None and not targets:
        targets = list(load_config(options.config).link.targets)
    targets = targets or [f"ser:device={device}" for device in thymio_ports()]
    if not targets:
        raise BringupError(f"no Thymio is on USB, and no TARGET is given: {Cause.NO_PORT.value}")
    answers = TypedAnswers()
    reports = [_Session(options, target, robot, answers).run() for target in targets]
    return ExitCode.FAILED if any(report.has_failed for report in reports) else ExitCode.DONE


def _compare(first: Path, second: Path) -> int:
    rows = list(compared(load_report(first), load_report(second)))
    widths = [max(len(row[column]) for row in [*rows, ("", "", str(first), "")]) for column in range(3)]
    for row in [("stage", "", str(first), str(second)), *rows]:
        print("  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[3]]).rstrip())
    return ExitCode.DONE


def _robot(options: argparse.Namespace) -> RobotConfig | None:
    if options.robot is None:
        return None
    config = load_config(options.config, with_calibration=False)
    found = next((robot for robot in config.robots if robot.id == options.robot), None)
    if found is None:
        raise UnknownRobotError(options.robot, config.path, [robot.id for robot in config.robots])
    return found


class _Session:
    """The bring-up of one robot, in real time."""

    def __init__(
        self, options: argparse.Namespace, target: str, robot: RobotConfig | None, answers: TypedAnswers
    ) -> None:
        self._options = options
        self._answers = answers
        self._robot = robot
        try:
            self._target = parse_target(target)
        except TargetError as error:
            raise ConfigError(str(error)) from error
        self._path = options.output / f"{re.sub(r'[^A-Za-z0-9]+', '_', target).strip('_')}.json"
        report = load_report(self._path) if options.resume and may_exist(self._path) else BringupReport(target, "")
        self._report = replace(report, target=target, date=date.today().isoformat())
        has_poses = robot is not None and bool(robot.pose_topic)
        node_id = options.node if options.node is not None else (robot.node_id if robot is not None else None)
        bench_options = BenchOptions(target, node_id, has_poses, options.floor, not options.no_hands)
        self._bench = RobotBench(bench_options, ThreadDialer(), self._say)

    def run(self) -> BringupReport:
        """Run the stages; the wheels are stopped whatever happens."""
        self._say(f"bring-up of {self._report.target}")
        if isinstance(self._target, SerialTarget) and self._target.device:
            self._note(judge_port(port_facts(self._target.device), thymio_ports()))
        if not self._report.has_failed or self._options.resume:
            self._drive()
        for text in self._report.not_checked:
            self._say(f"not checked: {text}")
        if self._options.json:
            print(report_text(self._report), end="", flush=True)
        self._say(f"{self._path}: written; {self._path.with_suffix('.html')}: the page")
        return self._report

    def _drive(self) -> None:
        run = BringupRun(self._bench, self._stages(), self._note)
        client = self._client()
        try:
            asked: Question | None = None
            while run.state is not BringupState.DONE:
                run.tick(time.monotonic_ns())
                if run.question is not None:
                    asked = self._ask(run, asked)
                self._wait(client)
        finally:
            self._bench.halt()
            with suppress(KeyboardInterrupt):  # a second Ctrl-C does not keep the stop from leaving
                for _ in range(_LAST_TICKS):
                    self._bench.tick(time.monotonic_ns())
                    time.sleep(_TICK_S)
            run.close()
            if client is not None:
                client.close()

    def _stages(self) -> list[BringupStage]:
        done = {
            result.stage
            for result in self._report.results
            if self._options.resume and result.verdict in (StageVerdict.PASSED, StageVerdict.WARNING)
        }
        return [stage for stage in STAGES if stage not in done or stage in NEEDED]

    def _ask(self, run: BringupRun, asked: Question | None) -> Question | None:
        """Answer the question if an answer has been typed; return the question that is now printed."""
        question = run.question
        if question is None:
            return None
        if question.is_permission and self._options.yes:
            run.answer("yes")
            return None
        if question is not asked:
            self._say(f"{question.text}{' [y/N]' if question.is_permission else ''}")
        line = self._answers.line()
        if line is None:
            return question
        if not line and self._answers.has_ended:
            self._say("  no answer: standard input has ended")
        run.answer(("yes" if line.lower() in _YES else "") if question.is_permission else line)
        return None

    def _wait(self, client: "FleetClient | None") -> None:
        if client is None:
            time.sleep(_TICK_S)
        else:
            client.spin(_TICK_S)

    def _client(self) -> "FleetClient | None":
        """Return a ROS client that notes the robot's poses; None without a robot or its topic."""
        robot = self._robot
        if robot is None or not robot.pose_topic:
            return None
        from fleet.client.fleet_client import FleetClient  # noqa: PLC0415  robots without poses need no ROS
        from thymio_base.ros.start.ros_environment import end_if_ros_cannot_start  # noqa: PLC0415

        end_if_ros_cannot_start()
        config = load_config(self._options.config, with_calibration=False)
        client = FleetClient(config.frame)
        client.watch_measured_pose(
            robot.pose_topic,
            robot.marker,
            config.motion_capture,
            lambda pose, at_ns: self._bench.record.poses.append((at_ns, pose)),
        )
        return client

    def _note(self, result: StageResult) -> None:
        """Print a stage's result, and write the report so far."""
        self._report = replace(self._report.with_result(result), versions=self._bench.versions or self._report.versions)
        for measure in result.measures:
            self._say(f"  {'ok ' if measure.fits else 'NOT'} {measure.text}")
        for note in result.notes:
            self._say(f"  {note}")
        for symptom in result.symptoms:
            self._print_symptom(symptom)
        self._say(f"  {result.stage.value}: {result.verdict.value}")
        try:
            self._options.output.mkdir(parents=True, exist_ok=True)
            self._path.write_text(report_text(self._report), encoding="utf-8")
            self._path.with_suffix(".html").write_text(page_text(self._report), encoding="utf-8")
        except OSError as error:
            raise BringupError(f"{self._path} cannot be written: {error.strerror or error}") from error

    def _print_symptom(self, symptom: Symptom) -> None:
        self._say(f"  {symptom.cause.code}: {symptom.text}")
        self._say(f"    {symptom.cure}")

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr if self._options.json else sys.stdout, flush=True)
