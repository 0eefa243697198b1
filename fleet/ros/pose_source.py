"""Receives the measured poses of one robot from a motion-capture topic."""

from collections import deque
from collections.abc import Iterator
from typing import Final

from geometry_msgs.msg import PoseStamped
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from fleet.errors import GoalRejectedError
from fleet.interface.conversions import measured_pose
from fleet.localization.pose_quality import Rejection
from fleet.reason import Reason
from fleet.robots.telemetry import Telemetry
from fleet.service.fleet_service import FleetService
from fleet.settings.config import RobotConfig
from thymio_base.instant import Instant
from thymio_base.ros.stamped_poses import read_pose

_REJECTIONS: Final = {
    Reason.UNKNOWN_FRAME: Rejection.UNKNOWN_FRAME,
    Reason.NON_FINITE_POSE: Rejection.NON_FINITE,
    Reason.BAD_QUATERNION: Rejection.BAD_QUATERNION,
}
_DEPTH = 20  # poses that wait for a tick: 400 a second at 20 ticks a second
_QOS = QoSProfile(depth=_DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)
_WAITED_MAX_NS = 1_000_000_000
_WARNING_PERIOD_NS = 5_000_000_000


class PoseSource:
    """Receives a robot's measured poses, once a tick.

    An executor that wakes for each pose and creates a message costs several times as much as the fleet's use of the
    pose, and nothing uses a pose before the next tick.

    Parameters
    ----------
    service : receives the poses
    robot : the measured robot; it has a pose_topic
    node : owns the subscription; an executor may serve it only if `is_served`
    logger : the driver's logger
    is_served : whether poses come in callbacks, which an orchestrator can count, and wait here for the tick
    """

    def __init__(
        self,
        service: FleetService,
        robot: RobotConfig,
        node: Node,
        logger: RcutilsLogger,
        *,
        is_served: bool = False,
    ) -> None:
        self._service = service
        self._robot = robot
        self._capture = service.config.motion_capture
        self._logger = logger
        self._warned_ns: int | None = None
        self._is_served = is_served
        self._waiting: deque[bytes] = deque(maxlen=_DEPTH)
        self._subscription = node.create_subscription(PoseStamped, robot.pose_topic, self._on_message, _QOS, raw=True)

    @property
    def robot_id(self) -> int:
        """The robot whose poses these are."""
        return self._robot.id

    def receive(self, now: Instant) -> None:
        """Pass newly received poses to the fleet."""
        for data, received_ns in self._received():
            self._on_pose(data, received_ns, now)

    def _received(self) -> Iterator[tuple[bytes, int]]:
        """Yield the waiting poses, each with its time of arrival [ns]; 0 if that is unknown."""
        while self._waiting:
            yield self._waiting.popleft(), 0
        if self._is_served:
            return
        take_message = self._subscription.handle.take_message
        for _ in range(_DEPTH):
            received = take_message(PoseStamped, True)
            if received is None:
                return
            data, info = received
            yield data, int(info["received_timestamp"])

    def _on_message(self, data: bytes) -> None:
        """Keep a pose until the tick; only an executor that serves the subscription calls this."""
        self._waiting.append(data)

    def _on_pose(self, data: bytes, received_ns: int, now: Instant) -> None:
        try:
            stamped = read_pose(data)
            pose = measured_pose(stamped, self._capture, self._robot.marker)
        except GoalRejectedError as error:
            self._refuse(_REJECTIONS[error.explanation.reason], str(error).replace("; ", ", "), now)
            return
        except ValueError as error:
            self._refuse(Rejection.UNREADABLE, str(error), now)
            return
        stamp_ns = now.to_core(stamped.stamp_ns) if stamped.stamp_ns else now.core_ns - _waited_ns(received_ns, now)
        rejection = self._telemetry.on_measured_pose(pose, stamp_ns, now.core_ns)
        if rejection is not None:
            age_s = (now.core_ns - stamp_ns) * 1e-9
            age = f"{age_s:.3f} s old" if age_s >= 0.0 else f"{-age_s:.3f} s ahead; synchronize the clocks"
            self._warn(f"{self._telemetry.pose_quality(now.core_ns).refusal_text}; its stamp is {age}", now)

    @property
    def _telemetry(self) -> Telemetry:
        return self._service.robot(self._robot.id).telemetry

    def _refuse(self, rejection: Rejection, detail: str, now: Instant) -> None:
        """Report in the status why a message is not used, and log it."""
        self._telemetry.refuse_pose(rejection, detail)
        self._warn(f"{rejection.value} ({detail})", now)

    def _warn(self, text: str, now: Instant) -> None:
        """Log with throttling; rclpy's own looks up its caller each time, which takes longer than a pose."""
        if self._warned_ns is None or now.core_ns - self._warned_ns >= _WARNING_PERIOD_NS:
            self._warned_ns = now.core_ns
            self._logger.warning(f"{self._robot.name}: {self._robot.pose_topic}: pose not used, {text}")


def _waited_ns(received_ns: int, now: Instant) -> int:
    """Return how long a message has waited for the tick; 0 in simulated time, where that is unknown."""
    waited_ns = now.ros_ns - received_ns
    return waited_ns if 0 < waited_ns < _WAITED_MAX_NS else 0
