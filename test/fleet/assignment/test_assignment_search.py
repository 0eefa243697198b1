"""Assignments are close to the best ones, depend on nothing but the problem, and respect who may do what."""

from collections.abc import Sequence
from itertools import permutations, product
from random import Random
from statistics import median

import pytest

from bench.dispatch.least_sums import least_sum_and_makespan
from bench.dispatch.random_problem import random_problem, travel_s
from fleet.assignment.assignment_problem import AssignmentProblem, JobToAssign, RobotToAssign
from fleet.assignment.assignment_search import AssignmentSearch
from fleet.assignment.exact_assignment import CheapestColumns
from fleet.geometry import Pose2D


def lists_of(problem: AssignmentProblem, steps: int = 1_000, followed: Sequence[Sequence[int]] = ()) -> list[list[int]]:
    search = AssignmentSearch(problem, followed)
    while not search.is_over:
        search.expand(steps)
    return search.lists


def columns_of(costs: Sequence[Sequence[float]]) -> list[int]:
    choice = CheapestColumns(costs)
    for row in range(len(costs)):
        choice.add(row)
    return choice.columns


def ends_s(problem: AssignmentProblem, lists: list[list[int]]) -> list[float]:
    return [end_s for robot, jobs in enumerate(lists) for end_s in problem.ends_s(robot, jobs)]


@pytest.mark.parametrize("seed", range(40))
def test_each_robot_gets_the_column_of_the_cheapest_assignment(seed: int) -> None:
    random = Random(seed)
    rows, columns = random.randint(1, 5), random.randint(5, 6)
    costs = [[random.choice([random.uniform(0, 9), random.randint(0, 3)]) for _ in range(columns)] for _ in range(rows)]
    least = min(sum(costs[row][column] for row, column in enumerate(one)) for one in permutations(range(columns), rows))
    found = columns_of(costs)
    assert len(set(found)) == rows
    assert sum(costs[row][column] for row, column in enumerate(found)) == pytest.approx(least)


def test_no_jobs_and_no_robots_are_fine() -> None:
    assert columns_of([]) == []
    assert lists_of(random_problem(1, 3, 0)) == [[], [], []]
    nobody = AssignmentSearch(random_problem(1, 0, 3))
    nobody.expand(10)
    assert nobody.unassigned == [0, 1, 2]


@pytest.mark.slow
def test_sums_are_within_a_hundredth_of_the_least_ones_in_the_median() -> None:
    ratios = []
    for seed in range(20):
        problem = random_problem(seed, 3, 6)
        ratios.append(sum(ends_s(problem, lists_of(problem))) / least_sum_and_makespan(problem)[0])
    assert median(ratios) <= 1.01
    assert max(ratios) <= 1.06


@pytest.mark.parametrize("count", [3, 8, 20])
def test_every_job_is_in_one_list(count: int) -> None:
    lists = lists_of(random_problem(count, 4, count))
    assert sorted(job for jobs in lists for job in jobs) == list(range(count))


@pytest.mark.parametrize("steps", [1, 7])
def test_steps_do_not_matter_for_the_result(steps: int) -> None:
    assert lists_of(random_problem(3, 4, 12), steps) == lists_of(random_problem(3, 4, 12))


def test_of_as_many_robots_as_jobs_one_that_may_do_all_does_all() -> None:
    problem = random_problem(5, 2, 2)
    alone = AssignmentProblem(problem.robots, problem.jobs, [frozenset({0, 1}), frozenset[int]()], travel_s)
    assert [sorted(jobs) for jobs in lists_of(alone)] == [[0, 1], []]


def test_jobs_go_only_to_robots_that_may() -> None:
    problem = random_problem(5, 3, 9)
    allowed = [frozenset({0, 1, 2}), frozenset({3, 4, 5, 6}), frozenset({6, 7})]
    search = AssignmentSearch(AssignmentProblem(problem.robots, problem.jobs, allowed, travel_s))
    while not search.is_over:
        search.expand(100)
    assert all(set(jobs) <= may for jobs, may in zip(search.lists, allowed, strict=True))
    assert search.unassigned == [8]


@pytest.mark.parametrize("seed", range(5))
def test_lists_that_are_followed_change_only_for_a_gain_of_some_seconds(seed: int) -> None:
    problem = random_problem(seed, 3, 12)
    good = lists_of(problem)
    later = AssignmentProblem(
        [RobotToAssign(one.home, one.place, one.free_s + 0.4 * index) for index, one in enumerate(problem.robots)],
        problem.jobs,
        problem.allowed,
        travel_s,
    )
    assert lists_of(later, followed=good) == good
    poor = [list(range(12)), [], []]
    assert sum(ends_s(problem, lists_of(problem, followed=poor))) < 1.1 * sum(ends_s(problem, good))


def test_further_jobs_are_inserted_into_lists_that_are_followed() -> None:
    problem = random_problem(4, 3, 12)
    lists = lists_of(problem, followed=[[1, 0], [], [5]])
    assert sorted(job for jobs in lists for job in jobs) == list(range(12))


def test_a_job_that_its_robot_may_no_longer_perform_goes_to_another_robot() -> None:
    problem = random_problem(5, 3, 9)
    followed = lists_of(problem)
    lost = followed[0][0]
    allowed = [problem.allowed[0] - {lost}, *problem.allowed[1:]]
    changed = AssignmentProblem(problem.robots, problem.jobs, allowed, travel_s)
    lists = lists_of(changed, followed=followed)
    assert lost not in lists[0]
    assert sorted(job for jobs in lists for job in jobs) == list(range(9))


def test_a_deadline_draws_a_job_forward() -> None:
    here = Pose2D(0.0, 0.0, 0.0)
    jobs = [JobToAssign(Pose2D(x_m, 0.0, 0.0), Pose2D(x_m, 0.0, 0.0), 5.0, 5.0) for x_m in (0.1, -1.0)]
    relaxed = AssignmentProblem([RobotToAssign(here, here, 0.0)], jobs, [frozenset({0, 1})], travel_s)
    assert lists_of(relaxed) == [[0, 1]]
    pressed = [jobs[0], JobToAssign(jobs[1].start, jobs[1].end, 5.0, 5.0, deadline_s=16.0)]
    assert lists_of(AssignmentProblem(relaxed.robots, pressed, relaxed.allowed, travel_s)) == [[1, 0]]


@pytest.mark.slow
def test_the_time_until_all_have_ended_counts_if_it_shall() -> None:
    plain = [max(ends_s(one, lists_of(one))) for one in (random_problem(seed, 8, 40) for seed in range(3))]
    weighed = [max(ends_s(one, lists_of(one))) for one in (random_problem(seed, 8, 40, 8.0) for seed in range(3))]
    assert sum(weighed) < sum(plain)


@pytest.mark.slow
def test_the_last_end_is_close_to_the_least_one_if_it_counts() -> None:
    ratios = []
    for seed in range(50):
        problem = random_problem(seed, 3, 7, 8.0)
        ratios.append(max(ends_s(problem, lists_of(problem))) / least_sum_and_makespan(problem)[1])
    assert median(ratios) <= 1.03
    assert max(ratios) <= 1.15


@pytest.mark.parametrize("seed", range(5))
def test_two_robots_gain_nothing_by_exchanging_the_ends_of_their_lists(seed: int) -> None:
    problem = random_problem(seed, 3, 10)
    lists = lists_of(problem)
    for one, other in permutations(range(3), 2):
        for kept, other_kept in product(range(len(lists[one]) + 1), range(len(lists[other]) + 1)):
            first = lists[one][:kept] + lists[other][other_kept:]
            second = lists[other][:other_kept] + lists[one][kept:]
            before = problem.evaluate(one, lists[one])[0] + problem.evaluate(other, lists[other])[0]
            assert problem.evaluate(one, first)[0] + problem.evaluate(other, second)[0] > before - 1e-3
