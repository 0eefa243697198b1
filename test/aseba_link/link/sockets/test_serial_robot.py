"""A robot on a serial port is unplugged and returns on the same device, as a Thymio on /dev/ttyACM0 does."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from serial.tools.list_ports_common import ListPortInfo

from aseba_link.host.link_events import LinkEvent, NodeLost, NodeReady, TargetLost
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.dialer import Dialer, ThreadDialer
from aseba_link.wire.bytecode import CompiledScript
from bench.instruments.process_usage import open_files
from harness.aseba.link_bench import LinkBench
from harness.aseba.serial_robot import SerialRobot


class Bench(LinkBench):
    """A link to the robot; time is counted, but attempts to open the port take real time."""

    def __init__(self, robot: SerialRobot, target: str = "", dialer: Dialer | None = None) -> None:
        self.target = target or f"ser:device={robot.device}"
        script_policy = ScriptPolicy(lambda _: CompiledScript((1, 0)), event_timeout_s=None)
        super().__init__(AsebaLink([self.target], script_policy, dialer or ThreadDialer()), robot)
        self.events: list[LinkEvent] = []

    def run_until(self, condition: Callable[[], bool]) -> None:
        for _ in range(200_000):
            if condition():
                return
            self.events += self.step()
        raise AssertionError(f"it did not happen; events: {self.events[-10:]}")

    def has_occurred(self, kind: type[LinkEvent]) -> bool:
        return any(isinstance(event, kind) for event in self.events)


@pytest.mark.parametrize("last_bytes", [b"", b"\x0a\x00\x01"])
def test_robot_that_is_plugged_in_again_is_ready_again_on_the_same_device(tmp_path: Path, last_bytes: bytes) -> None:
    robot = SerialRobot(tmp_path / "ttyACM0")
    bench = Bench(robot)
    with closing(bench.link):
        robot.plug_in()
        bench.run_until(lambda: bench.has_occurred(NodeReady))
        plugged_in = open_files(os.getpid())
        for _ in range(3):
            bench.events.clear()
            robot.unplug(last_bytes)
            bench.run_until(lambda: bench.has_occurred(TargetLost))
            assert bench.has_occurred(NodeLost)
            robot.plug_in()
            bench.run_until(lambda: bench.has_occurred(NodeReady))
            assert robot.node.running
            assert open_files(os.getpid()) == plugged_in
    robot.unplug()


def test_missing_device_is_reported_and_found_later(tmp_path: Path) -> None:
    robot = SerialRobot(tmp_path / "ttyACM0")
    bench = Bench(robot)
    with closing(bench.link):
        bench.run_until(lambda: bench.has_occurred(TargetLost))
        assert bench.events == [TargetLost(bench.target, f"{robot.device}: No such file or directory")]
        robot.plug_in()
        bench.run_until(lambda: bench.has_occurred(NodeReady))
    robot.unplug()


@pytest.mark.parametrize("piece", [1, 7])
def test_robot_whose_line_carries_few_bytes_at_once_is_ready(tmp_path: Path, piece: int) -> None:
    robot = SerialRobot(tmp_path / "ttyACM0", piece)
    bench = Bench(robot)
    with closing(bench.link):
        robot.plug_in()
        bench.run_until(lambda: bench.has_occurred(NodeReady))
        assert robot.node.running
    robot.unplug()


def test_robot_that_returns_under_another_name_is_found_by_its_description(tmp_path: Path) -> None:
    robot = SerialRobot(tmp_path / "ttyACM0")

    def ports() -> list[ListPortInfo]:
        port = ListPortInfo(str(robot.device))
        port.description = "Thymio-II Robot"
        return [port] if robot.device.exists() else []

    bench = Bench(robot, "ser:name=Thymio-II", ThreadDialer(ports))
    with closing(bench.link):
        robot.plug_in()
        bench.run_until(lambda: bench.has_occurred(NodeReady))
        robot.unplug(b"\x0a")
        bench.run_until(lambda: bench.has_occurred(TargetLost))
        bench.events.clear()
        robot.device = tmp_path / "ttyACM1"
        robot.plug_in()
        bench.run_until(lambda: bench.has_occurred(NodeReady))
        assert robot.node.running
    robot.unplug()
