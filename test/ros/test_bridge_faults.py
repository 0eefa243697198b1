"""The bridge when robots, scripts or parameters fail."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from asebaros_msgs.msg import Event
from asebaros_msgs.srv import GetNodeList, LoadScript, SetVariable

from aseba_link.wire.message import MessageType, encode, from_words
from aseba_link.wire.stream import MessageStream
from harness.aseba.serial_robot import SerialRobot
from harness.ros.running_bridge import RunningBridge, running_bridge
from simulator.firmware.thymio import thymio_description


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[RunningBridge]:
    yield from running_bridge(tmp_path)


def test_robots_that_return_run_their_scripts_again(bridge: RunningBridge) -> None:
    bridge.call(LoadScript, "aseba/load_script", file_name=str(bridge.script), node_ids=[2])
    bridge.end_simulator()
    bridge.wait_for(lambda: not any(node.connected for node in bridge.nodes.values()), "the loss of the robots")
    assert bridge.nodes.keys() == {1, 2}
    bridge.start_simulator()
    bridge.wait_until_running()
    pongs = bridge.subscribe(Event, "thymio_2/aseba/events/pong")
    bridge.publish_until("thymio_2/aseba/events/ping", Event(data=[3]), lambda: bool(pongs), "a pong")


def test_bridge_stops_the_wheels_when_it_ends(bridge: RunningBridge) -> None:
    bridge.call(SetVariable, "thymio_1/aseba/set_variable", variable="motor.left.target", data=[300])
    assert bridge.variable(1, "motor.left.target") == [300]
    assert bridge.end_bridge() == 0
    assert word_in_robot(bridge.simulator_port, 1, "motor.left.target") == 0


def test_robot_on_a_serial_port_is_reset_when_the_bridge_ends(tmp_path: Path) -> None:
    robot = SerialRobot(tmp_path / "ttyACM0")
    robot.plug_in()
    bridge = RunningBridge(tmp_path, targets=[f"ser:device={robot.device}"], **{"script.path": ""})
    try:
        bridge.start_bridge()

        def is_listed() -> bool:
            robot.step()
            return 1 in bridge.nodes

        bridge.wait_for(is_listed, "the robot")
        process = bridge.processes["bridge"]
        process.send_signal(signal.SIGTERM)
        while process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.05)  # a robot does not read continuously
            robot.step()
        assert robot.node.requests(MessageType.RESET)
    finally:
        bridge.close()
        robot.unplug()


def word_in_robot(port: int, robot_id: int, variable: str) -> int:
    """Request a variable of one word from a simulated robot itself."""
    address = thymio_description().address(variable)
    assert address is not None
    with socket.create_connection(("127.0.0.1", port), 5.0) as peer:
        peer.settimeout(60.0)
        peer.sendall(encode(from_words(0, MessageType.GET_VARIABLES, [robot_id, address, 1])))
        stream = MessageStream()
        while True:
            for message in stream.feed(peer.recv(4096)):
                if message.type == MessageType.VARIABLES:
                    return message.words()[1]


def test_ignored_robot_is_listed_with_its_name_on_request(tmp_path: Path) -> None:
    bridge = RunningBridge(tmp_path, **{"nodes.thymio.maximal_number": 1})
    try:
        bridge.start_simulator()
        bridge.start_bridge()
        bridge.wait_for(lambda: any(node.running for node in bridge.nodes.values()), "a robot to run the script")
        first = next(iter(bridge.nodes))
        nodes = bridge.call(GetNodeList, "aseba/get_nodes", ignored=True).nodes
        assert {(node.id == first, node.ignored, node.name) for node in nodes} == {
            (True, False, "thymio-II"),
            (False, True, "thymio-II"),
        }
        assert "1 of at most 1 nodes called 'thymio-II' are accepted already" in bridge.log()
    finally:
        bridge.close()


def test_wrong_parameters_end_the_program_and_are_all_reported(tmp_path: Path) -> None:
    bridge = RunningBridge(tmp_path, prot=1, **{"nodes.thymio.acept": True})
    try:
        bridge.start_bridge()
        assert bridge.processes["bridge"].wait(60.0) == 2
        assert "prot: unknown key, did you mean 'port'?" in bridge.log()
        assert "nodes.thymio.acept: unknown key, did you mean 'accept'?" in bridge.log()
    finally:
        bridge.close()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-p", "targets"], "targets"),
        (["-p", "targets:=[tcp:a, 5]"], "targets"),
        (["-p", "targets:=[]"], "a parameter is empty"),
    ],
)
def test_unreadable_command_line_parameters_end_the_program_without_a_traceback(
    arguments: list[str], problem: str
) -> None:
    command = [sys.executable, "-m", "aseba_link.ros.asebaros", "--ros-args", *arguments, "-p", "port:=-1"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120.0, check=False)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert problem in ended.stderr


def test_port_in_use_is_reported(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as occupied:
        bridge = RunningBridge(tmp_path, port=occupied.getsockname()[1])
        try:
            bridge.start_bridge()
            assert bridge.processes["bridge"].wait(60.0) == 1
            assert "Address already in use" in bridge.log()
        finally:
            bridge.close()
