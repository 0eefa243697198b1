"""Serves the reference robot, or a faulty one, on ROS: `python -m bench.conformance.reference_server --server NAME`."""

import argparse
import signal
import time
from typing import Any

import rclpy
from action_msgs.msg import GoalStatusArray
from action_msgs.srv import CancelGoal
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from ricaip_interfaces.srv import AssignedTask

from bench.conformance.reference_robot import STAMP_S, ReferenceRobot
from bench.conformance.wrong_servers import MUTANTS, CustomersSimulator
from conformance.ros.message_values import to_message, to_values

_PERIOD_S = 0.004
_TYPES = {"task_go_to": TaskGoTo, "task_go_home": TaskGoHome, "task_transport": TaskTransport}
SERVERS: dict[str, type[ReferenceRobot]] = {
    "ReferenceRobot": ReferenceRobot,
    "CustomersSimulator": CustomersSimulator,
    **{name: robot for name, (_, robot) in MUTANTS.items()},
}


class ReferenceServer:
    """Takes requests without an executor, so that it can answer later."""

    def __init__(self, namespace: str, robot: type[ReferenceRobot]) -> None:
        rclpy.init(args=[])
        node = rclpy.create_node("reference_server", namespace=namespace)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._publishers: dict[str, Any] = {
            "pose": node.create_publisher(PoseStamped, "pose", 3),
            "status": node.create_publisher(DiagnosticStatus, "status", latched),
        }
        self._services: dict[str, Any] = {"assigned_task": node.create_service(AssignedTask, "assigned_task", _nothing)}
        for name, kind in _TYPES.items():
            below = f"{name}/_action"
            self._publishers[f"{name}/feedback"] = node.create_publisher(
                kind.Impl.FeedbackMessage, f"{below}/feedback", 9
            )
            self._publishers[f"{name}/status"] = node.create_publisher(GoalStatusArray, f"{below}/status", latched)
            for entity, type_of in (
                ("send_goal", kind.Impl.SendGoalService),
                ("get_result", kind.Impl.GetResultService),
                ("cancel_goal", CancelGoal),
            ):
                self._services[f"{name}/{entity}"] = node.create_service(type_of, f"{below}/{entity}", _nothing)
        self._requests: dict[int, tuple[Any, Any]] = {}
        self._shift_s = time.time() - STAMP_S
        self._node = node
        self._robot = robot(self._publish, self._answer)

    def serve(self) -> None:
        """Serve until SIGINT or SIGTERM."""
        start_s = time.monotonic()
        while rclpy.ok():
            self._robot.step(time.monotonic() - start_s)
            for name, service in self._services.items():
                with service.handle:
                    taken = service.handle.service_take_request(service.srv_type.Request)
                if taken is not None and taken[0] is not None:
                    self._requests[number := len(self._requests) + 1] = (service, taken[1])
                    self._robot.request(name, self._shifted(to_values(taken[0]), -self._shift_s), number)
            time.sleep(_PERIOD_S)

    def _publish(self, topic: str, body: dict[str, Any]) -> None:
        publisher = self._publishers[topic]
        kind = publisher.msg_type
        publisher.publish(to_message(kind, self._shifted(body, self._shift_s)))

    def _answer(self, number: int, body: dict[str, Any]) -> None:
        service, header = self._requests[number]
        service.send_response(to_message(service.srv_type.Response, self._shifted(body, self._shift_s)), header)

    def _shifted(self, body: Any, shift_s: float) -> Any:
        """Return a body with its stamps shifted between the robot's clock and the system's; stamp 0 stays."""
        if isinstance(body, list):
            return [self._shifted(item, shift_s) for item in body]
        if not isinstance(body, dict):
            return body
        if body.keys() == {"sec", "nanosec"} and body["sec"] > 1_000_000_000:
            time_s = body["sec"] + body["nanosec"] * 1e-9 + shift_s
            return {"sec": int(time_s), "nanosec": int(time_s % 1.0 * 1e9)}
        return {key: self._shifted(value, shift_s) for key, value in body.items()}


def _nothing(_: Any, response: Any) -> Any:
    return response


def main() -> None:
    """Serve the robot named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--namespace", default="/factory/robot_1")
    parser.add_argument("--server", choices=list(SERVERS), default="ReferenceRobot")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ReferenceServer(options.namespace, SERVERS[options.server]).serve()


if __name__ == "__main__":
    main()
