"""Quality of service of the topics that server and clients share."""

from typing import Final

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy


def _reliable(depth: int) -> QoSProfile:
    """Return a QoS profile that delivers each message of the history, but none to late joiners."""
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)


def _latched(depth: int) -> QoSProfile:
    """Return a QoS profile that delivers each message of the history, also to late joiners."""
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def _lossy(depth: int) -> QoSProfile:
    """Return a QoS profile that matches every publisher, for messages that are useless when late."""
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)


# every driver has its own writer of announcements, places, poses and ways; a late joiner gets the latest from each
DRIVERS_QOS: Final = _latched(1)
DRIVERS_READER_QOS: Final = _latched(100)
PLACES_QOS: Final = _latched(1)
PLACES_READER_QOS: Final = _latched(20)
WAYS_QOS: Final = _latched(1)
WAYS_READER_QOS: Final = _latched(20)
KNOWN_WAYS_QOS: Final = _reliable(20)
POSES_QOS: Final = _reliable(3)  # sent in each tick
POSES_READER_QOS: Final = _lossy(50)

IDENTIFY_QOS: Final = _reliable(10)
# readers acknowledge when it is full; a deeper one would delay poses longer after a lost one
POSE_QOS: Final = _reliable(3)
POSE_READER_QOS: Final = _lossy(3)
TASK_QOS: Final = _latched(1)
STATUS_QOS: Final = _latched(1)
JOBS_QOS: Final = _latched(1)
