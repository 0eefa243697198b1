"""Stops the drivers of this host at once, without ROS."""

import os
import select
import socket
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Final

from fleet.hosts.local_drivers import SOCKET_ENDING, LocalDriver, domain_folder, driver_from

_ANSWER_S: Final = 0.5  # a driver answers in its next tick
_SEND_S: Final = 0.1  # a driver empties its queue in its next tick, unless it is suspended
_ANSWER_BYTES: Final = 65536


def stop_local_drivers(domain_id: int, timeout_s: float = _ANSWER_S) -> list[LocalDriver]:
    """Stop the drivers of this host and user in a ROS domain; return those that have confirmed it in time."""
    folder = domain_folder(domain_id)
    paths = sorted(folder.glob(f"*{SOCKET_ENDING}"))
    if not paths:
        return []
    own = folder / f"{os.getpid()}-{uuid.uuid4().hex[:8]}.client"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as caller:
        caller.settimeout(_SEND_S)
        try:
            caller.bind(str(own))
            asked = sum(_ask(caller, path) for path in paths)
            return _answers(caller, asked, time.monotonic() + timeout_s)
        except OSError:
            return []
        finally:
            own.unlink(missing_ok=True)


def _ask(caller: socket.socket, path: Path) -> bool:
    """Send a request; return whether there is a driver that may answer."""
    try:
        caller.sendto(b"stop", str(path))
    except ConnectionRefusedError:  # of a driver that was killed
        with suppress(OSError):
            path.unlink()
        return False
    except OSError:  # also TimeoutError, of a suspended driver with a full queue
        return False
    return True


def _answers(caller: socket.socket, count: int, deadline_s: float) -> list[LocalDriver]:
    found: list[LocalDriver] = []
    while len(found) < count:
        readable, _, _ = select.select([caller], [], [], max(0.0, deadline_s - time.monotonic()))
        if not readable:
            break
        driver = driver_from(caller.recv(_ANSWER_BYTES))
        if driver is not None:
            found.append(driver)
    return found
