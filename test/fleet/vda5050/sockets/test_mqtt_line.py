"""A line to brokers that are none: each failure is said once, and a right broker is found afterwards."""

import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from selectors import DefaultSelector

import pytest

from fleet.settings.vda5050_config import BrokerAddress, Vda5050Config
from fleet.vda5050.link import mqtt_line
from fleet.vda5050.link.mqtt_line import MqttLine, serve_sockets
from fleet.vda5050.vehicle.received_messages import SIZE_MAX, ReceivedMessages, Topic
from fleet.vda5050.vehicle.vehicle import OutgoingMessage, VehicleIdentity
from fleet.vda5050.wire.vda_version import VdaVersion

DEADLINE_S = 60.0
ROBOT = VehicleIdentity("uagv", VdaVersion.V2_1, "thymio", "robot_1")
ACCEPTED = b"\x20\x02\x00\x00"
ORDER = ROBOT.topic(Topic.ORDER).encode()


def publication(topic: bytes, payload: bytes) -> bytes:
    """Return the packet that delivers a message."""
    body = len(topic).to_bytes(2, "big") + topic + payload
    size, rest = bytearray(), len(body)
    while rest > 127:
        size.append(rest & 127 | 128)
        rest >>= 7
    return b"\x30" + bytes([*size, rest]) + body


class FakeBroker:
    """Answers each connection with given bytes, and may close it then."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.setblocking(False)
        self.open: list[socket.socket] = []
        self.answer = b""
        self.closes = False

    def serve(self) -> None:
        try:
            connection, _ = self.server.accept()
        except BlockingIOError:
            return
        connection.settimeout(DEADLINE_S)
        connection.recv(1000)
        connection.sendall(self.answer)
        if self.closes:
            connection.close()
        else:
            self.open.append(connection)

    def close(self) -> None:
        for one in (self.server, *self.open):
            one.close()


@pytest.fixture
def broker() -> Iterator[FakeBroker]:
    with closing(FakeBroker()) as found:
        yield found


class WatchedLine(MqttLine):
    """A line that goes on, as its broker does, while a test waits."""

    def __init__(self, broker: FakeBroker) -> None:
        address = BrokerAddress("127.0.0.1", broker.server.getsockname()[1], is_encrypted=False)
        files = dict.fromkeys(("password_file", "ca_file", "cert_file", "key_file"), "")
        settings = Vda5050Config(address, "uagv", "thymio", "2.1.0", user="", robots=(), **files)
        self.broker, self.said = broker, list[str]()
        self.received, self.selector = ReceivedMessages(), DefaultSelector()
        will = OutgoingMessage(Topic.CONNECTION, "{}")
        super().__init__(settings, ROBOT, will, self.received, self.selector, log=self.said.append)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline_s, self.said
            self.broker.serve()
            serve_sockets(self.selector, 0.005)
            self.advance()


@pytest.fixture
def line(broker: FakeBroker, monkeypatch: pytest.MonkeyPatch) -> Iterator[WatchedLine]:
    monkeypatch.setattr(mqtt_line, "_RECONNECT_S", 0.01)
    monkeypatch.setattr(mqtt_line, "_RECONNECT_MAX_S", 0.02)
    monkeypatch.setattr(mqtt_line, "_KEEP_ALIVE_S", 1)
    with closing(WatchedLine(broker)) as found:
        yield found


def check_said_once_and_found_then(line: WatchedLine, said: str) -> None:
    line.wait_for(lambda: bool(line.said))
    assert said in line.said[0]
    count = len(line.broker.open)
    line.wait_for(lambda: line.broker.closes or len(line.broker.open) > count)
    line.broker.answer, line.broker.closes = ACCEPTED, False
    line.wait_for(lambda: line.is_connected)
    assert line.connects == 1
    assert len(line.said) == 1


@pytest.mark.parametrize("code", [1, 2, 3, 4, 5, 6, 255])
def test_a_refusal_is_said_with_its_reason(line: WatchedLine, code: int) -> None:
    line.broker.answer = bytes([0x20, 2, 0, code])
    check_said_once_and_found_then(line, "has not accepted" if code == 1 else "refuses the connection: ")


def test_a_broker_that_closes_at_once_is_tried_again(line: WatchedLine) -> None:
    line.broker.closes = True
    check_said_once_and_found_then(line, "has not accepted the connection")


def test_a_broker_that_never_answers_is_given_up_and_tried_again(line: WatchedLine) -> None:
    check_said_once_and_found_then(line, "has not accepted the connection (Keep alive timeout)")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x20\x00", b"\x20\x01\x00", b"\xf0\x00"])
def test_server_without_mqtt_is_reported_as_such(line: WatchedLine, answer: bytes) -> None:
    line.broker.answer, line.broker.closes = answer, True
    check_said_once_and_found_then(line, "; it is tried again")


def test_any_bytes_after_the_acceptance_end_nothing_but_the_connection(line: WatchedLine) -> None:
    chance = random.Random(1)
    for _ in range(100):
        connects = line.connects
        line.broker.answer = ACCEPTED + chance.randbytes(chance.randint(1, 60))
        line.broker.closes = True
        line.wait_for(lambda before=connects: line.connects > before)
        line.wait_for(lambda: not line.is_connected)
    line.broker.answer, line.broker.closes = ACCEPTED, False
    line.wait_for(lambda: line.is_connected)


def test_floods_and_huge_messages_are_dropped_and_counted(line: WatchedLine) -> None:
    orders = b"".join(publication(ORDER, b"%d" % number) for number in range(1000))
    huge = publication(ORDER, bytes(SIZE_MAX + 1))
    foreign = publication(b"uagv/v2/thymio/robot_2/order", b"foreign")
    last = publication(ROBOT.topic(Topic.INSTANT_ACTIONS).encode(), b"cancel")
    line.broker.answer = ACCEPTED + orders + huge + foreign + last
    line.wait_for(lambda: bool(line.received) and line.received.dropped > 900)
    found: list[bytes] = []

    def has_cancel() -> bool:
        taken = line.received.take(Topic.INSTANT_ACTIONS)
        found.extend([] if taken is None else [taken[0]])
        return bool(found)

    line.wait_for(has_cancel)
    left = list(iter(lambda: line.received.take(Topic.ORDER), None))
    assert left[-1] == (b"999", False)
    assert line.received.dropped == 1000 - len(left) + 1
