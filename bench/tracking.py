"""Measures how closely robots follow their paths and reach poses: python -m bench.tracking [--json].

Each row of paths, and of going to poses, is one law at one level of disturbance; the modules `tracking_trials` and
`go_to` of `experiments.control_study` define the measures. `--deadlock` adds 200 runs of 15 laps back and forth,
`--odometry` the drift of robots on odometry alone, before and after their calibration.
"""

import argparse
from collections.abc import Iterator, Sequence

from bench.instruments.printed_rows import options_of, print_rows
from experiments.control_study.deadlock import RUNS, DeadlockRow, deadlock_row, deadlock_trials, farthest_m
from experiments.control_study.drift import DriftRow, measure_drift
from experiments.control_study.go_to import GOALS, GoToRow, GoToTrial, measure_go_to
from experiments.control_study.plant import GRID, LEVELS, DisturbanceLevel
from experiments.control_study.study_laws import PUBLISHED, LawUnderTest, default_law_under_test, laws_under_test
from experiments.control_study.study_tables import deadlock_table, drift_table, go_to_table, tracking_table
from experiments.control_study.tracking_trials import TrackingRow, Trial, measure
from experiments.lab.courses import PATHS
from experiments.workers import parallel_map

_LEVELS = {level.name: level for level in (*LEVELS, *GRID)}


def main() -> int:
    """Measure and print rows."""
    options = _parser().parse_args()
    laws = [laws_under_test()[name] for name in options.laws]
    levels = [_LEVELS[name] for name in options.levels]
    rows = [row for found in parallel_map(measure, _trials(options, laws, levels)) for row in found]
    goes = [GoToTrial(law, level, options.goals) for law in laws if not law.is_published for level in levels]
    arrived = parallel_map(measure_go_to, goes)
    left = list(_deadlocks(laws, levels, options.runs)) if options.deadlock else []
    drifted = measure_drift(options.seeds) if options.odometry else []
    if options.json:
        every: list[TrackingRow | GoToRow | DeadlockRow | DriftRow] = [*rows, *arrived, *left, *drifted]
        print_rows(every, as_json=True)
    else:
        _print(rows, arrived, left, drifted)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = options_of(__doc__)
    laws, default = laws_under_test(), default_law_under_test().name
    parser.add_argument(
        "--laws", nargs="+", choices=list(laws), default=[PUBLISHED, default], metavar="LAW", help=", ".join(laws)
    )
    parser.add_argument("--paths", nargs="*", choices=PATHS, default=list(PATHS), metavar="PATH")
    names = [level.name for level in LEVELS]
    parser.add_argument(
        "--levels",
        nargs="+",
        choices=list(_LEVELS),
        default=names,
        metavar="L",
        help=", ".join(_LEVELS).replace("%", "%%"),
    )
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--laps", type=int, default=3)
    parser.add_argument("--goals", type=int, default=GOALS)
    parser.add_argument("--deadlock", action="store_true", help="run back and forth many times")
    parser.add_argument("--runs", type=int, default=RUNS, help="of --deadlock")
    parser.add_argument("--odometry", action="store_true", help="drift of odometry alone")
    return parser


def _trials(
    options: argparse.Namespace, laws: Sequence[LawUnderTest], levels: Sequence[DisturbanceLevel]
) -> list[Trial]:
    return [Trial(tuple(laws), path, level, options.seeds, options.laps) for path in options.paths for level in levels]


def _deadlocks(laws: Sequence[LawUnderTest], levels: Sequence[DisturbanceLevel], runs: int) -> Iterator[DeadlockRow]:
    for law in laws:
        for level in levels:
            parts = parallel_map(farthest_m, deadlock_trials(law, level, runs))
            yield deadlock_row(law, level, [away_m for part in parts for away_m in part])


def _print(
    rows: Sequence[TrackingRow], arrived: Sequence[GoToRow], left: Sequence[DeadlockRow], drifted: Sequence[DriftRow]
) -> None:
    for path in dict.fromkeys(row.path for row in rows):
        print(path, tracking_table([row for row in rows if row.path == path]), sep="\n\n", end="\n\n")
    if arrived:
        print("go to", go_to_table(arrived), sep="\n\n", end="\n\n")
    if left:
        print("back and forth", deadlock_table(left), sep="\n\n", end="\n\n")
    if drifted:
        configured, calibrated = drifted
        print("odometry alone", drift_table(drifted), sep="\n\n", end="\n\n")
        print(f"calibration cuts the drift by {configured.drift_mm / calibrated.drift_mm:.1f}")


if __name__ == "__main__":
    raise SystemExit(main())
