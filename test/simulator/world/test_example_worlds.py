"""The example worlds: they are valid, their robots stand free, and their fleets match them."""

from pathlib import Path

import pytest

from fleet.settings.config import load_config
from harness.worlds import overlap_m
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

WORLDS = Path(__file__).parents[3] / "examples" / "worlds"
NAMES = ("factory", "lab_table", "maze")


def test_every_example_is_tested() -> None:
    assert sorted(path.name for path in WORLDS.iterdir()) == sorted(
        f"{name}{kind}.yaml" for name in NAMES for kind in ("", "_fleet")
    )


@pytest.mark.parametrize("name", NAMES)
def test_example_world_has_no_overlaps_and_no_motion(name: str) -> None:
    simulation = Simulation(load_world(WORLDS / f"{name}.yaml"))
    before = simulation.world.poses.truth()
    for _ in range(10):
        simulation.step()
    assert overlap_m(simulation.world) < 1e-6
    assert simulation.world.poses.truth() == pytest.approx(before, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_example_fleet_has_the_worlds_robots_at_their_homes(name: str) -> None:
    world, fleet = load_world(WORLDS / f"{name}.yaml"), load_config(WORLDS / f"{name}_fleet.yaml")
    homes = {robot.node_id: (robot.home.x_m, robot.home.y_m, robot.home.heading_rad) for robot in fleet.robots}
    assert homes == {robot.node_id: (robot.x_m, robot.y_m, robot.heading_rad) for robot in world.robots}


@pytest.mark.parametrize("name", NAMES)
def test_example_fleet_dials_the_worlds_address_and_stays_inside(name: str) -> None:
    world, fleet = load_world(WORLDS / f"{name}.yaml"), load_config(WORLDS / f"{name}_fleet.yaml")
    assert f"tcp:host={world.network.address};port={world.network.port}" in fleet.link.targets
    assert fleet.arena is not None
    assert (fleet.arena.x_max_m, fleet.arena.y_max_m) == (world.arena.width_m, world.arena.height_m)
