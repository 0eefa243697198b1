"""The command `thymio-fleet calibrate`: runs a procedure on a robot, fits it, and writes the calibration file."""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from operator import methodcaller
from pathlib import Path
from typing import assert_never

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.dialer import ThreadDialer
from aseba_link.thymio.events import Reports, script_constants
from fleet.calibration.calibration_host import CalibrationHost, Procedure
from fleet.calibration.calibration_result import CalibrationResult, line_result, poses_result, wall_result
from fleet.calibration.line_run import LineRun
from fleet.calibration.pose_run import ROUNDS, STRAIGHT_M, PoseRun
from fleet.calibration.wall_run import Side, WallRun
from fleet.client.fleet_client import FleetClient
from fleet.errors import CalibrationError, UnknownRobotError
from fleet.settings.calibration_file import load_calibrations, save_calibrations
from fleet.settings.config import ArenaConfig, FleetConfig, RobotConfig, load_config
from fleet.wheels.robot_calibration import RobotCalibration
from thymio_base.argument_types import identifier, metres, positive_metres, whole
from thymio_base.exit_code import ExitCode
from thymio_base.shipped_files import shipped_file

_TICK_S = 0.01
_SENSOR_HZ = 10.0
_WALL_M = 0.15  # the middle of an axle keeps this far from the arena's edge, where walls may be
_DEFAULT_FILE = "calibration.yaml"


class Method(Enum):
    """The method by which a robot is measured."""

    POSES = "poses"  # wheels, with the robot's pose_topic
    LINE = "line"  # wheels, over one or two dark lines
    WALL_FRONT = "wall-front"  # the five proximity sensors in front
    WALL_REAR = "wall-rear"  # the two in the rear


def add_calibrate(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("id", type=identifier, help="the robot's ID")
    parser.add_argument("--config", type=Path, default=shipped_file("fleet.yaml"), help="default: %(default)s")
    parser.add_argument(
        "--method",
        type=Method,
        choices=list(Method),
        default=Method.POSES,
        metavar="METHOD",
        help="poses: wheels, by the robot's pose_topic (default); line: wheels, by its ground sensors; "
        "wall-front, wall-rear: proximity sensors; docs/calibration.md says how to place the robot",
    )
    parser.add_argument(
        "--area",
        type=_area,
        metavar="X1,Y1,X2,Y2",
        help=f"poses: where the robot's axle may go, in metres; default: the arena without {_WALL_M:g} m at its edges",
    )
    parser.add_argument(
        "--straight", type=positive_metres, default=STRAIGHT_M, metavar="M", help="poses: default: %(default)s"
    )
    parser.add_argument("--rounds", type=_rounds, default=ROUNDS, metavar="N", help="poses: default: %(default)s")
    parser.add_argument(
        "--lines-apart",
        type=positive_metres,
        metavar="M",
        help="line: distance to a second, parallel line ahead of the robot",
    )
    parser.add_argument("--gap", type=metres, default=0.0, metavar="M", help="wall: between robot and wall, default: 0")
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: the fleet's calibration_file")
    parser.add_argument("--picture", type=Path, metavar="SVG", help="default: beside the calibration file")
    parser.set_defaults(run=_run)


def _rounds(text: str) -> int:
    return whole(text, "a whole number from 1 to 100", 1, 100)


def _area(text: str) -> ArenaConfig:
    try:
        x_min_m, y_min_m, x_max_m, y_max_m = map(metres, text.split(","))
    except (ValueError, argparse.ArgumentTypeError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not X1,Y1,X2,Y2") from error
    if not (x_min_m < x_max_m and y_min_m < y_max_m):
        raise argparse.ArgumentTypeError(f"{text!r} has no inside")
    return ArenaConfig(x_min_m, y_min_m, x_max_m, y_max_m)


def _run(options: argparse.Namespace) -> int:
    config = load_config(options.config, with_calibration=False)
    robot = _robot(config, options.id)
    path = options.output or config.calibration_path or options.config.parent / _DEFAULT_FILE
    calibrations = load_calibrations(path)
    entry = calibrations.get(robot.id, RobotCalibration(robot.id))
    plan = _plan(options, config, robot, entry)
    node_uuid = _drive(plan, config, robot)
    result = plan.result(replace(entry, node_id=robot.node_id, uuid=node_uuid))
    save_calibrations(path, {**calibrations, robot.id: result.robot})
    picture = options.picture or path.with_name(f"{path.stem}_robot_{robot.id}_{options.method.value}.svg")
    _write_picture(picture, result)
    print(f"robot {robot.id}:", *result.lines, sep="\n  ")
    print(f"{path}: written; {picture}: the fit")
    if config.calibration_path is None or path.resolve() != config.calibration_path.resolve():
        print(f"for the driver to read it, {options.config} needs `calibration_file: {path}`")
    return ExitCode.DONE


def _write_picture(path: Path, result: CalibrationResult) -> None:
    from fleet.calibration.chart_figure import save_charts  # noqa: PLC0415  matplotlib costs other commands 0.4 s

    try:
        save_charts(result.charts, path)
    except OSError as error:
        raise CalibrationError(f"{path}: {error.strerror or error}") from error


@dataclass(frozen=True, slots=True)
class _Plan:
    """A procedure, its required reports, and the computation of its result."""

    procedure: Procedure
    reports: Reports
    result: Callable[[RobotCalibration], CalibrationResult]


def _robot(config: FleetConfig, robot_id: int) -> RobotConfig:
    robot = next((robot for robot in config.robots if robot.id == robot_id), None)
    if robot is None:
        raise UnknownRobotError(robot_id, config.path, [robot.id for robot in config.robots])
    return robot


def _plan(options: argparse.Namespace, config: FleetConfig, robot: RobotConfig, entry: RobotCalibration) -> _Plan:
    before, today = entry.wheels or robot.wheels, date.today().isoformat()
    method: Method = options.method
    match method:
        case Method.POSES:
            if not robot.pose_topic:
                raise CalibrationError(f"robot {robot.id} has no pose_topic in {config.path}; measure it over a line")
            run = PoseRun(_free_area(options, config), before, options.straight, options.rounds)
            return _Plan(run, Reports(), lambda robot: poses_result(run, robot, before, today))
        case Method.LINE:
            over = LineRun(before, options.lines_apart)
            return _Plan(over, Reports(ground_hz=_SENSOR_HZ), lambda robot: line_result(over, robot, before, today))
        case Method.WALL_FRONT | Method.WALL_REAR:
            side = Side.FRONT if method is Method.WALL_FRONT else Side.REAR
            wall = WallRun(before, side, options.gap)
            return _Plan(wall, Reports(proximity_hz=_SENSOR_HZ), lambda robot: wall_result(wall, robot, today))
        case _:
            assert_never(method)


def _free_area(options: argparse.Namespace, config: FleetConfig) -> ArenaConfig:
    if options.area is not None:
        area: ArenaConfig = options.area
        return area
    if config.arena is None:
        raise CalibrationError(f"{config.path} has no arena, so set --area to where the robot may drive")
    return config.arena.shrunk(_WALL_M)


def _drive(plan: _Plan, config: FleetConfig, robot: RobotConfig) -> str:
    """Run the procedure in real time; return the robot's uuid, "" if it reports none."""
    client = FleetClient(config.frame)
    try:
        status_topic = f"/factory/{robot.name}/status"
        may_serve = methodcaller("may_serve", robot.id)
        is_served = client.graph.spin_until_served(
            lambda: client.node.count_publishers(status_topic) > 0, is_promised=may_serve
        )
        if is_served:
            raise CalibrationError(f"a driver serves robot {robot.id}; stop it first: a robot obeys only one host")
        procedure = plan.procedure
        if isinstance(procedure, PoseRun):
            client.watch_measured_pose(robot.pose_topic, robot.marker, config.motion_capture, procedure.on_pose)
        script = shipped_script().with_constants(script_constants(config.rates.odometry_hz, plan.reports))
        targets = (robot.target,) if robot.target else config.link.targets
        link = AsebaLink(targets, ScriptPolicy(ScriptCompiler(script)), ThreadDialer())
        try:
            return _follow(CalibrationHost(link, robot, procedure), procedure, client)
        finally:
            link.close()
    finally:
        client.close()


def _follow(host: CalibrationHost, procedure: Procedure, client: FleetClient) -> str:
    """Print each step until the procedure is done, with a bar in terminals; stop the robot in any case."""
    columns = (TextColumn("calibrating"), BarColumn(), TextColumn("{task.percentage:.0f} %"), TimeElapsedColumn())
    console = Console(highlight=False, markup=False, soft_wrap=True)
    is_found = False
    _print(console, ["looking for the robot"])
    try:
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
            bar = bars.add_task("", total=1.0)
            while not procedure.is_done:
                host.tick(time.monotonic_ns())
                if host.node is not None and not is_found:
                    is_found = True
                    _print(console, [f"found {host.node.address}"])
                _print(console, procedure.log.pop_new())
                bars.update(bar, completed=procedure.progress)
                client.spin(_TICK_S)
            _print(console, procedure.log.pop_new())
    finally:
        host.stop()
    return host.node.uuid if host.node is not None else ""


def _print(console: Console, lines: Sequence[str]) -> None:
    """Print lines at once, also into files and pipes."""
    for line in lines:
        console.print(line)
        console.file.flush()
