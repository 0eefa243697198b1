"""The command `thymio-fleet up`."""

import os
import re
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from command_line import run
from geometry_msgs.msg import PoseStamped
from rosgraph_msgs.msg import Clock

from harness.ros.running_fleet import RunningFleet
from thymio_base.ros.stamps import time_from_ros


def test_fleet_started_with_a_speed_factor_runs_on_simulated_time(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    clocks_ns: list[int] = []
    fleet.client.node.create_subscription(
        Clock, "/clock", lambda message: clocks_ns.append(time_from_ros(message.clock)), 10
    )
    stamps_ns: list[int] = []
    fleet.client.node.create_subscription(
        PoseStamped, "/factory/robot_1/pose", lambda message: stamps_ns.append(time_from_ros(message.header.stamp)), 10
    )
    try:
        fleet.start_both("--speed", "3")
        fleet.wait_for(lambda: bool(stamps_ns and clocks_ns), "poses and the clock")
        stamp_ns, count = stamps_ns[-1], len(clocks_ns)
        fleet.wait_for(lambda: len(clocks_ns) > count, "the next clock message, since the pose may have arrived first")
        assert 0 <= clocks_ns[-1] - stamp_ns < 2_000_000_000
    finally:
        fleet.close()


def test_ready_fleet_proposes_commands_that_work(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    try:
        fleet.start_both()
        fleet.wait_for(lambda: "2 robots are ready. Now try in another terminal:" in fleet.logs(), "the proposals")
        fleet.wait_for(lambda: " view\n" in fleet.logs(), "the last proposal")
        lines = fleet.logs().splitlines()
        proposed = [line.partition(" thymio-fleet ")[2] for line in lines if " thymio-fleet" in line]
        assert [line.split()[0] for line in proposed] == ["status", "go-to", "view"]
        assert run(*proposed[1].split()).returncode == 0
        assert re.search(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\] \[INFO\] tcp:", fleet.logs(), re.MULTILINE)
    finally:
        fleet.close()


def test_dashboard_that_dies_is_started_again_beside_the_fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    fleet = RunningFleet(tmp_path)
    try:
        fleet.start_both()
        fleet.wait_for(lambda: len(addresses(fleet)) == 1, "the address of the dashboard")
        fleet.wait_until_ready()
        for process in dashboards(fleet):
            os.kill(process, signal.SIGKILL)
        fleet.wait_for(lambda: "the dashboard ended with exit code -9; it is started again" in fleet.logs(), "its end")
        fleet.wait_for(lambda: len(addresses(fleet)) == 2, "its next address")
        assert all(map(fleet.client.is_ready, fleet.ROBOT_IDS))
    finally:
        fleet.close()


def test_fleet_without_a_dashboard(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    try:
        fleet.start_both("--no-dashboard")
        fleet.wait_for(lambda: "2 robots are ready" in fleet.logs(), "the proposals")
        assert (addresses(fleet), dashboards(fleet)) == ([], [])
    finally:
        fleet.close()


def addresses(fleet: RunningFleet) -> list[str]:
    """Return the addresses of dashboards that were printed."""
    return re.findall(r"^dashboard: (http://127\.0\.0\.1:\d+/\?key=\S+)$", fleet.logs(), re.MULTILINE)


def dashboards(fleet: RunningFleet) -> list[int]:
    """Return the process ids of the fleet's dashboards."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
            if b"dashboard" in arguments and str(fleet.config).encode() in arguments:
                found.append(int(folder.name))
    return found
