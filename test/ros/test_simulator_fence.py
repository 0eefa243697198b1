"""The simulator survives an exception at each kind of door; a robot whose firmware raises one is out of order."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from simulation_interfaces.msg import Result
from thymio_simulator_interfaces.srv import SetBattery

from harness.fence_record import take_record
from harness.ros.running_fleet import RunningFleet

DOORS = {  # by door, a method behind it, and how often it works before
    "/simulator/set_battery": "simulator.simulation.simulation_control:Control.set_charge 1",
    "publications": "simulator.ros.pose_topics:PoseTopics.publish 1",
    "a step of the simulation": "simulator.world.world:World.step 1",
    "connections": "aseba_link.link.listener:Listener.accept 1",
    "messages of ": "simulator.network.robot_network:RobotNetwork._pass_on 1",
    "the firmware of node ": "simulator.firmware.peripherals:Peripherals.advance 1 100",
}

pytestmark = pytest.mark.fenced


@pytest.fixture
def simulator(tmp_path: Path) -> Iterator[RunningFleet]:
    fleet = RunningFleet(tmp_path)
    try:
        fleet.start_broken_simulator(list(DOORS.values()))
        yield fleet
    finally:
        fleet.close()


def test_simulator_survives_an_exception_at_each_kind_of_door(simulator: RunningFleet) -> None:
    first, second = (
        simulator.call(SetBattery, "set_battery", SetBattery.Request(entity="thymio_2", charge=0.5)).result
        for _ in range(2)
    )
    assert first.result == Result.RESULT_OPERATION_FAILED
    assert first.error_message.startswith("internal error at /simulator/set_battery: InjectedError")
    assert second.result == Result.RESULT_OK
    assert [is_disconnected(simulator.port), is_disconnected(simulator.port)] == [True, False]
    levels: dict[str, tuple[bytes, str]] = {}

    def on_robots(message: DiagnosticArray) -> None:
        levels.update({status.name: (status.level, status.message) for status in message.status})

    simulator.client.node.create_subscription(DiagnosticArray, "/simulator/robots", on_robots, 1)
    simulator.wait_for(
        lambda: sorted(level for level, _ in levels.values()) == [DiagnosticStatus.OK, DiagnosticStatus.ERROR],
        "one of the robots to be out of order",
    )
    assert any("internal error at the firmware of node" in message for _, message in levels.values())
    caught = take_record()
    assert [door for door in DOORS if f"internal error at {door}" not in caught] == []


def is_disconnected(port: int) -> bool:
    """Whether the simulator ends a new connection within half a second."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(0.5)
        try:
            return connection.recv(1) == b""
        except TimeoutError:
            return False
        except ConnectionResetError:
            return True
