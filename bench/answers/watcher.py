"""Records poses, statuses and diagnostics in a separate process: python -m bench.answers.watcher --robots 8.

It prints events. It sends nothing, and records only the arrival of poses, not their content.
"""

import argparse
import sys
import time

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from thymio_fleet_interfaces.msg import Driver

from bench.answers.goal_events import EventKind, GoalEvent
from fleet.interface.names import DRIVERS_TOPIC
from fleet.interface.quality import DRIVERS_READER_QOS, POSE_QOS, STATUS_QOS
from thymio_base.fast_dds import use_shipped_profile
from thymio_base.ros.start.priority import request_real_time
from thymio_base.stop_signal import StopSignal

_SPIN_S = 0.2
_READY = {"state": "idle", "link": "connected", "localization": "tracked"}


class Watcher(Node):
    """Subscribes to the robots 1 to `count`, and their drivers."""

    def __init__(self, count: int) -> None:
        super().__init__("answers_watcher")
        for robot_id in range(1, count + 1):
            self._watch(robot_id)
        self.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self.create_subscription(Driver, DRIVERS_TOPIC, self._on_driver, DRIVERS_READER_QOS)

    def _watch(self, robot_id: int) -> None:
        prefix = f"/factory/robot_{robot_id}"
        self.create_subscription(
            PoseStamped, f"{prefix}/pose", lambda _: self._report(EventKind.POSE, robot_id), POSE_QOS, raw=True
        )
        self.create_subscription(
            DiagnosticStatus, f"{prefix}/status", lambda status: self._on_status(robot_id, status), STATUS_QOS
        )

    def _on_status(self, robot_id: int, status: DiagnosticStatus) -> None:
        values = {value.key: value.value for value in status.values}
        is_idle = all(values.get(key) == value for key, value in _READY.items())
        self._report(EventKind.IDLE, robot_id, detail="yes" if is_idle else "no")

    def _on_diagnostics(self, array: DiagnosticArray) -> None:
        for status in array.status:
            for value in status.values:
                if value.key == "tick_overruns":
                    self._report(EventKind.OVERRUNS, detail=value.value)

    def _on_driver(self, message: Driver) -> None:
        self._report(EventKind.SERVES, task=message.token, detail=" ".join(map(str, message.serves)))

    @staticmethod
    def _report(what: EventKind, robot: int = 0, task: str = "", detail: str = "") -> None:
        GoalEvent(time.monotonic(), what, robot, task, detail).write()


def main() -> int:
    """Watch until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--robots", type=int, required=True)
    options = parser.parse_args()
    stop = StopSignal()
    request_real_time(with_new_threads=True)
    use_shipped_profile()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    watcher = Watcher(options.robots)
    executor = EventsExecutor()
    executor.add_node(watcher)
    while not stop.is_requested:
        executor.spin_once(timeout_sec=_SPIN_S)
    executor.remove_node(watcher)
    executor.shutdown()
    watcher.destroy_node()
    rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
