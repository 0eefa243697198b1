"""Conversion of instants to and from ROS messages."""

from builtin_interfaces.msg import Time


def time_to_ros(stamp_ns: int) -> Time:
    """Return an instant as a message."""
    seconds, nanoseconds = divmod(stamp_ns, 1_000_000_000)
    return Time(sec=seconds, nanosec=nanoseconds)


def time_from_ros(stamp: Time) -> int:
    """Return a message's instant, in nanoseconds."""
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)
