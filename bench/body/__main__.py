"""Measures the body coupler in simulated time: python -m bench.body [--json] [--goals N] [--random N] ...

A 0 omits the option's rows. Runs are numbered and independent of the number of processes: --first splits a long series.
"""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from bench.body.body_row import BodyRow, print_body_rows
from bench.body.contact_forces import estimates
from bench.body.field_goals import FieldRun, goal_in_the_middle, random_goal, tick_cost_ms
from bench.body.joint_goals import joint_rows
from bench.body.memory_reads import mixed_reads
from bench.body.random_reachers import LONGEST_S, violations
from body.reachers.reacher import EndReason
from experiments.workers import parallel_map

_LATEST_S = 20.0  # for a goal to count as reached


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench.body", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print an object a line instead of text")
    parser.add_argument("--goals", type=int, default=500, help="in the middle of the ranges (default: %(default)s)")
    parser.add_argument("--random", type=int, default=1000, help="goals of the whole ranges (default: %(default)s)")
    parser.add_argument("--joints", type=int, default=1, help="0 leaves goals of single joints out")
    parser.add_argument("--arms", type=int, default=50, help="of 20 s, with random reachers (default: %(default)s)")
    parser.add_argument("--forces", type=int, default=200, help="at contacts (default: %(default)s)")
    parser.add_argument("--reads", type=int, default=10_000_000, help="of shared memory (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=2000, help="of VF, to time them (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first goal and arm (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=None, help="for the runs (default: one a processor)")
    options = parser.parse_args()
    print_body_rows(_measure(options), as_json=options.json)
    return 0


def _measure(options: argparse.Namespace) -> Iterator[BodyRow]:
    for count, name, run in ((options.goals, "middle", goal_in_the_middle), (options.random, "random", random_goal)):
        if count:
            numbers = range(options.first, options.first + count)
            yield from _field_rows(name, parallel_map(run, numbers, options.processes))
    if options.joints:
        yield from joint_rows()
    if options.arms:
        numbers = range(options.first, options.first + options.arms)
        found = parallel_map(partial(violations, LONGEST_S), [(7, number) for number in numbers], options.processes)
        case = f"{LONGEST_S * options.arms:g} s of random reachers, outside, too fast"
        yield BodyRow(case, "0", str(sum(found)))
    if options.forces:
        yield from _force_rows(options.forces)
    if options.reads:
        yield BodyRow("mixed reads of shared memory", "0", f"{mixed_reads(options.reads)} of {options.reads}")
    if options.steps:
        yield BodyRow("CPU time of one step of VF", "", f"{tick_cost_ms(options.steps):.3f} ms")


def _field_rows(name: str, runs: Sequence[FieldRun]) -> Iterator[BodyRow]:
    asked = ">= 88 %" if name == "middle" else ">= 60 %"
    reached = [run for run in runs if run.reason is EndReason.REACHED]
    in_time = sum(run.seconds <= _LATEST_S for run in reached)
    yield BodyRow(f"{name} goals, reached", asked, f"{in_time} of {len(runs)}, {100 * in_time / len(runs):.1f} %")
    stuck = [run for run in runs if run.reason is EndReason.STUCK]
    without = sum(run.reason is None for run in runs)
    yield BodyRow(f"{name} goals, STUCK, without an end", "0 without", f"{len(stuck)}, {without}")
    stood_s = max((run.standstill_s for run in stuck), default=0.0)
    yield BodyRow(f"{name} goals, longest standstill before STUCK", "3 s", f"{stood_s:.2f} s")
    if reached:
        yield BodyRow(
            f"{name} goals, true error and speed where reached",
            "1 mm, 0.5 deg, 2 mm/s",
            f"{1e3 * max(run.error_m for run in reached):.2f} mm,"
            f" {np.degrees(max(run.error_rad for run in reached)):.2f} deg,"
            f" {1e3 * max(run.speed_mps for run in reached):.1f} mm/s",
        )
        straightness = np.median([run.straightness for run in reached])
        yield BodyRow(f"{name} goals, length / distance, median", "<= 1.05", f"{straightness:.3f}")
    outside, fast = sum(run.outside for run in runs), sum(run.too_fast for run in runs)
    yield BodyRow(f"{name} goals, samples outside of a limit, too fast", "0, 0", f"{outside}, {fast}")


def _force_rows(count: int) -> Iterator[BodyRow]:
    forces = list(estimates(count, 0.05, seed=3))
    errors = [one.error_n for one in forces]
    yield BodyRow("force without noise", "<= 1 %", f"{100 * max(one.relative for one in forces):.4f} %")
    noisy = f"{np.median(errors):.2f} N, p95 {np.quantile(errors, 0.95):.2f} N"
    yield BodyRow("force with 0.05 Nm noise", "0.3 N, p95 1 N", noisy)
    yield BodyRow("errors within the stated 95 %", "95 %", f"{100 * np.mean([one.covered for one in forces]):.1f} %")


if __name__ == "__main__":
    raise SystemExit(main())
