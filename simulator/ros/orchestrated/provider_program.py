"""Runs the simulator as a data provider until a given simulated time or a stop signal."""

import contextlib
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Final

import rclpy
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from std_msgs.msg import UInt8MultiArray

from aseba_link.link.message_dialer import MessagePipe
from simulator.conductor.launch_file import load_stack
from simulator.conductor.node_model import NodeModel, TimerTrigger
from simulator.errors import ConductorError
from simulator.ros.orchestrated.data_host import DataHost
from simulator.ros.orchestrated.provider import Provider
from simulator.ros.orchestrated.record_writer import NoRecord, RecordWriter
from simulator.ros.orchestrated.ros_conductor import InterceptionRecorder, RosConductor
from simulator.simulation.simulation import Simulation
from simulator.world.config import WorldConfig
from thymio_base.fence import Fence
from thymio_base.ros.executors import ExecutorKind, create_executor
from thymio_base.ros.start.ros_start import start_ros
from thymio_base.stop_signal import StopSignal, say

NODE_NAME: Final = "thymio_simulator"
_NO_STAMPS: Final = (
    "ros2_def f6c9850 gives its synchronizers serialized messages, in which they find no stamps, and waits for ever; "
    "use --orchestrator conductor"
)


class Orchestrator(Enum):
    """The orchestrator that conducts the stack."""

    CONDUCTOR = "conductor"  # ours
    ROS2_DEF = "ros2_def"  # from the University of Ulm, if installed

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class OrchestratedRun:
    """How a stack runs.

    Parameters
    ----------
    launch_file : the launch configuration, which lists the nodes
    duration_s : simulated time; infinite to run until a stop signal
    record : file for all inputs and outputs; None writes none
    patience_s : time to wait for a node's next answer
    orchestrator : conducts the nodes
    """

    launch_file: Path
    duration_s: float = math.inf
    record: Path | None = None
    patience_s: float = 30.0
    orchestrator: Orchestrator = Orchestrator.CONDUCTOR


def run_provider(config: WorldConfig, run: OrchestratedRun, arguments: list[str], stop: StopSignal) -> int:
    """Provide data to a stack; return 0, 1 if a node breaks the rules or does not answer, 2 for bad files.

    Parameters
    ----------
    config
        the world's configuration
    run
        how the stack runs
    arguments
        the program's arguments, for ROS
    stop
        ends the run
    """
    try:
        stack = load_stack(run.launch_file, _share_folder)
        _check(stack, run.orchestrator)
    except ConductorError as error:
        print(error, file=sys.stderr)
        return 2
    # with our profile, programs do not receive their own messages, which ros2_def relies on
    start_ros(NODE_NAME, arguments, has_profile=run.orchestrator is Orchestrator.CONDUCTOR)
    try:
        with _recorder(run.record) as recorder:
            _provide(Simulation(config, Fence()), run, stack, recorder, stop)
    except ConductorError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        rclpy.try_shutdown()
    return 0


def _provide(
    simulation: Simulation,
    run: OrchestratedRun,
    stack: list[NodeModel],
    recorder: InterceptionRecorder,
    stop: StopSignal,
) -> None:
    pipe = MessagePipe()
    host = _host(
        run, stack, lambda _, data: pipe.give(bytes(deserialize_message(data, UInt8MultiArray).data)), recorder
    )
    provider = Provider(simulation, host, pipe, math.gcd(*_periods_ns(stack)))
    host.begin()
    say(f"{len(stack)} nodes found: {', '.join(one.name for one in stack)}")
    while not stop.is_requested and provider.now_ns < run.duration_s * 1e9:
        provider.advance()
    host.wait_for_rest()
    say(f"{provider.now_ns * 1e-9:g} s simulated")


def _host(
    run: OrchestratedRun, stack: list[NodeModel], hear: Callable[[str, bytes], None], recorder: InterceptionRecorder
) -> DataHost:
    own = _own(stack)
    node = Node(NODE_NAME, namespace=own.name.rpartition("/")[0] or "/")
    if run.orchestrator is Orchestrator.CONDUCTOR:
        executor = create_executor()
        executor.add_node(node)
        return RosConductor(
            node,
            executor,
            stack,
            provider=own.name,
            hear=hear,
            recorder=recorder,
            patience_s=run.patience_s,
            load=partial(_next_stack, run.launch_file.parent),
        )
    from simulator.ros.orchestrated.ros2_def_host import Ros2DefHost  # noqa: PLC0415  few machines have ros2_def

    host_node = Node("orchestrator")
    executor = create_executor(ExecutorKind.WAITING)  # ros2_def spins it itself
    executor.add_node(node)
    executor.add_node(host_node)
    return Ros2DefHost(
        (node, host_node),
        executor,
        run.launch_file,
        own,
        message_type=UInt8MultiArray,
        hear=hear,
        recorder=recorder,
        patience_s=run.patience_s,
    )


def _next_stack(folder: Path, package: str, file: str) -> list[NodeModel]:
    """Return the stack of a launch configuration, in a package or beside the first configuration."""
    try:
        stack = load_stack((_share_folder(package) / "config" if package else folder) / file, _share_folder)
    except LookupError as error:
        raise ConductorError(f"launch configuration {file} of the package {package}: it is not installed") from error
    _own(stack)
    return stack


def _check(stack: list[NodeModel], orchestrator: Orchestrator) -> None:
    _own(stack)
    for one in stack:
        if one.stamped_inputs and orchestrator is Orchestrator.ROS2_DEF:
            raise ConductorError(f"{one.name} has an approximate_time_sync: {_NO_STAMPS}")
    if not _periods_ns(stack):
        raise ConductorError("no node of the stack has a timer; at least one must have one")


def _own(stack: list[NodeModel]) -> NodeModel:
    """Return this program's node in the launch configuration."""
    found = next((one for one in stack if one.name.rpartition("/")[2] == NODE_NAME), None)
    if found is None:
        raise ConductorError(f"the launch configuration has no node {NODE_NAME}, which is this program")
    return found


def _periods_ns(stack: list[NodeModel]) -> list[int]:
    triggers = (callback.trigger for one in stack for callback in one.timers)
    return [trigger.period_ns for trigger in triggers if isinstance(trigger, TimerTrigger)]


@contextlib.contextmanager
def _recorder(file: Path | None) -> Iterator[InterceptionRecorder]:
    if file is None:
        yield NoRecord()
        return
    with file.open("w", encoding="utf-8") as opened:
        yield RecordWriter(opened)


def _share_folder(package: str) -> Path:
    from ament_index_python.packages import get_package_share_directory  # noqa: PLC0415  only some files need it

    return Path(get_package_share_directory(package))
