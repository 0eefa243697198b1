"""Computes the least sum of jobs' ends over all assignments and orders: a reference for few jobs."""

import math
from collections.abc import Callable

from fleet.assignment.assignment_problem import AssignmentProblem


def least_sum_and_makespan(problem: AssignmentProblem) -> tuple[float, float]:
    """Return the least sum of the jobs' ends, and the least time of the last end, each by its own lists."""
    sums, makespans = [], []
    for robot in range(len(problem.robots)):
        best_sum, best_end = _subsets(problem, robot)
        sums.append(best_sum)
        makespans.append(best_end)
    return _joined(sums, lambda one, other: one + other), _joined(makespans, max)


def _subsets(problem: AssignmentProblem, robot: int) -> tuple[list[float], list[float]]:
    """Return for each set of jobs the least sum of ends, and the least end, if one robot performs them.

    Among orders of a set with the same last job, dominated ones (in both end and sum) are dropped.
    """
    count = len(problem.jobs)
    best_sum, best_end = [math.inf] * (1 << count), [math.inf] * (1 << count)
    best_sum[0] = best_end[0] = 0.0
    kept: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for job in range(count):
        end_s = problem.first_end_s(robot, job)
        kept[(1 << job, job)] = [(end_s, end_s)]
    while kept:
        longer: dict[tuple[int, int], list[tuple[float, float]]] = {}
        for (chosen, last), orders in kept.items():
            best_sum[chosen] = min(best_sum[chosen], orders[-1][1])
            best_end[chosen] = min(best_end[chosen], orders[0][0])
            for job in range(count):
                if not chosen >> job & 1:
                    next_s = problem.next_s(robot, last, job)
                    ends = [(end_s + next_s, total_s + end_s + next_s) for end_s, total_s in orders]
                    longer.setdefault((chosen | 1 << job, job), []).extend(ends)
        kept = {key: _unbeaten(orders) for key, orders in longer.items()}
    return best_sum, best_end


def _unbeaten(orders: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the orders (end, sum) that no other order dominates, sorted by end."""
    found: list[tuple[float, float]] = []
    for order in sorted(orders):
        if not found or order[1] < found[-1][1]:
            found.append(order)
    return found


def _joined(parts: list[list[float]], join: Callable[[float, float], float]) -> float:
    """Return the best value over all divisions of the jobs among the robots."""
    found = parts[0]
    for part in parts[1:]:
        best = [math.inf] * len(found)
        for chosen in range(len(found)):
            subset = chosen
            while True:
                best[chosen] = min(best[chosen], join(found[subset], part[chosen ^ subset]))
                if subset == 0:
                    break
                subset = (subset - 1) & chosen
        found = best
    return found[-1]
