"""Doors of sockets: both ends of the Aseba networks of simulators and driver, and the driver's local sockets."""

import contextlib
import os
import select
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from numpy.random import Generator

from aseba_link.wire.message import MAX_PAYLOAD_SIZE, Message, MessageType, encode, from_words
from bench.doors.door import ANSWER_S, DoorRow, Trace, chance_of
from bench.doors.requests.hostile_peers import Attacks
from bench.doors.requests.odd_values import changed_bytes, odd_text, pick
from bench.doors.tried_programs import TriedPrograms
from fleet.client.local_question import ask_local_drivers
from fleet.hosts.local_drivers import FLEET_ENDING, STOP_ENDING, domain_folder
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world
from thymio_base.ros.ros_domain import ros_domain_id

_FRAMES: Final = 40  # on one connection between two checks that the program is alive
_SEND_S: Final = 2.0
_ASK: Final = encode(from_words(0, MessageType.LIST_NODES, [9]))
_SYSTEM: Final = list(MessageType)


class LinkDoor:
    """A port where a program speaks Aseba with hosts: each request is a frame, or other bytes.

    Parameters
    ----------
    name : name of the door
    program : the listening program
    port : its port
    """

    def __init__(self, name: str, program: str, port: int, programs: TriedPrograms, seed: int) -> None:
        self.name = name
        self.programs: tuple[str, ...] = (program,)
        self.row = DoorRow(name)
        self.trace = Trace()
        self._port = port
        self._programs = programs
        self._seed = seed

    def run(self, first: int, duration_s: float) -> int:
        """See `Door.run`."""
        number, end_s = first, time.monotonic() + duration_s
        while time.monotonic() < end_s and not self._programs.has_ended():
            number = self._connection(number)
            if not self._is_answering() and not self._programs.has_ended():
                self.row.unanswered += 1
                self.trace.faults.append(f"nobody answers LIST_NODES after {number}")
                break
        return number

    def _connection(self, number: int) -> int:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), _SEND_S) as host:
            for _ in range(_FRAMES):
                frame = bad_frame(chance_of(self._seed, self.name, number))
                self.trace.note(number, self.name, frame)
                number += 1
                self.row.requests += 1
                host.sendall(frame)
                _received(host)
        return number

    def _is_answering(self) -> bool:
        """Whether a new connection gets an answer, or at least is accepted by a busy program."""
        end_s = time.monotonic() + ANSWER_S
        while time.monotonic() < end_s:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), _SEND_S) as host:
                host.sendall(_ASK)
                host.settimeout(1.0)
                if host.recv(1):
                    return True
            if self._programs.has_ended():
                return False
        return False


class TargetDoor:
    """A hostile target that a driver or a bridge has dialled: it sends what robots may send, and what they never do.

    Parameters
    ----------
    name : name of the door
    program : the dialling program
    port : the port at which the target listens
    world : the world of the robots whose messages are corrupted
    """

    def __init__(self, name: str, program: str, port: int, programs: TriedPrograms, seed: int) -> None:
        self.name = name
        self.programs: tuple[str, ...] = (program,)
        self.row = DoorRow(name)
        self.trace = Trace()
        self._programs = programs
        self._seed = seed
        self._listener = socket.create_server(("127.0.0.1", port))
        self._listener.settimeout(0.5)
        self._robots = load_world(programs.bridged_world)

    def run(self, first: int, duration_s: float) -> int:
        """See `Door.run`; a number is an attack of several frames."""
        number, end_s = first, time.monotonic() + duration_s
        while time.monotonic() < end_s and not self._programs.has_ended():
            try:
                link, _ = self._listener.accept()
            except TimeoutError:
                continue
            with link:
                number = self._attack(link, number, end_s)
        return number

    def _attack(self, link: socket.socket, number: int, end_s: float) -> int:
        """Attack in one way, for a while or until the program disconnects."""
        chance = chance_of(self._seed, self.name, number)
        peer = pick(chance, Attacks(chance, Simulation(self._robots)).peers())
        link.settimeout(_SEND_S)
        stop_s = min(end_s, time.monotonic() + 1.0)
        with contextlib.suppress(OSError):
            link.sendall(peer.greeting)
            while time.monotonic() < stop_s:
                frames = peer.attack(_received(link))
                self.trace.note(number, peer.name, frames[:3])
                number += 1
                self.row.requests += max(1, len(frames))
                link.sendall(b"".join(frames))
                time.sleep(0.005)
        return number + 1


class LocalDoor:
    """The driver's sockets in the file system: any datagram is a request."""

    name = "local sockets"

    def __init__(self, programs: TriedPrograms, seed: int) -> None:
        self.programs: tuple[str, ...] = ("driver",)
        self.row = DoorRow(self.name)
        self.trace = Trace()
        self._programs = programs
        self._seed = seed

    def run(self, first: int, duration_s: float) -> int:
        """See `Door.run`."""
        number, end_s = first, time.monotonic() + duration_s
        while time.monotonic() < end_s and not self._programs.has_ended():
            for _ in range(_FRAMES):
                self._send(number, chance_of(self._seed, self.name, number))
                number += 1
            answers = ask_local_drivers(ros_domain_id(), FLEET_ENDING, ANSWER_S)
            self.row.requests += 1
            self.row.count(bool(answers.answers))
            if not answers.answers and not self._programs.has_ended():
                self.row.unanswered += 1
                self.trace.faults.append(f"no answer after {number}")
        return number

    def _send(self, number: int, chance: Generator) -> None:
        """Send a datagram from a named or nameless socket, which may be gone when the answer arrives."""
        paths = _sockets()
        if not paths:
            time.sleep(0.05)
            return
        data = pick(chance, (b"", b"?", chance.bytes(2000), odd_text(chance).encode("utf-8", "replace")[:5000]))
        path = pick(chance, paths)
        self.trace.note(number, path.name, data)
        own = path.with_name(f"doors{os.getpid()}.client")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as caller, contextlib.suppress(OSError):
            caller.settimeout(0.2)
            if chance.random() < 0.5:
                caller.bind(str(own))
            self.row.requests += 1
            caller.sendto(data, str(path))
            if chance.random() < 0.3:
                select.select([caller], [], [], 0.1)
        own.unlink(missing_ok=True)


def bad_frame(chance: Generator) -> bytes:
    """Return a frame that a host could send, mostly wrong in one place."""
    words = [
        int(chance.integers(1, 5)),
        *(int(word) for word in chance.integers(-32768, 32768, int(chance.integers(6)))),
    ]
    kind = pick(chance, _SYSTEM) if chance.random() < 0.8 else int(chance.integers(0x10000))
    message = from_words(int(chance.integers(0, 4)), kind, words)
    if chance.random() < 0.1:
        message = Message(0, kind, chance.bytes(int(chance.integers(MAX_PAYLOAD_SIZE + 1))))
    frame = encode(message)
    if chance.random() < 0.15:
        return frame + encode(from_words(0, MessageType.LIST_NODES, [pick(chance, (0, 4, 5, 9, -1))]))
    return changed_bytes(frame, chance) if chance.random() < 0.1 else frame


def _received(link: socket.socket) -> bytes:
    found = bytearray()
    while select.select([link], [], [], 0.0)[0]:
        data = link.recv(65536)
        if not data:
            raise ConnectionError("the other end has closed")
        found += data
    return bytes(found)


def _sockets() -> Sequence[Path]:
    folder = domain_folder(ros_domain_id())
    return sorted([*folder.glob(f"*{FLEET_ENDING}"), *folder.glob(f"*{STOP_ENDING}")])
