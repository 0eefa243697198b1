"""Measures deadlines: python -m bench.dispatch.deadline_misses [--instances 20] [--json].

8 robots and 40 transports, half of them with deadlines between a fifth of the time that all of them take and the whole
of it. Rows tell how many end late by the lists of the fleet, and by earliest deadline first: jobs in the order of
their deadlines, those without one last, each to the robot that ends it first.
"""

import sys
from dataclasses import replace
from random import Random
from typing import Final

from bench.dispatch.policies import Lists, ours, to_whoever_ends_first
from bench.dispatch.random_problem import random_problem, travel_s
from bench.instruments.printed_rows import options_of, print_rows
from fleet.assignment.assignment_problem import AssignmentProblem

_ROBOTS: Final = 8
_JOBS: Final = 40


def main() -> int:
    """Measure and print rows; fail if the fleet misses more than earliest deadline first."""
    parser = options_of(__doc__)
    parser.add_argument("--instances", type=int, default=20)
    options = parser.parse_args()
    problems = [problem_with_deadlines(seed) for seed in range(options.instances)]
    found = {
        "earliest deadline first": [lateness_s(one, earliest_deadline_first(one)) for one in problems],
        "fleet": [lateness_s(one, ours(one)) for one in problems],
    }
    rows = [
        {
            "instance_set": f"{_ROBOTS} robots, {_JOBS} jobs, {_JOBS // 2} deadlines",
            "policy": policy,
            "instances": options.instances,
            "misses": sum(len(late) for late in lates),
            "late_s": round(sum(sum(late) for late in lates), 1),
        }
        for policy, lates in found.items()
    ]
    print_rows(rows, as_json=options.json)
    misses = [sum(len(late) for late in lates) for lates in found.values()]
    return int(misses[1] > misses[0])


def problem_with_deadlines(seed: int) -> AssignmentProblem:
    """Return random transports; those with odd numbers have deadlines."""
    problem = random_problem(seed, _ROBOTS, _JOBS)
    whole_s = max(problem.evaluate(robot, jobs)[1] for robot, jobs in enumerate(to_whoever_ends_first(problem)))
    random = Random(seed)
    jobs = [
        replace(job, deadline_s=random.uniform(0.2, 1.0) * whole_s) if index % 2 else job
        for index, job in enumerate(problem.jobs)
    ]
    return AssignmentProblem(problem.robots, jobs, problem.allowed, travel_s)


def earliest_deadline_first(problem: AssignmentProblem) -> Lists:
    """Give jobs in the order of their deadlines, each to the robot that would end it first."""
    lists: Lists = [[] for _ in problem.robots]
    for job in sorted(range(len(problem.jobs)), key=lambda one: problem.jobs[one].deadline_s):
        robot = min(range(len(lists)), key=lambda one: problem.evaluate(one, [*lists[one], job])[1])
        lists[robot].append(job)
    return lists


def lateness_s(problem: AssignmentProblem, lists: Lists) -> list[float]:
    """Return by how much each job that misses its deadline is late [s]."""
    lates = [
        end_s - problem.jobs[job].deadline_s
        for robot, jobs in enumerate(lists)
        for job, end_s in zip(jobs, problem.ends_s(robot, jobs), strict=True)
    ]
    return [late_s for late_s in lates if late_s > 0.0]


if __name__ == "__main__":
    sys.exit(main())
