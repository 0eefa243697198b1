"""The shipped script with all its reports and commands on a third-party virtual machine and natives."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from aseba_link.aesl.compiler import ScriptCompiler, shipped_script
from aseba_link.host.link_events import NodeFaulted, NodeReady, UserEvent
from aseba_link.host.node import NodeAddress
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.dialer import ThreadDialer
from aseba_link.thymio.actuators import circle_gesture, encode_colour, encode_led, encode_sound, kit_gesture
from aseba_link.thymio.events import EVENT_SIZES, Event, script_constants
from aseba_link.thymio.sensor_events import decode_proximity, decode_temperature
from harness.aseba.scripted_robot import ALL_REPORTS
from harness.playground import Placed, running_playground
from thymio_base.ros.private_domain import reserve_free_port

DEADLINE_S = 120.0
WALL_CM = 5.0  # from the robot's front sensor

pytestmark = pytest.mark.peers


class Robot:
    """The robot of a playground, near its right wall, connected through a link."""

    def __init__(self, port: int) -> None:
        script = shipped_script().with_constants(script_constants(20.0, ALL_REPORTS))
        self._link = AsebaLink(
            [f"tcp:host=127.0.0.1;port={port}"], ScriptPolicy(ScriptCompiler(script)), ThreadDialer()
        )
        self.address: NodeAddress | None = None
        self.received: dict[Event, tuple[int, ...]] = {}
        self.faults: list[str] = []

    def poll(self) -> None:
        for event in self._link.poll(time.monotonic_ns()):
            match event:
                case NodeReady(node):
                    self.address = node.address
                case NodeFaulted(_, reason):
                    self.faults.append(reason)
                case UserEvent(_, rank, args, _):
                    self.received[Event(rank)] = args
        time.sleep(0.01)

    def wait_for(self, expected: set[Event]) -> None:
        """Poll until each of the events has arrived, or the deadline has passed."""
        deadline_ns = time.monotonic_ns() + round(DEADLINE_S * 1e9)
        while not expected <= self.received.keys() and time.monotonic_ns() < deadline_ns:
            self.poll()

    def send(self, event: Event, *words: int) -> None:
        assert self.address is not None
        assert self._link.node(self.address).emit(event, (self.address.node_id, *words))

    def close(self) -> None:
        self._link.close()


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[Robot]:
    port = reserve_free_port()
    placed = Placed(port, x_cm=100.0 - 7.95 - WALL_CM)
    with running_playground(tmp_path, [placed], width_cm=100), closing(Robot(port)) as found:
        yield found


def test_playground_robot_reports_its_sensors(robot: Robot) -> None:
    robot.wait_for({Event.PROXIMITY, Event.GROUND, Event.ACCELEROMETER, Event.BUTTONS, Event.TEMPERATURE})
    assert robot.faults == []
    assert all(len(words) == EVENT_SIZES[event] for event, words in robot.received.items())
    assert decode_proximity(robot.received[Event.PROXIMITY])[2] == pytest.approx(0.01 * WALL_CM, abs=0.002)
    assert decode_temperature(robot.received[Event.TEMPERATURE]) == 22.0


def test_playground_robot_accepts_every_command(robot: Robot) -> None:
    robot.wait_for({Event.ODOMETRY})
    robot.send(Event.SET_LED_TOP, *encode_colour(1.0, 0.5, 0.0))
    robot.send(Event.SET_LED_BOTTOM_LEFT, *encode_colour(1.0, 0.5, 0.0))
    robot.send(Event.SET_LED_BOTTOM_RIGHT, *encode_colour(1.0, 0.5, 0.0))
    for group, count in enumerate((8, 8, 4, 2, 2, 1, 1)):
        robot.send(Event.SET_LED, *encode_led(group, [1.0] * count))
    robot.send(Event.SET_LED_GESTURE, *circle_gesture(0.5))
    robot.send(Event.SET_LED_GESTURE, *kit_gesture(1.0))
    robot.send(Event.PLAY_SOUND, *encode_sound(440.0, 0.1))
    robot.send(Event.PLAY_SYSTEM_SOUND, -1)
    robot.send(Event.SET_SOUND_THRESHOLD, 10)
    robot.send(Event.SET_COMM_PAYLOAD, 10)
    robot.send(Event.ENABLE_COMM, 1)
    robot.send(Event.SHUTDOWN)
    robot.received.clear()
    robot.wait_for({Event.ODOMETRY, Event.TEMPERATURE})
    assert robot.faults == []
    assert {Event.ODOMETRY, Event.TEMPERATURE} <= robot.received.keys()
