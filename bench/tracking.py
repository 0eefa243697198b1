"""Measures how closely robots follow their paths and reach poses: python -m bench.tracking [--json].

Each row, of paths or of going to poses, is one law at one level of disturbance; the modules `tracking_trials` and
`go_to` of `experiments.control_study` define the measures.
"""

import argparse
from collections.abc import Sequence

from bench.instruments.printed_rows import options_of, print_rows
from experiments.control_study.go_to import GOALS, GoToTrial, measure_go_to
from experiments.control_study.plant import GRID, LEVELS
from experiments.control_study.study_laws import PUBLISHED, default_law_under_test, laws_under_test
from experiments.control_study.tracking_trials import Trial, measure
from experiments.lab.courses import PATHS
from experiments.workers import parallel_map

_LEVELS = {level.name: level for level in (*LEVELS, *GRID)}


def main() -> int:
    """Measure and print rows: of each path, then of going to poses."""
    parser = options_of(__doc__)
    all_laws, default = laws_under_test(), default_law_under_test().name
    _add_choices(parser, "--laws", list(all_laws), [PUBLISHED, default])
    _add_choices(parser, "--paths", list(PATHS), list(PATHS))
    _add_choices(parser, "--levels", list(_LEVELS), [level.name for level in LEVELS])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--laps", type=int, default=3)
    parser.add_argument("--goals", type=int, default=GOALS)
    options = parser.parse_args()
    laws = [all_laws[name] for name in options.laws]
    levels = [_LEVELS[name] for name in options.levels]
    trials = [
        Trial(tuple(laws), path, level, options.seeds, options.laps) for path in options.paths for level in levels
    ]
    print_rows((row for found in parallel_map(measure, trials) for row in found), as_json=options.json)
    goes = [GoToTrial(law, level, options.goals) for law in laws if not law.is_published for level in levels]
    print_rows(parallel_map(measure_go_to, goes), as_json=options.json)
    return 0


def _add_choices(parser: argparse.ArgumentParser, option: str, choices: Sequence[str], default: Sequence[str]) -> None:
    text = ", ".join(choices).replace("%", "%%")
    parser.add_argument(option, nargs="*", choices=choices, default=default, metavar="NAME", help=text)


if __name__ == "__main__":
    raise SystemExit(main())
