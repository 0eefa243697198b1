"""Measures jobs: python -m bench.dispatch [--instances 50] [--writes 1500] [--days 2] [--json].

Three kinds of rows. `instance_set`: lists of jobs by the fleet and by simple policies, relative to the least sum of
ends and the least time of the last end, found by trying all orders (3 robots, 7 transports); for larger sets
relative to the fleet's. `fleet, makespan` weighs the end of the last job as 8 jobs. `book`: times of writes [ms].
`robots`: the whole fleet in the lab, with traffic; 8 robots also with each job going to the robot that is free first.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from statistics import median
from typing import Final

from bench.dispatch.book_cost import book_row
from bench.dispatch.fleet_day import FleetDay
from bench.dispatch.least_sums import least_sum_and_makespan
from bench.dispatch.policies import POLICIES, Lists, ours
from bench.dispatch.random_problem import random_problem
from bench.instruments.printed_rows import options_of, print_rows
from fleet.assignment.assignment_problem import AssignmentProblem

_SETS: Final = ((3, 7), (8, 40), (20, 60))
_MAKESPAN_WEIGHT: Final = 8.0


def main() -> int:
    """Measure and print rows."""
    parser = options_of(__doc__)
    parser.add_argument("--instances", type=int, default=50, help="of 3 robots and 7 jobs; a tenth of larger ones")
    parser.add_argument("--writes", type=int, default=1_500, help="into the book")
    parser.add_argument("--days", type=int, default=2, help="runs of the whole fleet")
    options = parser.parse_args()
    print_rows(_rows(options), as_json=options.json)
    return 0


def _rows(options: argparse.Namespace) -> Iterator[dict[str, object]]:
    for robots, jobs in _SETS:
        yield from _set_rows(robots, jobs, options.instances if jobs < 10 else max(1, options.instances // 10))
    for survives_power in (False, True):
        yield book_row(survives_power=survives_power, writes=options.writes)
    for seed in range(options.days):
        for is_naive in (True, False):
            yield FleetDay(8, 40, seed, is_naive=is_naive).row()
        yield FleetDay(20, 60, seed, is_naive=False).row()


def _set_rows(robots: int, jobs: int, instances: int) -> Iterator[dict[str, object]]:
    problems = [random_problem(seed, robots, jobs) for seed in range(instances)]
    if jobs < 10:
        least = [least_sum_and_makespan(problem) for problem in problems]
    else:
        least = [_figures(problem, ours(problem)) for problem in problems]
    for name, policy in POLICIES.items():
        started_s = time.perf_counter()
        found = [_figures(problem, policy(problem)) for problem in problems]
        yield _row(f"{robots} robots, {jobs} jobs", name, found, least, time.perf_counter() - started_s)
    weighed = [random_problem(seed, robots, jobs, _MAKESPAN_WEIGHT) for seed in range(instances)]
    started_s = time.perf_counter()
    found = [_figures(problem, ours(problem)) for problem in weighed]
    yield _row(f"{robots} robots, {jobs} jobs", "fleet, makespan", found, least, time.perf_counter() - started_s)


def _figures(problem: AssignmentProblem, lists: Lists) -> tuple[float, float]:
    """Return the sum of ends, and the last end."""
    ends_s = [end_s for robot, jobs in enumerate(lists) for end_s in problem.ends_s(robot, jobs)]
    return sum(ends_s), max(ends_s)


def _row(
    name: str, policy: str, found: list[tuple[float, float]], least: list[tuple[float, float]], took_s: float
) -> dict[str, object]:
    sums = [one[0] / best[0] for one, best in zip(found, least, strict=True)]
    makespans = [one[1] / best[1] for one, best in zip(found, least, strict=True)]
    return {
        "instance_set": name,
        "policy": policy,
        "sum_ratio_median": round(median(sums), 3),
        "sum_ratio_worst": round(max(sums), 3),
        "makespan_ratio_median": round(median(makespans), 3),
        "makespan_ratio_worst": round(max(makespans), 3),
        "ms": round(1e3 * took_s / len(found), 2),
    }


if __name__ == "__main__":
    sys.exit(main())
