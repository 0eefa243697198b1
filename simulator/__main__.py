"""The program `thymio_simulator`: steps the simulation in real time, serves it on TCP, publishes poses on ROS."""

import argparse
import contextlib
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aseba_link.listener import Listener
from simulator.config import WorldConfig, load_world
from simulator.errors import WorldError
from simulator.peripherals import TICK_S
from simulator.simulation import Simulation

if TYPE_CHECKING:
    from simulator.node import RosFace

_LOG = logging.getLogger("thymio_simulator")
_LOG_LEVELS = ("debug", "info", "warning", "error")
_TICK_NS = round(TICK_S * 1e9)
_MAX_LAG_NS = 20 * _TICK_NS  # further behind than this, simulated time gives up some of it


def main(argv: Sequence[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM; return 0, 1 where the port is taken, 2 for a bad world file."""
    parser = _parser()
    options, ros_arguments = parser.parse_known_args(argv)
    if ros_arguments[:1] not in ([], ["--ros-args"]):
        parser.error(f"unrecognized arguments: {' '.join(ros_arguments)}")
    logging.basicConfig(level=options.log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    try:
        config = load_world(options.world)
    except WorldError as error:
        print(error, file=sys.stderr)
        return 2
    address = options.address or config.network.address
    port = config.network.port if options.port is None else options.port
    try:
        listener = Listener(address, port)
    except OSError as error:
        print(f"cannot listen on {address}, port {port}: {_reason(error)}", file=sys.stderr)
        return 1
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt), contextlib.closing(listener):
        print(f"listening on tcp:host={address};port={listener.port}, {len(config.robots)} robots", flush=True)
        _serve(Simulation(config), listener, None if options.no_ros else ros_arguments, config)
    return 0


def _serve(simulation: Simulation, listener: Listener, ros_arguments: list[str] | None, config: WorldConfig) -> None:
    """Run until interrupted; without ROS where its arguments are None."""
    face = None if ros_arguments is None else _ros_face(config, simulation, ros_arguments)
    try:
        _run(simulation, listener, face)
    finally:
        simulation.network.close()
        if face is not None:
            face.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="thymio_simulator", description="Simulates Thymio II robots on Aseba.")
    parser.add_argument("--world", type=Path, required=True, help="the world's file, such as world.yaml")
    parser.add_argument("--address", help="interface to listen on, instead of the world file's")
    parser.add_argument("--port", type=_port, help="port to listen on, instead of the world file's; 0 is any")
    parser.add_argument("--no-ros", action="store_true", help="do not publish poses on ROS")
    parser.add_argument("--log-level", choices=_LOG_LEVELS, default="info", help="least serious message to print")
    return parser


def _reason(error: OSError) -> str:
    """Return the system's words; Python adds the address to them, which we name ourselves."""
    if isinstance(error, socket.gaierror) or error.errno is None:
        return str(error.strerror or error)
    return os.strerror(error.errno)


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is not in 0 to 65535")
    return port


def _ros_face(config: WorldConfig, simulation: Simulation, arguments: list[str]) -> "RosFace":
    from simulator.node import RosFace  # noqa: PLC0415  with --no-ros this runs where ROS is not installed

    return RosFace(config, simulation, [sys.argv[0], *arguments])


def _run(simulation: Simulation, listener: Listener, face: "RosFace | None") -> None:
    """Step at 100 Hz; steps that are late are made up for, up to 0.2 s."""
    due_ns = time.monotonic_ns()
    warned = False
    while True:
        for connection in listener.accept():
            simulation.attach(connection)
        simulation.step()
        if face is not None:
            face.publish()
        due_ns += _TICK_NS
        behind_ns = time.monotonic_ns() - due_ns
        if behind_ns > _MAX_LAG_NS:
            due_ns += behind_ns
            if not warned:
                _LOG.warning("this machine is too slow: simulated time falls behind real time")
                warned = True
        elif behind_ns < 0:
            time.sleep(-behind_ns * 1e-9)


if __name__ == "__main__":
    sys.exit(main())
