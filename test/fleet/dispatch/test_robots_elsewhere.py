"""Robots of other drivers get jobs as goals, and count as this driver's own in everything else."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fleet.dispatch.dispatcher import Dispatcher
from fleet.dispatch.records.job import JobState
from fleet.dispatch.records.job_record import JobRecord
from fleet.geometry import Pose2D
from fleet.reason import Explanation, Reason
from fleet.robots.readiness import Readiness
from fleet.settings.config import FleetConfig
from fleet.tasks.task import transport
from fleet.tasks.task_kind import TaskKind
from fleet.work.task_of_work import task_of_work
from fleet.work.work import Work
from harness.dispatch.dispatched_fleet import DispatchedFleet, carry, fleet_of, go
from harness.dispatch.scripted_robots import ScriptedRobots


class ScriptedElsewhere:
    """Scripted robots behind actions; `goals` are the work that was sent, `aside` the places."""

    def __init__(self, config: FleetConfig, robots: ScriptedRobots) -> None:
        self._config = config
        self.robots = robots
        self.goals: list[Work] = []
        self.aside: list[tuple[int, Pose2D]] = []
        self.aside_kinds: list[TaskKind] = []

    def readiness(self, now_ns: int) -> list[Readiness]:
        return [replace(robot, is_elsewhere=True) for robot in self.robots.readiness(now_ns)]

    def give(self, robot_id: int, work: Work, task_id: str, now_ns: int) -> Explanation | None:
        robot = self.robots.robots[robot_id]
        self.goals.append(work)
        request = task_of_work(work, task_id, self._config, home=robot.home, pose=robot.pose)
        return self.robots.give(robot_id, request, now_ns)

    def send_aside(self, robot_id: int, work: Work) -> None:
        self.aside.append((robot_id, work.places[-1].pose))
        self.aside_kinds.append(work.kind)
        self.robots.send_aside(robot_id, work, 0)

    def take(self, robot_id: int, task_id: str) -> None:
        if robot_id in self.robots.robots:
            self.robots.take(robot_id, task_id, 0)


class MixedFleet(DispatchedFleet):
    """A fleet whose robot 1 is its own, and whose robot 7 another driver serves."""

    def __init__(self, folder: Path, stations: Sequence[str] = ()) -> None:
        super().__init__(fleet_of(folder, 1, stations=stations))
        self.elsewhere = ScriptedElsewhere(self.config, ScriptedRobots({7: Pose2D(5.0, 0.5, 0.0)}))
        self.restart()

    def restart(self) -> None:
        self.dispatcher = Dispatcher(self.config, self.robots, self.book, self.now, self.elsewhere)
        self.tick()

    def tick(self) -> None:
        self.outcomes += self.elsewhere.robots.advance(self.tick_s)
        super().tick()


CHARGER = Pose2D(4.0, 3.0, 0.0)


@pytest.fixture
def fleet(tmp_path: Path) -> MixedFleet:
    return MixedFleet(tmp_path)


def test_the_nearest_robot_of_any_driver_gets_a_job(fleet: MixedFleet) -> None:
    fleet.submit(go("here", 0.6), go("there", 5.1))
    fleet.run_until_over()
    assert {job_id: fleet.report(job_id).robot_id for job_id in ("here", "there")} == {"here": 1, "there": 7}


def test_a_job_may_name_a_robot_of_another_driver_and_no_unknown_one(fleet: MixedFleet) -> None:
    fleet.submit(go("named", 0.6, robots=(7,)))
    refused = fleet.dispatcher.submit([go("unknown", 0.6, robots=(8,))], fleet.now)[0]
    assert refused is not None
    assert "robot 8 is not in the fleet" in refused.detail
    fleet.run_until_over()
    assert fleet.report("named").robot_id == 7


def test_a_job_is_canceled_wherever_it_is_performed(fleet: MixedFleet) -> None:
    fleet.submit(go("job", 0.6, robots=(7,)))
    fleet.run(2.0)
    assert fleet.dispatcher.cancel("job", fleet.now) is None
    fleet.run(0.5)
    assert fleet.state("job") is JobState.CANCELED


def test_a_robot_with_little_charge_is_sent_to_a_charger_by_any_driver(tmp_path: Path) -> None:
    fleet = MixedFleet(tmp_path, ["- {name: charger, pose: {x_m: 4, y_m: 3}, role: charge}"])
    fleet.elsewhere.robots.chargers = [CHARGER]
    fleet.elsewhere.robots.robots[7].charge = 0.2
    fleet.submit(go("near it", 5.1, robots=(7,)))
    fleet.run(10.0)
    assert fleet.elsewhere.aside == [(7, CHARGER)]
    assert fleet.elsewhere.aside_kinds == [TaskKind.DOCK]
    assert fleet.state("near it") is JobState.QUEUED
    assert fleet.report("near it").detail.startswith("for charge: ")
    fleet.run_until_over()
    assert fleet.state("near it") is JobState.SUCCEEDED


def test_a_robot_that_is_loaded_unloads_where_it_should_after_the_dispatcher_died(fleet: MixedFleet) -> None:
    job = carry("job", 5.1, 6.0, robots=(7,))
    fleet.submit(job)
    fleet.run(20.0)
    robot = fleet.elsewhere.robots.robots[7]
    assert robot.leg == 2
    robot.task, robot.leg = None, 0  # its client has died
    fleet.restart()
    fleet.run_until_over()
    assert fleet.state("job") is JobState.SUCCEEDED
    assert fleet.elsewhere.goals[-1].places == (job.work.places[1], job.work.places[1])
    assert robot.pose == job.work.places[1].pose


def test_the_next_dispatcher_knows_the_leg_of_a_remaining_job_on_a_local_robot(fleet: MixedFleet) -> None:
    job = carry("job", 0.6, 2.0, robots=(1,))
    record = JobRecord(job, 1, 0, loaded_robot=1)
    attempt = record.begin(1, 0)
    fleet.book.write([record])
    robot = fleet.robots.robots[1]
    robot.task = transport(attempt.task_id, job.work.places[1].pose, job.work.places[1].pose, 2.0)
    robot.leg, robot.leg_left_s = 3, 1.0
    fleet.restart()
    fleet.tick()
    robot.task = None
    fleet.restart()
    assert fleet.state("job") is JobState.HELD


@pytest.mark.parametrize(("reason", "state"), [("SERVED_ELSEWHERE", JobState.HELD), ("ROBOT_LOST", JobState.SUCCEEDED)])
def test_a_job_is_held_if_a_driver_dies_while_its_robot_is_loaded(
    fleet: MixedFleet, reason: str, state: JobState
) -> None:
    fleet.submit(carry("job", 5.0, 6.0, robots=(7,)))
    fleet.run(16.0)
    assert fleet.elsewhere.robots.robots[7].leg == 1
    fleet.outcomes.append(fleet.elsewhere.robots.abort(7, Reason(reason)))
    fleet.run(100.0)
    assert fleet.state("job") is state


def test_a_robot_of_another_driver_that_is_in_the_way_is_sent_aside(fleet: MixedFleet) -> None:
    fleet.elsewhere.robots.robots[7].pose = Pose2D(0.6, 2.0, 0.0)
    fleet.submit(go("job", 0.6, robots=(1,)))
    fleet.run(1.0)
    assert fleet.elsewhere.aside[0] == (7, Pose2D(5.0, 0.5, 0.0))
