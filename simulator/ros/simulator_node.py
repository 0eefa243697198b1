"""The simulator's ROS interface: simulated time, true poses, simulated motion capture, and control."""

import time
from collections.abc import Callable

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from rclpy.experimental import EventsExecutor
from simulation_interfaces.srv import StepSimulation

from simulator.errors import ClockTakenError
from simulator.ros.clock_reservation import ClockReservation
from simulator.ros.clock_topic import ClockTopic
from simulator.ros.control_interface import PREFIX, ControlInterface
from simulator.ros.pose_topics import PoseTopics
from simulator.ros.requested_steps import RequestedSteps
from simulator.ros.state_topics import StateTopics
from simulator.simulation.simulation_control import Control
from thymio_base.fence import Fence
from thymio_base.ros.answers import Answers
from thymio_base.ros.fenced_node import FencedNode
from thymio_base.ros.ros_domain import ros_domain_id
from thymio_base.ros.stamps import time_to_ros
from thymio_base.ros.start.ros_start import start_ros

_SERVED_EVERY_NS = 5_000_000
_REFRESHED_EVERY_NS = 100_000_000


class SimulatorNode(FencedNode):
    """Publishes /clock after every step, and other topics when they are due; serves requests.

    It has no timers: the simulation's loop calls `publish`. Its stamps are simulated time if the parameter use_sim_time
    is set, otherwise the system's clock.

    Parameters
    ----------
    control : controls the simulation
    fence : notes exceptions raised by requests
    has_clock : whether to publish /clock; only one program in a ROS domain may do so
    """

    def __init__(self, control: Control, fence: Fence, *, has_clock: bool = True) -> None:
        super().__init__("thymio_simulator", fence)
        self._simulation = control.simulation
        self._is_simulated_time = bool(self.get_parameter("use_sim_time").value)
        config = self._simulation.config
        self._clock_topic = ClockTopic(self, time.monotonic_ns()) if has_clock else None
        random = np.random.default_rng([config.seed, 1])
        self._poses = PoseTopics(self._simulation, self, config.motion_capture, random)
        self._states = StateTopics(self._simulation, self)
        ControlInterface(control, self, time.monotonic_ns, self._stamp)
        self._answers = Answers(time.monotonic_ns, fence)
        self.steps = RequestedSteps(control, self.publish)
        self._answers.create_service(self, StepSimulation, f"{PREFIX}/step_simulation", self.steps.request)

    def publish(self) -> None:
        """Publish what is due at the simulation's time; raises ClockTakenError, see `ClockTopic`."""
        if self._clock_topic is not None:
            self._clock_topic.publish(self._simulated(), time.monotonic_ns())
        stamp = self._stamp()
        self._poses.publish(stamp)
        self._states.publish(stamp)

    def refresh(self) -> None:
        """Publish poses and markers while simulated time is paused, because requests may move entities."""
        self._answers.step()
        if self._clock_topic is not None:
            self._clock_topic.show(self._simulated(), time.monotonic_ns())
        self._poses.publish_truth(self._stamp())
        self._states.publish_markers()

    def _stamp(self) -> Time:
        return self._simulated() if self._is_simulated_time else self.get_clock().now().to_msg()

    def _simulated(self) -> Time:
        return time_to_ros(round(self._simulation.time_s * 1e9))


class RosInterface:
    """The node, the executor that serves its requests, and their ROS context."""

    def __init__(self, control: Control, arguments: list[str], fence: Fence, *, has_clock: bool = True) -> None:
        self._reservation = ClockReservation(ros_domain_id()) if has_clock else None
        start_ros("thymio_simulator", arguments)
        self._node = SimulatorNode(control, fence, has_clock=has_clock)
        self._executor = EventsExecutor()
        self._executor.add_node(self._node)
        self._fence = fence
        self._served_ns = 0
        self._refreshed_ns = 0

    def publish(self) -> None:
        """See `SimulatorNode.publish`; unexpected exceptions are noted instead of raised."""
        self._fenced("publications", self._node.publish)

    def refresh(self) -> None:
        """See `SimulatorNode.refresh`; at most every 0.1 s."""
        now_ns = time.monotonic_ns()
        if now_ns - self._refreshed_ns >= _REFRESHED_EVERY_NS:
            self._refreshed_ns = now_ns
            self._fenced("publications", self._node.refresh)

    def perform_steps(self) -> bool:
        """Perform some of the requested steps; return whether more remain."""
        steps = self._node.steps
        if steps.are_open:
            self._fenced("steps", steps.perform)
        return steps.are_open

    def wait(self, duration_s: float) -> None:
        """Serve requests for a duration; with a duration of 0, at most every 5 ms."""
        now_ns = time.monotonic_ns()
        if duration_s > 0.0 or now_ns - self._served_ns >= _SERVED_EVERY_NS:
            self._served_ns = now_ns
            self._fenced("requests", lambda: self._executor.spin_once(timeout_sec=duration_s))

    def _fenced(self, door: str, act: Callable[[], object]) -> None:
        try:
            act()
        except ClockTakenError:
            raise
        except Exception as error:
            self._fence.note(door, error)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.remove_node(self._node)
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.try_shutdown()
        if self._reservation is not None:
            self._reservation.close()
