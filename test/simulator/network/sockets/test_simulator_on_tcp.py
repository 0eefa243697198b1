"""The simulator on real sockets of the loopback interface."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aseba_link.link.listener import Listener
from aseba_link.wire.message import Message, MessageType, encode, from_words
from aseba_link.wire.stream import MessageStream
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

ROOT = Path(__file__).parents[4]
LIST_NODES = encode(from_words(0, MessageType.LIST_NODES, (9,)))
DEADLINE_S = 60.0
WORLD = """
network: {port: 0}
arena: {width_m: 2.0, height_m: 2.0}
robots:
- {node_id: 1, x_m: 1.0, y_m: 1.0}
"""


class Served:
    """A simulation served on TCP, stepped as fast as needed."""

    def __init__(self, world: Path) -> None:
        self.listener = Listener("127.0.0.1", 0)
        self.simulation = Simulation(load_world(world))

    def step(self) -> None:
        for connection in self.listener.accept():
            self.simulation.network.attach(connection)
        self.simulation.step()

    def step_until(self, condition: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < deadline_s, "it did not happen in time"
            self.step()


@pytest.fixture
def world(tmp_path: Path) -> Path:
    path = tmp_path / "world.yaml"
    path.write_text(WORLD)
    return path


@pytest.fixture
def served(world: Path) -> Iterator[Served]:
    running = Served(world)
    yield running
    running.simulation.network.close()
    running.listener.close()


class Client:
    """A host on TCP that never waits."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.socket = socket.create_connection(("127.0.0.1", served.listener.port))
        self.socket.setblocking(False)
        self.received: list[Message] = []
        self._stream = MessageStream()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def hears_a_node(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            while data := self.socket.recv(65536):
                self.received += self._stream.feed(data)
        return any(message.type == MessageType.NODE_PRESENT for message in self.received)


def test_port_zero_selects_a_reachable_port(served: Served) -> None:
    with Client(served) as client:
        client.socket.sendall(LIST_NODES)
        served.step_until(client.hears_a_node)


def test_instant_reconnects_are_served(served: Served) -> None:
    for _ in range(30):
        with Client(served) as client:
            client.socket.sendall(LIST_NODES)
            served.step_until(client.hears_a_node)
    served.step_until(lambda: served.simulation.network.host_count == 0)


def test_truncated_frame_stalls_only_its_own_connection(served: Served) -> None:
    with Client(served) as stalled, Client(served) as client:
        stalled.socket.sendall(LIST_NODES[:5])
        client.socket.sendall(LIST_NODES)
        served.step_until(client.hears_a_node)
        stalled.socket.sendall(LIST_NODES[5:])
        served.step_until(stalled.hears_a_node)


def test_random_bytes_end_only_their_own_connection(served: Served) -> None:
    with Client(served) as hostile, Client(served) as client:
        hostile.socket.sendall(b"\xff" * 1000)
        client.socket.sendall(LIST_NODES)
        served.step_until(client.hears_a_node)
        served.step_until(lambda: served.simulation.network.host_count == 1)


def test_reset_connection_is_forgotten(served: Served) -> None:
    with Client(served) as client:
        served.step_until(lambda: served.simulation.network.host_count == 1)
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    served.step_until(lambda: served.simulation.network.host_count == 0)


def test_host_that_never_reads_is_dropped_without_blocking_others(served: Served) -> None:
    requests = encode(from_words(0, MessageType.GET_NODE_DESCRIPTION, (1, 9))) * 20
    with Client(served) as deaf, Client(served) as client:
        served.step_until(lambda: served.simulation.network.host_count == 2)

        def deaf_host_is_dropped() -> bool:
            client.socket.send(requests)
            client.hears_a_node()
            return served.simulation.network.host_count == 1

        served.step_until(deaf_host_is_dropped)
        assert deaf.received == []
        client.socket.sendall(LIST_NODES)
        served.step_until(client.hears_a_node)


@contextlib.contextmanager
def program(*options: str) -> Iterator[subprocess.Popen[str]]:
    """Run the program without ROS; end it in any case."""
    command = [sys.executable, "-m", "simulator", "--no-ros", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_program_prints_its_address_and_exits_on_a_signal(world: Path, number: signal.Signals) -> None:
    with program("--world", str(world), "--port", "0") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(number)
        _, errors = process.communicate(timeout=DEADLINE_S)
        assert line.startswith("listening on tcp:host=127.0.0.1;port=")
        assert line.endswith(", 1 robots\n")
        assert (process.returncode, errors) == (0, "")


def test_program_exits_on_a_signal_while_it_waits_for_a_step(world: Path) -> None:
    with program("--world", str(world), "--port", "0", "--speed", "0.001") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE_S) == 0


def test_program_reports_a_taken_port_in_one_line_and_leaves_no_serial_port(world: Path, served: Served) -> None:
    serial = world.with_name("serial")
    with program("--world", str(world), "--port", str(served.listener.port), "--serial", str(serial)) as process:
        _, errors = process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 1
        assert errors.startswith(f"cannot listen on 127.0.0.1, port {served.listener.port}: Address already in use;")
        assert len(errors.splitlines()) == 1
        assert not serial.is_symlink()


def test_program_reports_problems_of_its_world_without_a_traceback(tmp_path: Path) -> None:
    bad = tmp_path / "world.yaml"
    bad.write_text("arena: {width_m: -1, height_m: 2}\nrobts: []\n")
    with program("--world", str(bad)) as process:
        _, errors = process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 2
        assert "arena.width_m" in errors
        assert "did you mean 'robots'?" in errors
        assert "Traceback" not in errors


@pytest.mark.parametrize("options", [("--port", "70000"), ("--unknown",)])
def test_program_refuses_bad_options(options: tuple[str, ...]) -> None:
    with program(*options) as process:
        _, errors = process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 2
        assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--speed", "0"), "--speed: must be max, or a number from 0.001 to 1000, got '0'"),
        (("--speed", "nan"), "--speed: must be max, or a number from 0.001 to 1000, got 'nan'"),
        (("--paused",), "--paused waits for a request on ROS, which --no-ros disables"),
    ],
)
def test_program_names_the_bad_option(world: Path, options: tuple[str, ...], message: str) -> None:
    with program("--world", str(world), *options) as process:
        _, errors = process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 2
        assert message in errors


def test_program_reports_what_it_leaves_out_of_a_playground(tmp_path: Path) -> None:
    room = tmp_path / "room.playground"
    robot = '<robot x="50" y="50"/>'
    room.write_text(
        f'<aseba-playground>\n<world w="100" h="100"/>\n<feeder x="1" y="1"/>\n{robot}\n</aseba-playground>'
    )
    with program("--world", str(room), "--port", "0", "--speed", "max") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=DEADLINE_S)
        assert line.endswith(", 1 robots\n")
        assert errors == f"WARNING thymio_simulator: {room}:3: <feeder> is not simulated\n"
