"""The ROS domain of this program; loads nothing of ROS, so that it is known before ROS is loaded."""

import os


def ros_domain_id() -> int:
    """Return the ROS domain that programs of this environment use."""
    text = os.environ.get("ROS_DOMAIN_ID", "")
    return int(text) if text.isdecimal() else 0
