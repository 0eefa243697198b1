"""Checks invariants of traffic amid disorder: python -m bench.traffic_fuzz [--robots N] [--minutes M] [--seeds N].

The whole fleet with a simulated world, in one thread and in counted time; a seed always gives the same run. Tasks,
routes that grow, cancels, stops, losses of links and of motion capture, pushes, robots carried away, hand-overs to
another driver, and teleoperation happen at random; settings and walls vary with the seed. Then the disorder ends, and
each robot drives to another robot's home.

contacts     how often bodies started to touch; excused: a robot had been pushed or carried in the 1.5 s before
ends         number of tasks by their ends; each must end exactly once
disagreed    the largest distance of a robot at rest from its place in the timetable

Prints all problems, and returns 1 if there are any.
"""

import argparse
import os
import sys

from bench.traffic_fuzz.fuzz_run import FuzzCase, FuzzResult, perform
from experiments.workers import parallel_map


def main() -> int:
    """Perform runs and print what happened."""
    options = _parser().parse_args()
    cases = [
        FuzzCase(seed, options.robots, 60.0 * options.minutes, options.events_hz)
        for seed in range(options.first_seed, options.first_seed + options.seeds)
    ]
    count = options.workers or os.cpu_count() or 1
    has_problems = False
    for first in range(0, len(cases), count):
        for result in parallel_map(perform, cases[first : first + count], count):
            print("\n".join(_lines(result)), flush=True)
            has_problems = has_problems or bool(result.problems)
    return 1 if has_problems else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.traffic_fuzz", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--robots", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=10.0, help="of disorder, simulated; default 10")
    parser.add_argument("--events-hz", type=float, default=4.0, help="random events a second; default 4")
    parser.add_argument("--seeds", type=int, default=4, help="how many runs; default 4")
    parser.add_argument("--first-seed", type=int, default=1, metavar="SEED", help="seed of the first run; default 1")
    parser.add_argument("--workers", type=int, help="processes; default one for each processor")
    return parser


def _lines(result: FuzzResult) -> list[str]:
    events = ", ".join(f"{count} {name}" for name, count in sorted(result.events.items()))
    ends = ", ".join(f"{count} {name}" for name, count in sorted(result.ends.items()))
    return [
        f"seed {result.seed}: {result.contacts} contacts, {result.excused} of them excused; "
        f"disagreed {result.disagreed_m:.3f} m",
        f"  events: {events}",
        f"  ends: {ends}",
        *(f"  PROBLEM {problem}" for problem in result.problems),
    ]


if __name__ == "__main__":
    sys.exit(main())
