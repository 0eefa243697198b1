"""Robots of a running driver are unplugged and plugged in again, while a robot of another target drives."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

import pytest

from aseba_link.wire.message import encode, from_words
from bench.instruments.process_usage import open_files, threads
from fleet.client.fleet_client import FleetClient
from fleet.commands.processes import Processes, driver_command, simulator_command
from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState, SentGoal
from harness.ros.cut_cable import CutCable
from thymio_base.ros.private_domain import reserve_free_port

READY_S = 40.0
STEADY_S = 4.0  # discovery repeats what was lost every 3 s
UNPLUGGED, STEADY = (1, 2), 3
HOMES = {robot_id: Pose2D(1.0, float(robot_id), 0.0) for robot_id in (*UNPLUGGED, STEADY)}
WALKS = (Pose2D(0.25, 0.0, 0.0), Pose2D(0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Footprint:
    """The resources of a driver: kernel objects of its process, and entities in the ROS graph."""

    threads: int
    files: int
    nodes: int
    entities: int


class Unplugging:
    """A driver with two targets, one of which is unplugged again and again; must be closed."""

    def __init__(self, folder: Path) -> None:
        self.goals: list[SentGoal] = []
        self._folder = folder
        self._processes = Processes()
        robots_port, steady_port = reserve_free_port(), reserve_free_port()
        self._world = write_world(folder / "robots.yaml", robots_port, UNPLUGGED)
        self._robots = self._start_robots()
        self._start(
            "steady", [*simulator_command(write_world(folder / "steady.yaml", steady_port, (STEADY,))), "--no-ros"]
        )
        self.cable = CutCable(robots_port)
        ports = {**dict.fromkeys(UNPLUGGED, self.cable.port), STEADY: steady_port}
        self._driver = self._start("driver", driver_command(write_config(folder / "fleet.yaml", ports)))
        self._client = FleetClient()
        for robot_id in HOMES:
            self._client.watch(robot_id)

    def close(self) -> None:
        """End all processes."""
        self._client.close()
        self._processes.stop()
        self.cable.close()

    def kill_robots(self) -> None:
        """End the simulator of the robots on the cable."""
        self._robots.kill()
        self._robots.wait()

    def go_through(self, outage: Callable[[], None]) -> None:
        """Cause an outage, and wait until all robots are back."""
        outage()
        self._wait_for(lambda: not self._are_connected(UNPLUGGED))
        if self._robots.poll() is not None:
            self._robots = self._start_robots()
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        """Wait until every robot is connected."""
        self._wait_for(lambda: self._are_connected(HOMES))

    def footprint(self) -> Footprint:
        """Return the driver's resources, once they and the discovered entities have not changed for a while."""
        footprint, since_s = self._footprint(), time.monotonic()

        def is_steady() -> bool:
            nonlocal footprint, since_s
            latest = self._footprint()
            if latest != footprint:
                footprint, since_s = latest, time.monotonic()
            return time.monotonic() - since_s > STEADY_S

        self._wait_for(is_steady)
        return footprint

    def _footprint(self) -> Footprint:
        node, pid = self._client.node, self._driver.pid
        names = [pair for pair in node.get_node_names_and_namespaces() if not pair[0].startswith(node.get_name())]
        entities = sum(
            len(list_names(*name))
            for name in names
            for list_names in (
                node.get_publisher_names_and_types_by_node,
                node.get_subscriber_names_and_types_by_node,
                node.get_service_names_and_types_by_node,
                node.get_client_names_and_types_by_node,
            )
        )
        return Footprint(threads(pid), open_files(pid), len(names), entities)

    def _are_connected(self, robot_ids: Sequence[int] | dict[int, Pose2D]) -> bool:
        return all(self._client.value(robot_id, "link") == "connected" for robot_id in robot_ids)

    def _wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait, while the steady robot drives."""
        if not self._client.spin_until(lambda: self._drive() or condition(), READY_S):
            log = (self._folder / "driver.log").read_text(encoding="utf-8", errors="replace")
            raise AssertionError(f"waited {READY_S:g} s in vain; the driver's log:\n{log}")

    def _drive(self) -> bool:
        """Send a goal to the steady robot if it has none; return False."""
        if self._client.value(STEADY, "state") == "idle" and (not self.goals or self.goals[-1].state.is_final):
            place = HOMES[STEADY].compose(WALKS[len(self.goals) % len(WALKS)])
            self.goals.append(self._client.go_to(STEADY, place))
        return False

    def _start_robots(self) -> Popen[bytes]:
        return self._start("robots", [*simulator_command(self._world), "--no-ros"])

    def _start(self, name: str, command: list[str]) -> Popen[bytes]:
        with (self._folder / f"{name}.log").open("ab") as log:
            return self._processes.start(name, command, log)


def write_world(path: Path, port: int, robot_ids: Sequence[int]) -> Path:
    robots = "".join(f"- {{node_id: {one}, x_m: {HOMES[one].x_m}, y_m: {HOMES[one].y_m}}}\n" for one in robot_ids)
    path.write_text(f"network: {{port: {port}}}\narena: {{width_m: 3.0, height_m: 4.0}}\nrobots:\n{robots}")
    return path


def write_config(path: Path, ports: dict[int, int]) -> Path:
    """Write a fleet whose robots are located by odometry alone and publish their status often."""
    targets = {robot_id: f"'tcp:host=127.0.0.1;port={port}'" for robot_id, port in ports.items()}
    homes = {robot_id: f"{{x_m: {home.x_m}, y_m: {home.y_m}}}" for robot_id, home in HOMES.items()}
    robots = "".join(
        f"- {{id: {one}, node_id: {one}, target: {target}, home: {homes[one]}}}\n" for one, target in targets.items()
    )
    links = ", ".join(dict.fromkeys(targets.values()))
    path.write_text(f"link: {{targets: [{links}]}}\nrates: {{status_hz: 10}}\nrobots:\n{robots}")
    return path


@pytest.fixture
def unplugging(tmp_path: Path) -> Iterator[Unplugging]:
    run = Unplugging(tmp_path)
    try:
        run.wait_until_ready()
        run.go_through(run.cable.cut)  # once, for everything created on first use
        yield run
    finally:
        run.close()


def test_outages_leak_nothing_and_fail_no_task_on_another_target(unplugging: Unplugging) -> None:
    before = unplugging.footprint()
    in_a_message = encode(from_words(1, 1, range(5)))[:-3]
    for outage in (lambda: unplugging.cable.cut(in_a_message), unplugging.cable.cut, unplugging.kill_robots):
        unplugging.go_through(outage)
    assert unplugging.footprint() == before
    assert unplugging.goals
    assert not [goal for goal in unplugging.goals if goal.state.is_final and goal.state is not GoalState.SUCCEEDED]
