"""Measures the body coupler in simulated time: python -m bench.body [--json] [--goals N] [--random N]."""

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

from bench.body.body_row import BodyRow, print_body_rows
from bench.body.contact_forces import estimates
from bench.body.field_goals import FieldRun, goals_in_the_middle, random_goals, tick_cost_ms
from bench.body.memory_reads import mixed_reads
from bench.body.random_reachers import violations
from body.reachers.reacher import EndReason

_LONGEST_S = 20.0


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench.body", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print objects instead of a table")
    parser.add_argument("--goals", type=int, default=500, help="in the middle of the ranges (default: %(default)s)")
    parser.add_argument("--random", type=int, default=1000, help="of the whole ranges (default: %(default)s)")
    parser.add_argument("--wild-s", type=float, default=1000.0, help="with random reachers (default: %(default)g)")
    parser.add_argument("--reads", type=int, default=10_000_000, help="of shared memory (default: %(default)s)")
    options = parser.parse_args()
    rows = list(_measure(options))
    print_body_rows("body coupler", rows, as_json=options.json)
    return 0


def _measure(options: argparse.Namespace) -> Iterator[BodyRow]:
    middle = list(goals_in_the_middle(options.goals, seed=1))
    yield BodyRow("goals in the middle, reached", ">= 88 %", _reached(middle))
    reached = [run for run in middle if run.reason is EndReason.REACHED]
    worst = (
        f"{1e3 * max(run.error_m for run in reached):.2f} mm,"
        f" {np.degrees(max(run.error_rad for run in reached)):.2f} deg,"
        f" {1e3 * max(run.speed_mps for run in reached):.1f} mm/s"
    )
    yield BodyRow("true error and speed where reached", "1 mm, 0.5 deg, 2 mm/s", worst)
    yield BodyRow("length / distance", "<= 1.05", f"{np.median([run.straightness for run in reached]):.3f}")
    wild = list(random_goals(options.random, seed=2))
    yield BodyRow("random goals, reached", ">= 60 %", _reached(wild))
    yield BodyRow("random goals without an end", "0", str(sum(run.reason is None for run in wild)))
    stood = max((run.standstill_s for run in wild if run.reason is EndReason.STUCK), default=0.0)
    yield BodyRow("longest standstill before STUCK", "3 s", f"{stood:.2f} s")
    outside, fast = (sum(getattr(run, name) for run in (*middle, *wild)) for name in ("outside", "too_fast"))
    yield BodyRow("samples outside of a limit, too fast", "0, 0", f"{outside}, {fast}")
    yield BodyRow(f"the same, random reachers, {options.wild_s:g} s", "0", str(violations(options.wild_s, seed=7)))
    forces = list(estimates(200, 0.05, seed=3))
    errors = [one.error_n for one in forces]
    yield BodyRow("force without noise", "<= 1 %", f"{100 * max(one.relative for one in forces):.4f} %")
    yield BodyRow(
        "force with 0.05 Nm noise",
        "0.3 N, p95 1 N",
        f"{np.median(errors):.2f} N, p95 {np.quantile(errors, 0.95):.2f} N",
    )
    yield BodyRow("errors within the stated 95 %", "95 %", f"{100 * np.mean([one.covered for one in forces]):.1f} %")
    yield BodyRow("mixed reads of shared memory", f"0 of {options.reads}", str(mixed_reads(options.reads)))
    yield BodyRow("CPU time of one step of VF", "", f"{tick_cost_ms(2000):.3f} ms")


def _reached(runs: Sequence[FieldRun]) -> str:
    count = sum(run.reason is EndReason.REACHED and run.seconds <= _LONGEST_S for run in runs)
    return f"{100 * count / len(runs):.1f} % of {len(runs)}"


if __name__ == "__main__":
    raise SystemExit(main())
