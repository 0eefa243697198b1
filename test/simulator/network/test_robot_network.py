"""The simulated Aseba network: a message from one reaches all others, even if one misbehaves."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import MAX_QUEUED, MAX_RECEIVED, Connection
from aseba_link.wire.message import MAX_PAYLOAD_SIZE, MessageType, encode, from_words
from harness.aseba.client import Client
from simulator.firmware.body import Body
from simulator.firmware.thymio import Thymio
from simulator.network.radio import Radio
from simulator.network.robot_network import EVENTS_AT_ONCE, MAX_HOSTS, RobotNetwork
from simulator.world.config import NO_RADIO

RANK = 3
LIST_NODES = from_words(0, MessageType.LIST_NODES, (9,))
REPLY_RANK = 4
# event 3 makes the robot emit event 4 with its id; event 4 counts in word 200
REPLYING = (5, RANK, 5, REPLY_RANK, 9, 0xB004, 0, 1, 0, 0x30C8, 0x1001, 0x8002, 0x40C8, 0)
ECHOING = (3, RANK, 3, 0xB003, 0, 0, 0)  # event 3 makes the robot emit event 3
COUNTER = 200


def robots(count: int) -> list[Thymio]:
    """Return robots 1, 2... that run `REPLYING`."""
    made = [Thymio(number, bytes(16), Body()) for number in range(1, count + 1)]
    for robot in made:
        robot.handle(from_words(0, MessageType.SET_BYTECODE, (robot.node_id, 0, *REPLYING)))
        robot.handle(from_words(0, MessageType.RUN, (robot.node_id,)))
        robot.outbox.clear()
    return made


def counted(robot: Thymio) -> int:
    """Return how many events 4 a robot has received."""
    robot.handle(from_words(0, MessageType.GET_VARIABLES, (robot.node_id, COUNTER, 1)))
    return robot.outbox.pop().words()[1]


def host(network: RobotNetwork) -> Client:
    """Return a host with a new connection."""
    return Client(network.attach)


def messages_of(client: Client) -> list[tuple[int, int]]:
    """Return source and type of the messages that have arrived."""
    return [(message.source, message.type) for message in client.received()]


def bytes_left(connection: Connection) -> int:
    """Return how many bytes arrive until the connection is lost."""
    count = 0
    try:
        while True:
            count += len(connection.receive())
    except ConnectionLostError:
        return count


def test_event_of_a_host_reaches_robots_and_other_hosts_but_not_itself() -> None:
    network = RobotNetwork(robots(2))
    speaker, listener = host(network), host(network)
    speaker.send(from_words(0, RANK))
    network.exchange()
    assert messages_of(speaker) == [(1, REPLY_RANK), (2, REPLY_RANK)]
    assert messages_of(listener) == [(0, RANK), (1, REPLY_RANK), (2, REPLY_RANK)]


def test_event_of_a_robot_reaches_the_other_robots_but_not_itself() -> None:
    members = robots(3)
    members[0].handle(from_words(0, RANK))
    RobotNetwork(members).exchange()
    assert [counted(robot) for robot in members] == [0, 1, 1]


def test_robots_ignore_commands_from_each_other() -> None:
    members = robots(2)
    members[0].outbox.append(from_words(1, MessageType.LIST_NODES, (9,)))
    RobotNetwork(members).exchange()
    assert members[1].outbox == []


def test_messages_of_the_network_arrive_in_order() -> None:
    network = RobotNetwork([])
    speaker, listener = host(network), host(network)
    for rank in (5, 6, 7):
        speaker.send(from_words(0, rank))
    network.exchange()
    assert messages_of(listener) == [(0, 5), (0, 6), (0, 7)]


def test_too_long_frame_ends_only_its_own_connection() -> None:
    network = RobotNetwork(robots(1))
    bad, good = host(network), host(network)
    bad.connection.send((MAX_PAYLOAD_SIZE + 2).to_bytes(2, "little") + bytes(600))
    good.send(LIST_NODES)
    network.exchange()
    assert messages_of(good) == [(1, MessageType.NODE_PRESENT)]
    with pytest.raises(ConnectionLostError):
        messages_of(bad)


def test_frame_may_arrive_byte_by_byte() -> None:
    network = RobotNetwork(robots(1))
    slow = host(network)
    for byte in encode(LIST_NODES):
        slow.connection.send(bytes([byte]))
        network.exchange()
    assert messages_of(slow) == [(1, MessageType.NODE_PRESENT)]


def test_half_a_frame_of_a_disconnected_host_does_not_reach_the_next_host() -> None:
    network = RobotNetwork(robots(1))
    leaving = host(network)
    leaving.connection.send(encode(LIST_NODES)[:5])
    network.exchange()
    leaving.connection.close()
    network.exchange()
    coming = host(network)
    coming.send(LIST_NODES)
    network.exchange()
    assert messages_of(coming) == [(1, MessageType.NODE_PRESENT)]


def test_host_that_never_reads_takes_bounded_memory() -> None:
    network = RobotNetwork([])
    deaf, speaker = host(network), host(network)
    flood = encode(from_words(0, RANK, range(250))) * (MAX_RECEIVED // 506)
    for _ in range(2 * MAX_QUEUED // len(flood)):
        speaker.connection.send(flood)
        network.exchange()
    assert network.host_count == 1
    assert bytes_left(deaf.connection) <= MAX_QUEUED


def test_closing_the_network_disconnects_everyone() -> None:
    network = RobotNetwork(robots(1))
    connected = [host(network), host(network)]
    network.close()
    assert [client.is_cut for client in connected] == [True, True]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=100), max_size=10))
def test_no_bytes_from_one_host_block_another(chunks: list[bytes]) -> None:
    network = RobotNetwork(robots(1))
    good, bad = host(network), host(network)
    for chunk in chunks:
        if network.host_count == 2:
            bad.connection.send(chunk)
        network.exchange()
    messages_of(good)
    good.send(LIST_NODES)
    network.exchange()
    assert (1, MessageType.NODE_PRESENT) in messages_of(good)


def test_cut_off_robot_neither_receives_nor_sends() -> None:
    network = RobotNetwork(robots(2))
    near = host(network)
    network.cut_off(1)
    near.send(from_words(0, RANK))
    network.exchange()
    assert messages_of(near) == [(2, REPLY_RANK)]


def test_reconnected_robot_does_not_send_old_messages() -> None:
    members = robots(2)
    network = RobotNetwork(members)
    near = host(network)
    network.cut_off(1)
    members[0].handle(from_words(0, RANK))
    network.exchange()
    network.join(1)
    near.send(from_words(0, RANK))
    network.exchange()
    assert messages_of(near) == [(1, REPLY_RANK), (2, REPLY_RANK)]


def test_lost_robot_is_reported_to_hosts() -> None:
    network = RobotNetwork(robots(2))
    near = host(network)
    network.report_lost(2)
    assert messages_of(near) == [(2, MessageType.DISCONNECTED)]


def test_message_by_radio_reaches_robot_and_host_after_its_latency_each() -> None:
    air = Radio(replace(NO_RADIO, latency_s=0.02), np.random.default_rng(1))
    network = RobotNetwork(robots(1), air)
    near = host(network)
    near.send(from_words(0, RANK))
    received = []
    for _ in range(6):
        network.exchange()
        received.append(messages_of(near))
        air.advance(0.01)
    assert received == [[], [], [], [], [(1, REPLY_RANK)], []]


def upload(network: RobotNetwork, client: Client, node_id: int = 1) -> list[str]:
    """Let a host load a script; return the conflicts."""
    client.send(from_words(0, MessageType.SET_BYTECODE, (node_id, 0, *REPLYING)))
    network.exchange()
    return network.pop_conflicts()


def test_two_hosts_that_load_scripts_into_one_node_are_reported_once() -> None:
    network = RobotNetwork(robots(2))
    first = Client(lambda connection: network.attach(connection, "10.0.0.1:4000"))
    second = Client(lambda connection: network.attach(connection, "10.0.0.2:5000"))
    assert upload(network, first) == []
    assert upload(network, second, node_id=2) == []
    assert upload(network, second) == ["two hosts control node 1: 10.0.0.1:4000 and 10.0.0.2:5000"]
    assert upload(network, first) == []


def test_host_that_loads_a_script_after_another_has_left_is_not_a_conflict() -> None:
    network = RobotNetwork(robots(1))
    first, second = host(network), host(network)
    upload(network, first)
    first.connection.close()
    network.exchange()
    assert upload(network, second) == []


def test_silent_hosts_make_room_for_new_hosts() -> None:
    network = RobotNetwork(robots(1))
    first = host(network)
    first.send(LIST_NODES)
    network.exchange()
    silent = [host(network) for _ in range(3 * MAX_HOSTS)]
    last = host(network)
    last.send(LIST_NODES)
    network.exchange()
    assert (network.host_count, network.pop_crowded(), network.pop_crowded()) == (MAX_HOSTS, True, False)
    assert messages_of(last)[-1] == (1, MessageType.NODE_PRESENT)
    assert [client.is_cut for client in (first, silent[0], silent[-1], last)] == [False, True, False, False]


def test_host_is_refused_if_all_others_are_in_use() -> None:
    network = RobotNetwork(robots(1))
    for _ in range(MAX_HOSTS):
        host(network).send(LIST_NODES)
    network.exchange()
    assert host(network).is_cut


@pytest.mark.parametrize("has_radio", [False, True])
def test_scripts_that_answer_each_event_delay_no_other_robot(has_radio: bool) -> None:
    made = robots(8)
    for robot in made:
        robot.handle(from_words(0, MessageType.SET_BYTECODE, (robot.node_id, 0, *ECHOING)))
        robot.handle(from_words(0, MessageType.RUN, (robot.node_id,)))
        robot.outbox.clear()
    endless = replace(NO_RADIO, enabled=True, bandwidth_messages_per_s=0.0)
    network = RobotNetwork(made, Radio(endless, np.random.default_rng(1)) if has_radio else None)
    client = host(network)
    client.send(from_words(0, RANK, ()))
    for _ in range(12):  # each event makes seven: without a limit, 10 000 million
        network.exchange()
        network.advance(0.01)
        assert all(len(robot.outbox) <= 8 * EVENTS_AT_ONCE for robot in made)
    assert [network.pop_storm(), network.pop_storm()] == [True, False]


def test_events_of_hosts_are_heard_while_robots_talk_too_much() -> None:
    talking, listening = Thymio(1, bytes(16), Body()), robots(2)[1]
    network = RobotNetwork([talking, listening])
    client = host(network)
    for _ in range(3):
        talking.outbox += [from_words(1, REPLY_RANK, ())] * (2 * EVENTS_AT_ONCE)
        network.exchange()
    client.send(from_words(0, REPLY_RANK, ()))
    talking.outbox += [from_words(1, REPLY_RANK, ())] * (2 * EVENTS_AT_ONCE)
    network.exchange()
    assert counted(listening) == 4 * EVENTS_AT_ONCE + 1
