"""The program `thymio_simulator`: steps the simulation at its pace and serves it on TCP and ROS."""

import argparse
import contextlib
import logging
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aseba_link.errors import ListenError
from aseba_link.link.listener import Listener
from aseba_link.link.pty_port import PtyPort
from simulator.errors import ClockTakenError, WorldError
from simulator.firmware.peripherals import TICK_S
from simulator.network.robot_network import MAX_HOSTS, RobotNetwork
from simulator.simulation.helping_hand import HelpingHand
from simulator.simulation.pace import Pace
from simulator.simulation.simulation import Simulation
from simulator.simulation.simulation_control import Control, State
from simulator.simulation.step_fence import StepFence
from simulator.world.config import WorldConfig, load_world
from thymio_base.argument_types import number, port, seconds
from thymio_base.exit_code import ExitCode
from thymio_base.fence import Fence
from thymio_base.logs.json_log import start_json_log
from thymio_base.ros.start.priority import leave_real_time, request_priority, request_real_time
from thymio_base.ros.start.ros_environment import end_if_ros_cannot_start
from thymio_base.stop_signal import StopSignal, say
from thymio_base.texts.bounds import LEAST_FACTOR, MOST_FACTOR

if TYPE_CHECKING:
    from simulator.ros.simulator_node import RosInterface

_LOG = logging.getLogger("thymio_simulator")
_PAUSE_NS = 10_000_000  # between polls of hosts and requests
_BETWEEN_STEPS_NS = 1_000_000  # between polls while requested steps are being performed
_LONGEST_WAIT_S = 0.1  # a signal is answered within this time at any speed
_LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass(slots=True)
class _Doors:
    """How hosts reach the robots, and the helping hand if there is one."""

    listeners: list[Listener | PtyPort]
    hand: HelpingHand | None = None


def main(argv: Sequence[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM; return 0, 1 if the port is in use, 2 for a bad world file or a second /clock."""
    parser = _parser()
    options, ros_arguments = parser.parse_known_args(argv)
    if ros_arguments[:1] not in ([], ["--ros-args"]):
        parser.error(f"unrecognized arguments: {' '.join(ros_arguments)}")
    if options.paused and options.no_ros:
        parser.error("--paused waits for a request on ROS, which --no-ros disables")
    logging.basicConfig(level=options.log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    start_json_log("thymio_simulator", sys.argv if argv is None else ["thymio_simulator", *argv], options.world)
    try:
        config = load_world(options.world)
    except WorldError as error:
        print(error, file=sys.stderr)
        return ExitCode.USAGE
    for note in config.notes:
        _LOG.warning(note)
    if not options.no_ros:
        end_if_ros_cannot_start()
    if options.orchestrated is not None:
        return _provide(config, options, [sys.argv[0], *ros_arguments])
    stop = StopSignal()
    with contextlib.ExitStack() as opened:
        try:
            doors = _open_doors(opened, config, options)
        except ListenError as error:
            print(error, file=sys.stderr)
            return ExitCode.FAILED
        pace = Pace(TICK_S, options.speed, time.monotonic_ns())
        fence = Fence(_LOG.error)
        control = Control(Simulation(config, fence), pace, State.PAUSED if options.paused else State.PLAYING)
        try:
            served = None if options.no_ros else ros_arguments
            doors.hand = HelpingHand(control.simulation, say) if options.helping_hand else None
            _serve(control, doors, served, stop, fence, has_clock=not options.no_clock)
        except ClockTakenError as error:
            print(error, file=sys.stderr)
            return ExitCode.USAGE
    return ExitCode.DONE


def _provide(config: WorldConfig, options: argparse.Namespace, arguments: list[str]) -> int:
    from simulator.ros.orchestrated import provider_program as program  # noqa: PLC0415  most runs do without

    run = program.OrchestratedRun(
        options.orchestrated,
        options.duration,
        options.record,
        options.patience,
        program.Orchestrator(options.orchestrator),
    )
    return program.run_provider(config, run, arguments, StopSignal())


def _open_doors(opened: contextlib.ExitStack, config: WorldConfig, options: argparse.Namespace) -> _Doors:
    """Open the ports for hosts and print their addresses; raises ListenError."""
    address = options.address or config.network.address
    port = config.network.port if options.port is None else options.port
    listener = opened.enter_context(contextlib.closing(Listener(address, port)))
    doors = _Doors([listener])
    if options.serial is not None:
        doors.listeners.append(opened.enter_context(contextlib.closing(PtyPort(options.serial))))
        say(f"serial port ser:device={options.serial}")
    say(f"listening on tcp:host={address};port={listener.port}, {len(config.robots)} robots")
    return doors


def _serve(
    control: Control,
    doors: "_Doors",
    ros_arguments: list[str] | None,
    stop: StopSignal,
    fence: Fence,
    *,
    has_clock: bool,
) -> None:
    """Run until a stop signal; without ROS if its arguments are None."""
    request_priority()
    ros = None if ros_arguments is None else _start_ros(control, ros_arguments, fence, has_clock=has_clock)
    try:
        _run(control, doors, ros, stop, fence)
    finally:
        control.simulation.network.close()
        if ros is not None:
            ros.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="thymio_simulator", description="Simulates Thymio II robots on Aseba.")
    parser.add_argument("--world", type=Path, required=True, help="world file: world.yaml, or a .playground of Aseba")
    parser.add_argument("--address", help="interface to listen on, instead of the world file's")
    parser.add_argument("--port", type=port, help="port to listen on, instead of the world file's; 0 is any")
    parser.add_argument(
        "--serial", type=Path, metavar="PATH", help="also offer the robots on a pseudo-terminal, linked to PATH"
    )
    parser.add_argument(
        "--helping-hand",
        action="store_true",
        help="simulate a hand that covers, lifts and presses as the bring-up asks, and prints what a ruler shows",
    )
    parser.add_argument(
        "--speed",
        type=_factor,
        default=1.0,
        metavar="FACTOR",
        help="simulated seconds per second, or max for as fast as possible (default: %(default)g)",
    )
    parser.add_argument("--paused", action="store_true", help="start paused; a request on ROS starts the simulation")
    parser.add_argument("--no-ros", action="store_true", help="run without ROS: no poses, no /clock, no control")
    parser.add_argument("--no-clock", action="store_true", help="do not publish /clock; a second simulator needs this")
    stack = parser.add_argument_group(
        "under an orchestrator", "the simulator steps once every node has done its part; see docs/orchestrator.md"
    )
    stack.add_argument("--orchestrated", type=Path, metavar="LAUNCH.json", help="launch configuration of the stack")
    stack.add_argument(
        "--orchestrator",
        choices=("conductor", "ros2_def"),
        default="conductor",
        help="the built-in conductor, or ros2_def if it is installed (default: %(default)s)",
    )
    stack.add_argument(
        "--duration", type=seconds, default=math.inf, metavar="S", help="simulated time; default: no end"
    )
    stack.add_argument("--record", type=Path, metavar="FILE", help="write all inputs and outputs, as lines of JSON")
    stack.add_argument(
        "--patience",
        type=seconds,
        default=30.0,
        metavar="S",
        help="time to wait for a node's answer (default: %(default)g)",
    )
    parser.add_argument("--log-level", choices=_LOG_LEVELS, default="info", help="lowest severity to print")
    return parser


def _factor(text: str) -> float:
    what = f"max, or a number from {LEAST_FACTOR:g} to {MOST_FACTOR:g}"
    return math.inf if text == "max" else number(text, what, LEAST_FACTOR, MOST_FACTOR)


def _start_ros(control: Control, arguments: list[str], fence: Fence, *, has_clock: bool) -> "RosInterface":
    from simulator.ros.simulator_node import RosInterface  # noqa: PLC0415  --no-ros runs without ROS installed

    return RosInterface(control, [sys.argv[0], *arguments], fence, has_clock=has_clock)


def _run(control: Control, doors: "_Doors", ros: "RosInterface | None", stop: StopSignal, fence: Fence) -> None:
    """Step at the pace until a stop signal; serve hosts and requests even while paused."""
    step = StepFence(fence)
    control.pace.restart(time.monotonic_ns())  # starting ROS took time
    warned = False
    factor = math.nan
    while not stop.is_requested:
        if control.pace.factor != factor:
            factor = control.pace.factor
            _prioritize(factor)
        with fence.around("connections"):
            _accept(control.simulation.network, doors.listeners)
        has_more = ros is not None and ros.perform_steps()
        if control.state is State.PLAYING:
            step.perform(control.advance)
            if doors.hand is not None:
                step.perform(doors.hand.step)
            if ros is not None:
                ros.publish()
            control.pace.step(time.monotonic_ns())
        else:
            step.perform(control.simulation.network.exchange)
            if ros is not None:
                ros.refresh()
            control.pace.restart(time.monotonic_ns() + (_BETWEEN_STEPS_NS if has_more else _PAUSE_NS))
        if control.pace.has_fallen_behind and not warned:
            _LOG.warning("this machine is too slow: simulated time falls behind its pace")
            warned = True
        _wait(control.pace, ros, stop)


def _accept(network: RobotNetwork, listeners: Sequence[Listener | PtyPort]) -> None:
    for listener in listeners:
        for connection in listener.accept():
            network.attach(connection, connection.address)
    for conflict in network.pop_conflicts():
        _LOG.warning(conflict)
    if network.pop_storm():
        _LOG.warning(
            "robots send each other more events than they can hear: some are lost; do scripts answer events by events?"
        )
    if network.pop_crowded():
        _LOG.warning("more than %d hosts are connected: those that have sent nothing are disconnected first", MAX_HOSTS)


def _prioritize(factor: float) -> None:
    """Run with real-time priority, as robots do, unless the pace may need a whole core."""
    if factor <= 1.0:
        request_real_time()
    else:
        leave_real_time()


def _wait(pace: Pace, ros: "RosInterface | None", stop: StopSignal) -> None:
    """Serve requests until the next step is due or a stop signal, but at least once."""
    wait = time.sleep if ros is None else ros.wait  # `ros.wait` returns after the first request
    wait(min(pace.wait_s(time.monotonic_ns()), _LONGEST_WAIT_S))
    while not stop.is_requested and (wait_s := pace.wait_s(time.monotonic_ns())) > 0.0:
        wait(min(wait_s, _LONGEST_WAIT_S))
