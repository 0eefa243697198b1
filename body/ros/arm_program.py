"""The program `rbc_arm`: simulates the arm that a URDF describes, on the topics that its tags name."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import rclpy

from body.arm.simulated_arm import SimulatedArm
from body.description.message_fields import fill_arrays, reader, writer
from body.description.message_labels import fill_names, stamp_writer
from body.description.robot_tree import BodyVariable, CommandKind
from body.kinematics.layout import BodyLayout
from body.ros.body_topics import LARGEST_VALUE
from body.ros.message_types import COMMAND_QOS, RosMessageTypes
from body.ros.rbc_program import parse_options, rate, read_layout, read_text, xacro_arguments
from thymio_base.argument_types import number
from thymio_base.exit_code import ExitCode
from thymio_base.fence import Fence
from thymio_base.ros.executors import create_executor, spin_once
from thymio_base.ros.fenced_node import FencedNode
from thymio_base.ros.start.ros_start import start_ros
from thymio_base.stop_signal import StopSignal, say

_NAME: Final = "rbc_arm"  # name of program and node
_LARGEST_NOISE_NM: Final = 1e6
_STEP_S: Final = 0.001
_WARNING_S: Final = 5.0  # shortest time between two warnings
_OUTPUTS: Final = ("q", "qv", "torque")


class ArmNode(FencedNode):
    """Simulates all joints with a command `q_ref`, and publishes their `q`, `qv` and `torque`.

    Parameters
    ----------
    layout : the arm's layout
    noise_nm : standard deviation of the reported torques
    rate_hz : rate at which its state is published
    """

    def __init__(self, layout: BodyLayout, noise_nm: float, rate_hz: float) -> None:
        super().__init__(_NAME, Fence())
        self._layout = layout
        self._types = RosMessageTypes()
        self._noise_nm = noise_nm
        self._random = np.random.default_rng(0)
        motions = [one for one in layout.motions if one.position_command >= 0]
        self._joints = {one.joint: index for index, one in enumerate(motions)}
        start = np.array([layout.coordinates[one.coordinates[0]].init for one in motions])
        lower, upper, fastest = (
            np.array([getattr(one.limits, name) for one in motions]) for name in ("lower", "upper", "velocity")
        )
        self.arm = SimulatedArm(start, lower, upper, fastest)
        self._outputs = [self._output(topic, own) for topic, own in self._by_topic(is_command=False).items()]
        for topic, own in self._by_topic(is_command=True).items():
            reads = [(self._joints[one.joint], one.kind, reader(one.path)) for one in own]
            message_type = self._types.load(own[0].message_type)
            self.create_subscription(message_type, topic, partial(self._on_command, topic, reads), COMMAND_QOS)
        self._steps = round(1 / (rate_hz * _STEP_S))
        self.create_timer(1 / rate_hz, self._step)

    def _by_topic(self, *, is_command: bool) -> dict[str, list[BodyVariable]]:
        found: dict[str, list[BodyVariable]] = {}
        for one in self._layout.variables:
            if one.is_command == is_command and one.joint in self._joints and (is_command or one.name in _OUTPUTS):
                found.setdefault(one.topic, []).append(one)
        return found

    def _output(self, topic: str, own: list[BodyVariable]) -> Any:
        publisher = self.create_publisher(self._types.load(own[0].message_type), topic, COMMAND_QOS)
        writes = [(self._joints[one.joint], _OUTPUTS.index(one.name), writer(one.path, self._types)) for one in own]
        return publisher, own, writes, stamp_writer(own, self._types)

    def _on_command(self, topic: str, reads: list[Any], message: Any) -> None:
        try:
            values = [read(message) for _, _, read in reads]
        except IndexError:
            text = f"a message of {topic} is shorter than the URDF says, and is dropped"
            self.get_logger().warning(text, throttle_duration_sec=_WARNING_S)
            return
        for (joint, kind, _), value in zip(reads, values, strict=True):
            if kind is CommandKind.POSITION and abs(value) <= LARGEST_VALUE:  # not for nan
                self.arm.references[joint] = value
            elif kind is CommandKind.TORQUE and abs(value) <= LARGEST_VALUE:
                self.arm.torques[joint] = value

    def _step(self) -> None:
        arm = self.arm
        for _ in range(self._steps):
            arm.step(_STEP_S)
        noise = self._random.normal(0.0, self._noise_nm, len(arm.torques)) if self._noise_nm else 0.0
        numbers = (arm.positions, arm.velocities, arm.torques + noise)
        for publisher, own, writes, write_stamp in self._outputs:
            message = self._types.create(own[0].message_type)
            fill_arrays(message, own, self._types)
            fill_names(message, own, self._types)
            if write_stamp is not None:
                write_stamp(message, self.get_clock().now().to_msg())
            for joint, output, write in writes:
                write(message, float(numbers[output][joint]))
            publisher.publish(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM; return 0, or 2 for a bad URDF."""
    parser = argparse.ArgumentParser(prog="rbc_arm", description="Simulates an arm on the topics of its URDF.")
    parser.add_argument("--urdf", type=Path, required=True, help="the arm, with <rbc> tags in its joints")
    parser.add_argument(
        "--noise-nm", type=_noise, default=0.0, help="standard deviation of reported torques (default: %(default)g)"
    )
    parser.add_argument("--rate-hz", type=rate, default=200.0, help="rate of the state (default: %(default)g)")
    options, arguments, ros_arguments = parse_options(parser, argv)
    text = read_text(options.urdf, xacro_arguments(parser, arguments))
    stop = StopSignal()
    start_ros(_NAME, [sys.argv[0], *ros_arguments])
    layout = read_layout(text, options.urdf, _NAME)
    node = ArmNode(layout, options.noise_nm, options.rate_hz)
    executor = create_executor()
    executor.add_node(node)
    say(f"{len(node.arm.positions)} joints")
    while not stop.is_requested:
        node.fence.call("executor", spin_once, executor, 0.1)
    node.destroy_node()
    rclpy.try_shutdown()
    return ExitCode.DONE


def _noise(text: str) -> float:
    return number(text, f"a deviation, 0 to {_LARGEST_NOISE_NM:g}", 0.0, _LARGEST_NOISE_NM)


if __name__ == "__main__":
    sys.exit(main())
