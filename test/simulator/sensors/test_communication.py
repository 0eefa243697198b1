"""Infrared between robots: which pulses are received, at which sensors and how strongly."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.worlds import cylinder
from simulator.physics.bodies import Bodies, BodyPiece
from simulator.physics.objects import ObjectConfig, object_piece, robot_piece
from simulator.physics.walls import wall
from simulator.sensors.communication import ReceivedPulse, intensity_raw, received_pulses

Pose = tuple[float, float, float]
Wall = tuple[float, float, float, float]

NOSE_M = 0.0795  # from the axle to the centre sensor
REAR_M = 0.0295
CENTRE = 2
REAR = (5, 6)


def pulses_of(
    *poses: Pose,
    walls: tuple[Wall, ...] = (),
    objects: tuple[ObjectConfig, ...] = (),
    silent: tuple[int, ...] = (),
) -> list[ReceivedPulse]:
    placed: list[tuple[BodyPiece, Pose]] = [(robot_piece(), pose) for pose in poses]
    placed += [(object_piece(item), (item.x_m, item.y_m, item.heading_rad)) for item in objects]
    placed += [wall(ends) for ends in walls]
    communicates = [index not in silent for index in range(len(poses))]
    places = [number for _, pose in placed for number in pose]
    return received_pulses(Bodies([piece for piece, _ in placed]).obstacles, places, communicates)


def facing(gap_m: float) -> tuple[Pose, Pose]:
    """Return two robots nose to nose."""
    return (0.0, 0.0, 0.0), (2 * NOSE_M + gap_m, 0.0, math.pi)


def enki(distance_cm: float) -> float:
    return 4600.0 * (917.0 - 0.04) / (distance_cm**2 - 0.4 * distance_cm + 917.0)


@given(st.floats(0.5, 45.0))
def test_intensity_falls_as_in_the_model(distance_cm: float) -> None:
    assert intensity_raw(0.01 * distance_cm) == pytest.approx(enki(distance_cm), rel=1e-9)


@pytest.mark.parametrize("distance_m", [0.465, 0.48, 1.0, math.inf])
def test_sender_out_of_range_is_not_received(distance_m: float) -> None:
    assert intensity_raw(distance_m) == 0.0


@pytest.mark.parametrize("gap_m", [0.05, 0.2, 0.4])
def test_robots_nose_to_nose_receive_each_other_best_at_the_centre(gap_m: float) -> None:
    found = pulses_of(*facing(gap_m))
    assert [(pulse.receiver, pulse.sender) for pulse in found] == [(0, 1), (1, 0)]
    for pulse in found:
        assert pulse.intensities_raw[CENTRE] == pytest.approx(enki(100.0 * gap_m), abs=1.0)
        assert max(pulse.intensities_raw) == pulse.intensities_raw[CENTRE]


def test_robots_half_a_metre_apart_receive_nothing() -> None:
    assert pulses_of(*facing(0.5)) == []


def test_robot_behind_is_received_at_the_rear_only_and_receives_the_rear_of_the_one_ahead() -> None:
    ahead, behind = (0.0, 0.0, 0.0), (-REAR_M - 0.2 - NOSE_M, 0.0, 0.0)
    first, second = pulses_of(ahead, behind)
    assert (first.receiver, [index for index in range(7) if first.intensities_raw[index]]) == (0, list(REAR))
    assert second.receiver == 1
    assert max(second.intensities_raw[:5]) > 0
    assert second.intensities_raw[5:] == (0, 0)


def test_robots_side_by_side_do_not_receive_each_other() -> None:
    assert pulses_of((0.0, 0.0, 0.0), (0.0, 0.25, 0.0)) == []


def test_wall_between_robots_blocks_infrared() -> None:
    one, other = facing(0.2)
    assert pulses_of(one, other, walls=((NOSE_M + 0.1, -1.0, NOSE_M + 0.1, 1.0),)) == []


def test_wall_behind_the_other_robot_does_not_block_infrared() -> None:
    one, other = facing(0.2)
    assert len(pulses_of(one, other, walls=((1.0, -1.0, 1.0, 1.0),))) == 2


def test_robot_between_two_others_blocks_infrared() -> None:
    one, other = facing(0.3)
    assert pulses_of(one, other, (NOSE_M + 0.125, 0.0, math.pi / 2), silent=(2,)) == []


def test_object_between_two_robots_blocks_infrared() -> None:
    item = cylinder(NOSE_M + 0.1, 0.0, 0.06)
    assert pulses_of(*facing(0.2), objects=(item,)) == []


def test_low_object_does_not_block_infrared() -> None:
    item = replace(cylinder(NOSE_M + 0.1, 0.0, 0.06), height_m=0.01)
    assert len(pulses_of(*facing(0.2), objects=(item,))) == 2


def test_robot_without_communication_receives_nothing() -> None:
    assert pulses_of(*facing(0.2), silent=(1,)) == []


def test_lone_robot_does_not_receive_itself() -> None:
    assert pulses_of((0.0, 0.0, 0.0)) == []


@given(st.floats(-3.2, 3.2), st.floats(-5.0, 5.0))
def test_communication_does_not_depend_on_the_place_of_the_pair(turn_rad: float, shift_m: float) -> None:
    cosine, sine = math.cos(turn_rad), math.sin(turn_rad)
    moved = [(cosine * x - sine * y + shift_m, sine * x + cosine * y, h + turn_rad) for x, y, h in facing(0.15)]
    intensities = [pulse.intensities_raw for pulse in pulses_of(*moved)]
    expected = [pulse.intensities_raw for pulse in pulses_of(*facing(0.15))]
    assert np.abs(np.array(intensities) - np.array(expected)).max() <= 1


def test_receiver_receives_every_sender_in_order() -> None:
    ring = [(0.3 * math.cos(a), 0.3 * math.sin(a), a + math.pi) for a in (0.0, 0.6, -0.6)]
    found = pulses_of((0.0, 0.0, 0.0), *ring)
    assert [pulse.sender for pulse in found if pulse.receiver == 0] == [1, 2, 3]
