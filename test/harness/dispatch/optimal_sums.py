"""The least sum of ends of jobs, by trying all subsets and orders: a reference for few jobs."""

import math
from collections.abc import Callable

from fleet.assignment.assignment_problem import AssignmentProblem


def least_sum_and_makespan(problem: AssignmentProblem) -> tuple[float, float]:
    """Return the least sum of the jobs' ends, and the least time until the last end; neither by the same lists."""
    sums, makespans = [], []
    for robot in range(len(problem.robots)):
        best_sum, best_end = _subsets(problem, robot)
        sums.append(best_sum)
        makespans.append(best_end)
    return _joined(sums, lambda one, other: one + other), _joined(makespans, max)


def _subsets(problem: AssignmentProblem, robot: int) -> tuple[list[float], list[float]]:
    """Return for each set of jobs the least sum of ends, and the least end, if one robot performs them."""
    count = len(problem.jobs)
    best_sum, best_end = [math.inf] * (1 << count), [math.inf] * (1 << count)
    best_sum[0] = best_end[0] = 0.0
    orders: list[tuple[int, ...]] = [()]
    while orders:
        order = orders.pop()
        for job in range(count):
            if job not in order:
                longer = (*order, job)
                ends_s = problem.ends_s(robot, longer)
                chosen = sum(1 << one for one in longer)
                best_sum[chosen] = min(best_sum[chosen], sum(ends_s))
                best_end[chosen] = min(best_end[chosen], ends_s[-1])
                orders.append(longer)
    return best_sum, best_end


def _joined(parts: list[list[float]], join: Callable[[float, float], float]) -> float:
    """Return the best value over all ways to share all jobs among the robots."""
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
