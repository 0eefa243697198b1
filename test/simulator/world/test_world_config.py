"""The shipped world and the shipped fleet match."""

from pathlib import Path

import pytest

from fleet.settings.config import load_config
from simulator.world.config import load_world

CONFIG = Path(__file__).parents[3] / "config"
WORLD = load_world(CONFIG / "world.yaml")
FLEET = load_config(CONFIG / "fleet.yaml")


def test_shipped_fleet_has_every_robot_of_the_shipped_world() -> None:
    assert [robot.node_id for robot in FLEET.robots] == [robot.node_id for robot in WORLD.robots]


def test_shipped_robots_start_at_their_homes() -> None:
    starts = [(robot.x_m, robot.y_m, robot.heading_rad) for robot in WORLD.robots]
    assert starts == [(robot.home.x_m, robot.home.y_m, robot.home.heading_rad) for robot in FLEET.robots]


def test_shipped_fleet_dials_the_address_of_the_shipped_world() -> None:
    assert f"tcp:host={WORLD.network.address};port={WORLD.network.port}" in FLEET.link.targets


def test_shipped_fleet_uses_the_worlds_motion_capture() -> None:
    topics = [f"/mocap/thymio_{robot.node_id}/pose" for robot in WORLD.robots]
    assert [robot.pose_topic for robot in FLEET.robots] == topics


def test_shipped_fleet_stays_inside_of_the_shipped_arena() -> None:
    assert FLEET.arena is not None
    assert (FLEET.arena.x_min_m, FLEET.arena.y_min_m) == (0.0, 0.0)
    assert (FLEET.arena.x_max_m, FLEET.arena.y_max_m) == pytest.approx((WORLD.arena.width_m, WORLD.arena.height_m))
