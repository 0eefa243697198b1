"""Keeps tests apart from everything else on this machine and its network."""

import os
import random
import socket

_held: list[socket.socket] = []  # for as long as this process lives


def use_private_domain() -> None:
    """Keep this process and its children apart from every other ROS system, and from other runs of these tests."""
    domains = list(range(1, 100))
    random.SystemRandom().shuffle(domains)
    domain = next(domain for domain in domains if _hold(domain))
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = str(domain)


def _hold(domain: int) -> bool:
    """Whether no other run of these tests has this domain; none takes it after us."""
    holder = socket.socket(socket.AF_UNIX)
    try:
        holder.bind(f"\0thymio_fleet_tests_{domain}")  # in Linux's abstract namespace: gone with this process
    except OSError:
        holder.close()
        return False
    _held.append(holder)
    return True


def free_port() -> int:
    """Return a TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
