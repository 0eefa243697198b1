"""A ROS domain and TCP ports that no other program on this machine uses, for simulated fleets and tests."""

import atexit
import os
import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_DOMAINS: Final = range(1, 100)
_PORTS: Final = range(15_000, 32_768)  # Linux opens outgoing connections from higher ports
_PARTICIPANTS: Final = 20  # checked in each domain


def reserve_private_domain() -> None:
    """Keep this process and its children within this host, and in their own domain while this process lives."""
    domain, holder = _held_domain()
    atexit.register(holder.close)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = str(domain)


@contextmanager
def private_domain() -> Iterator[int]:
    """Reserve a private domain without changing the environment."""
    domain, holder = _held_domain()
    with holder:
        yield domain


def reserve_free_port() -> int:
    """Return an unused TCP port that no other caller of this function gets while this process lives."""
    ports = iter(lambda: random.SystemRandom().choice(_PORTS), None)
    return next(port for port in ports if _reserve(f"port_{port}") and _is_free(port, socket.SOCK_STREAM))


def _held_domain() -> tuple[int, socket.socket]:
    """Return an unused domain, and a socket that reserves it until it is closed."""
    for domain in random.SystemRandom().sample(_DOMAINS, len(_DOMAINS)):
        holder = _held(f"domain_{domain}")
        if holder is not None and not _is_used(domain):
            return domain, holder
        if holder is not None:
            holder.close()
    raise OSError(f"all ROS domains from {_DOMAINS[0]} to {_DOMAINS[-1]} are in use on this machine")


def _reserve(name: str) -> bool:
    """Reserve a name while this process lives; return False if it is already reserved."""
    holder = _held(name)
    if holder is not None:
        atexit.register(holder.close)
    return holder is not None


def _held(name: str) -> socket.socket | None:
    """Return a socket that reserves a name until it is closed; None if the name is already reserved."""
    holder = socket.socket(socket.AF_UNIX)
    try:
        holder.bind(f"\0thymio_fleet_{name}")  # in Linux's abstract namespace: released at this process's end
    except OSError:
        holder.close()
        return None
    return holder


def _is_used(domain: int) -> bool:
    """Return whether a ROS program of any user uses a domain, even a program that outlived its killed parent."""
    first = 7410 + 250 * domain  # RTPS 2.2, 9.6.1.1: discovery port of the first participant; the next are 2 apart
    return not all(_is_free(first + 2 * number, socket.SOCK_DGRAM) for number in range(_PARTICIPANTS))


def _is_free(port: int, kind: socket.SocketKind) -> bool:
    with socket.socket(socket.AF_INET, kind) as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True
