"""Keeps tests apart from everything else on this machine and its network."""

import os
import random
import socket


def use_private_domain() -> None:
    """Keep this process and its children apart from every other ROS system."""
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = str(random.SystemRandom().randrange(1, 100))


def free_port() -> int:
    """Return a TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
