"""Assignment policies: the fleet's, and simple ones for comparison."""

from collections.abc import Callable
from typing import Final, TypeAlias

from fleet.assignment.assignment_problem import AssignmentProblem
from fleet.assignment.assignment_search import AssignmentSearch

Lists: TypeAlias = list[list[int]]
Policy: TypeAlias = Callable[[AssignmentProblem], Lists]


def to_whoever_is_free(problem: AssignmentProblem) -> Lists:
    """Assign jobs in order, each to the robot that is free first."""
    return _in_order(problem, lambda lists, robot, job: problem.evaluate(robot, lists[robot])[1])


def to_whoever_ends_first(problem: AssignmentProblem) -> Lists:
    """Assign jobs in order, each to the robot that would end it first."""
    return _in_order(problem, lambda lists, robot, job: problem.evaluate(robot, [*lists[robot], job])[1])


def nearest_when_free(problem: AssignmentProblem) -> Lists:
    """Let each robot that becomes free take the job that it would end first."""
    lists: Lists = [[] for _ in problem.robots]
    left = list(range(len(problem.jobs)))
    while left:
        robot = min(range(len(lists)), key=lambda one: problem.evaluate(one, lists[one])[1])
        job = min(left, key=lambda one: problem.evaluate(robot, [*lists[robot], one])[1])
        lists[robot].append(job)
        left.remove(job)
    return lists


def ours(problem: AssignmentProblem) -> Lists:
    """Return the fleet's own lists."""
    search = AssignmentSearch(problem)
    while not search.is_over:
        search.expand(10_000)
    return search.lists


def _in_order(problem: AssignmentProblem, rate: Callable[[Lists, int, int], float]) -> Lists:
    lists: Lists = [[] for _ in problem.robots]
    for job in range(len(problem.jobs)):
        robot = min(range(len(lists)), key=lambda one: rate(lists, one, job))
        lists[robot].append(job)
    return lists


POLICIES: Final[dict[str, Policy]] = {
    "to whoever is free": to_whoever_is_free,
    "to whoever ends first": to_whoever_ends_first,
    "nearest when free": nearest_when_free,
    "fleet": ours,
}
