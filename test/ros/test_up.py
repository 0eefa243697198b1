"""The command `thymio-fleet up`."""

import os
import re
import signal
import socket
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
from command_line import run
from geometry_msgs.msg import PoseStamped
from rosgraph_msgs.msg import Clock

from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState
from harness.ros.running_fleet import RunningFleet
from thymio_base.ros.private_domain import reserve_free_port
from thymio_base.ros.stamps import time_from_ros
from thymio_base.shipped_files import shipped_file

NODE_1 = re.compile(r"node(?:s 1 and 2| 1) on")  # of the driver's lines, alone or with the other one


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
        fleet.wait_for(lambda: "Or in a browser: " in fleet.logs(), "the last proposal")
        (address,) = addresses(fleet)
        assert fleet.logs().endswith(f" view\nOr in a browser: {address}\n\n")
        with urllib.request.urlopen(address, timeout=60.0) as page:
            assert page.status == 200
        assert len(re.findall(r"nodes? .* ready$", fleet.logs(), re.MULTILINE)) <= 2
        lines = fleet.logs().splitlines()
        proposed = [line.partition(" thymio-fleet ")[2] for line in lines if " thymio-fleet" in line]
        assert [line.split()[0] for line in proposed] == ["status", "go-to", "view"]
        assert run(*proposed[1].split()).returncode == 0
        assert re.search(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\] \[INFO\] tcp:", fleet.logs(), re.MULTILINE)
    finally:
        fleet.close()


def test_dashboard_that_dies_is_started_again_beside_the_fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> "{opened}"\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    fleet, port = RunningFleet(tmp_path), reserve_free_port()
    try:
        fleet.start_both("--open", "--port", str(port), "--role", "operator")
        fleet.wait_for(lambda: len(addresses(fleet)) == 1, "the address of the dashboard")
        assert f":{port}/" in addresses(fleet)[0]
        fleet.wait_for(lambda: "it makes one browser the operator" in fleet.logs(), "its role")
        fleet.wait_for(lambda: opened.exists() and opened.read_text().split() == addresses(fleet), "its browser")
        fleet.wait_until_ready()
        kill(fleet, "dashboard", b"dashboard")
        fleet.wait_for(lambda: len(addresses(fleet)) == 2, "its next address")
        assert all(map(fleet.client.is_ready, fleet.ROBOT_IDS))
    finally:
        fleet.close()


def test_driver_that_is_killed_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THYMIO_FLEET_LOG_DIR", str(tmp_path / "logs"))
    fleet = RunningFleet(tmp_path)
    try:
        fleet.start_both("--no-dashboard")
        fleet.wait_until_ready()
        kill(fleet, "driver", b"fleet.ros")
        fleet.wait_for(lambda: len(re.findall("nodes? 1 .*ready", fleet.logs())) == 2, "robot 1 under the next driver")
        fleet.client.statuses.clear()  # those of the killed driver
        fleet.wait_until_ready()
        goal = fleet.client.go_to(1, Pose2D(1.1, 1.1, 0.0))
        fleet.wait_for(lambda: goal.state.is_final, "the end of a task under the next driver")
        assert goal.state is GoalState.SUCCEEDED
        assert "the driver ended with exit code -9" in (tmp_path / "logs" / "thymio_fleet_up.jsonl").read_text()
        assert (tmp_path / "logs" / "multi_thymio_driver.jsonl").read_text().count('"message": "started"') == 2
    finally:
        fleet.close()


def test_simulator_that_is_killed_is_started_again(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    try:
        fleet.start_both("--no-dashboard")
        fleet.wait_until_ready()
        kill(fleet, "simulator", b"simulator")
        fleet.wait_for(lambda: len(NODE_1.findall(fleet.logs())) == 3, "robot 1 that is lost, and then ready again")
        fleet.client.statuses.clear()  # those of the killed simulator's robots
        fleet.wait_until_ready()
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


def test_mistake_in_the_world_ends_it_before_anything_starts(tmp_path: Path) -> None:
    world = tmp_path / "world.yaml"
    world.write_text("arena: {width_m: 2, height_m: 2}\nrobts: []\n")
    done = run("up", "--world", str(world))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{world}:2: robts: unknown key, did you mean 'robots'?" in done.stderr.splitlines()


def test_taken_port_ends_it_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        world = tmp_path / "world.yaml"
        world.write_text(
            f"network: {{port: {port}}}\narena: {{width_m: 2, height_m: 2}}\nrobots: [{{node_id: 1, x_m: 1, y_m: 1}}]\n"
        )
        done = run("up", "--world", str(world))
    assert done.returncode == 1
    assert done.stdout == f"fleet {shipped_file('fleet.yaml')}, world {world}\n"
    lines = done.stderr.splitlines()
    assert lines[-1].startswith(f"cannot listen on 127.0.0.1, port {port}: Address already in use; does another fleet")
    assert all(line.startswith("warning: ") for line in lines[:-1])


def test_fleet_ends_with_its_terminal(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    ignored = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # beside nohup, programs would rightly ignore it
    try:
        fleet.start_both()
        signal.signal(signal.SIGHUP, ignored)
        fleet.wait_for(lambda: "2 robots are ready" in fleet.logs(), "the proposals")
        up = fleet.send_signal("up", signal.SIGHUP)
        fleet.wait_for(lambda: up.poll() is not None, "the end of `up`")
        assert (up.returncode, programs_of(fleet)) == (0, [])
    finally:
        fleet.close()


def test_fleet_is_served_though_its_lines_cannot_be_written(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    try:
        (tmp_path / "up.log").symlink_to("/dev/full")
        fleet.start_both()
        assert fleet.client.spin_until(lambda: all(map(fleet.client.is_ready, (1, 2))), 60.0)
        assert len(programs_of(fleet)) == 4
    finally:
        fleet.close()


def test_fleet_ends_with_up_that_is_killed(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    try:
        fleet.start_both()
        fleet.wait_for(lambda: "2 robots are ready" in fleet.logs(), "the proposals")
        assert len(programs_of(fleet)) == 4
        fleet.send_signal("up", signal.SIGKILL).wait()
        fleet.wait_for(lambda: not programs_of(fleet), "the end of all")
    finally:
        fleet.close()


def test_robots_that_the_world_lacks_are_named(tmp_path: Path) -> None:
    fleet = RunningFleet(tmp_path)
    fleet.world.write_text("\n".join(line for line in fleet.world.read_text().splitlines() if "node_id: 2" not in line))
    try:
        fleet.start_both("--no-dashboard")
        fleet.wait_for(lambda: "1 of 2 robots are ready; missing: 2." in fleet.logs(), "the missing robot")
        assert f"fleet {fleet.config}, world {fleet.world}\n" in fleet.logs()
        assert re.search(r"^warning: .*robots\[1\]\.node_id: no robot of .* has node_id 2", fleet.logs(), re.MULTILINE)
    finally:
        fleet.close()


def addresses(fleet: RunningFleet) -> list[str]:
    """Return the addresses of dashboards that were printed."""
    return re.findall(r"^dashboard: (http://127\.0\.0\.1:\d+/\?key=\S+)$", fleet.logs(), re.MULTILINE)


def dashboards(fleet: RunningFleet) -> list[int]:
    """Return the process ids of the fleet's dashboards."""
    return [process for process, arguments in programs_of(fleet) if b"dashboard" in arguments]


def kill(fleet: RunningFleet, name: str, argument: bytes) -> None:
    """Kill a program, which is known by one of its arguments, and wait until `up` tells of it."""
    for process, arguments in programs_of(fleet):
        if argument in arguments:
            os.kill(process, signal.SIGKILL)
    fleet.wait_for(lambda: f"the {name} ended with exit code -9; it is started again" in fleet.logs(), "its end")


def programs_of(fleet: RunningFleet) -> list[tuple[int, list[bytes]]]:
    """Return the process ids and arguments of all programs that were started with the fleet's files."""
    files, found = {str(fleet.config).encode(), str(fleet.world).encode()}, []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
            if files.intersection(arguments):
                found.append((int(folder.name), arguments))
    return found
