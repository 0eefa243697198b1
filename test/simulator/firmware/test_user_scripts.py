"""Scripts as users write them: each compiles, runs, and behaves in the simulator as its author intended."""

import math
from pathlib import Path

import pytest

from harness.aseba.laboratory import Laboratory
from simulator.firmware.body import BUTTONS

MIDDLE = (1.0, 1.0, 0.0)
NOSE_M = 0.08


def touch(lab: Laboratory, button: str, duration_s: float) -> None:
    """Press a button, and release it."""
    body = lab.robot().body
    body.buttons = tuple(name == button for name in BUTTONS)
    lab.run(duration_s)
    body.buttons = (False,) * len(BUTTONS)
    lab.run(0.1)


def test_line_follower_stays_on_its_line(tmp_path: Path) -> None:
    line = "lines: [{x1_m: 0.2, y1_m: 1.0, x2_m: 1.9, y2_m: 1.0, width_m: 0.04}]"
    lab = Laboratory(tmp_path, "line_follower.aesl", (0.3, 1.01, 0.15), extra=line)
    lab.run(15.0)
    x_m, y_m, _ = lab.simulation.pose(1)
    assert x_m > 0.8
    assert y_m == pytest.approx(1.0, abs=0.03)


def test_line_follower_without_a_line_stops(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "line_follower.aesl", MIDDLE)
    lab.run(6.0)
    assert lab.robot().targets_raw == (0, 0)


def test_obstacle_avoider_turns_away_from_a_wall(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "obstacle_avoider.aesl", (1.3, 1.0, 0.1))
    closest_m = math.inf
    for _ in range(400):
        lab.run(0.1)
        x_m, _, heading_rad = lab.simulation.pose(1)
        closest_m = min(closest_m, 2.0 - x_m - NOSE_M * abs(math.cos(heading_rad)))
    assert 0.005 < closest_m < 0.15


def test_obstacle_avoider_drives_straight_without_obstacles(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "obstacle_avoider.aesl", MIDDLE)
    lab.run(3.0)
    assert lab.robot().targets_raw == (200, 200)


def test_timers_blink_and_count(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "timers.aesl", MIDDLE)
    lab.run(5.0)
    assert lab.emitted("second") == [(1,), (2,), (3,)]
    assert lab.value("blinks") == 20
    assert lab.robot().body.lights["leds.top"] == (0, 0, 0)


def test_loop_that_waits_for_a_wall_goes_on_until_the_wall_is_near(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "waits_in_a_loop.aesl", (1.75, 1.0, 0.0))
    lab.run(0.5)
    assert (lab.value("arrived"), lab.value("ticks"), lab.robot().targets_raw) == (0, 0, (150, 150))
    lab.run(4.0)
    assert (lab.value("arrived"), lab.robot().targets_raw) == (1, (0, 0))
    assert lab.value("ticks") > 10
    assert 0.01 < 2.0 - NOSE_M - lab.simulation.pose(1)[0] < 0.15


@pytest.mark.parametrize(
    ("numbers", "answer"), [((12, 18), (6, 36, 3)), ((7, 0), (7, 0, 0)), ((-1, 3), (-1, 0, 0)), ((0, 0), (0, 0, 0))]
)
def test_subroutines_compute(tmp_path: Path, numbers: tuple[int, int], answer: tuple[int, int, int]) -> None:
    lab = Laboratory(tmp_path, "subroutines.aesl", MIDDLE)
    lab.emit("question", *numbers)
    assert lab.emitted("answer") == [answer]


def test_lasting_noise_counts_as_one_clap(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "claps.aesl", MIDDLE)
    for loudness_raw in (200, 0, 200, 0):
        lab.robot().body.loudness_raw = loudness_raw
        lab.run(0.5)
    assert lab.emitted("toggled") == [(1,), (0,)]


def test_tap_counts_as_a_clap(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "claps.aesl", MIDDLE)
    lab.robot().body.is_tapped = True
    lab.run(0.1)
    assert lab.robot().targets_raw == (120, 120)


def test_music_is_played_note_by_note(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "music.aesl", MIDDLE)
    touch(lab, "forward", 0.1)
    sound = lab.robot().body.sound
    assert sound is not None
    assert (sound.native, sound.argument) == ("sound.freq", 262)
    assert sound.left_s == pytest.approx(0.2, abs=0.15)
    assert lab.robot().body.lights["leds.circle"] == (32, 0, 0, 0, 0, 0, 0, 0)
    lab.run(0.7)
    assert lab.robot().body.lights["leds.circle"] == (0, 0, 0, 0, 0, 0, 32, 0)
    lab.run(0.5)
    assert lab.robot().body.sound is None
    assert lab.value("note") == -1


def test_robots_face_to_face_count_together_by_infrared(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "infrared.aesl", (0.8, 1.0, 0.0), (1.1, 1.0, math.pi))
    lab.run(3.0)
    assert [robot.variable("prox.comm.tx") for robot in lab.simulation.robots] == [[20], [20]]
    assert lab.robot().variable("leds.top") == [20, 0, 12]
    assert lab.value("strongest") > 1400


def test_state_machine_starts_on_a_button_and_turns_before_a_wall(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "states.aesl", (1.6, 1.0, 0.0))
    touch(lab, "center", 0.2)
    lab.run(6.0)
    assert lab.emitted("state_changed")[:3] == [(0, 1), (1, 2), (2, 1)]


def test_state_machine_obeys_the_remote_control_and_stops_on_a_button(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "states.aesl", MIDDLE)
    lab.robot().body.remote = (0, 80)
    lab.run(0.1)
    assert lab.robot().targets_raw == (200, 200)
    touch(lab, "center", 0.2)
    assert lab.robot().targets_raw == (0, 0)
    assert lab.robot().body.lights["leds.bottom.left"] == (32, 0, 0)


def test_filter_sees_the_last_five_samples(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "filters.aesl", MIDDLE)
    for sample in (9, 100, -5, 7, 8, 1000):
        lab.emit("sample", sample)
    assert lab.emitted("filtered") == [(8, 23, -5, 100, 2), (8, 222, -5, 1000, 1)]


def test_script_computes_the_geometry_of_a_triangle(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "filters.aesl", MIDDLE)
    lab.run(0.2)
    assert lab.value("heading") == pytest.approx(math.atan2(300, 400) / math.pi * 32768, abs=20)
    assert lab.value("vector") == pytest.approx(400, abs=3)
    assert lab.value("length") == 60


def test_token_is_passed_around_the_robots(tmp_path: Path) -> None:
    lab = Laboratory(tmp_path, "relay.aesl", (0.5, 0.5, 0.0), (1.0, 1.0, 0.0), (1.5, 1.5, 0.0))
    lab.emit("token", 1, 7)
    lab.run(0.5)
    assert [lab.value("passed", node_id) for node_id in (1, 2, 3)] == [3, 3, 2]
    assert [robot.variable("leds.circle")[0] for robot in lab.simulation.robots] == [0, 32, 0]
