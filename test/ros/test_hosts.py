"""One fleet on two hosts: the assignment of robots to drivers, and the effects of a pulled cable."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.ros.hosts import Host, TwoHosts, python

OBSERVER = Path(__file__).parents[1] / "harness/ros/observer.py"
ROBOTS = {"left": (1, 2), "right": (2, 3)}  # both claim robot 2
# Tasks end only for lack of a client, not for a pose delayed by a busy machine.
SETTINGS = "link: {lost_grace_s: 1.0}\ntasks: {client_lost_s: 1.0}\nlocalization: {lost_s: 60.0}\n"
NODES = {"left": (1, 2), "right": (3, 4)}


class Fleets:
    """A simulator and a driver on each host, and an observer of each host's own robots."""

    def __init__(self, folder: Path) -> None:
        self.hosts = TwoHosts(folder)
        self._folder = folder
        self._places: dict[int, list[float]] = {}

    def start(self, host: Host) -> None:
        """Start everything on a host: robots stand in a row, a metre apart."""
        config, world = self._folder / f"{host.name}.yaml", self._folder / f"{host.name}_world.yaml"
        pairs = list(zip(ROBOTS[host.name], NODES[host.name], strict=True))
        robots = "\n".join(
            f"- {{id: {robot}, node_id: {node}, home: {{x_m: {node}, y_m: 1}}, pose_topic: /mocap/thymio_{node}/pose}}"
            for robot, node in pairs
        )
        config.write_text(f"{SETTINGS}robots:\n{robots}\n")
        simulated = "\n".join(f"- {{node_id: {node}, x_m: {node}, y_m: 1}}" for _, node in pairs)
        world.write_text(f"arena: {{width_m: 5, height_m: 4}}\nrobots:\n{simulated}\n")
        host.start("simulator", *python("-m", "simulator", "--no-clock", "--world", str(world)))
        host.start("driver", *python("-m", "fleet.ros.driver_node", "--config", str(config)))
        host.start("observer", *python(str(OBSERVER), str(self._observations_path(host)), "3", "4"))

    def start_apart(self, driver: Host, robots: Host) -> None:
        """Start a simulator of one robot on one host, and its driver on the other; both are observed."""
        config, world = self._folder / "fleet.yaml", self._folder / "world.yaml"
        config.write_text(
            f"link: {{targets: ['tcp:host={robots.address};port=33333'], lost_grace_s: 1.0}}\n"
            "robots:\n- {id: 1, node_id: 1, home: {x_m: 1, y_m: 1}, pose_topic: /mocap/thymio_1/pose}\n"
        )
        world.write_text(
            "network: {address: 0.0.0.0}\narena: {width_m: 5, height_m: 4}\nrobots:\n- {node_id: 1, x_m: 1, y_m: 1}\n"
        )
        robots.start("simulator", *python("-m", "simulator", "--world", str(world)))
        driver.start("driver", *python("-m", "fleet.ros.driver_node", "--config", str(config)))
        for host in (driver, robots):
            host.start("observer", *python(str(OBSERVER), str(self._observations_path(host)), "1", "1"))

    def observed(self, host: Host, robot_id: int) -> dict[str, Any]:
        """Return the last state of a robot recorded by a host's observer, {} if none."""
        return self._latest(host).get("robots", {}).get(str(robot_id), {})

    def place(self, host: Host, node_id: int) -> tuple[float, float]:
        """Return the position of a simulated robot, once observed."""
        self.hosts.wait_for(
            f"node {node_id} to be seen by {host.name}",
            lambda: str(node_id) in self._latest(host).get("places", {}),
        )
        x_m, y_m = self._latest(host)["places"][str(node_id)]
        return float(x_m), float(y_m)

    def wait_until_ready(self, host: Host, *robot_ids: int) -> None:
        """Wait until a host's observer reports that robots accept tasks."""
        for robot_id in robot_ids:
            self.hosts.wait_for(
                f"robot {robot_id} to be ready, seen by {host.name}",
                lambda robot_id=robot_id: bool(self.observed(host, robot_id).get("is_ready")),
            )

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Separate the hosts for a while; afterwards they are one fleet again, also for the left one."""
        left, right = self.hosts.left, self.hosts.right
        refusals = self.refusals()
        self.hosts.pull_cable()
        try:
            self.hosts.wait_for(
                "the right host to miss the left one", lambda: self.observed(right, 2).get("host") == "right"
            )
            yield
        finally:
            self.hosts.plug_cable()
        self.hosts.wait_for("the right host to give way", lambda: self.refusals() > refusals)
        self.hosts.wait_for(
            "the left host to be listed instead",
            lambda: {self.observed(host, 2).get("host") for host in (left, right)} == {"left"},
        )
        self.wait_until_ready(left, 1, 2, 3)

    def refusals(self) -> int:
        """Return how often the right host has given way to the left one."""
        return self.hosts.right.log("driver").count("robot 2 is already served")

    def _latest(self, host: Host) -> dict[str, Any]:
        path = self._observations_path(host)
        lines = path.read_text(encoding="utf-8").rpartition("\n")[0].splitlines() if path.exists() else []
        return json.loads(lines[-1]) if lines else {}

    def _observations_path(self, host: Host) -> Path:
        return self._folder / f"{host.name}_seen"


@pytest.fixture(scope="module")
def fleets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleets]:
    """One fleet on two hosts; the left host started first."""
    fleets = Fleets(tmp_path_factory.mktemp("hosts"))
    try:
        fleets.start(fleets.hosts.left)
        fleets.wait_until_ready(fleets.hosts.left, 1, 2)
        fleets.start(fleets.hosts.right)
        fleets.wait_until_ready(fleets.hosts.left, 3)
        yield fleets
    finally:
        fleets.hosts.close()


def test_list_shows_every_robot_with_its_host(fleets: Fleets) -> None:
    for host in (fleets.hosts.left, fleets.hosts.right):
        result = host.run(*python("-m", "fleet.commands.main", "list"))
        assert [line.split()[:2] for line in result.stdout.splitlines()[1:]] == [
            ["1", "left"],
            ["2", "left"],
            ["3", "right"],
        ], result.stdout + result.stderr


def test_second_driver_reports_which_host_serves_its_robot(fleets: Fleets) -> None:
    assert "robot 2 is already served by host left (node /multi_thymio_driver" in fleets.hosts.right.log("driver")
    assert "already served" not in fleets.hosts.left.log("driver")


def test_one_command_stops_or_resumes_the_robots_of_all_hosts(fleets: Fleets) -> None:
    left, right = fleets.hosts.left, fleets.hosts.right
    assert left.run(*python("-m", "fleet.commands.main", "stop")).returncode == 0
    for host, robot_id in ((left, 1), (right, 3)):
        fleets.hosts.wait_for(
            "a stop", lambda host=host, robot_id=robot_id: fleets.observed(host, robot_id).get("state") == "stopped"
        )
    assert left.run(*python("-m", "fleet.commands.main", "resume")).returncode == 0
    fleets.wait_until_ready(left, 1, 2, 3)


def test_partitioned_host_stops_its_own_robots_and_no_others(fleets: Fleets) -> None:
    hosts = fleets.hosts
    left, right = hosts.left, hosts.right
    local = left.start("local_goal", *python("-m", "fleet.commands.main", "go-to", "1", "1", "3.5", "90deg"))
    left.start("remote_goal", *python("-m", "fleet.commands.main", "go-to", "3", "4", "3.5", "90deg"))
    hosts.wait_for("robots on their way", lambda: min(fleets.place(left, 1)[1], fleets.place(right, 4)[1]) > 1.1)
    with fleets.apart():
        hosts.wait_for(
            "the end of the task", lambda: fleets.observed(right, 3).get("last_result") == "ABORTED:CLIENT_LOST"
        )
        stood = fleets.place(right, 4)
        hosts.wait_for("the other's end", lambda: local.poll() is not None)
    assert (local.returncode, "SUCCEEDED" in left.log("local_goal")) == (0, True)
    assert fleets.place(right, 4) == pytest.approx(stood, abs=1e-4)
    assert math.dist(fleets.place(left, 1), (1.0, 3.5)) < 0.03


def test_partitioned_hosts_serve_the_robots_they_reach_and_share_them_after_rejoining(fleets: Fleets) -> None:
    hosts = fleets.hosts
    left, right = hosts.left, hosts.right
    before = fleets.refusals()
    with fleets.apart():
        hosts.wait_for("the right host to serve robot 2", lambda: fleets.observed(right, 2).get("host") == "right")
        assert fleets.observed(left, 2).get("host") == "left"
        fleets.wait_until_ready(right, 2)
    result = left.run(*python("-m", "fleet.commands.main", "go-to", "3", "3.8", "2", "90deg"))
    assert result.returncode == 0, result.stdout + hosts.logs()
    assert "already served" not in left.log("driver")
    assert fleets.refusals() == before + 1


def test_robots_cut_off_from_their_driver_stop_and_are_usable_again(tmp_path: Path) -> None:
    fleets = Fleets(tmp_path)
    hosts = fleets.hosts
    try:
        fleets.start_apart(driver=hosts.left, robots=hosts.right)
        fleets.wait_until_ready(hosts.left, 1)
        goal = hosts.left.start("goal", *python("-m", "fleet.commands.main", "go-to", "1", "1", "3.5", "90deg"))
        hosts.wait_for("the robot on its way", lambda: fleets.place(hosts.right, 1)[1] > 1.1)
        hosts.pull_cable()
        hosts.wait_for("the task's end", lambda: goal.poll() is not None)
        stood = fleets.place(hosts.right, 1)
        assert (goal.returncode, "ABORTED (ROBOT_LOST)" in hosts.left.log("goal")) == (1, True), hosts.logs()
        hosts.plug_cable()
        fleets.wait_until_ready(hosts.left, 1)
        assert fleets.place(hosts.right, 1) == pytest.approx(stood, abs=1e-4)
        result = hosts.left.run(*python("-m", "fleet.commands.main", "go-to", "1", "1", "1.5", "90deg"))
        assert result.returncode == 0, result.stdout + hosts.logs()
    finally:
        hosts.close()
