"""Which jobs a demonstration submits, and how it judges what came of them."""

import io
import math
from pathlib import Path

import pytest
from rich.console import Console

from fleet.commands.demo.demo_command import leave_folder, print_ends_of_logs
from fleet.commands.demo.demo_jobs import FACTORY_ROBOTS
from fleet.commands.demo.demo_stage import DemoStage, prepare_stage
from fleet.commands.demo.performance import Performance, RobotRecord, TrueArrival
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.reach import Reach
from fleet.dispatch.records.job import JobState
from fleet.dispatch.submission import Circumstances, objections
from fleet.geometry import Pose2D
from fleet.settings.config import load_config
from thymio_base.parts import finished

GOAL = Pose2D(1.0, 1.0, 0.0)


@pytest.fixture(params=[1, 3, FACTORY_ROBOTS, 9, 20, 100])
def stage(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DemoStage:
    monkeypatch.setattr("fleet.commands.demo.demo_stage.reserve_free_port", lambda: 4000)
    monkeypatch.setattr("fleet.commands.demo.generated_fleet.reserve_free_port", lambda: 4000)
    robot_count: int = request.param
    return prepare_stage(tmp_path, robot_count)


def report(state: JobState = JobState.SUCCEEDED, reason: str = "", ended_ns: int = 1) -> JobReport:
    """Return a job of robot 1."""
    return JobReport(
        "demo-01", "transport a > b", state, 1, -1, 5, -1.0, 1.0, 1, reason, "with numbers" * bool(reason), 1, ended_ns
    )


def performance(truth: Pose2D | None = GOAL) -> Performance:
    return Performance(report(), TrueArrival(GOAL, truth))


def record(*performances: Performance, contacts: int | None = 0) -> RobotRecord:
    """Return a robot that is at home."""
    return RobotRecord(1, TrueArrival(GOAL, GOAL), list(performances), contacts)


def test_jobs_of_a_demonstration_are_accepted(stage: DemoStage) -> None:
    fleet = load_config(stage.config)
    robot_ids = frozenset(robot.id for robot in fleet.robots)
    now = Circumstances(fleet, robot_ids, (), Reach(lambda *_: True), lambda _: None)
    assert finished(objections(stage.jobs, now)) == [None] * len(stage.jobs)
    assert len(stage.jobs) >= 0.5 * len(stage.homes)


def test_places_of_a_demonstration_are_stations_with_room_for_a_robot(stage: DemoStage) -> None:
    fleet = load_config(stage.config)
    stations = {station.name: station.pose for station in fleet.stations}
    for job in stage.jobs:
        for place in job.work.places:
            assert stations[place.name] == place.pose
            assert fleet.floor.obstacles.clearance_m(place.pose.x_m, place.pose.y_m) >= fleet.traffic.wall_m
        assert job.work.places[0].name != job.work.places[1].name


def test_job_that_ends_at_its_goal_has_no_fault() -> None:
    assert performance(Pose2D(1.01, 1.0, 0.05)).fault == ""


@pytest.mark.parametrize("truth", [Pose2D(1.04, 1.0, 0.0), Pose2D(1.0, 1.0, 0.2), None])
def test_job_that_succeeds_away_from_its_goal_has_a_fault(truth: Pose2D | None) -> None:
    assert performance(truth).fault == "not where it should be"


def test_fault_of_an_aborted_job_is_its_reason() -> None:
    assert Performance(report(JobState.ABORTED, "ATTEMPTS"), TrueArrival(GOAL, GOAL)).fault == "ATTEMPTS with numbers"


def test_unfinished_job_has_a_fault() -> None:
    assert Performance(report(JobState.EXECUTING, ended_ns=0), TrueArrival(GOAL)).fault == "no end"


def test_best_pose_of_a_robot_counts_as_its_arrival() -> None:
    arrival = TrueArrival(GOAL)
    for truth in (Pose2D(1.0, 1.0, 1.5), Pose2D(1.01, 1.0, 0.02), Pose2D(1.3, 1.0, 0.0)):
        arrival.note(truth)
    assert arrival.truth == Pose2D(1.01, 1.0, 0.02)


def test_unobserved_arrival_has_no_errors() -> None:
    assert (TrueArrival(GOAL).position_error_m, TrueArrival(GOAL).is_good) == (math.inf, False)


def test_folder_of_a_successful_demo_is_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "driver.log").write_text("a line")
    leave_folder(folder, is_kept=False)
    assert (list(tmp_path.iterdir()), capsys.readouterr().err) == ([], "")


def test_folder_of_a_failed_demo_is_kept_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leave_folder(tmp_path, is_kept=True)
    assert capsys.readouterr().err == f"configuration and logs are kept in {tmp_path}\n"
    assert tmp_path.exists()


@pytest.mark.parametrize(("ended", "shown"), [({"simulator"}, "simulator"), ({"driver"}, "driver"), (set(), "driver")])
def test_log_of_the_program_that_ended_is_shown(tmp_path: Path, ended: set[str], shown: str) -> None:
    for name in ("simulator", "driver"):
        (tmp_path / f"{name}.log").write_text(f"reason of the {name}")
    output = io.StringIO()
    print_ends_of_logs(tmp_path, ended, Console(file=output))
    assert output.getvalue() == f"the last lines of {tmp_path / shown}.log:\nreason of the {shown}\n"


def test_robot_that_touched_something_is_not_good_even_if_it_arrived() -> None:
    touched = record(performance(), contacts=1)
    assert (touched.done_count, touched.is_good) == (1, False)


def test_robot_that_is_not_at_home_is_not_good() -> None:
    away = RobotRecord(1, TrueArrival(GOAL, Pose2D(1.2, 1.0, 0.0)), contacts=0)
    assert (away.fault, away.is_good) == ("not at home", False)


def test_contacts_that_are_not_known_are_not_good() -> None:
    assert not record(contacts=None).is_good


def test_robot_without_jobs_that_stayed_at_home_is_good() -> None:
    assert record().is_good
