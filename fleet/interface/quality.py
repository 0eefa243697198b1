"""Quality of service of the topics that server and clients share."""

from typing import Final

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

# every driver has its own writer; a late joiner gets the latest announcement from each of them
DRIVERS_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)

DRIVERS_READER_QOS = QoSProfile(
    depth=100, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)

IDENTIFY_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)

# readers acknowledge when the history is full; a deeper history would delay poses for longer after a lost one
POSE_QOS: Final = QoSProfile(depth=3, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)

TASK_QOS: Final = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)

STATUS_QOS: Final = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)

JOBS_QOS: Final = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)

# every driver has its own writer
PLACES_QOS: Final = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)

PLACES_READER_QOS: Final = QoSProfile(
    depth=20, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)

# every driver has its own writer, and sends in each tick
POSES_QOS: Final = QoSProfile(depth=3, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)

POSES_READER_QOS: Final = QoSProfile(
    depth=50, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE
)

# every driver has its own writer; a late joiner gets the latest ways from each of them
WAYS_QOS: Final = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)

WAYS_READER_QOS: Final = QoSProfile(
    depth=20, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)

KNOWN_WAYS_QOS: Final = QoSProfile(
    depth=20, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE
)

# matches every publisher; a pose that is lost is of no use later
POSE_READER_QOS: Final = QoSProfile(
    depth=3, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE
)
