"""The simulation from a host's side, joined in memory: robots run the shipped script."""

import math
from pathlib import Path

import pytest

from aseba_link.aesl.compiler import compile_code, shipped_script
from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import MAX_QUEUED, MAX_RECEIVED, Connection
from aseba_link.thymio.events import COMMAND_TIMEOUT_S, Event, decode_odometry, wheel_travel
from aseba_link.wire.message import Message, MessageType, encode, from_words
from harness.aseba.client import Client
from simulator.firmware.thymio import thymio_description
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

WORLD = """
arena: {width_m: 4.0, height_m: 2.0}
seed: 5
robots:
- {node_id: 1, x_m: 0.5, y_m: 0.5}
- {node_id: 2, x_m: 0.5, y_m: 1.5}
"""
TICK_S = 0.01


class Host(Client):
    """A host on a simulation's network."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(simulation.network.attach)
        self.simulation = simulation

    def send(self, message_type: int, *words: int) -> None:
        super().send(from_words(0, message_type, words))

    def run(self, seconds: float) -> list[Message]:
        """Advance time; return the received messages."""
        received: list[Message] = []
        for _ in range(round(seconds / TICK_S)):
            self.simulation.step()
            received += self.received()
        return received

    def upload(self, node_id: int) -> None:
        """Upload the shipped script and run it."""
        script = shipped_script()
        code = compile_code(script.codes[0].text, script.events, script.constants, thymio_description()).bytecode
        for start in range(0, len(code), 250):
            self.send(MessageType.SET_BYTECODE, node_id, start, *code[start : start + 250])
        self.send(MessageType.RUN, node_id)


@pytest.fixture
def simulation(tmp_path: Path) -> Simulation:
    path = tmp_path / "world.yaml"
    path.write_text(WORLD)
    return Simulation(load_world(path))


@pytest.fixture
def host(simulation: Simulation) -> Host:
    """Return a host that has the shipped script running on both robots."""
    connected = Host(simulation)
    connected.upload(1)
    connected.upload(2)
    connected.run(0.1)
    return connected


def drive(host: Host, seconds: float, node_id: int = 1, left: int = 100, right: int = 100) -> list[Message]:
    """Command a robot ten times a second; return the received messages."""
    heard: list[Message] = []
    for _ in range(round(seconds / 0.1)):
        host.send(Event.SET_SPEED, node_id, left, right)
        heard += host.run(0.1)
    return heard


def odometry(heard: list[Message], node_id: int) -> list[Message]:
    return [message for message in heard if message.type == Event.ODOMETRY and message.source == node_id]


def test_robot_reports_odometry_twenty_times_a_second(host: Host) -> None:
    assert len(odometry(host.run(2.0), 1)) == 40


def test_only_the_commanded_robot_moves(host: Host) -> None:
    drive(host, 2.0)
    x_m, y_m, heading_rad = host.simulation.pose(1)
    assert x_m == pytest.approx(0.5 + 2.0 * 100 * 0.000332, rel=0.1)
    assert y_m == pytest.approx(0.5, abs=0.01)
    assert heading_rad == pytest.approx(0.0, abs=0.05)
    assert host.simulation.pose(2) == pytest.approx((0.5, 1.5, 0.0))


def test_odometry_measures_the_distance_driven(host: Host) -> None:
    heard = odometry(drive(host, 3.0, left=200, right=200), 1)
    before, after = decode_odometry(heard[0].words()), decode_odometry(heard[-1].words())
    assert wheel_travel(before, after).left_m == pytest.approx(host.simulation.pose(1)[0] - 0.5, rel=0.05)


def test_left_turn_is_counter_clockwise(host: Host) -> None:
    drive(host, 1.0, left=-100, right=100)
    assert 0.3 < host.simulation.pose(1)[2] < math.pi / 2


def test_robot_without_commands_stops_after_its_time_out(host: Host) -> None:
    drive(host, 1.0)
    host.run(COMMAND_TIMEOUT_S - 0.1)
    assert host.simulation.robots[0].targets_raw == (100, 100)
    host.run(TICK_S)
    assert host.simulation.robots[0].targets_raw == (0, 0)
    host.run(0.2)
    resting = host.simulation.pose(1)
    host.run(1.0)
    assert host.simulation.pose(1) == resting


def test_new_upload_stops_a_driving_robot(host: Host) -> None:
    drive(host, 1.0)
    host.send(MessageType.SET_BYTECODE, 1, 0, 1)
    host.run(0.02)
    assert host.simulation.robots[0].targets_raw == (0, 0)


def test_missing_robot_has_no_pose(simulation: Simulation) -> None:
    with pytest.raises(ValueError, match="99"):
        simulation.pose(99)


def test_every_robot_answers_on_one_connection(simulation: Simulation) -> None:
    host = Host(simulation)
    host.send(MessageType.LIST_NODES, 9)
    assert {message.source for message in host.run(0.02)} == {1, 2}


def test_hosts_receive_each_others_messages_and_the_robots(simulation: Simulation) -> None:
    speaker, listener = Host(simulation), Host(simulation)
    speaker.send(MessageType.LIST_NODES, 9)
    speaker_heard = speaker.run(0.02)
    assert [message.type for message in listener.received()] == [
        MessageType.LIST_NODES,
        MessageType.NODE_PRESENT,
        MessageType.NODE_PRESENT,
    ]
    assert [message.type for message in speaker_heard] == [MessageType.NODE_PRESENT, MessageType.NODE_PRESENT]


def test_only_the_host_that_loses_the_framing_is_disconnected(simulation: Simulation) -> None:
    good, bad = Host(simulation), Host(simulation)
    bad.connection.send(b"\xff" * 6)
    good.send(MessageType.LIST_NODES, 9)
    assert len(good.run(0.02)) == 2
    with pytest.raises(ConnectionLostError):
        bad.received()


def test_half_a_message_does_not_delay_other_hosts(simulation: Simulation) -> None:
    good, slow = Host(simulation), Host(simulation)
    slow.connection.send(encode(from_words(0, MessageType.LIST_NODES, (9,)))[:-1])
    good.send(MessageType.LIST_NODES, 9)
    assert len(good.run(0.02)) == 2
    assert simulation.network.host_count == 2


def test_only_the_host_that_does_not_read_is_dropped(host: Host) -> None:
    deaf = Host(host.simulation)
    for _ in range(MAX_QUEUED // 5000):  # a description has 5263 bytes
        host.send(MessageType.GET_NODE_DESCRIPTION, 1, 9)
        host.run(TICK_S)
    assert host.simulation.network.host_count == 1
    with pytest.raises(ConnectionLostError):
        deaf.connection.send(b"")


class FloodingConnection:
    """A connection that always has more data."""

    def __init__(self) -> None:
        self.calls = 0

    def send(self, data: bytes) -> None:
        pass

    def receive(self) -> bytes:
        self.calls += 1
        if self.calls > 100:
            raise AssertionError("the network reads on and on")
        return encode(from_words(0, 0x7FFF)) * (MAX_RECEIVED // 6)

    def close(self) -> None:
        pass


def test_flooding_host_gets_a_bounded_share_of_each_step(simulation: Simulation) -> None:
    flood: Connection = FloodingConnection()
    simulation.network.attach(flood)
    host = Host(simulation)
    host.send(MessageType.LIST_NODES, 9)
    simulation.step()
    assert [message.source for message in host.received() if message.type == MessageType.NODE_PRESENT] == [1, 2]


def test_repeated_immediate_reconnection_works(simulation: Simulation) -> None:
    for _ in range(20):
        host = Host(simulation)
        host.send(MessageType.LIST_NODES, 9)
        assert len(host.run(0.02)) == 2
        host.connection.close()
        simulation.step()
    assert simulation.network.host_count == 0


def journey(folder: Path) -> tuple[list[Message], list[float]]:
    path = folder / "world.yaml"
    path.write_text(WORLD)
    host = Host(Simulation(load_world(path)))
    host.upload(1)
    return drive(host, 1.0, left=200, right=100), host.simulation.world.poses.truth().ravel().tolist()


def test_same_inputs_give_the_same_outputs(tmp_path: Path) -> None:
    assert journey(tmp_path) == journey(tmp_path)
