"""Clients that send a goal to robot 1 and then leave, are killed or are suspended: python -m bench.answers.newcomers.

A third of them meets each fate. They are cheap: forks of a process that has imported everything.
"""

import argparse
import ctypes
import os
import signal
import sys
import time
import uuid
from enum import Enum
from itertools import cycle, islice

import rclpy
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from ricaip_interfaces.action import TaskGoTo

from bench.answers.goal_events import EventKind, GoalEvent
from bench.answers.hostile import ATTACKED
from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_to_ros
from thymio_base.stop_signal import StopSignal

_FOUND_S = 5.0
_ANSWER_S = 2.0
_CHECK_S = 0.1
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, linux/prctl.h


class Fate(Enum):
    """The fate of a client right after it has sent its goal."""

    LEAVES = None  # after receiving its answer
    KILLED = signal.SIGKILL
    SUSPENDED = signal.SIGSTOP  # until the end of the run


def _live(fate: Fate) -> None:
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = Node(f"newcomer_{uuid.uuid4().hex[:8]}")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    client = ActionClient(node, TaskGoTo, f"/factory/robot_{ATTACKED}/task_go_to")
    client.wait_for_server(timeout_sec=_FOUND_S)
    pose = pose_to_ros(Pose2D(0.65, 0.6, 0.0), node.get_clock().now().nanoseconds, "map")
    answer = client.send_goal_async(TaskGoTo.Goal(task_id=f"newcomer-{uuid.uuid4().hex}", goal_pose=pose))
    if fate.value is not None:
        os.kill(os.getpid(), fate.value)
    executor.spin_until_future_complete(answer, timeout_sec=_ANSWER_S)
    executor.shutdown()
    client.destroy()
    node.destroy_node()
    rclpy.try_shutdown()


def _fork(fate: Fate) -> int:
    """Start a client that does not outlive this process; return its process id."""
    pid = os.fork()
    if pid:
        return pid
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    try:
        _live(fate)
    finally:
        os._exit(0)


def _clean_up(pids: list[int]) -> None:
    for pid in pids:
        if os.waitpid(pid, os.WNOHANG) == (0, 0):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def main() -> int:
    """Run the clients; end on SIGTERM or after the given time."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--rate-hz", type=float, default=20.0)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    stop, end_s = StopSignal(), time.monotonic() + options.seconds
    pids: list[int] = []
    try:
        due_s = time.monotonic()
        for fate in islice(cycle(Fate), options.count):
            if stop.is_requested:
                break
            pids.append(_fork(fate))
            GoalEvent(time.monotonic(), EventKind.ATTACKS, detail=str(len(pids))).write()
            due_s += 1.0 / options.rate_hz
            time.sleep(max(0.0, due_s - time.monotonic()))
        while not stop.is_requested and time.monotonic() < end_s:
            time.sleep(_CHECK_S)
    finally:
        _clean_up(pids)
    return 0


if __name__ == "__main__":
    sys.exit(main())
