"""The kit passes a server that is right, and finds ones that are wrong, by the right cases."""

from pathlib import Path
from typing import Any

import pytest

from bench.conformance.__main__ import BAD, run_in_memory, verdicts
from bench.conformance.memory_port import MemoryPort
from bench.conformance.reference_robot import ReferenceRobot
from bench.conformance.wrong_servers import MUTANTS, CustomersSimulator
from conformance.cases.all_cases import CASES
from conformance.cases.case import Judgement
from conformance.play.plan import SCENARIOS, RunProfile, planned
from conformance.play.robot_stage import ScenarioStage
from conformance.record.finding import CaseVerdict, Obligation
from conformance.record.run_record import read_recording, recording_lines
from conformance.run.kit_run import judge, perform
from conformance.run.set_up import read_set_up

REPRESENTATIVE = (
    "SlowPose",
    "NeverBusy",
    "KeepsId",
    "Overwriting",
    "SameUuid",
    "StopsShort",
    "CanceledSucceeds",
    "OneByOne",
)


def failed(found: list[Judgement]) -> list[str]:
    return [one.case.address for one in found if one.verdict is CaseVerdict.FAIL]


def test_the_cases_match_the_study() -> None:
    levels = [case.level for case in CASES.values()]
    assert [levels.count(one) for one in (Obligation.MUST, Obligation.SHOULD, Obligation.INFO)] == [36, 72, 10]
    assert {case.scenario for case in CASES.values()} == set(SCENARIOS)


def test_a_correct_server_passes_every_case_that_can_be_judged() -> None:
    found = verdicts(ReferenceRobot)
    assert [(one.case.address, one.finding) for one in found if one.verdict in BAD] == []
    assert sum(one.verdict is CaseVerdict.PASS for one in found) > 80


@pytest.mark.parametrize("name", REPRESENTATIVE)
def test_a_wrong_server_fails_the_case_about_it(name: str) -> None:
    address, robot = MUTANTS[name]
    assert address in failed(verdicts(robot))


def test_the_customers_simulator_fails_its_own_documents() -> None:
    assert failed(verdicts(CustomersSimulator, strict=False)) == ["D7", "G2", "G4"]


def test_a_recording_in_a_file_gets_the_same_verdicts(tmp_path: Path) -> None:
    recording, setup = run_in_memory(MUTANTS["CanceledSucceeds"][1])
    again = read_recording(recording_lines(recording), "run.jsonl")
    rows = [[(one.case.address, one.verdict) for one in judge(each, setup)] for each in (recording, again)]
    assert rows[0] == rows[1]


def test_an_interrupted_run_cancels_its_goal() -> None:
    setup = read_set_up(None, "/factory/robot_1", RunProfile.QUICK)

    class Interrupted(MemoryPort):
        is_interrupted = False

        def step(self) -> None:
            if self.robot.active is not None and not self.is_interrupted:
                self.is_interrupted = True
                raise KeyboardInterrupt
            super().step()

    port = Interrupted(ReferenceRobot, setup)
    stage = ScenarioStage(port, setup, "ct-test")
    with pytest.raises(KeyboardInterrupt):
        perform(stage, planned(RunProfile.QUICK, setup, {"reach"}), setup, lambda *_: None)
    assert port.robot.active is not None
    assert stage.end_all()
    assert [goal.state for goal in port.robot.goals.values()] == [5]


def test_a_robot_that_is_busy_is_not_judged() -> None:
    setup = read_set_up(None, "/factory/robot_1", RunProfile.QUICK, {"timeout_s": 3.0})

    class Busy(ReferenceRobot):
        def status(self, values: dict[str, str]) -> dict[str, object]:
            return super().status({**values, "busy": "yes"})

    port = MemoryPort(Busy, setup)
    port.wait(lambda: False, 1.5)
    scenarios = planned(RunProfile.QUICK, setup, {"cancel"})
    perform(ScenarioStage(port, setup, "ct-test"), scenarios, setup, lambda *_: None)
    assert {one.verdict for one in judge(port.recording, setup, ("cancel",))} == {CaseVerdict.INCONCLUSIVE}
    assert port.robot.goals == {}


@pytest.mark.parametrize(("level", "message", "has_pose"), [(2, "link lost", False), (1, "stopped", True)])
def test_a_robot_that_says_why_it_takes_no_task_is_not_failed(level: int, message: str, has_pose: bool) -> None:
    class Unwell(ReferenceRobot):
        def refusal(self, uuid: str, goal: dict[str, Any]) -> str:
            return "UNWELL"

        def status(self, values: dict[str, str]) -> dict[str, Any]:
            return {**super().status(values), "level": level, "message": message}

        def publish_pose(self) -> None:
            if has_pose:
                super().publish_pose()

    found = verdicts(Unwell)
    assert failed(found) == []
    if has_pose:
        assert [one.finding.actual for one in found if one.case.address == "E1"] == [
            "rejected, but the robot says: stopped"
        ]


def test_scenarios_without_motion_send_no_goals() -> None:
    setup = read_set_up(None, "/factory/robot_1", RunProfile.FULL, {"no_motion": True})
    port = MemoryPort(ReferenceRobot, setup)
    perform(ScenarioStage(port, setup, "ct-test"), planned(RunProfile.FULL, setup), setup, lambda *_: None)
    assert not [one for one in port.recording.events if one.name.endswith("/send_goal")]
    assert sum(one.verdict is CaseVerdict.PASS for one in judge(port.recording, setup)) > 30
