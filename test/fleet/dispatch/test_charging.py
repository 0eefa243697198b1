"""Robots drive to chargers before they are empty, and leave them for those that need them more."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from fleet.dispatch.records.job import Duty, Job, JobState
from fleet.errors import ConfigError
from fleet.geometry import Pose2D
from fleet.tasks import task
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place, Work
from harness.dispatch.dispatched_fleet import DispatchedFleet, carry, fleet_of, go
from harness.dispatch.scripted_robots import ScriptedRobot


def charged_fleet(folder: Path, charges: Mapping[int, float], chargers: int = 1, settings: str = "") -> DispatchedFleet:
    """Return a fleet whose robots have these charges; its chargers are at x = 2, 3 ... and y = 3."""
    places = [Pose2D(2.0 + number, 3.0, 0.0) for number in range(chargers)]
    stations = [
        f"- {{name: charger {number}, pose: {{x_m: {place.x_m}, y_m: 3}}, role: charge}}"
        for number, place in enumerate(places)
    ]
    fleet = DispatchedFleet(fleet_of(folder, len(charges), settings, stations), tick_s=0.25)
    fleet.robots.chargers = places
    for robot_id, charge in charges.items():
        fleet.robots.robots[robot_id].charge = charge
    return fleet


def charging(fleet: DispatchedFleet) -> list[int]:
    """Return the robots in chargers, without those that leave for a task; nobody shares one."""
    robots = {robot_id: robot for robot_id, robot in fleet.robots.robots.items() if robot.task is None}
    found = [
        [robot_id for robot_id, robot in robots.items() if robot.pose.distance_to(place) < 0.05]
        for place in fleet.robots.chargers
    ]
    assert all(len(robots) <= 1 for robots in found), f"robots share a charger: {found}"
    return [robot_id for robots in found for robot_id in robots]


def test_robot_with_little_charge_gets_no_job_but_a_charger(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.29, 2: 0.9})
    fleet.submit(go("a", 1.0))
    fleet.run(5.0)
    assert (charging(fleet), fleet.report("a").robot_id) == ([1], 2)


def test_robot_that_charges_gets_a_job_when_it_is_ready(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.2})
    fleet.submit(go("a", 1.0))
    fleet.run(10.0)
    assert fleet.report("a").detail == "for charge: 50 % in one of the robots that may perform it"
    fleet.run_until_over()
    assert fleet.report("a").state is JobState.SUCCEEDED
    assert 0.45 < (fleet.robots.robots[1].charge or 0.0) < 0.52


def test_jobs_do_not_fail_while_all_robots_charge(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.05}, settings=", no_robot_s: 20")
    fleet.robots.robots[1].is_able = True
    fleet.submit(go("a", 1.0))
    fleet.run(60.0)
    assert fleet.report("a").state is JobState.QUEUED


def test_emptiest_robot_charges_first(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.25, 2: 0.18, 3: 0.27})
    fleet.run(1.0)
    assert charging(fleet) == [2]


def test_robot_that_is_ready_makes_room_for_one_with_much_less(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.25, 2: 0.18})
    fleet.run(150.0)
    assert charging(fleet) == [2]
    fleet.run(20.0)
    assert charging(fleet) == [1]


def test_robot_that_is_critical_gets_a_charger_at_once(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.25, 2: 0.4})
    fleet.run(1.0)
    fleet.robots.robots[2].charge = 0.04
    fleet.run(1.0)
    assert charging(fleet) == [2]


@pytest.mark.parametrize(("charge", "charging_in_the_end"), [(0.7, [1]), (0.95, [])])
def test_robot_that_has_nothing_to_do_fills_up(tmp_path: Path, charge: float, charging_in_the_end: list[int]) -> None:
    fleet = charged_fleet(tmp_path, {1: charge})
    fleet.run(20.0)
    assert charging(fleet) == []
    fleet.run(20.0)
    assert charging(fleet) == charging_in_the_end


def test_robots_charge_at_once_after_their_last_job_if_that_is_their_finishing(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.7}, settings=", finishing: charge")
    fleet.run(5.0)
    assert charging(fleet) == [1]


def test_full_robot_leaves_the_only_charger_to_a_robot_that_needs_it(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.7, 2: 0.8})
    fleet.run(100.0)
    assert charging(fleet) == [1]
    fleet.run(100.0)
    assert charging(fleet) == [2]


def test_robot_gives_its_job_back_when_it_becomes_critical(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.9, 2: 0.9})
    fleet.submit(carry("a", 6.0, 1.0, robots=(1, 2)))
    fleet.run(5.0)
    first = fleet.report("a").robot_id
    fleet.robots.robots[first].charge = 0.1
    fleet.run(5.0)
    assert (charging(fleet), fleet.report("a").robot_id) == ([first], 3 - first)


def test_robot_that_carries_something_unloads_it_before_it_charges(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.9})
    fleet.submit(carry("a", 1.0, 4.0))
    fleet.run(25.0)
    assert fleet.robots.robots[1].leg == 2
    fleet.robots.robots[1].charge = 0.1
    fleet.run_until_over()
    assert (fleet.report("a").state, fleet.report("a").attempts) == (JobState.SUCCEEDED, 1)
    fleet.run(1.0)
    assert charging(fleet) == [1]


def test_job_beyond_the_range_of_a_charge_waits_for_charging(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.36})
    fleet.submit(go("far", 11.5))
    fleet.run(1.0)
    assert fleet.report("far").state is not JobState.EXECUTING
    fleet.run_until_over()
    assert (fleet.robots.robots[1].charge or 0.0) > 0.15 + 1e-3 * 8.5 / 0.1


def test_direct_task_takes_a_robot_from_its_charger(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.25, 2: 0.28})
    fleet.run(1.0)
    assert charging(fleet) == [1]
    fleet.robots.give(1, task.go_to("direct", Pose2D(1.0, 1.0, 0.0)), fleet.now.core_ns)
    fleet.run(30.0)
    assert charging(fleet) == [2]


def test_robot_that_is_out_of_duty_stays_where_it_is(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.1})
    fleet.dispatcher.set_duty([1], Duty.OUT, fleet.now)
    fleet.run(60.0)
    assert charging(fleet) == []


def test_charger_with_a_dead_robot_in_it_is_not_used(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.9, 2: 0.1}, chargers=2)
    dead: ScriptedRobot = fleet.robots.robots[1]
    dead.pose, dead.is_able = fleet.robots.chargers[0], False
    fleet.run(5.0)
    assert charging(fleet) == [1, 2]


def test_robots_whose_charge_is_unknown_take_jobs(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.9})
    fleet.robots.robots[1].charge = None
    fleet.submit(go("a", 1.0))
    fleet.run_until_over()
    assert fleet.report("a").state is JobState.SUCCEEDED


@pytest.mark.slow
def test_chargers_are_shared_by_more_robots_for_hours(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.5, 2: 0.4, 3: 0.9, 4: 0.6}, chargers=2)
    least = 1.0
    for number in range(60):
        fleet.submit(carry(f"job {number}", 1.0 + number % 7, 9.5 - number % 5))
        fleet.run(20.0)
        charging(fleet)
        least = min(least, *(robot.charge or 0.0 for robot in fleet.robots.robots.values()))
    assert least > 0.14
    assert sum(fleet.report(f"job {number}").state is JobState.SUCCEEDED for number in range(60)) > 40


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("low_pct: 60", "low_pct: 60 is above ready_pct, 50"),
        ("critical_pct: 40", "critical_pct: 40 is above low_pct, 30"),
        ("full_pct: 80", "idle_pct: 90 is above full_pct, 80"),
    ],
)
def test_thresholds_in_the_wrong_order_are_refused(tmp_path: Path, settings: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        fleet_of(tmp_path, 1, f", charging: {{{settings}}}")


def dock(job_id: str, charger: Pose2D, robot_id: int) -> Job:
    """Return the job of a robot to dock."""
    return Job(job_id, Work(TaskKind.DOCK, (Place(charger),)), robots=(robot_id,))


def test_robot_that_a_job_took_onto_a_charger_stays_until_it_is_full(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.7}, settings=", finishing: home")
    fleet.submit(dock("a", fleet.robots.chargers[0], 1))
    fleet.run_until_over()
    assert fleet.report("a").state is JobState.SUCCEEDED
    fleet.run(20.0)
    assert charging(fleet) == [1]
    assert (fleet.robots.robots[1].charge or 0.0) > 0.68


def test_charger_to_which_a_task_leads_is_not_given_to_another_robot(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.7, 2: 0.2}, chargers=1)
    fleet.robots.robots[1].charge = 0.8
    request = task.go_to("a", fleet.robots.chargers[0])
    assert fleet.robots.give(1, request, 0) is None
    fleet.run(2.0)
    assert fleet.robots.robots[2].pose.distance_to(fleet.robots.chargers[0]) > 0.5


def test_job_that_docks_where_no_charger_is_is_refused(tmp_path: Path) -> None:
    fleet = charged_fleet(tmp_path, {1: 0.7})
    (why,) = fleet.dispatcher.objections([dock("a", Pose2D(0.5, 0.5, 0.0), 1)])
    assert str(why) == "NOT_A_CHARGER: (0.50, 0.50) is not a charger; chargers are charger 0"
