"""The node `multi_thymio_driver` under an orchestrator: the same fleet, but nothing runs outside of its callbacks.

It has one timer, on simulated time. The bytes of the link come and go as messages. All entities belong to one node and
are created before time begins; a goal ends in the tick that ends its task.
"""

import time

from rclpy.executors import Executor
from rclpy.qos import QoSProfile
from std_msgs.msg import UInt8MultiArray
from std_srvs.srv import Trigger

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.message_dialer import MessageDialer
from aseba_link.thymio.events import script_constants
from fleet.books.memory_book import MemoryBook
from fleet.dispatch.dispatcher import Dispatcher
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.fleet_topics.places_topic import PlacesTopic
from fleet.ros.jobs.jobs_interface import JobsInterface
from fleet.ros.orchestrated.completion import CompletionError
from fleet.ros.orchestrated.counted_node import CountedNode
from fleet.ros.orchestrated.declared_callbacks import DeclaredCallbacks
from fleet.ros.orchestrated.node_config import DRIVER, TO_HOST, TO_ROBOTS
from fleet.ros.pose_source import PoseSource
from fleet.ros.served_robots import ServedRobots
from fleet.ros.thymio_topics.transforms import TransformBroadcaster
from fleet.service.fleet_service import FleetService
from fleet.service.punctuality import Punctuality
from fleet.service.request_queue import Decide
from fleet.settings.config import FleetConfig
from thymio_base.instant import ForwardClock, Instant
from thymio_base.ros.answers import Answers
from thymio_base.ros.diagnostics import Diagnostics
from thymio_base.ros.executors import spin_once
from thymio_base.stop_signal import StopSignal

_RELIABLE = QoSProfile(depth=10)  # as an orchestrator of ros2_def reads and writes
_DIAGNOSTICS_HZ = 10.0  # parts of it
_HOST = "orchestrated"  # the same wherever it runs
_WAIT_S = 0.02  # at most, so that answers are repeated and signals are noticed


class OrchestratedDriver(CountedNode):
    """Serves every robot of a configuration.

    Parameters
    ----------
    config : the fleet's configuration; `refusals` finds nothing in it
    declared : the callbacks that the orchestrator counts, and their outputs

    Raises
    ------
    CompletionError
        An output is declared that the driver does not publish.
    """

    def __init__(self, config: FleetConfig, declared: DeclaredCallbacks) -> None:
        super().__init__(DRIVER, declared)
        self._dialer = MessageDialer()
        self._to_robots = self.create_publisher(UInt8MultiArray, TO_ROBOTS, _RELIABLE)
        self.create_subscription(UInt8MultiArray, TO_HOST, self._on_bytes, _RELIABLE)
        script = shipped_script().with_constants(script_constants(config.rates.odometry_hz, config.reports))
        link = AsebaLink(config.link.targets, ScriptPolicy(ScriptCompiler(script)), self._dialer, fence=self.fence)
        self._service = FleetService(config, link, self.fence)
        self._simulated_clock = ForwardClock()
        self._punctuality = Punctuality(1.0 / config.rates.control_hz)
        self._answers = Answers(time.monotonic_ns, self.fence)  # the number of repetitions of an answer does not matter
        self._edge = Edge(self._service, self._now, self.get_logger(), self._answers, _AtOnce())
        self._answers.create_service(self, Trigger, "/fleet/stop", self._on_stop)
        self._answers.create_service(self, Trigger, "/fleet/resume", self._on_resume)
        self._pose_sources = [
            PoseSource(self._service, robot, self, self.get_logger(), is_served=True)
            for robot in config.robots
            if robot.pose_topic
        ]
        self._diagnostics = Diagnostics(self, _HOST, has_timer=False)
        self._robots = self._create_robots()
        self._transforms = TransformBroadcaster(self._service, self) if config.driver.publish.tf else None
        self._places = PlacesTopic(self._service, _HOST, self)
        self._jobs = self._create_jobs() if config.dispatch.enabled else None
        self.check_outputs()
        self.create_timer(1.0 / config.rates.control_hz, self._tick)

    def _create_robots(self) -> ServedRobots:
        robots = ServedRobots(
            self._edge,
            presence=_EverybodyPresent(),
            diagnose=lambda robot_id, source: self._diagnostics.add(f"robot_{robot_id}", source),
            node_for=lambda _: self,
        )
        for robot in self._service.config.robots:
            robots.serve(robot)
        robots.admit_all()
        return robots

    def _create_jobs(self) -> JobsInterface:
        config = self._service.config
        dispatcher = Dispatcher(config, self._service, MemoryBook(), self._now(), fence=self.fence)
        return JobsInterface(dispatcher, self, self._edge)

    # Life

    def run(self, executor: Executor, stop: StopSignal) -> None:
        """Serve callbacks until stopped; then every goal ends."""
        executor.add_node(self)
        while not stop.is_requested:
            self.fence.call("executor", spin_once, executor, _WAIT_S)
            self._answers.step()
        for outcome in self._service.shut_down(self._now().core_ns).outcomes:
            self._robots.finish(outcome)
        executor.remove_node(self)
        if self._jobs is not None:
            self._jobs.close()
        self.destroy_node()

    def _now(self) -> Instant:
        ros_ns = self.get_clock().now().nanoseconds
        return Instant(self._simulated_clock.follow(ros_ns), ros_ns)

    # What the callbacks do

    def _on_bytes(self, message: UInt8MultiArray) -> None:
        self._dialer.give(bytes(message.data))

    def _tick(self) -> None:
        """Advance by a tick; if a tick fails as a whole, the robots stop and the program ends."""
        try:
            self._advance(self._now())
        except CompletionError:
            raise
        except Exception as error:
            raise CompletionError(self.fence.note("the tick", error)) from error

    def _advance(self, now: Instant) -> None:
        slot = self._punctuality.on_tick(now.core_ns)
        for source in self._pose_sources:
            self.fence.call("poses", source.receive, now)
        report = self._service.tick(now.core_ns)
        self._robots.on_events(report.link_events, now)
        for outcome in report.outcomes:
            self._robots.finish(outcome)
        if self._jobs is not None:
            self._jobs.advance(report.outcomes, now)
        self._places.step(now)
        if self._transforms is not None:
            self._transforms.publish(now.core_ns, now.to_ros)
        self._robots.publish_poses(slot, now)
        self._robots.step(slot, now, 0.0)
        if slot % max(1, round(self._service.config.rates.control_hz / _DIAGNOSTICS_HZ)) == 0:
            self._diagnostics.publish_part()
        data = self._dialer.take()
        if data:
            self._to_robots.publish(UInt8MultiArray(data=data))

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._service.stop()
        response.success, response.message = True, "every robot stops until /fleet/resume"
        return response

    def _on_resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._service.resume()
        if self._jobs is not None:
            self._jobs.resume(self._now())
        response.success, response.message = True, "every robot accepts tasks again"
        return response


class _EverybodyPresent:
    """Assumes that every client is present: when the graph shows clients depends on the machine."""

    def clients(self, _: str) -> tuple[str, ...]:
        """See `Presence.clients`."""
        return ()

    def has_client(self, _: str) -> bool:
        """See `Presence.has_client`."""
        return True


class _AtOnce:
    """Decides each goal within the callback that receives it, as its client waits within a callback of its own."""

    limit = 1
    may_wait = False

    def put(self, _: int, decide: Decide) -> bool:
        """See `Requests.put`."""
        while decide() is True:
            pass
        return True
