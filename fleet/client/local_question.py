"""Asks the drivers of this host through their sockets, without ROS."""

import os
import select
import socket
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Final

from fleet.hosts.local_drivers import STOP_ENDING, LocalDriver, domain_folder, driver_from

ANSWER_S: Final = 0.5  # a driver answers in its next tick
_SEND_S: Final = 0.1  # a driver empties its queue in its next tick, unless it is suspended
_LABEL_BYTES: Final = 64  # an answer is a file, sent with a label


@dataclass(frozen=True, slots=True)
class LocalAnswers:
    """Answers of drivers, and the tokens of drivers that did not answer in time: suspended or very busy."""

    answers: list[bytes]
    silent: frozenset[str]


class _Request(Enum):
    """The outcome of a request."""

    SENT = auto()  # the driver has it
    BLOCKED = auto()  # the driver does not take it: its queue is full, for example
    VOID = auto()  # the driver is gone


def ask_local_drivers(domain_id: int, ending: str, timeout_s: float) -> LocalAnswers:
    """Query the drivers of this host and user in a ROS domain, through their sockets with a given ending."""
    folder = domain_folder(domain_id)
    paths = sorted(folder.glob(f"*{ending}"))
    if not paths or folder.stat().st_uid != os.getuid():
        return LocalAnswers([], frozenset())
    own = folder / f"{os.getpid()}-{uuid.uuid4().hex[:8]}.client"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as caller:
            caller.settimeout(_SEND_S)
            caller.bind(str(own))
            requests = {path: _ask(caller, path) for path in paths}
            answers = _answers(caller, list(requests.values()).count(_Request.SENT), time.monotonic() + timeout_s)
    except OSError:  # no space for our own socket, or too many open files
        return LocalAnswers([], frozenset(path.stem for path in paths))
    finally:
        own.unlink(missing_ok=True)
    silent = (path for path, request in requests.items() if request is not _Request.VOID and str(path) not in answers)
    return LocalAnswers(list(answers.values()), frozenset(path.stem for path in silent))


def _ask(caller: socket.socket, path: Path) -> _Request:
    """Send a request; remove the socket of a driver that was killed."""
    try:
        caller.sendto(b"?", str(path))
    except ConnectionRefusedError:
        with suppress(OSError):
            path.unlink()
        return _Request.VOID
    except FileNotFoundError:  # it has just ended
        return _Request.VOID
    except OSError:  # also TimeoutError, of a suspended driver with a full queue
        return _Request.BLOCKED
    return _Request.SENT


def _answers(caller: socket.socket, count: int, deadline_s: float) -> dict[str, bytes]:
    """Return the answers that arrive in time, by the path of the driver's socket."""
    found: dict[str, bytes] = {}
    waiting = select.poll()  # select takes no descriptor above 1023
    waiting.register(caller, select.POLLIN)
    while len(found) < count and waiting.poll(1e3 * max(0.0, deadline_s - time.monotonic())):
        _, files, _, address = socket.recv_fds(caller, _LABEL_BYTES, 1)
        found[address] = b"".join(map(_content, files))
    return found


def _content(descriptor: int) -> bytes:
    """Return the content of a file, and close it."""
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read()


def stop_local_drivers(domain_id: int, timeout_s: float = ANSWER_S) -> list[LocalDriver]:
    """Stop the drivers of this host and user in a ROS domain; return those that confirmed it in time."""
    answers = ask_local_drivers(domain_id, STOP_ENDING, timeout_s).answers
    return [driver for driver in map(driver_from, answers) if driver is not None]
