"""Times of jobs are learned from those that have ended."""

from pathlib import Path

import pytest

from fleet.dispatch.travel_factor import TravelFactor
from fleet.geometry import Pose2D
from harness.dispatch.dispatched_fleet import DispatchedFleet, at, carry, fleet_of, go
from thymio_base.parts import finished

HERE, THERE = Pose2D(0.0, 0.0, 0.0), Pose2D(1.0, 0.0, 0.0)


def test_factor_converges_to_that_of_the_jobs() -> None:
    learned = TravelFactor(lambda start, goal: 10.0 * start.distance_to(goal))
    for _ in range(200):
        learned.note(learned.travel_s(HERE, THERE), 15.0)
    assert learned.travel_s(HERE, THERE) == pytest.approx(15.0, rel=0.02)


def test_single_job_that_took_very_long_changes_little() -> None:
    learned = TravelFactor(lambda start, goal: 10.0)
    for _ in range(20):
        learned.note(learned.travel_s(HERE, THERE), 10.0)
    learned.note(learned.travel_s(HERE, THERE), 500.0)
    assert learned.factor < 1.25


def test_job_without_a_drive_teaches_nothing() -> None:
    learned = TravelFactor(lambda start, goal: 10.0)
    learned.note(0.0, 5.0)
    assert learned.factor == 1.0


def test_more_others_on_less_floor_are_expected_to_cost_more_time() -> None:
    crowded, roomy = TravelFactor(lambda start, goal: 10.0, 16.0), TravelFactor(lambda start, goal: 10.0, 160.0)
    crowded.others = roomy.others = 19
    assert crowded.travel_s(HERE, THERE) == pytest.approx(12.14, rel=0.01)
    assert crowded.delay_s(HERE, THERE) == pytest.approx(0.7 * 2.14, rel=0.02)
    assert 10.0 < roomy.travel_s(HERE, THERE) < 10.5
    crowded.others = 0
    assert crowded.delay_s(HERE, THERE) == 0.0


def test_travel_times_of_jobs_are_learned_beside_the_expected_times() -> None:
    learned = TravelFactor(lambda start, goal: 10.0, 16.0)
    learned.others = 9
    for _ in range(200):
        learned.note(learned.travel_s(HERE, THERE), 12.0)
    assert learned.travel_s(HERE, THERE) == pytest.approx(12.0, rel=0.02)
    learned.others = 0
    assert learned.travel_s(HERE, THERE) < 11.0


def test_a_transport_that_has_not_loaded_ends_later_by_what_others_will_cost(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 8), tick_s=0.25)
    fleet.submit(*(carry(f"job {number}", 0.5 * number, 0.5 * number + 4.0) for number in range(1, 9)))
    fleet.run(1.0)
    robot = fleet.robots.robots[fleet.report("job 1").robot_id]
    alone_s = fleet.robots.travel_s(at(0.5).pose, at(4.5).pose)
    assert robot.leg == 0
    assert fleet.report("job 1").eta_s == pytest.approx(robot.leg_left_s + 0.7 * 7 * 0.18 / 48.0 * alone_s, rel=0.01)


def test_a_robot_whose_way_is_not_planned_yet_arrives_later_by_what_others_will_cost(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 8), tick_s=0.25)
    fleet.submit(*(go(f"job {number}", 0.5 * number + 4.0) for number in range(1, 9)))
    fleet.run(1.0)
    robot = fleet.robots.robots[fleet.report("job 1").robot_id]
    planned_s = fleet.report("job 1").eta_s
    assert planned_s == pytest.approx(robot.leg_left_s)
    robot.has_way = False
    fleet.run(0.25)
    alone_s = fleet.robots.travel_s(robot.pose, at(4.5).pose)
    assert fleet.report("job 1").eta_s == pytest.approx(robot.leg_left_s + 0.7 * 7 * 0.18 / 48.0 * alone_s, rel=0.01)


def test_an_estimate_changes_no_time_of_arrival(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 8), tick_s=0.25)
    fleet.submit(carry("job", 0.5, 4.5))
    fleet.run(1.0)
    eta_s = fleet.report("job").eta_s
    finished(
        fleet.dispatcher.estimate_s([carry(f"more {number}", 0.5 * number, 5.0) for number in range(1, 9)], fleet.now)
    )
    assert fleet.report("job").eta_s == eta_s


@pytest.mark.slow
def test_arrival_times_adapt_to_robots_slower_than_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1), tick_s=0.25)
    leg_s = fleet.robots._leg_s
    monkeypatch.setattr(fleet.robots, "_leg_s", lambda robot: 1.6 * leg_s(robot))
    errors = []
    for number in range(50):
        job = carry(f"job {number}", 1.0 + number % 3, 6.0 - number % 2)
        (expected_s,) = finished(fleet.dispatcher.estimate_s([job], fleet.now))
        fleet.submit(job)
        began_ns = fleet.now.core_ns
        fleet.run_until_over()
        took_s = (fleet.now.core_ns - began_ns) * 1e-9
        errors.append(abs(expected_s / took_s - 1.0))
    assert errors[0] > 0.25
    assert max(errors[-3:]) < 0.1
