"""Two drivers on two hosts share one floor: their robots' ways cross, also while the hosts are separated.

Each host simulates its own robot. The two worlds have the same frame, so that they are one floor; what would be a
contact on it is a distance between true poses.
"""

import json
import math
from bisect import bisect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fleet.geometry import Pose2D
from harness.ros.hosts import Host, TwoHosts, python

HARNESS = Path(__file__).parents[1] / "harness/ros"
APART_M = 0.16  # two bodies touch at most there
ARENA = "arena: {x_min_m: 0, y_min_m: 0, x_max_m: 2.4, y_max_m: 2.4}\n"
# tasks end for no other reason than traffic on a busy machine
SETTINGS = "localization: {lost_s: 60.0}\nlink: {lost_grace_s: 20.0}\ntraffic: {blocked_s: 600}\n"
STARTS = {"left": Pose2D(0.2, 1.2, 0.0), "right": Pose2D(1.2, 0.2, 0.5 * math.pi)}
GOALS = {"left": "2.2 1.2 0deg", "right": "1.2 2.2 90deg"}
NUMBERS = {"left": 1, "right": 2}
Track = list[tuple[float, float, float]]


class SharedFloor:
    """A simulator of one robot and a driver on each host."""

    def __init__(self, folder: Path) -> None:
        self.hosts = TwoHosts(folder)
        self._folder = folder
        for host in (self.hosts.left, self.hosts.right):
            self._start(host)
        for host in (self.hosts.left, self.hosts.right):
            self._wait_until_ready(host)

    def send(self, host: Host) -> Any:
        """Send a host's robot across the way of the other one; return the client's process."""
        goal = GOALS[host.name].split()
        return host.start("goal", *python("-m", "fleet.commands.main", "go-to", str(NUMBERS[host.name]), *goal))

    def place(self, host: Host) -> tuple[float, float]:
        """Return where a host's robot is."""
        _, x_m, y_m = self.track(host)[-1]
        return x_m, y_m

    def track(self, host: Host) -> Track:
        """Return where a host's robot was: time, x and y."""
        text = self._tracks(host).read_text(encoding="utf-8").rpartition("\n")[0]
        rows = [json.loads(line) for line in text.splitlines()]
        return [(time_s, x_m, y_m) for time_s, _, x_m, y_m in rows]

    @property
    def least_m(self) -> float:
        """The least distance between the two robots so far."""
        left, right = self.track(self.hosts.left), self.track(self.hosts.right)
        times_s = [time_s for time_s, _, _ in left]
        return min(
            math.dist(place_at(left, times_s, time_s), (x_m, y_m))
            for time_s, x_m, y_m in right
            if times_s[0] <= time_s <= times_s[-1]
        )

    def observed(self, host: Host, robot_id: int) -> dict[str, Any]:
        """Return the latest status of a robot that a host has received, {} if none."""
        path = self._observations(host)
        lines = path.read_text(encoding="utf-8").rpartition("\n")[0].splitlines() if path.exists() else []
        return json.loads(lines[-1]).get("robots", {}).get(str(robot_id), {}) if lines else {}

    def _start(self, host: Host) -> None:
        config, world = self._folder / f"{host.name}.yaml", self._folder / f"{host.name}_world.yaml"
        number, start = NUMBERS[host.name], STARTS[host.name]
        place = f"x_m: {start.x_m}, y_m: {start.y_m}, heading_rad: {start.heading_rad}"
        robot = f"{{id: {number}, node_id: {number}, home: {{{place}}}, pose_topic: /mocap/thymio_{number}/pose}}"
        config.write_text(f"{SETTINGS}{ARENA}robots:\n- {robot}\n")
        world.write_text(f"arena: {{width_m: 2.4, height_m: 2.4}}\nrobots:\n- {{node_id: {number}, {place}}}\n")
        self._tracks(host).touch()
        host.start("simulator", *python("-m", "simulator", "--no-clock", "--world", str(world)))
        host.start("driver", *python("-m", "fleet.ros.driver_node", "--config", str(config)))
        host.start("tracks", *python(str(HARNESS / "tracks.py"), str(self._tracks(host)), str(number)))
        host.start("observer", *python(str(HARNESS / "observer.py"), str(self._observations(host)), "2", "2"))

    def _wait_until_ready(self, host: Host) -> None:
        for robot_id in (1, 2):
            self.hosts.wait_for(
                f"robot {robot_id} to be ready, seen by {host.name}",
                lambda robot_id=robot_id: bool(self.observed(host, robot_id).get("is_ready")),
            )
        self.hosts.wait_for("true poses", lambda: bool(self.track(host)))

    def _tracks(self, host: Host) -> Path:
        return self._folder / f"{host.name}_tracks"

    def _observations(self, host: Host) -> Path:
        return self._folder / f"{host.name}_seen"


def place_at(track: Track, times_s: list[float], time_s: float) -> tuple[float, float]:
    """Return where a robot was at a time, between two rows of its track."""
    index = min(max(bisect(times_s, time_s), 1), len(track) - 1)
    (start_s, x1_m, y1_m), (end_s, x2_m, y2_m) = track[index - 1], track[index]
    share = (time_s - start_s) / (end_s - start_s) if end_s > start_s else 0.0
    return x1_m + share * (x2_m - x1_m), y1_m + share * (y2_m - y1_m)


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[SharedFloor]:
    floor = SharedFloor(tmp_path)
    try:
        yield floor
    finally:
        floor.hosts.close()


def test_hosts_that_are_separated_while_ways_cross_touch_nothing_and_arrive_once_joined(floor: SharedFloor) -> None:
    hosts = floor.hosts
    left, right = hosts.left, hosts.right
    goals = [floor.send(left), floor.send(right)]
    hosts.wait_for("both on their ways", lambda: floor.place(left)[0] > 0.5 and floor.place(right)[1] > 0.5)
    hosts.pull_cable()
    hosts.wait_for(
        "the right host to wait for the left one",
        lambda: (
            "of host left, not seen" in floor.observed(right, 2).get("blocked_by", "")
            or "host left, which does not answer" in floor.observed(right, 2).get("blocked_by", "")
        ),
    )
    hosts.plug_cable()
    hosts.wait_for("both tasks to end", lambda: all(goal.poll() is not None for goal in goals))
    assert [goal.returncode for goal in goals] == [0, 0], hosts.logs()
    assert floor.least_m >= APART_M
