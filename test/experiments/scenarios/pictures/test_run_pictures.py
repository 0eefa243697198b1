"""Pictures of a run show where bodies touched, what went wrong, and the states of robots."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from experiments.scenarios.file.experiment import Experiment, Fault, FaultKind
from experiments.scenarios.file.experiment_file import load_experiment
from experiments.scenarios.pictures.contact_marks import contact_marks
from experiments.scenarios.pictures.fault_marks import fault_marks
from experiments.scenarios.pictures.path_pictures import animate, draw_paths
from experiments.scenarios.pictures.robot_tones import RobotTones
from experiments.scenarios.pictures.wait_marks import wait_marks
from experiments.scenarios.run.repetition import Run, perform
from thymio_base.palette import FIXTURE_FACE, OBJECT_FACE, ORANGE, VERMILION, Tone

CRATE = """
title: A crate
world:
  arena: {width_m: 2, height_m: 1}
  objects:
  - {name: crate, shape: box, x_m: 0.8, y_m: 0.5, length_m: 0.1, width_m: 0.1, height_m: 0.08, mass_kg: 0.06}
  - {name: post, shape: cylinder, x_m: 1.5, y_m: 0.8, radius_m: 0.06, height_m: 0.1, movable: false}
  robots:
  - {node_id: 1, x_m: 0.4, y_m: 0.5}
fleet:
  robots:
  - {id: 7, node_id: 1, home: {x_m: 0.4, y_m: 0.2}, pose_topic: /mocap/thymio_1/pose}
duration_s: 20
record_hz: 50
tasks:
- {id: a, robot: 7, at_s: 1, go_to: {x_m: 1.2, y_m: 0.5}}
faults:
- {at_s: 3, what: hide, robot: 7, for_s: 1.5}
- {at_s: 400, what: push, robot: 7, y_m: 0.1}
"""


WALLS = "[{x1_m: 1, y1_m: 0, x2_m: 1, y2_m: 0.38}, {x1_m: 1, y1_m: 0.62, x2_m: 1, y2_m: 1}]"
DOOR = f"""
title: A door
world:
  arena: {{width_m: 2, height_m: 1}}
  walls: {WALLS}
  robots:
  - {{node_id: 1, x_m: 0.4, y_m: 0.3}}
  - {{node_id: 2, x_m: 1.6, y_m: 0.5, heading_rad: 3.1416}}
fleet:
  floor: {{walls: {WALLS}}}
  robots:
  - {{id: 1, node_id: 1, home: {{x_m: 0.4, y_m: 0.3}}, pose_topic: /mocap/thymio_1/pose}}
  - {{id: 2, node_id: 2, home: {{x_m: 1.6, y_m: 0.5}}, pose_topic: /mocap/thymio_2/pose}}
duration_s: 60
tasks:
- {{id: a, robot: 1, at_s: 1, go_to: {{x_m: 1.6, y_m: 0.5}}}}
- {{id: b, robot: 2, at_s: 3, go_to: {{x_m: 0.4, y_m: 0.5}}}}
"""


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    file = tmp_path_factory.mktemp("crate") / "experiment.yaml"
    file.write_text(CRATE)
    return load_experiment(file)


@pytest.fixture(scope="module")
def run(experiment: Experiment) -> Run:
    return perform(experiment, 1, 1)


def colors(file: Path) -> set[str]:
    with Image.open(file) as picture:
        found = picture.convert("RGB").getcolors(1 << 20)
    return {"#" + bytes(color).hex() for _, color in found or []}


def test_contact_is_where_the_nose_met_the_crate(run: Run, experiment: Experiment) -> None:
    (mark,) = contact_marks(run.recording, experiment.world)
    assert (mark.x_m, mark.y_m) == pytest.approx((0.75, 0.5), abs=0.01)
    assert 1.0 < mark.time_s < run.duration_s


@pytest.mark.slow
def test_waits_are_marked_where_a_robot_lets_the_other_pass(tmp_path: Path) -> None:
    file = tmp_path / "door.yaml"
    file.write_text(DOOR)
    experiment = load_experiment(file)
    run = perform(experiment, 1, 1)
    marks = wait_marks(run.recording)
    assert marks
    assert all(math.dist((mark.x_m, mark.y_m), (1.0, 0.5)) > 0.1 for mark in marks)  # nobody waits in the door
    assert all(1.0 < mark.time_s < run.duration_s for mark in marks)
    draw_paths(tmp_path / "door.png", experiment, run)
    assert Tone.BUSY.light.lower() in colors(tmp_path / "door.png")


def test_robot_is_busy_from_the_start_of_its_task_to_its_end(run: Run) -> None:
    tones, task = RobotTones(run), run.assignments[0]
    assert task.ended_s is not None
    assert [tones.at(7, time_s) for time_s in (0.5, 1.0, 2.0, task.ended_s)] == [
        Tone.IDLE,
        Tone.BUSY,
        Tone.BUSY,
        Tone.IDLE,
    ]


def test_hidden_robot_is_warned_of(run: Run) -> None:
    assert RobotTones(run).at(7, 3.8) is Tone.WARNING


def test_fault_is_named_with_time_robot_and_duration(run: Run, experiment: Experiment) -> None:
    (mark,) = fault_marks(experiment.faults, run.recording)
    assert (mark.letter, mark.words, mark.until_s) == ("A", "3 s: hide robot 7, for 1.5 s", 4.5)
    row = run.recording.rows(3.0, 3.0).start
    assert mark.places == (tuple(run.recording.truth[row, 0, :2]),)


@pytest.mark.parametrize(
    ("fault", "words", "until_s", "places"),
    [
        (Fault(FaultKind.CUT_LINK, 1.0), "1 s: cut_link all robots", math.inf, 1),
        (Fault(FaultKind.PUSH, 1.5, robot_id=7), "1.5 s: push robot 7", 1.5, 1),
        (Fault(FaultKind.CANCEL, 1.0, task_id="a"), "1 s: cancel task a", 1.0, 0),
        (Fault(FaultKind.STOP, 0.0, for_s=2.0), "0 s: stop all robots, for 2 s", 2.0, 1),
    ],
)
def test_faults_in_words(fault: Fault, words: str, until_s: float, places: int, run: Run) -> None:
    (mark,) = fault_marks([fault], run.recording)
    assert (mark.words, mark.until_s, len(mark.places)) == (words, until_s, places)


def test_faults_are_lettered_in_the_order_of_time(run: Run) -> None:
    faults = [Fault(FaultKind.STOP, 0.1 * number) for number in range(27, -1, -1)]
    letters = [mark.letter for mark in fault_marks(faults, run.recording)]
    assert (letters[0], letters[25], letters[26], letters[27]) == ("A", "Z", "A1", "B1")


def test_picture_shows_objects_contacts_faults_and_states(run: Run, experiment: Experiment, tmp_path: Path) -> None:
    draw_paths(tmp_path / "paths.png", experiment, run)
    expected = {OBJECT_FACE, FIXTURE_FACE, ORANGE, VERMILION, Tone.BUSY.light, Tone.WARNING.light}
    assert {color.lower() for color in expected} <= colors(tmp_path / "paths.png")


def test_same_run_gives_the_same_picture(run: Run, experiment: Experiment, tmp_path: Path) -> None:
    for name in ("one.png", "other.png"):
        draw_paths(tmp_path / name, experiment, run)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "other.png").read_bytes()


@pytest.mark.slow
def test_animation_has_a_frame_for_each_tenth_of_a_second_at_four_times_the_speed(
    experiment: Experiment, tmp_path: Path
) -> None:
    short = replace(experiment, duration_s=4.0)
    run = perform(short, 1, 1)
    animate(tmp_path / "run.gif", short, run)
    with Image.open(tmp_path / "run.gif") as animation:
        count = getattr(animation, "n_frames", 1)
    assert count == pytest.approx(run.duration_s / 0.4, abs=1.0)
