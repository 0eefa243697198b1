"""Other Aseba programs beside our link receive all messages, and none can disturb another."""

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aseba_link.link.connection import MAX_QUEUED, MAX_RECEIVED
from aseba_link.link.listener import Listener
from aseba_link.link.peer import STALL_S
from aseba_link.link.switch import MAX_CLIENTS, RATE, Switch
from aseba_link.wire.message import MAX_PAYLOAD_SIZE, Message, MessageType, encode, from_words
from harness.aseba.client import Client, WaitingConnections

STEP_NS = 50_000_000
LIST_NODES = from_words(0, MessageType.LIST_NODES, [9])
SPEED = from_words(0, 0, [7, 100, -100])
ODOMETRY = from_words(7, 1, [1, 2, 3])
WAIT_S = 10.0

odd_or_unknown = st.builds(
    Message,
    st.integers(0, 0xFFFF),
    st.integers(0, 0x7FFF) | st.sampled_from([0x80FF, 0x90FE, 0xA0FD, MessageType.DEVICE_INFO]),
    st.binary(max_size=MAX_PAYLOAD_SIZE),
)


class Bench:
    """A switch in counted time."""

    def __init__(self, *, loop: bool = False) -> None:
        self.waiting = WaitingConnections()
        self.switch = Switch(self.waiting, loop)
        self.now_ns = 0

    def client(self) -> Client:
        return Client(self.waiting.add)

    def exchange(self, *from_targets: Message) -> list[Message]:
        self.now_ns += STEP_NS
        return self.switch.exchange(from_targets, self.now_ns)

    def run(self, duration_s: float, *from_targets: Message) -> list[Message]:
        steps = range(round(duration_s * 1e9 / STEP_NS))
        return [message for _ in steps for message in self.exchange(*from_targets)]


def test_messages_of_robots_reach_every_client() -> None:
    bench = Bench()
    clients = [bench.client(), bench.client()]
    bench.exchange(ODOMETRY, LIST_NODES)
    assert [client.received() for client in clients] == [[ODOMETRY, LIST_NODES]] * 2


def test_messages_of_a_client_reach_the_robots_and_the_other_clients() -> None:
    bench = Bench()
    sender, listener = bench.client(), bench.client()
    sender.send(LIST_NODES, SPEED)
    assert bench.exchange() == [LIST_NODES, SPEED]
    assert (sender.received(), listener.received()) == ([], [LIST_NODES, SPEED])


def test_loop_sends_a_client_its_own_messages() -> None:
    bench = Bench(loop=True)
    sender, listener = bench.client(), bench.client()
    sender.send(SPEED)
    assert bench.exchange() == [SPEED]
    assert sender.received() == listener.received() == [SPEED]


@given(st.lists(odd_or_unknown, max_size=10))
def test_odd_and_unknown_messages_pass_unharmed_both_ways(messages: list[Message]) -> None:
    bench = Bench()
    sender, listener = bench.client(), bench.client()
    sender.send(*messages)
    assert bench.exchange() == messages
    assert listener.received() == messages
    bench.exchange(*messages)
    assert listener.received() == messages


def test_message_may_arrive_byte_by_byte() -> None:
    bench = Bench()
    client = bench.client()
    received: list[Message] = []
    for byte in encode(SPEED):
        client.connection.send(bytes([byte]))
        received += bench.exchange()
    assert received == [SPEED]


def test_messages_of_a_client_that_disconnects_at_once_are_received() -> None:
    bench = Bench()
    client = bench.client()
    client.send(SPEED)
    client.connection.close()
    assert bench.run(0.2, ODOMETRY) == [SPEED]
    assert (bench.switch.clients, bench.switch.dropped) == (0, 0)


def test_client_that_stops_in_the_middle_of_a_message_is_disconnected() -> None:
    bench = Bench()
    client = bench.client()
    client.connection.send(encode(SPEED)[:-1])
    bench.run(STALL_S)
    assert not client.is_cut
    bench.run(0.2)
    assert client.is_cut
    assert (bench.switch.clients, bench.switch.dropped) == (0, 1)


def test_client_that_sends_a_message_too_slowly_is_disconnected() -> None:
    bench = Bench()
    client = bench.client()
    frame = encode(from_words(0, 1, [0] * 258))
    for position in range(60):
        client.connection.send(frame[position : position + 1])
        bench.exchange()
    client.connection.send(b"\0")
    bench.run(0.1)
    assert client.is_cut


def test_client_that_is_silent_between_messages_stays() -> None:
    bench = Bench()
    client = bench.client()
    client.send(SPEED)
    bench.run(60)
    client.send(LIST_NODES)
    assert bench.exchange() == [LIST_NODES]


@pytest.mark.parametrize("garbage", [b"\xff" * 20, b"\x05\x02" + bytes(4), b"\x00\x00\x00\x00\x00\xb0"])
def test_client_that_sends_no_aseba_messages_is_disconnected_alone(garbage: bytes) -> None:
    bench = Bench()
    bad, good = bench.client(), bench.client()
    bad.connection.send(garbage)
    bench.exchange(ODOMETRY)
    assert bad.is_cut
    assert good.received() == [ODOMETRY]
    assert (bench.switch.clients, bench.switch.dropped) == (1, 1)


def test_client_that_does_not_read_is_disconnected_instead_of_filling_the_memory() -> None:
    bench = Bench()
    deaf, good = bench.client(), bench.client()
    long = from_words(7, 1, range(258))
    steps = MAX_QUEUED // len(encode(long)) + 2
    received = 0
    for _ in range(steps):
        bench.exchange(long)
        received += len(good.received())
    assert (received, bench.switch.clients, bench.switch.dropped) == (steps, 1, 1)
    assert deaf.is_cut


def test_surplus_client_is_turned_away() -> None:
    bench = Bench()
    clients = [bench.client() for _ in range(MAX_CLIENTS)]
    for client in clients:
        client.send(SPEED)
    bench.run(0.2)
    clients.append(bench.client())
    bench.exchange(ODOMETRY)
    assert [client.is_cut for client in clients] == [False] * MAX_CLIENTS + [True]
    assert (bench.switch.clients, bench.switch.dropped) == (MAX_CLIENTS, 1)


def test_client_that_has_never_said_anything_makes_room_for_a_new_one() -> None:
    bench = Bench()
    speaking = bench.client()
    speaking.send(SPEED)
    bench.run(0.2)
    clients = [bench.client() for _ in range(MAX_CLIENTS)]
    bench.exchange(ODOMETRY)
    assert [client.is_cut for client in (speaking, *clients)] == [False, True] + [False] * (MAX_CLIENTS - 1)


def test_clients_that_disconnect_at_once_leave_nothing_behind() -> None:
    bench = Bench()
    for _ in range(1000):
        bench.client().connection.close()
        bench.exchange(ODOMETRY)
    bench.exchange()
    assert (bench.switch.clients, bench.switch.dropped) == (0, 0)


def test_flood_of_a_client_is_slowed_down() -> None:
    bench = Bench()
    flooder = bench.client()
    frame = encode(SPEED)
    flooder.connection.send(frame * (MAX_QUEUED // len(frame)))
    received = bench.run(2)
    assert len(received) * len(frame) <= 2 * RATE + 2 * MAX_RECEIVED


def test_message_of_a_client_beside_flooding_ones_arrives_within_half_a_second() -> None:
    bench = Bench()
    frame = encode(SPEED)
    for _ in range(2):
        bench.client().connection.send(frame * (MAX_QUEUED // len(frame)))
    good = bench.client()
    bench.run(1)
    good.send(LIST_NODES)
    assert LIST_NODES in bench.run(0.5)


@settings(deadline=None)
@given(st.lists(st.binary(max_size=700), max_size=12))
def test_no_bytes_of_one_client_keep_another_from_being_served(chunks: list[bytes]) -> None:
    bench = Bench()
    bad, good = bench.client(), bench.client()
    for chunk in chunks:
        if bench.switch.clients == 2:
            bad.connection.send(chunk)
        bench.exchange()
    good.received()
    good.send(LIST_NODES)
    assert LIST_NODES in bench.exchange(ODOMETRY)
    assert good.received()[-1] == ODOMETRY


def test_close_disconnects_all_clients_and_accepts_no_more() -> None:
    bench = Bench()
    clients = [bench.client(), bench.client()]
    bench.exchange()
    bench.switch.close()
    assert [client.is_cut for client in clients] == [True, True]
    assert bench.waiting.closed
    assert bench.switch.clients == 0


class OnTcp:
    """A switch on the loopback interface, stepped as fast as needed."""

    def __init__(self) -> None:
        self.listener = Listener("127.0.0.1", 0)
        self.switch = Switch(self.listener, loop=False)
        self.now_ns = 0
        self.received: list[Message] = []

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.listener.port), timeout=WAIT_S)

    def step(self, *from_targets: Message) -> None:
        self.now_ns += 1_000_000
        self.received += self.switch.exchange(from_targets, self.now_ns)

    def step_until_clients(self, count: int, *from_targets: Message) -> None:
        for _ in range(100_000):
            if self.switch.clients == count:
                return
            self.step(*from_targets)
        raise AssertionError(f"{self.switch.clients} clients, not {count}")

    def step_until_received(self, message: Message) -> None:
        for _ in range(100_000):
            if message in self.received:
                return
            self.step(ODOMETRY)
        raise AssertionError(f"{message} was not received")


@pytest.fixture
def on_tcp() -> Iterator[OnTcp]:
    bench = OnTcp()
    with closing(bench.switch):
        yield bench


def test_clients_on_tcp_receive_the_messages_of_each_other_and_of_robots(on_tcp: OnTcp) -> None:
    with on_tcp.connect() as sender, on_tcp.connect() as listener:
        on_tcp.step_until_clients(2)
        sender.sendall(encode(SPEED))
        on_tcp.step_until_received(SPEED)
        expected = encode(SPEED) + encode(ODOMETRY)
        received = b""
        while expected not in received:
            received += listener.recv(4096)
        assert sender.recv(4096).startswith(encode(ODOMETRY))


def test_last_bytes_of_a_client_on_tcp_that_does_not_read_are_received(on_tcp: OnTcp) -> None:
    with on_tcp.connect() as client:
        on_tcp.step_until_clients(1)
        for _ in range(10):
            on_tcp.step(ODOMETRY)
        client.sendall(encode(SPEED))
    on_tcp.step_until_received(SPEED)
    on_tcp.step_until_clients(0)
    assert on_tcp.switch.dropped == 0


def test_client_on_tcp_that_does_not_read_is_disconnected(on_tcp: OnTcp) -> None:
    with on_tcp.connect():
        on_tcp.step_until_clients(1)
        on_tcp.step_until_clients(0, *[from_words(7, 1, range(258))] * 20)
    assert on_tcp.switch.dropped == 1


def test_reset_client_on_tcp_is_forgotten(on_tcp: OnTcp) -> None:
    with on_tcp.connect() as client:
        on_tcp.step_until_clients(1)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    on_tcp.step_until_clients(0)
