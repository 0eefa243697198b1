"""Objects on the floor: robots push, detect and carry them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from harness.worlds import box, cylinder, drive, overlap_m, world
from simulator.physics.contacts import OVERLAP_M
from simulator.world.world import World

UNIT_MPS = 0.000332
NOSE_M = 0.08
CENTRE = 2


def reading(simulated: World, sensor: int = CENTRE) -> float:
    return float(np.mean([simulated.sensors.proximity_raw()[0][sensor] for _ in range(50)]))


def test_robot_pushes_a_light_object_ahead() -> None:
    simulated = drive(world((0.5, 1.0, 0.0), objects=(cylinder(0.7, 1.0),)), 300, 300, 400)
    assert simulated.poses.object_poses[0, 0] - simulated.poses.positions_m[0, 0] == pytest.approx(
        NOSE_M + 0.03, abs=1e-4
    )
    assert simulated.poses.object_poses[0, 0] > 0.8


@pytest.mark.parametrize("mass_kg", [0.01, 0.1, 0.5])
def test_object_slows_the_robot_by_its_share_of_the_friction(mass_kg: float) -> None:
    simulated = drive(world((0.5, 1.0, 0.0), objects=(cylinder(0.7, 1.0, mass_kg=mass_kg),)), 300, 300, 300)
    share = 0.8 * 0.25 / (0.8 * 0.25 + 0.4 * mass_kg)
    assert simulated.motion.velocities_mps[0, 0] == pytest.approx(share * 300 * UNIT_MPS, rel=0.01)


def test_fixed_object_stops_a_robot() -> None:
    simulated = drive(world((0.5, 1.0, 0.0), objects=(box(0.8, 1.0, movable=False),)), 300, 300, 400)
    assert simulated.poses.object_poses[0].tolist() == [0.8, 1.0, 0.0]
    assert simulated.poses.positions_m[0, 0] == pytest.approx(0.8 - 0.03 - NOSE_M, abs=1e-4)


def test_box_pushed_off_centre_turns() -> None:
    simulated = drive(world((0.5, 1.0, 0.0), objects=(box(0.7, 1.02),)), 300, 300, 200)
    assert simulated.poses.object_poses[0, 2] > 0.05


def test_object_pushed_against_a_wall_stops_the_robot() -> None:
    simulated = drive(world((1.5, 1.0, 0.0), objects=(cylinder(1.8, 1.0),)), 300, 300, 600)
    assert simulated.poses.object_poses[0, 0] == pytest.approx(1.97, abs=1e-4)
    assert simulated.poses.positions_m[0, 0] == pytest.approx(1.97 - 0.03 - NOSE_M, abs=1e-4)


def test_object_pushes_another_object() -> None:
    simulated = drive(world((0.5, 1.0, 0.0), objects=(box(0.7, 1.0), cylinder(0.8, 1.0))), 200, 200, 500)
    assert simulated.poses.object_poses[1, 0] - simulated.poses.object_poses[0, 0] == pytest.approx(0.06, abs=1e-3)


@pytest.mark.parametrize(("distance_m", "expected"), [(0.02, 4253), (0.05, 3107), (0.10, 0)])
def test_cylinder_reads_as_measured_in_the_playground(distance_m: float, expected: int) -> None:
    simulated = world((0.5, 1.0, 0.0), objects=(cylinder(0.5 + 0.0795 + distance_m + 0.03, 1.0),))
    assert reading(simulated) == pytest.approx(expected, abs=3)


def test_object_lower_than_the_sensors_is_not_seen() -> None:
    low = replace(cylinder(0.65, 1.0), height_m=0.02)
    assert reading(world((0.5, 1.0, 0.0), objects=(low,))) == 0.0


def test_box_hides_the_wall_behind_it() -> None:
    wall = ((0.7, 0.9, 0.7, 1.1),)
    bare, hidden = (world((0.5, 1.0, 0.0), walls=wall, objects=objects) for objects in ((), (box(0.65, 1.0),)))
    assert reading(hidden) > reading(bare) + 500


def test_carried_object_moves_with_the_robot() -> None:
    simulated = world((0.5, 1.0, 0.0), objects=(cylinder(1.5, 1.0),))
    simulated.bodies.pick_up(0, 0)
    drive(simulated, 100, 200, 300)
    assert simulated.poses.object_poses[0].tolist() == [
        *simulated.poses.positions_m[0].tolist(),
        simulated.poses.headings_rad[0],
    ]
    assert simulated.bodies.carriers == {0: 0}


def test_carried_object_touches_nothing_and_is_not_seen() -> None:
    simulated = world((0.5, 1.0, 0.0), (0.8, 1.0, 0.0), objects=(cylinder(1.5, 1.0, 0.2),))
    simulated.bodies.pick_up(0, 1)
    drive(simulated, 0, 0, 5)
    assert simulated.poses.positions_m[0].tolist() == [0.5, 1.0]
    assert reading(simulated) == 0.0


def test_object_is_put_down_in_front_of_the_robot() -> None:
    simulated = world((0.5, 1.0, math.pi / 2), objects=(cylinder(1.5, 1.0),))
    simulated.bodies.pick_up(0, 0)
    simulated.bodies.put_down(0)
    assert simulated.poses.object_poses[0] == pytest.approx([0.5, 1.0 + NOSE_M + 0.01 + 0.03, math.pi / 2])
    assert 0 not in simulated.bodies.carriers
    assert reading(simulated) > 4000


def test_placed_object_is_released_by_its_carrier() -> None:
    simulated = world((0.5, 1.0, 0.0), objects=(cylinder(1.5, 1.0),))
    simulated.bodies.pick_up(0, 0)
    simulated.bodies.place_object(0, (1.2, 0.4, 0.3))
    drive(simulated, 100, 100, 10)
    assert simulated.poses.object_poses[0].tolist() == [1.2, 0.4, 0.3]


def test_removed_robot_puts_down_its_object() -> None:
    simulated = world((0.5, 1.0, 0.0), (1.0, 0.5, 0.0), objects=(cylinder(1.5, 1.5), cylinder(1.5, 1.7)))
    simulated.bodies.pick_up(0, 0)
    simulated.bodies.pick_up(1, 1)
    simulated.remove_robot(0)
    drive(simulated, 100, 100, 10)
    assert 0 not in simulated.bodies.carriers
    assert simulated.poses.object_poses[0, 0] == pytest.approx(0.5 + NOSE_M + 0.01 + 0.03)
    assert simulated.poses.object_poses[1, :2].tolist() == simulated.poses.positions_m[0].tolist()


def test_objects_are_added_and_removed() -> None:
    simulated = world((0.5, 1.0, 0.0))
    simulated.add_object(box(0.65, 1.0))
    assert reading(simulated) > 3000
    simulated.remove_object(0)
    assert reading(simulated) == 0.0
    assert simulated.bodies.objects == []


def test_object_placed_on_a_robot_is_pushed_out() -> None:
    simulated = world((0.5, 1.0, 0.0), objects=(box(1.5, 1.0),))
    simulated.bodies.place_object(0, (0.52, 1.01, 0.0))
    drive(simulated, 0, 0, 3)
    assert overlap_m(simulated) < OVERLAP_M
