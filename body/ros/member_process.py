"""A reacher or extender in a separate process; the coupler starts it and passes it memory and URDF."""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Final

import rclpy
from rclpy.signals import SignalHandlerOptions

from body.description.urdf_reader import read_urdf
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BoardRow, BodyBoard
from body.reachers.reacher import idle_share
from body.ros.member import MemberContext, MemberType
from body.ros.member_factory import create_member
from thymio_base.exit_code import ExitCode
from thymio_base.fence import Fence
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers, serve_unannounced
from thymio_base.ros.executors import create_executor, spin_once
from thymio_base.ros.fenced_node import FencedNode
from thymio_base.stop_signal import StopSignal
from thymio_base.texts.decimal_text import real_number, whole_number

_GOODBYE_S: Final = 0.2  # time for answers to reach their clients
_LONGEST_GOODBYE_S: Final = 4.0  # time for a client to request the result of its goal
_ORPHAN_GOODBYE_S: Final = 0.5  # the same, after the coupler has died


def main() -> int:
    """Run until SIGTERM, or until the coupler has ended."""
    options = _options()
    stop = StopSignal()
    layout = BodyLayout(read_urdf(Path(f"/proc/self/fd/{options.urdf}").read_text(encoding="utf-8")))
    board = BodyBoard(len(layout.variables), len(layout.motions), options.board)
    rclpy.init(args=[sys.argv[0]], signal_handler_options=SignalHandlerOptions.NO)
    fence = Fence()
    node = FencedNode(options.name, fence)
    answers = Answers(time.monotonic_ns, fence)

    def now() -> Instant:
        return Instant(time.monotonic_ns(), node.get_clock().now().nanoseconds)

    context = MemberContext(layout, board, options.row, now, answers, fence)
    member = create_member(MemberType(options.type), node, context)
    executor = create_executor()
    executor.add_node(node)
    stepping = node.create_timer(1 / options.rate_hz, lambda: member.step(time.monotonic_ns()))
    node.create_timer(0.01, answers.step)
    node.create_timer(1.0, lambda: serve_unannounced(node))
    while not stop.is_requested and os.getppid() == options.parent:
        fence.call("executor", spin_once, executor, 0.1)
    stepping.cancel()
    board.write_row(options.row, BoardRow(0, 0.0, idle_share(layout)))
    with fence.around("the end"):
        member.close()
    closed_s = time.monotonic()
    longest_s = _LONGEST_GOODBYE_S if os.getppid() == options.parent else _ORPHAN_GOODBYE_S
    while time.monotonic() - closed_s < (_GOODBYE_S if member.is_heard else longest_s):
        fence.call("executor", spin_once, executor, 0.02)
    return ExitCode.DONE


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="body.ros.member_process", description=__doc__)
    parser.add_argument("--type", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--row", type=whole_number, required=True)
    parser.add_argument("--board", type=whole_number, required=True, help="descriptor of the memory")
    parser.add_argument("--urdf", type=whole_number, required=True, help="descriptor of the URDF")
    parser.add_argument("--parent", type=whole_number, required=True, help="process id of the coupler")
    parser.add_argument("--rate-hz", type=real_number, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
