"""One simulated robot with all its driver topics in this thread: its body is accessible, its time is counted."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rclpy
from rclpy.experimental import EventsExecutor
from rclpy.impl.rcutils_logger import RcutilsLogger

from aseba_link.host.link_events import LinkEvent, UserEvent
from aseba_link.host.node import NodeAddress
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.served_robots import BareNode
from fleet.ros.thymio_topics.driver_topics import DriverTopics
from fleet.ros.thymio_topics.identify_topic import IdentifyTopic
from fleet.service.request_queue import RequestQueue
from harness.closed_loop import closed_loop
from simulator.firmware.body import Body
from thymio_base.fence import Fence
from thymio_base.instant import Instant
from thymio_base.parts import finished
from thymio_base.ros.answers import Answers

EVERYTHING_ON = """
driver:
  publish: {odom: true, tf: true, joint_states: true, imu: true, ground: true, proximity: true, laser: true,
            buttons: true, joy: true, tap: true, temperature: true, sound: true, remote: true, comm: true,
            battery: true}
  accept: {cmd_vel: true, led: true, sound: true, comm: true, shutdown: true}
"""
PREFIX = "/factory/robot_1"
TICK_S = 0.05  # of the fleet
_ADDRESS = NodeAddress("tcp:host=127.0.0.1;port=33333", 1)
_DEADLINE_S = 60.0


class _Logger(RcutilsLogger):
    """Records warnings."""

    def __init__(self) -> None:
        super().__init__("driven_robot")
        self.warnings: list[str] = []

    def warning(self, message: str, **_: Any) -> bool:
        self.warnings.append(message)
        return True


class DrivenRobot:
    """Robot 1 of a closed loop, and a peer node that communicates with it over DDS."""

    def __init__(self, folder: Path, settings: str = EVERYTHING_ON) -> None:
        self._events: list[LinkEvent] = []
        self.loop = closed_loop(folder, settings=settings, motors="speed_noise: 0", on_link_events=self._events.extend)
        self._context = rclpy.Context()
        self._context.init()
        self._node = BareNode("robot_1", Fence(), self._context)
        self.peer = rclpy.create_node("peer", context=self._context)
        self._executor = EventsExecutor(context=self._context)
        self._logger = _Logger()
        self.topics = DriverTopics(
            Edge(
                self.loop.service,
                lambda: self.now,
                self._logger,
                Answers(lambda: self.loop.now_ns),
                RequestQueue(10, 10),
            ),
            self.loop.config.robots[0],
            self._node,
        )
        finished(self.topics.create())
        self.identify = IdentifyTopic(self.loop.service, self.peer, lambda: self.loop.now_ns)
        for node in (self._node, self.peer):
            self._executor.add_node(node)

    @property
    def now(self) -> Instant:
        """The instant of the closed loop; the ROS clock is an hour ahead."""
        return Instant(self.loop.now_ns, self.loop.now_ns + 3_600_000_000_000)

    @property
    def body(self) -> Body:
        """The robot's body."""
        return self.loop.simulation.robots[0].body

    @property
    def warnings(self) -> list[str]:
        """The warnings logged so far."""
        return self._logger.warnings

    def start(self) -> None:
        """Let time pass until the robot is connected."""
        self.loop.start()
        self.run(0.1)

    def run(self, seconds: float) -> None:
        """Let time pass tick by tick, like the driver."""
        for _ in range(round(seconds / TICK_S)):
            self.loop.run(TICK_S)
            self._pass_events()
            self._executor.spin_once(timeout_sec=0.0)

    def run_until(self, condition: Callable[[], bool], what: str) -> None:
        """Let time pass until a condition on received messages holds."""
        deadline_s = time.monotonic() + _DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline_s, f"waited in vain for {what}; warnings: {self.warnings}"
            self.run(0.05)
            self._executor.spin_once(timeout_sec=0.01)

    def emit(self, rank: int, *args: int) -> None:
        """Deliver an event of the robot's node that its script did not emit."""
        self.topics.on_event(UserEvent(_ADDRESS, rank, args, self.loop.now_ns), self.now)

    def subscribe(self, message_type: Any, topic: str) -> list[Any]:
        """Subscribe to a topic; return the list that collects its messages."""
        received: list[Any] = []
        subscription = self.peer.create_subscription(message_type, f"{PREFIX}/{topic}", received.append, 100)
        self.run_until(lambda: self.peer.count_publishers(subscription.topic_name) > 0, f"a publisher of {topic}")
        self.run(0.1)
        return received

    def publish(self, topic: str, *messages: Any) -> None:
        """Publish messages on a topic, once the robot has subscribed."""
        publisher = self.peer.create_publisher(type(messages[0]), f"{PREFIX}/{topic}", 100)
        self.run_until(lambda: publisher.get_subscription_count() > 0, f"a subscriber of {topic}")
        for message in messages:
            publisher.publish(message)

    def close(self) -> None:
        """Leave the graph."""
        for node in (self._node, self.peer):
            self._executor.remove_node(node)
            node.destroy_node()
        self._executor.shutdown()
        self._context.try_shutdown()

    def _pass_events(self) -> None:
        events = self._events.copy()
        self._events.clear()
        for event in events:
            self.topics.on_event(event, self.now)
        self.topics.step(self.now)
        self.identify.step(self.loop.now_ns)
