"""Hostile clients, each a separate process: python -m bench.answers.hostile flood --seconds 60.

Each ends after the given number of seconds. Goals and commands go to robot 1; see newcomers.py for clients that
connect and leave.
"""

import argparse
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from enum import StrEnum

import rclpy
from geometry_msgs.msg import Twist
from rclpy.action import ActionClient
from rclpy.client import Client
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from ricaip_interfaces.action import TaskGoTo
from ricaip_interfaces.srv import AssignedTask

from bench.answers.goal_events import EventKind, GoalEvent
from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_to_ros
from thymio_base.stop_signal import StopSignal

ATTACKED = 1
_LATCHED_HZ = 20.0
_BURST = 10  # goals sent before the flood handles answers
_QUERIES = 3  # requests between two looks at the whole graph
_CMD_VEL_HZ = 20_000.0  # of each process
_POLLS_HZ = 250.0
_FOUND_S = 10.0
_FORGOTTEN_S = 1.0  # after this, an answer is considered lost
_OPEN_CALLS = 100


class Nuisance(StrEnum):
    """What a hostile client does."""

    SPIN = "spin"  # uses a core, without ROS
    LATCHED = "latched"  # sends goals with a QoS that prevents its reader of answers from matching
    FLOOD = "flood"  # sends goals without pause
    CMD_VEL = "cmd_vel"  # sends velocities without pause
    QUERIES = "queries"  # queries parameters and the graph
    POLL = "poll"  # queries the current task of each robot in turn


class _Program:
    """A node with its executor and its end time."""

    def __init__(self, seconds: float, robots: int) -> None:
        self._stop = StopSignal()
        self._end_s = time.monotonic() + seconds
        self._attacks = 0
        self._due_s = 0.0
        self.robots = robots
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self.node = Node(f"hostile_{uuid.uuid4().hex[:8]}")
        self.executor = EventsExecutor()
        self.executor.add_node(self.node)
        self._pose = pose_to_ros(Pose2D(0.65, 0.6, 0.0), self.node.get_clock().now().nanoseconds, "map")

    @property
    def has_time_left(self) -> bool:
        """Whether the program continues: its time is not over, and no signal has arrived."""
        return not self._stop.is_requested and time.monotonic() < self._end_s

    def paced(self, rate_hz: float) -> Iterator[None]:
        """Yield at a rate, and serve callbacks in between; missed turns are caught up."""
        due_s = time.monotonic()
        while self.has_time_left:
            due_s += 1.0 / rate_hz
            yield
            while (remaining_s := due_s - time.monotonic()) > 0.0:
                self.executor.spin_once(timeout_sec=remaining_s)

    def goal(self) -> TaskGoTo.Goal:
        """Return a new valid goal."""
        return TaskGoTo.Goal(task_id=f"{self.node.get_name()}-{self._attacks}", goal_pose=self._pose)

    def count_attack(self) -> None:
        """Count an attack; report the count once a second."""
        self._attacks += 1
        now_s = time.monotonic()
        if now_s >= self._due_s:
            self._due_s = now_s + 1.0
            GoalEvent(now_s, EventKind.ATTACKS, detail=str(self._attacks)).write()


def _latched(program: _Program) -> None:
    qos = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    client = ActionClient(program.node, TaskGoTo, f"/factory/robot_{ATTACKED}/task_go_to", goal_service_qos_profile=qos)
    for _ in program.paced(_LATCHED_HZ):
        client.send_goal_async(program.goal())
        program.count_attack()


def _flood(program: _Program) -> None:
    client = ActionClient(program.node, TaskGoTo, f"/factory/robot_{ATTACKED}/task_go_to")
    client.wait_for_server(timeout_sec=_FOUND_S)
    while program.has_time_left:
        for _ in range(_BURST):
            client.send_goal_async(program.goal())
            program.count_attack()
        program.executor.spin_once(timeout_sec=0.0)


def _cmd_vel(program: _Program) -> None:
    publisher = program.node.create_publisher(Twist, f"/factory/robot_{ATTACKED}/cmd_vel", 1)
    message = serialize_message(Twist())
    for _ in program.paced(_CMD_VEL_HZ):
        publisher.publish(message)
        program.count_attack()


def _queries(program: _Program) -> None:
    node = program.node
    client = node.create_client(AssignedTask, f"/factory/robot_{ATTACKED}/assigned_task")
    while program.has_time_left:
        for _ in range(_QUERIES):
            _wait(program, client, client.call_async(AssignedTask.Request()))
            program.count_attack()
        for name, namespace in node.get_node_names_and_namespaces():
            node.get_service_names_and_types_by_node(name, namespace)
        node.get_topic_names_and_types()


def _wait(program: _Program, client: Client, future: Future) -> None:
    end_s = time.monotonic() + _FORGOTTEN_S
    while not future.done() and time.monotonic() < end_s and program.has_time_left:
        program.executor.spin_once(timeout_sec=0.05)
    client.remove_pending_request(future)


def _poll(program: _Program) -> None:
    clients = [
        program.node.create_client(AssignedTask, f"/factory/robot_{robot_id}/assigned_task")
        for robot_id in range(1, program.robots + 1)
    ]
    calls: list[tuple[float, Client, Future]] = []
    for turn, _ in enumerate(program.paced(_POLLS_HZ)):
        calls = [call for call in calls if not _is_over(*call)]
        if len(calls) < _OPEN_CALLS:
            client = clients[turn % len(clients)]
            calls.append((time.monotonic(), client, client.call_async(AssignedTask.Request())))
            program.count_attack()


def _is_over(called_s: float, client: Client, future: Future) -> bool:
    if not future.done() and time.monotonic() < called_s + _FORGOTTEN_S:
        return False
    client.remove_pending_request(future)
    return True


def _spin(seconds: float) -> None:
    stop, end_s = StopSignal(), time.monotonic() + seconds
    while not stop.is_requested and time.monotonic() < end_s:
        pass


_ATTACKS: dict[Nuisance, Callable[[_Program], None]] = {
    Nuisance.LATCHED: _latched,
    Nuisance.FLOOD: _flood,
    Nuisance.CMD_VEL: _cmd_vel,
    Nuisance.QUERIES: _queries,
    Nuisance.POLL: _poll,
}


def main() -> int:
    """Attack until the time is over."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("nuisance", type=Nuisance)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--robots", type=int, default=1)
    options = parser.parse_args()
    if options.nuisance is Nuisance.SPIN:
        _spin(options.seconds)
    else:
        _ATTACKS[options.nuisance](_Program(options.seconds, options.robots))
        sys.stdout.flush()
        os._exit(0)  # pending work does not matter, and destroying it would take long
    return 0


if __name__ == "__main__":
    sys.exit(main())
