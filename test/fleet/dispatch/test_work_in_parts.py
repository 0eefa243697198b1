"""Large requests and plans: in parts of a bounded size, all or nothing, and the same result as at once."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from fleet.assignment.assignment_problem import STEP_WORK
from fleet.dispatch.paths_ahead import PathsAhead
from fleet.dispatch.records.job import Job, JobState
from fleet.tasks.task_kind import TaskKind
from fleet.trajectories.limits import Limits
from fleet.work.path_wish import SHORT_TEXT
from fleet.work.work import PathWish, Work
from harness.dispatch.dispatched_fleet import DispatchedFleet, carry, fleet_of, go
from thymio_base.parts import WorkInParts, finished

LIMITS = Limits(speed_mps=0.14, acceleration_mps2=0.5, turn_radps=3.0, turn_acceleration_radps2=20.0)
LONG = f"waypoints_m: [{', '.join(f'[{0.5 + 0.01 * number:g}, 1]' for number in range(150))}]"


def many(count: int) -> list[Job]:
    return [go(f"job {number}", 0.5 + 0.05 * (number % 200)) for number in range(count)]


def follow(job_id: str, text: str) -> Job:
    return Job(job_id, Work(TaskKind.FOLLOW_PATH, path=PathWish(text, relative_to="map")))


@pytest.fixture
def fleet(tmp_path: Path) -> DispatchedFleet:
    fleet = DispatchedFleet(fleet_of(tmp_path, 3))
    fleet.tick()
    return fleet


def parts_of(work: WorkInParts[object]) -> int:
    count = 1
    while work.do_part():
        count += 1
    return count


def test_submission_looks_at_forty_jobs_at_once(fleet: DispatchedFleet) -> None:
    assert parts_of(WorkInParts(fleet.dispatcher.submission(many(200), fleet.now))) == 5
    assert len(fleet.open_ids()) == 200


def test_long_path_takes_several_parts_and_is_kept(fleet: DispatchedFleet) -> None:
    assert len(LONG) > SHORT_TEXT
    assert parts_of(WorkInParts(fleet.dispatcher.submission([follow("long", LONG)], fleet.now))) > 7
    assert parts_of(WorkInParts(fleet.dispatcher.submission([follow("again", LONG)], fleet.now))) == 1
    assert parts_of(WorkInParts(fleet.dispatcher.submission([follow("short", "circle")], fleet.now))) == 1


def test_short_text_of_a_long_curve_takes_a_part_for_each_five_hundred_knots(fleet: DispatchedFleet) -> None:
    text = "curve: spline\nwaypoints_m: [[0.5, 1], [8.5, 1]]"  # 1600 knots
    assert len(text) <= SHORT_TEXT
    assert parts_of(WorkInParts(fleet.dispatcher.submission([follow("spline", text)], fleet.now))) == 9


def test_mean_speed_of_a_long_path_is_sought_in_parts_and_once(fleet: DispatchedFleet) -> None:
    text = "{shape: eight, size_m: 0.8, laps: 20, speed_mps: 0.03}"
    in_all = parts_of(WorkInParts(fleet.dispatcher.submission([follow("slow", text)], fleet.now)))
    assert in_all > 5
    assert parts_of(WorkInParts(fleet.dispatcher.submission([follow("again", text)], fleet.now))) == 1


def test_mean_speed_that_the_limits_do_not_allow_is_refused_at_submission(fleet: DispatchedFleet) -> None:
    text = "{shape: square, size_m: 0.3, speed_mps: 0.15}"
    for _ in range(2):
        why = finished(fleet.dispatcher.submission([follow("fast", text)], fleet.now))[0]
        assert str(why).startswith(
            "BAD_SPEED: 0.15 m/s on average is too fast for the path: within the limits it takes "
        )
    assert fleet.open_ids() == []


def test_nothing_is_accepted_before_the_last_part_and_a_crash_leaves_nothing(fleet: DispatchedFleet) -> None:
    work = WorkInParts(fleet.dispatcher.submission(many(200), fleet.now))
    for _ in range(4):
        assert work.do_part()
        fleet.tick()
        assert fleet.open_ids() == []
    fleet.restart()
    assert fleet.open_ids() == []
    fleet.submit(*many(200))
    assert len(fleet.open_ids()) == 200


def test_one_bad_job_at_the_end_refuses_all(fleet: DispatchedFleet) -> None:
    found = finished(fleet.dispatcher.submission([*many(100), go("far away", 1e6)], fleet.now))
    assert found[:-1] == [None] * 100
    assert found[-1] is not None
    assert fleet.open_ids() == []


def test_ticks_between_the_parts_go_on_giving_jobs(fleet: DispatchedFleet) -> None:
    fleet.submit(go("before", 1.0))
    work = WorkInParts(fleet.dispatcher.submission(many(80), fleet.now))
    assert work.do_part()
    fleet.run(1.0)
    assert fleet.state("before") is JobState.EXECUTING
    assert not work.do_part()
    assert fleet.state("job 79") in (JobState.QUEUED, JobState.ASSIGNED)


def test_estimate_pauses_and_leaves_the_plan_as_it_is(fleet: DispatchedFleet) -> None:
    fleet.robots.search_steps = 400
    fleet.submit(*(carry(f"job {number}", 1.0 + 0.1 * number, 8.0) for number in range(12)))
    fleet.run(5.0)
    before = [replace(report, eta_s=0.0) for report in fleet.reports()]
    work = WorkInParts(
        fleet.dispatcher.estimate_s([carry(f"more {number}", 2.05, 0.1 * number) for number in range(1, 9)], fleet.now)
    )
    worst, pauses = 0, 0
    while True:
        started = fleet.robots.travel_steps
        is_left = work.do_part()
        worst, pauses = max(worst, fleet.robots.travel_steps - started), pauses + 1
        if not is_left:
            break
    assert pauses > 5
    assert worst <= 400
    assert all(0.0 < eta_s < 1_000.0 for eta_s in work.result)
    assert [replace(report, eta_s=0.0) for report in fleet.reports()] == before


@pytest.mark.parametrize("search_steps", [0, 90, 1_000])
def test_search_of_a_plan_stays_within_the_budget_of_each_tick(tmp_path: Path, search_steps: int) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 4, ", budget_steps: 3000"))
    fleet.robots.search_steps = search_steps
    fleet.submit(*(carry(f"job {number}", 0.5 + 0.1 * number, 9.0 - 0.1 * number) for number in range(20)))
    steps = []
    while not any(robot.task for robot in fleet.robots.robots.values()):
        before = fleet.robots.travel_steps
        fleet.tick()
        steps.append(fleet.robots.travel_steps - before)
    assert max(steps) * STEP_WORK <= 3000 + 100 * STEP_WORK


def test_planning_of_jobs_leaves_ticks_to_the_planning_of_ways(tmp_path: Path) -> None:
    def ticks(unused_share: float) -> int:
        fleet = DispatchedFleet(fleet_of(tmp_path, 4, ", budget_steps: 2000"))
        fleet.robots.unused_share = unused_share
        fleet.submit(*(carry(f"job {number}", 0.5 + 0.1 * number, 9.0 - 0.1 * number) for number in range(20)))
        count = 0
        while not any(robot.task for robot in fleet.robots.robots.values()):
            fleet.tick()
            count += 1
        return count

    assert ticks(0.0) >= 3 * ticks(1.0)


def test_plan_spread_over_many_ticks_equals_that_of_a_single_tick(tmp_path: Path) -> None:
    def given(budget_steps: int) -> list[list[str]]:
        fleet = DispatchedFleet(fleet_of(tmp_path, 4, f", budget_steps: {budget_steps}"))
        fleet.robots.search_steps = 300
        fleet.submit(*(carry(f"job {number}", 0.5 + 0.4 * number, 9.0 - 0.2 * number) for number in range(12)))
        fleet.run(30.0)
        return [robot.given[:1] for robot in fleet.robots.robots.values()]

    assert given(1_000) == given(1_000_000)


def test_long_path_is_read_again_over_ticks_before_its_job_starts(fleet: DispatchedFleet) -> None:
    texts = [LONG + " " * number for number in range(20)]
    for number, text in enumerate(texts):
        fleet.submit(follow(f"first {number}", text))
    reading, job = PathsAhead(LIMITS, 0.01), follow("job", texts[0])
    ticks = 1
    reading.start_tick()
    while not reading.is_read(job):
        reading.start_tick()
        ticks += 1
    assert ticks > 7
    assert reading.is_read(job)


def test_short_paths_are_read_in_the_tick_in_which_their_jobs_start() -> None:
    reading = PathsAhead(LIMITS, 0.01)
    reading.start_tick()
    assert all(reading.is_read(follow(f"job {size}", f"{{shape: square, size_m: 0.{size}}}")) for size in range(21, 29))


def test_path_that_cannot_be_read_does_not_wait() -> None:
    reading = PathsAhead(LIMITS, 0.01)
    reading.start_tick()
    assert reading.is_read(follow("job", "{shape: nothing}"))


def test_review_of_many_jobs_takes_several_ticks(tmp_path: Path) -> None:
    fleet = DispatchedFleet(fleet_of(tmp_path, 1))
    fleet.tick()
    jobs = [replace(job, deadline_ns=1, is_aborted_late=True) for job in many(800)]
    for start in range(0, 800, 200):
        fleet.submit(*jobs[start : start + 200])
    ended = []
    for _ in range(12):
        fleet.tick()
        ended.append(800 - len(fleet.open_ids()))
    assert ended[-1] >= 799
    assert max(after - before for before, after in pairwise(ended)) <= 250
