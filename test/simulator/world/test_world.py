"""The simulated world: how robots roll, touch and are moved; compared with closed forms."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.worlds import PERFECT, TICK_S, Pose, box, cylinder, drive, overlap_m, robot, world
from simulator.physics.contacts import OVERLAP_M
from simulator.world.config import load_world
from simulator.world.world import World

AXLE_M = 0.094
UNIT_MPS = 0.000332
NOSE_M = 0.08
FLANK_M = 0.055


def test_robot_drives_straight_at_its_speed() -> None:
    simulated = drive(world((0.5, 1.0, 0.0)), 300, 300, 100)
    assert simulated.poses.positions_m[0] == pytest.approx([0.5 + 300 * UNIT_MPS, 1.0])
    assert simulated.poses.headings_rad[0] == pytest.approx(0.0)


def test_robot_turns_in_place_about_its_axle() -> None:
    simulated = drive(world((1.0, 1.0, 0.0)), -100, 100, 100)
    assert simulated.poses.positions_m[0] == pytest.approx([1.0, 1.0])
    assert simulated.poses.headings_rad[0] == pytest.approx(200 * UNIT_MPS / AXLE_M)


@settings(deadline=None)
@given(left=st.integers(-500, 500), right=st.integers(-500, 500))
def test_robot_follows_a_circular_arc_exactly(left: int, right: int) -> None:
    simulated = drive(world((1.0, 1.0, 0.0)), left, right, 50)
    speed, turn_rate = 0.5 * (left + right) * UNIT_MPS, (right - left) * UNIT_MPS / AXLE_M
    turned = turn_rate * 0.5
    circle = [math.sin(turned), 1.0 - math.cos(turned)]
    expected = [speed * 0.5, 0.0] if turned == 0.0 else [speed / turn_rate * part for part in circle]
    assert simulated.poses.positions_m[0] - 1.0 == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("target", [500, 600, 32767])
def test_speed_saturates_at_five_hundred_units(target: int) -> None:
    simulated = drive(world((0.5, 1.0, 0.0)), target, target, 100)
    assert simulated.poses.positions_m[0, 0] == pytest.approx(0.5 + 0.166)
    assert simulated.wheels.readings_raw()[0].tolist() == [500, 500]


def test_motor_reaches_63_percent_after_its_time_constant() -> None:
    simulated = drive(world((0.5, 1.0, 0.0), motors=replace(PERFECT, time_constant_s=0.1)), 400, 400, 10)
    assert simulated.wheels.speeds_mps[0, 0] == pytest.approx(400 * UNIT_MPS * (1.0 - math.exp(-1.0)))


def test_motor_stops_a_tenth_of_a_second_after_its_target_is_zero() -> None:
    simulated = drive(
        drive(world((0.5, 1.0, 0.0), motors=replace(PERFECT, time_constant_s=0.5)), 500, 500, 200), 0, 0, 10
    )
    assert simulated.wheels.readings_raw()[0].tolist() == [0, 0]


def test_wheel_gain_shows_in_the_motion_and_not_in_the_measured_speed() -> None:
    simulated = drive(world((0.5, 1.0, 0.0), gains=(1.02, 1.02)), 300, 300, 100)
    assert simulated.poses.positions_m[0, 0] == pytest.approx(0.5 + 1.02 * 300 * UNIT_MPS)
    assert simulated.wheels.readings_raw()[0].tolist() == [300, 300]


def noisy(seed: int) -> list[list[float]]:
    simulated = world(
        (0.5, 1.0, 0.0), motors=replace(PERFECT, speed_noise=0.05, slip=0.05, reading_noise_raw=5.0), seed=seed
    )
    places: list[list[float]] = drive(simulated, 300, 200, 50).poses.positions_m.tolist()
    return places


def test_same_seed_gives_the_same_world() -> None:
    assert noisy(3) == noisy(3)


def test_other_seed_gives_another_world() -> None:
    assert noisy(3) != noisy(4)


def test_spin_ends_at_the_heading_of_its_wheels() -> None:
    simulated = drive(world((1.0, 1.0, 0.0), motors=replace(PERFECT, time_constant_s=0.1)), 100, -100, 200)
    lost_s = TICK_S / math.expm1(TICK_S / 0.1)  # lost by a lag that is sampled every 10 ms
    assert simulated.poses.headings_rad[0] == pytest.approx(-(2.0 - lost_s) * 200 * UNIT_MPS / AXLE_M, rel=1e-6)


def test_distance_driven_is_the_length_of_the_arc() -> None:
    simulated = drive(world((1.0, 1.0, 0.0)), 100, 200, 300)
    assert simulated.motion.distances_m[0] == pytest.approx(150 * UNIT_MPS * 3.0, rel=1e-4)  # chords of 10 ms


def test_wall_ahead_stops_a_robot_at_its_nose() -> None:
    simulated = drive(world((1.5, 1.0, 0.0)), 500, 500, 500)
    assert simulated.poses.positions_m[0] == pytest.approx([2.0 - NOSE_M, 1.0], abs=1e-5)
    assert simulated.poses.headings_rad[0] == pytest.approx(0.0, abs=1e-6)


def test_wall_behind_stops_a_robot_at_its_rear() -> None:
    simulated = drive(world((1.0, 1.0, 0.0), walls=((0.8, 0.0, 0.8, 2.0),)), -300, -300, 500)
    assert simulated.poses.positions_m[0, 0] == pytest.approx(0.83, abs=1e-5)


@pytest.mark.slow
@settings(deadline=None, max_examples=8)
@given(heading=st.floats(0.2, 0.75))
def test_robot_touching_a_wall_with_its_flank_turns_and_slides_along_it(heading: float) -> None:
    simulated = drive(world((0.3, 0.1, -heading)), 300, 300, 600)
    assert simulated.poses.headings_rad[0] == pytest.approx(0.0, abs=0.02)
    assert simulated.poses.positions_m[0, 1] == pytest.approx(FLANK_M, abs=1e-3)
    assert simulated.motion.velocities_mps[0] == pytest.approx([300 * UNIT_MPS, 0.0], abs=2e-3)


@settings(deadline=None, max_examples=8)
@given(heading=st.floats(0.9, 1.4))
def test_robot_touching_a_wall_with_its_round_front_slides_and_keeps_its_heading_within_one_edge(
    heading: float,
) -> None:
    simulated = drive(world((0.3, 0.2, -heading)), 200, 200, 400)
    edge_rad = 2 * 0.758 / 10  # between two straight pieces of the front
    assert abs(simulated.poses.headings_rad[0] + heading) < edge_rad
    assert simulated.motion.velocities_mps[0, 0] == pytest.approx(
        200 * UNIT_MPS * math.cos(simulated.poses.headings_rad[0]), rel=0.05
    )


def test_wheels_keep_turning_while_a_wall_blocks_the_robot() -> None:
    simulated = drive(world((1.8, 1.0, 0.0)), 300, 300, 200)
    assert simulated.wheels.readings_raw()[0].tolist() == [300, 300]
    assert simulated.motion.velocities_mps[0] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_stalling_wheels_stop_while_a_wall_blocks_the_robot() -> None:
    simulated = drive(world((1.8, 1.0, 0.0), motors=replace(PERFECT, time_constant_s=0.1, stalls=True)), 300, 300, 300)
    assert simulated.wheels.readings_raw()[0].max() < 5
    assert drive(simulated, -300, -300, 100).wheels.readings_raw()[0].tolist() == pytest.approx([-300, -300], abs=1)


def test_robots_nose_to_nose_block_each_other() -> None:
    simulated = drive(world((0.7, 1.0, 0.0), (1.3, 1.0, math.pi)), 300, 300, 240)
    assert simulated.poses.positions_m[1, 0] - simulated.poses.positions_m[0, 0] == pytest.approx(2 * NOSE_M, abs=2e-3)


def test_standing_robot_is_pushed_by_a_driving_one() -> None:
    simulated = world((0.5, 1.0, 0.0), (0.7, 1.0, 0.0))
    simulated.wheels.targets_raw[0] = 300
    for _ in range(300):
        simulated.step(TICK_S)
    assert simulated.poses.positions_m[1, 0] - simulated.poses.positions_m[0, 0] == pytest.approx(
        NOSE_M + 0.03, abs=1e-4
    )
    assert simulated.poses.positions_m[1, 0] > 0.75
    assert simulated.motion.velocities_mps[0, 0] == pytest.approx(150 * UNIT_MPS, rel=0.01)  # they share the slide


CROWD = 6
HEADINGS = st.lists(st.floats(-math.pi, math.pi), min_size=CROWD, max_size=CROWD)
SPEEDS = st.lists(st.tuples(st.integers(-500, 500), st.integers(-500, 500)), min_size=CROWD, max_size=CROWD)
PEN = ((0.7, 0.0, 0.7, 0.7), (0.0, 0.7, 0.7, 0.7))
OBJECTS = (cylinder(0.5, 0.3), box(0.5, 0.5, 0.4), box(0.62, 0.15, 0.2, movable=False))


def crowd(headings: list[float], speeds: list[tuple[int, int]]) -> World:
    """Return six robots, a post and two parcels in a corner of 70 cm."""
    poses: list[Pose] = [(0.15 + 0.2 * (k % 2), 0.15 + 0.2 * (k // 2), heading) for k, heading in enumerate(headings)]
    simulated = world(*poses, walls=PEN, objects=OBJECTS)
    simulated.wheels.targets_raw[:] = speeds
    return simulated


@settings(deadline=None, max_examples=12)
@given(headings=HEADINGS, speeds=SPEEDS)
def test_nothing_in_a_crowd_overlaps_after_any_step(headings: list[float], speeds: list[tuple[int, int]]) -> None:
    simulated = crowd(headings, speeds)
    overlaps_m = []
    for _ in range(80):
        simulated.step(TICK_S)
        overlaps_m.append(overlap_m(simulated))
    assert max(overlaps_m) < OVERLAP_M
    assert np.isfinite(simulated.poses.positions_m).all()


def slide_m(simulated: World) -> float:
    """Advance by 10 ms; return how far wheels have moved over the floor: the root of the sum of their squares."""
    before = np.column_stack((simulated.poses.positions_m, simulated.poses.headings_rad))
    simulated.step(TICK_S)
    moved = np.column_stack((simulated.poses.positions_m, simulated.poses.headings_rad)) - before
    turned = 0.5 * AXLE_M * (np.remainder(moved[:, 2] + math.pi, 2 * math.pi) - math.pi)
    return float(np.sqrt((moved[:, :2] ** 2).sum() + (turned**2).sum()))


@settings(deadline=None, max_examples=12)
@given(headings=HEADINGS, speeds=SPEEDS)
@example([0.0, 1.5, 0.0, 2.0, 0.0, 0.0], [(0, 0), (5, 346), (0, 0), (-500, 2), (0, 0), (0, 0)])  # corners that slip
def test_contacts_never_accelerate_a_crowd(headings: list[float], speeds: list[tuple[int, int]]) -> None:
    simulated = crowd(headings, speeds)
    wheels_mps = np.array(speeds) * UNIT_MPS
    turning = 0.5 * (wheels_mps[:, 1] - wheels_mps[:, 0])
    driven_m = TICK_S * float(np.sqrt((wheels_mps.mean(axis=1) ** 2 + turning**2).sum()))
    simulated.step(TICK_S)  # robots and objects may overlap at first
    assert max(slide_m(simulated) for _ in range(80)) < 1.01 * driven_m + 1e-5


@settings(deadline=None, max_examples=10)
@given(headings=HEADINGS, speeds=SPEEDS)
def test_crowd_stops_when_its_wheels_stop(headings: list[float], speeds: list[tuple[int, int]]) -> None:
    simulated = crowd(headings, speeds)
    for _ in range(50):
        simulated.step(TICK_S)
    drive(simulated, 0, 0, 2)
    assert slide_m(simulated) < 1e-6


def test_contacts_are_the_same_in_every_run() -> None:
    runs = [crowd([0.1 * k for k in range(CROWD)], [(300, 250)] * CROWD) for _ in range(2)]
    for simulated in runs:
        drive(simulated, 300, 250, 200)
    assert runs[0].poses.positions_m.tolist() == runs[1].poses.positions_m.tolist()
    assert runs[0].poses.object_poses.tolist() == runs[1].poses.object_poses.tolist()


def test_collision_is_counted_once_while_it_lasts() -> None:
    simulated = drive(world((1.8, 1.0, 0.0)), 300, 300, 300)
    assert simulated.collisions.counts.tolist() == [1]
    drive(drive(simulated, -300, -300, 100), 300, 300, 200)
    assert simulated.collisions.counts.tolist() == [2]


def test_robot_that_backs_off_by_a_centimetre_collides_again() -> None:
    simulated = drive(world((0.5, 1.0, math.pi), walls=((0.3, 0.0, 0.3, 2.0),)), 200, 200, 300)
    drive(drive(simulated, -100, -100, 30), 100, 100, 60)
    assert simulated.collisions.counts.tolist() == [2]


def test_collision_is_reported_once_as_a_tap() -> None:
    simulated = drive(world((1.8, 1.0, 0.0), (0.5, 0.5, 0.0)), 300, 300, 130)
    assert [simulated.collisions.pop_new(), simulated.collisions.pop_new()] == [[0], []]


def test_robot_can_be_teleported() -> None:
    simulated = drive(world((0.5, 0.5, 0.0), motors=replace(PERFECT, time_constant_s=0.1)), 300, 300, 50)
    driven_m = simulated.motion.distances_m[0]
    simulated.place_robot(0, 1.5, 1.0, math.pi / 2)
    assert [*simulated.poses.positions_m[0], simulated.poses.headings_rad[0]] == [1.5, 1.0, math.pi / 2]
    assert simulated.wheels.speeds_mps[0].tolist() == [0.0, 0.0]
    assert simulated.motion.distances_m[0] == driven_m


def test_values_written_to_the_arrays_apply_from_the_next_step() -> None:
    simulated = drive(world((0.5, 0.5, 0.0), objects=(cylinder(1.5, 1.5),)), 300, 300, 50)
    simulated.poses.positions_m[0] = (1.0, 1.2)
    simulated.poses.headings_rad[0] = math.pi / 2
    simulated.poses.object_poses[0, :2] = (1.0, 1.2 + NOSE_M + 0.03 + 0.001)
    drive(simulated, 300, 300, 50)
    assert simulated.poses.positions_m[0, 0] == pytest.approx(1.0)
    assert simulated.poses.object_poses[0, 1] > 1.35


def test_robot_placed_on_another_is_pushed_out() -> None:
    simulated = world((0.5, 0.5, 0.0), (1.5, 1.0, 0.0))
    simulated.place_robot(0, 1.48, 1.01, 0.4)
    drive(simulated, 0, 0, 2)
    assert overlap_m(simulated) < OVERLAP_M


def test_added_robot_drives_like_the_others() -> None:
    simulated = world((0.5, 0.5, 0.0))
    simulated.add_robot(robot(2, (0.5, 1.0, 0.0)))
    drive(simulated, 100, 100, 100)
    assert simulated.poses.positions_m == pytest.approx(np.array([[0.5332, 0.5], [0.5332, 1.0]]))
    assert [len(words) for words in simulated.sensors.proximity_raw()] == [7, 7]
    assert [
        len(table) for table in (simulated.collisions.counts, simulated.batteries.charge, simulated.motion.distances_m)
    ] == [2, 2, 2]


def test_indices_move_up_when_a_robot_is_removed() -> None:
    simulated = drive(world((0.5, 0.5, 0.0), (0.5, 1.0, 0.0), (0.5, 1.5, 0.0)), 100, 100, 10)
    simulated.remove_robot(1)
    drive(simulated, 100, 100, 10)
    assert simulated.poses.positions_m[:, 1] == pytest.approx([0.5, 1.5])
    assert [len(words) for words in simulated.sensors.ground_raw()] == [2, 2]


def test_world_without_robots_keeps_running() -> None:
    simulated = world((0.5, 0.5, 0.0), objects=(cylinder(1.0, 1.0),))
    simulated.remove_robot(0)
    drive(simulated, 0, 0, 2)
    assert simulated.sensors.proximity_raw() == []


SHIPPED = Path(__file__).parents[3] / "config" / "world.yaml"


def test_shipped_world_has_eight_robots_in_cells_of_a_metre() -> None:
    config = load_world(SHIPPED)
    assert [
        (robot.node_id, round(robot.x_m, 6), round(robot.y_m, 6), robot.heading_rad) for robot in config.robots
    ] == [(k, 0.6 + (k - 1) % 4, 0.6 + (k - 1) // 4, 0.0) for k in range(1, 9)]
    assert len({robot.uuid for robot in config.robots}) == 8
    assert (config.arena.width_m, config.arena.height_m) == (4.2, 2.2)


def test_shipped_wheels_deviate_by_at_most_two_percent() -> None:
    gains = [gain for robot in load_world(SHIPPED).robots for gain in (robot.left_wheel_gain, robot.right_wheel_gain)]
    assert all(abs(gain - 1.0) <= 0.02 + 1e-9 for gain in gains)
    assert len(set(gains)) > 1
