"""A ROS domain and TCP ports that no other program of this machine uses, for simulated fleets and tests."""

import atexit
import os
import random
import socket
from typing import Final

_DOMAINS: Final = range(1, 100)
_PORTS: Final = range(15_000, 32_768)  # Linux opens outgoing connections from higher ports
_PARTICIPANTS: Final = 20  # checked in each domain


def reserve_private_domain() -> None:
    """Keep this process and its children within this host, and in a domain of their own while this process lives."""
    domains = random.SystemRandom().sample(_DOMAINS, len(_DOMAINS))
    domain = next(domain for domain in domains if _reserve(f"domain_{domain}") and not _is_used(domain))
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = str(domain)


def reserve_free_port() -> int:
    """Return an unused TCP port, which no other caller of this function gets while this process lives."""
    ports = iter(lambda: random.SystemRandom().choice(_PORTS), None)
    return next(port for port in ports if _reserve(f"port_{port}") and _is_free(port, socket.SOCK_STREAM))


def _reserve(name: str) -> bool:
    """Reserve a name while this process lives; return False if another process has reserved it."""
    holder = socket.socket(socket.AF_UNIX)
    try:
        holder.bind(f"\0thymio_fleet_{name}")  # in Linux's abstract namespace: released at this process's end
    except OSError:
        holder.close()
        return False
    atexit.register(holder.close)
    return True


def _is_used(domain: int) -> bool:
    """Whether a ROS program of any user uses a domain, even a program that outlived its killed parent."""
    first = 7410 + 250 * domain  # RTPS 2.2, 9.6.1.1: where the first participant listens to discovery; others 2 above
    return not all(_is_free(first + 2 * number, socket.SOCK_DGRAM) for number in range(_PARTICIPANTS))


def _is_free(port: int, kind: socket.SocketKind) -> bool:
    with socket.socket(socket.AF_INET, kind) as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True
