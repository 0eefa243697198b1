"""Measures traffic on one floor: python -m bench.traffic [--scenario NAME ...] [--seeds N] [--json].

The whole fleet with a simulated world, in one thread and in counted time: a seed always gives the same run, except for
CPU times. Start poses vary by 5 mm and 0.03 rad (standard deviations), wheel gains by 1.5 %. A row is one scenario with
one method: the fleet as it is shipped (traffic), with `traffic: {enabled: false}` (none), and with navground's HL
(navground; see bench/traffic/navground_drive.py).

contacts             how often two robots, or a robot and a wall, started to touch, by the simulator's own count
arrived              succeeded tasks out of those requested, without tasks of robots that died
least_gap_mm         the least distance between two axles; nose to nose, robots touch at 160 mm
sum_ratio            durations of all arrived tasks, over their durations alone; p95_ratio: of single tasks
makespan_ratio       end of the last task over the longest task alone, in the worst run
cpu_ms_per_tick_...  CPU time of one tick of the fleet, right of way and planning included
held                 how often right of way granted a robot less than it wanted

Alone means without other robots: on floors without walls the duration of the planned way, with the time to
settle; on floors with walls the time that the fleet takes to drive the robot there, in a lab of its own.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.instruments.printed_rows import options_of, print_rows
from bench.traffic.catalogue import scenarios
from bench.traffic.navground_drive import HOW_TO_INSTALL, is_installed
from bench.traffic.scenario import Avoidance, Scenario
from bench.traffic.track_picture import draw_tracks
from bench.traffic.traffic_row import TrafficRow, traffic_row
from bench.traffic.traffic_run import RunOrder, perform
from experiments.workers import parallel_map


def main() -> int:
    """Measure and print rows; return 2 for an unknown scenario or without navground."""
    options = _parser().parse_args()
    if options.rows:
        print_rows(_read(options.rows), as_json=options.json)
        return 0
    try:
        chosen = scenarios(options.scenario, options.minutes)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if options.beside and not is_installed():
        print(HOW_TO_INSTALL, file=sys.stderr)
        return 2
    print_rows(_measure(chosen, options), as_json=options.json)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = options_of(__doc__)
    parser.add_argument("--scenario", nargs="+", default=[], metavar="NAME", help="or how names start; default all")
    parser.add_argument("--seeds", type=int, default=5, help="runs of each scenario; default 5")
    parser.add_argument("--first-seed", type=int, default=1, metavar="SEED", help="seed of the first run; default 1")
    parser.add_argument("--minutes", type=float, help="simulated, of scenarios that go on for ever; default 2")
    parser.add_argument("--method", nargs="+", choices=["traffic", "none"], default=["traffic", "none"])
    parser.add_argument("--beside", choices=["navground"], help="measure this too")
    parser.add_argument("--workers", type=int, help="processes; default one for each processor")
    parser.add_argument("--picture", type=Path, metavar="FOLDER", help="draw the first run of each row, as PNG")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="print rows of --json as Markdown, measure nothing")
    return parser


def _measure(chosen: list[Scenario], options: argparse.Namespace) -> Iterator[TrafficRow]:
    methods = [Avoidance(name) for name in options.method] + ([Avoidance.NAVGROUND] if options.beside else [])
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    for scenario in chosen:
        for method in methods:
            if method is Avoidance.NAVGROUND and not scenario.has_goals:
                continue
            orders = [RunOrder(scenario, method, seed) for seed in seeds]
            runs = parallel_map(perform, orders, options.workers)
            if options.picture:
                plan = scenario.plan(np.random.default_rng(seeds[0]))
                file = options.picture / f"traffic_{scenario.name}_{method.value}.png"
                draw_tracks(file, f"{scenario.name}, {method.value}, seed {seeds[0]}", plan, runs[0].tracks)
            yield traffic_row(scenario, method.value, list(zip(seeds, runs, strict=True)))


def _read(file: Path) -> list[TrafficRow]:
    return [TrafficRow(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
