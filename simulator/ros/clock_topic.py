"""The topic /clock: simulated time; refused while another program of the ROS domain publishes it."""

from typing import Final

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock

from simulator.errors import ClockTakenError

_TOPIC: Final = "/clock"
_SILENT_NS: Final = 1_000_000_000  # discovery usually needs less; until then no clock disturbs that of another program
_NEW_NS: Final = 10_000_000_000  # from then on another publisher is the newcomer
_CHECK_NS: Final = 200_000_000


class ClockTopic:
    """Publishes simulated time, first a second after the start.

    Parameters
    ----------
    node : publishes the topic
    started_ns : the time of the start, on the monotonic clock
    """

    def __init__(self, node: Node, started_ns: int) -> None:
        self._node = node
        self._started_ns = started_ns
        self._checked_ns = started_ns
        self._is_shown = False
        self._publisher = node.create_publisher(Clock, _TOPIC, QoSProfile(depth=1))

    def publish(self, simulated: Time, now_ns: int) -> None:
        """Publish simulated time.

        Raises
        ------
        ClockTakenError
            Another program published /clock when this one started.
        """
        self._check(now_ns)
        if now_ns - self._started_ns >= _SILENT_NS:
            self._is_shown = True
            self._publisher.publish(Clock(clock=simulated))

    def show(self, simulated: Time, now_ns: int) -> None:
        """Publish simulated time once after the start, also while it stands still; raises as `publish`."""
        if self._is_shown:
            self._check(now_ns)
        else:
            self.publish(simulated, now_ns)

    def _check(self, now_ns: int) -> None:
        if now_ns - self._started_ns >= _NEW_NS or now_ns - self._checked_ns < _CHECK_NS:
            return
        self._checked_ns = now_ns
        others = self._other_nodes()
        if others:
            domain = self._node.context.get_domain_id()
            raise ClockTakenError(
                f"node {others[0]} already publishes /clock on ROS domain {domain}, and two clocks would confuse each "
                "other's users: end that program, set another ROS_DOMAIN_ID, or start this one with --no-clock"
            )

    def _other_nodes(self) -> list[str]:
        """Return the names of other nodes that publish the topic; one of them may have our name."""
        found = self._node.get_publishers_info_by_topic(_TOPIC)
        names = sorted(f"{info.node_namespace.rstrip('/')}/{info.node_name}" for info in found)
        own = self._node.get_fully_qualified_name()
        if own in names:
            names.remove(own)
        return names
