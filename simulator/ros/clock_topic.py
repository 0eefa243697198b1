"""The topic /clock with simulated time; refused if another program in the ROS domain already publishes it."""

from typing import Final

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock

from simulator.errors import ClockTakenError

_TOPIC: Final = "/clock"
_LISTENING_NS: Final = 1_000_000_000  # discovery usually needs less; until then no other clock is disturbed
_NAMELESS_NS: Final = 5_000_000_000  # a node's name may be discovered after its publishers, but not later than this
_WARNING_NS: Final = 30_000_000_000  # until then another publisher may be discovered late
_CHECK_NS: Final = 200_000_000
_NAMELESS: Final = "_NODE_NAME_UNKNOWN_"


class ClockTopic:
    """Publishes simulated time, unless another program does so one second after the start.

    Parameters
    ----------
    node : publishes the topic
    started_ns : time of the start, on the monotonic clock
    """

    def __init__(self, node: Node, started_ns: int) -> None:
        self._node = node
        self._started_ns = started_ns
        self._checked_ns = started_ns
        self._is_owner = False
        self._is_warned = False
        self._publisher = node.create_publisher(Clock, _TOPIC, QoSProfile(depth=1))

    def publish(self, simulated: Time, now_ns: int) -> None:
        """Publish simulated time.

        Raises
        ------
        ClockTakenError
            Another program published /clock when this one started.
        """
        self._check(now_ns)
        if self._is_owner:
            self._publisher.publish(Clock(clock=simulated))

    def show(self, simulated: Time, now_ns: int) -> None:
        """Publish simulated time once after the start, even while it is paused; raises like `publish`."""
        was_owner = self._is_owner
        self._check(now_ns)
        if self._is_owner and not was_owner:
            self._publisher.publish(Clock(clock=simulated))

    def _check(self, now_ns: int) -> None:
        age_ns = now_ns - self._started_ns
        if age_ns >= _WARNING_NS or now_ns - self._checked_ns < _CHECK_NS or self._is_warned:
            return
        self._checked_ns = now_ns
        others = self._other_nodes()
        if self._is_owner:
            self._warn(others)
        elif not others:
            self._is_owner = age_ns >= _LISTENING_NS
        elif not others[0].endswith(_NAMELESS) or age_ns >= _NAMELESS_NS:
            raise ClockTakenError(
                f"{self._text(others)}: end that program, set another ROS_DOMAIN_ID, or start this one with --no-clock"
            )

    def _warn(self, others: list[str]) -> None:
        """Warn once of another publisher: it came later, and ends by itself if it is one of our simulators."""
        if others and not others[0].endswith(_NAMELESS):
            self._is_warned = True
            self._node.get_logger().warning(self._text(others))

    def _text(self, others: list[str]) -> str:
        domain = self._node.context.get_domain_id()
        return (
            f"node {others[0]} of another program publishes /clock on ROS domain {domain}, and two clocks "
            "confuse every node that follows simulated time"
        )

    def _other_nodes(self) -> list[str]:
        """Return the names of other nodes that publish the topic; one may have the same name as this node."""
        found = self._node.get_publishers_info_by_topic(_TOPIC)
        names = sorted(f"{info.node_namespace.rstrip('/')}/{info.node_name}" for info in found)
        own = self._node.get_fully_qualified_name()
        if own in names:
            names.remove(own)
        return names
