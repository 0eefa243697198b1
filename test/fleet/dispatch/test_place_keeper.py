"""Jobs come to a place one after the other, no ring of jobs waits for itself, and nobody stands in the way for long."""

from itertools import pairwise
from pathlib import Path

import pytest

from fleet.dispatch.place_keeper import PlaceKeeper
from fleet.dispatch.records.job import JobState
from fleet.geometry import Pose2D
from fleet.robots.readiness import Readiness
from fleet.settings.dispatch_config import Finishing
from fleet.tasks.task import go_to
from harness.dispatch.dispatched_fleet import DispatchedFleet, carry, fleet_of, go
from harness.fleets import read


@pytest.fixture
def fleet(tmp_path: Path) -> DispatchedFleet:
    return DispatchedFleet(fleet_of(tmp_path, 3))


def test_jobs_that_load_at_one_place_start_one_after_the_other(fleet: DispatchedFleet) -> None:
    fleet.submit(*(carry(f"job {number}", 2.0, 4.0 + number) for number in range(3)))
    fleet.run(1.0)
    first = next(robot for robot in fleet.robots.robots.values() if robot.task is not None)
    while first.leg < 2:
        assert sum(robot.task is not None for robot in fleet.robots.robots.values()) == 1
        fleet.tick()
    fleet.run(1.0)
    assert sum(robot.task is not None for robot in fleet.robots.robots.values()) == 1  # it has not left the place yet
    fleet.run(2.0)
    assert sum(robot.task is not None for robot in fleet.robots.robots.values()) == 2
    fleet.run_until_over()


def test_jobs_with_one_destination_follow_each_other_once_loaded(fleet: DispatchedFleet) -> None:
    fleet.submit(*(carry(f"job {number}", 2.0 * number, 9.0) for number in range(1, 4)))
    fleet.run(1.0)
    assert sum(robot.task is not None for robot in fleet.robots.robots.values()) == 1
    waiting = next(report for report in fleet.reports() if report.state is not JobState.EXECUTING)
    assert "for the place (9.00, 2.00), where job " in waiting.detail
    while fleet.open_ids():
        fleet.tick()
        legs = [robot.leg for robot in fleet.robots.robots.values() if robot.task is not None]
        assert len(legs) <= 2
        assert sum(leg < 2 for leg in legs) <= 1
    assert {report.state for report in fleet.reports()} == {JobState.SUCCEEDED}


def test_loaded_robot_that_waits_where_it_loaded_counts_in_rings(fleet: DispatchedFleet) -> None:
    fleet.submit(carry("there", 2.0, 4.0, robots=(1,)))
    robot = fleet.robots.robots[1]
    while robot.leg < 2:
        fleet.tick()
    robot.leg_left_s = 1e6  # others are in its way
    fleet.submit(carry("back", 4.0, 2.0, robots=(2,)))
    fleet.run(5.0)
    assert fleet.report("back").state is not JobState.EXECUTING
    robot.leg_left_s = 20.0
    fleet.run_until_over()
    assert fleet.report("back").state is JobState.SUCCEEDED


def test_robot_is_not_sent_to_the_destination_of_another_robot() -> None:
    keeper = PlaceKeeper(0.2, [Pose2D(5.0, 0.0, 0.0)], Finishing.PARK)
    home = Pose2D(8.0, 0.0, 0.0)
    idle = Readiness(1, home, Pose2D(4.0, 0.0, 0.0), is_able=True)
    other = Readiness(2, home, Pose2D(1.0, 0.0, 0.0), is_able=True, is_aside=True, aside_at=Pose2D(5.0, 0.0, 0.0))
    keeper.note_end(1)
    assert keeper.sent_away([idle, other], {}, 0) == []
    assert keeper.sent_away([idle, other], {}, 4_000_000_000) == [(1, home)]


def test_a_job_that_waits_for_its_place_says_so(fleet: DispatchedFleet) -> None:
    fleet.submit(carry("first", 2.0, 4.0), carry("second", 2.0, 5.0))
    fleet.run(1.0)
    waiting = next(report for report in fleet.reports() if report.state is not JobState.EXECUTING)
    assert "for the place (2.00, 2.00)" in waiting.detail


def test_two_jobs_that_need_each_others_places_do_not_run_together(fleet: DispatchedFleet) -> None:
    fleet.submit(carry("there", 2.0, 4.0), carry("back", 4.0, 2.0))
    while fleet.open_ids():
        fleet.tick()
        performed = [report for report in fleet.reports() if report.state is JobState.EXECUTING]
        legs = [robot.leg for robot in fleet.robots.robots.values() if robot.task is not None]
        assert len(performed) < 2 or max(legs) >= 2


def test_three_jobs_in_a_ring_all_end(fleet: DispatchedFleet) -> None:
    places = [2.0, 4.0, 6.0, 2.0]
    fleet.submit(*(carry(f"job {start}", start, end) for start, end in pairwise(places)))
    fleet.run_until_over()
    assert {report.state for report in fleet.reports()} == {JobState.SUCCEEDED}


def test_a_robot_parked_at_the_goal_of_a_job_is_sent_home(fleet: DispatchedFleet) -> None:
    fleet.submit(go("to stand there", 2.0, robots=(1,)))
    fleet.run_until_over()
    fleet.submit(go("there too", 2.0, robots=(2,)))
    fleet.run(1.0)
    assert fleet.robots.robots[1].pose == fleet.robots.robots[1].home


def test_robots_without_jobs_park_at_free_places(tmp_path: Path) -> None:
    config = fleet_of(tmp_path, 3)
    text = Path(config.path).read_text()
    stations = "\n".join(f"- {{name: P{n}, pose: {{x_m: {4 + n}, y_m: 3.0}}, role: park}}" for n in range(2))
    fleet = DispatchedFleet(read(tmp_path, f"{text}\nstations:\n{stations}\n"))
    fleet.submit(*(go(f"job {number}", 1.0 + number) for number in range(3)))
    fleet.run_until_over()
    fleet.run(5.0)
    places = [robot.pose for robot in fleet.robots.robots.values()]
    assert Pose2D(4.0, 3.0, 0.0) in places
    assert Pose2D(5.0, 3.0, 0.0) in places
    assert sum(robot.pose == robot.home for robot in fleet.robots.robots.values()) == 1


def test_robots_stay_if_they_shall(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1, ", finishing: stay"))
    fleet.submit(go("job", 3.0))
    fleet.run_until_over()
    fleet.run(10.0)
    assert fleet.robots.robots[1].pose.x_m == 3.0


def test_a_robot_stays_where_a_client_sent_it_itself(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1))
    fleet.submit(go("job", 3.0))
    fleet.run_until_over()
    assert fleet.robots.give(1, go_to("direct", Pose2D(5.0, 1.0, 0.0)), fleet.now.core_ns) is None
    fleet.run(60.0)
    assert fleet.robots.robots[1].pose == Pose2D(5.0, 1.0, 0.0)
