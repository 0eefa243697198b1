"""The bring-up of simulated robots: a right one passes, and a wrong one is named; time is counted."""

import pytest

from aseba_link.thymio.events import Event
from aseba_link.thymio.hand_request import SET_GUARD
from bench.bringup.__main__ import bring_up, first_problem
from bench.bringup.mutants import MUTANTS, right_robot, right_values
from experiments.lab.simulated_bringup import SimulatedBringup
from fleet.bringup.bringup_run import BringupRun, BringupState
from fleet.bringup.cause import Cause
from fleet.bringup.robot_bench import AIR, Question
from fleet.bringup.stage_result import BringupStage, StageResult, StageVerdict
from simulator.world.config import build_world, load_world
from thymio_base.shipped_files import shipped_file

REPRESENTATIVES = (
    "firmware_9",
    "moved_variables",
    "two_of_one_id",
    "damaged_bytes",
    "restarts",
    "three_robots_only",
    "swapped_proximity",
    "skewed_accelerometer",
    "not_charging",
    "dark",
    "swapped_wheels",
    "keeps_driving",
    "mirrored_poses",
    "exchanged_bodies",
    "unequal_wheels",
)
EDGE = {"x1_m": 1.2, "y1_m": 0.5, "x2_m": 1.2, "y2_m": 1.5, "width_m": 0.1, "gray": 0.0}  # black: no floor
TO_THE_WHEELS = (BringupStage.WIRE, BringupStage.SCRIPT, BringupStage.WHEELS)


@pytest.mark.parametrize("by_radio", [False, True])
def test_a_right_robot_passes_every_stage(by_radio: bool) -> None:
    results = SimulatedBringup(right_robot(2, by_radio=by_radio)).bring_up()
    assert [(result.stage, result.verdict, result.symptoms) for result in results] == [
        (stage, StageVerdict.PASSED, ()) for stage in BringupStage if stage is not BringupStage.PORT
    ]
    assert [measure for result in results for measure in result.measures if not measure.fits] == []


def test_a_named_robot_among_others_passes_as_it_does_alone() -> None:
    simulated = SimulatedBringup(load_world(shipped_file("world.yaml")), node_id=3)
    results = simulated.bring_up((BringupStage.WIRE, BringupStage.SCRIPT, BringupStage.RADIO))
    assert [result.verdict for result in results] == [StageVerdict.PASSED] * 3
    assert [measure for result in results for measure in result.measures if not measure.fits] == []


def test_another_robot_that_is_switched_off_ends_no_stage() -> None:
    simulated = SimulatedBringup(load_world(shipped_file("world.yaml")), node_id=3)
    results: list[StageResult] = []
    run = BringupRun(simulated.bench, (BringupStage.WIRE, BringupStage.SCRIPT, BringupStage.RADIO), results.append)
    while run.state is not BringupState.DONE:
        if len(results) == 2:
            simulated.stage.simulation.network.cut_off(5)
        simulated.step(run)
    run.close()
    assert [result.verdict for result in results] == [StageVerdict.PASSED] * 3


def test_a_robot_among_others_must_be_named() -> None:
    (result,) = SimulatedBringup(load_world(shipped_file("world.yaml"))).bring_up((BringupStage.WIRE,))
    assert [symptom.cause for symptom in result.symptoms] == [Cause.MORE_ROBOTS]


@pytest.mark.parametrize("name", REPRESENTATIVES)
def test_a_wrong_robot_is_named(name: str) -> None:
    mutant = next(mutant for mutant in MUTANTS if mutant.name == name)
    assert first_problem(bring_up(mutant)) == (mutant.stage.value, mutant.cause.code)


def test_there_are_forty_wrong_robots_with_names_of_their_own() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40


def test_a_robot_does_not_move_without_permission() -> None:
    simulated = SimulatedBringup(right_robot(1), answer=lambda _: "")
    before = simulated.stage.simulation.pose(1)
    results = simulated.bring_up()
    assert simulated.stage.simulation.pose(1) == pytest.approx(before)
    skipped = {result.stage for result in results if result.verdict is StageVerdict.SKIPPED}
    assert skipped == {BringupStage.WHEELS, BringupStage.CAPTURE, BringupStage.ODOMETRY, BringupStage.TASKS}


def test_a_robot_without_a_hand_and_poses_is_not_moved() -> None:
    simulated = SimulatedBringup(right_robot(1), has_hand=False, has_poses=False)
    before = simulated.stage.simulation.pose(1)
    simulated.bring_up()
    assert simulated.stage.simulation.pose(1) == pytest.approx(before)


def test_a_ruler_replaces_poses() -> None:
    def measure(question: Question) -> str:
        """Answer like a person who reads the ruler that the hand holds."""
        if question.is_permission or "ruler" in question.text:
            return "yes"
        words = simulated.said[-1].split()
        return f"{words[words.index('mm') - 1]} {words[words.index('degrees') - 1]}"

    simulated = SimulatedBringup(right_robot(1), has_poses=False, answer=measure)
    results = simulated.bring_up((BringupStage.WIRE, BringupStage.SCRIPT, BringupStage.ODOMETRY))
    way = next(measure for measure in results[-1].measures if measure.name == "way to counted way")
    assert way.value == pytest.approx(1.0, abs=0.02)


def test_permission_to_move_answers_no_question_about_a_ruler() -> None:
    for has_hand in (True, False):
        simulated = SimulatedBringup(right_robot(1), has_poses=False, has_hand=has_hand)
        *_, result = simulated.bring_up((BringupStage.WIRE, BringupStage.SCRIPT, BringupStage.ODOMETRY))
        assert (result.verdict, len(result.notes)) == (StageVerdict.SKIPPED, 1)
        assert "--resume with a ruler" in result.notes[0]


def test_a_stage_that_fails_while_the_robot_got_no_processor_is_measured_again() -> None:
    mutant = next(mutant for mutant in MUTANTS if mutant.name == "dead_wheel")
    simulated, results = SimulatedBringup(mutant.build()), list[StageResult]()
    run = BringupRun(simulated.bench, TO_THE_WHEELS, results.append)
    is_stalled = False
    while run.state is not BringupState.DONE:
        simulated.step(run)
        if len(results) == 2 and simulated.bench.record.commands and not is_stalled:
            is_stalled = True
            for _ in range(30):  # this program goes on, and the robot does not
                simulated.stage.now_ns += 10_000_000
                run.tick(simulated.stage.now_ns)
    assert [result.attempts for result in results] == [1, 1, 2]
    assert [symptom.cause for symptom in results[-1].symptoms] == [Cause.WHEEL_DEAD]


def test_wheels_stop_in_half_a_second_when_the_bringup_is_closed() -> None:
    simulated = SimulatedBringup(right_robot(1))
    run = BringupRun(simulated.bench, TO_THE_WHEELS, lambda _: None)
    wheels = simulated.stage.simulation.world.wheels
    while abs(wheels.speeds_mps).max() < 0.02:
        assert run.state is not BringupState.DONE
        simulated.step(run)
    run.close()
    for _ in range(50):
        simulated.stage.step()
    assert abs(wheels.speeds_mps).max() == 0.0


def test_wheels_do_not_turn_in_the_air_while_the_robot_sees_a_floor() -> None:
    simulated = SimulatedBringup(right_robot(1), has_hand=False)
    simulated.bring_up((BringupStage.WIRE, BringupStage.SCRIPT))
    simulated.bench.connect()
    for _ in range(100):
        simulated.stage.step()
        simulated.bench.tick(simulated.stage.now_ns)
    before = simulated.stage.simulation.pose(1)
    for _ in range(100):
        simulated.bench.command(SET_GUARD, AIR)
        simulated.bench.command(Event.SET_SPEED, 200, 200)
        simulated.stage.step()
        simulated.bench.tick(simulated.stage.now_ns)
    x_m, y_m, _ = simulated.stage.simulation.pose(1)
    assert abs(x_m - before[0]) + abs(y_m - before[1]) < 0.02
    assert simulated.bench.record.guards


def test_a_robot_that_does_not_return_after_it_was_unplugged_is_named() -> None:
    simulated = SimulatedBringup(right_robot(1))
    results: list[StageResult] = []
    run = BringupRun(simulated.bench, (BringupStage.WIRE, BringupStage.SCRIPT, BringupStage.TASKS), results.append)
    while run.state is not BringupState.DONE:
        simulated.step(run)
        if simulated.stage.is_reachable and any("count to five" in text for text in simulated.said):
            simulated.stage.switch_off()
    assert [symptom.cause for symptom in results[-1].symptoms] == [Cause.NOT_BACK]


def test_tasks_stop_where_the_robot_sees_an_edge() -> None:
    simulated = SimulatedBringup(build_world({**right_values(1), "lines": [EDGE]}))
    results = simulated.bring_up((BringupStage.WIRE, BringupStage.SCRIPT, BringupStage.TASKS))
    assert [symptom.cause for symptom in results[-1].symptoms] == [Cause.EDGE]
    assert simulated.stage.simulation.pose(1)[0] < 1.15
