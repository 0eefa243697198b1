"""How much faster than real time experiments run: python -m bench.experiments [--json].

The whole fleet (service, link, wire, firmware, world) in one thread, every robot driving on a square of its own, seen
by motion capture thirty times a second. A row says how many robots there are, how many times faster than real time
they are simulated, and how many processors that takes.
"""

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.experiment import Experiment
from experiments.experiment_file import load_experiment
from experiments.lab import Lab, uncollected
from experiments.variation import varied

ROBOTS = (5, 20)
_GRID = 5  # so many robots stand in a row
_APART_M = 0.8


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured; `cpu_cores` is the processor time by the time that passed."""

    mode: str
    robots: int
    realtime_factor: float
    cpu_cores: float


def main() -> int:
    """Measure, print rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--robots", type=int, nargs="+", default=ROBOTS, metavar="N")
    parser.add_argument("--seconds", type=float, default=30.0, help="simulated time (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    options = parser.parse_args()
    rows = [measure(count, options.seconds) for count in options.robots]
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
        return 0
    for row in rows:
        print(f"{row.robots} robots: {row.realtime_factor:.1f} times real time, {row.cpu_cores:.2f} cores")
    return 0


def measure(count: int, seconds: float) -> Row:
    """Let robots drive for a time, once all are on their way."""
    experiment = squares(count)
    lab = Lab(experiment.fleet, varied(experiment.world, experiment.spread, 1, 1))
    lab.start()
    for task in experiment.tasks:
        request = task.request(lab.config, lab.config.robots[0].home, lab.service.estimate(task.robot_id))
        if request is None or lab.service.assign(task.robot_id, request, lab.now_ns) is not None:
            raise RuntimeError(f"robot {task.robot_id} does not take its task")
    lab.run(1.0)  # in which paths are planned, and gains computed
    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    with uncollected():
        lab.run(seconds)
    took_s, took_cpu_s = time.perf_counter() - began_s, time.process_time() - began_cpu_s
    return Row("fleet", count, round(seconds / took_s, 2), round(took_cpu_s / took_s, 3))


def squares(count: int) -> Experiment:
    """Return the experiment in which every robot drives squares."""
    numbers = range(1, count + 1)
    places = [_APART_M * (0.5 + number % _GRID) for number in range(count)]
    rows = [_APART_M * (0.5 + number // _GRID) for number in range(count)]
    spots = [f"x_m: {x_m:.2f}, y_m: {y_m:.2f}" for x_m, y_m in zip(places, rows, strict=True)]
    simulated = [f"{{node_id: {n}, {spot}}}" for n, spot in zip(numbers, spots, strict=True)]
    homes = zip(numbers, spots, strict=True)
    robots = [f"{{id: {n}, node_id: {n}, home: {{{spot}}}, pose_topic: /mocap/{n}}}" for n, spot in homes]
    tasks = [f"{{id: t{n}, robot: {n}, follow_path: {{shape: square, size_m: 0.3, laps: 100}}}}" for n in numbers]
    text = f"""
title: squares
world:
  arena: {{width_m: {_APART_M * _GRID}, height_m: {_APART_M * (1 + (count - 1) // _GRID)}}}
  robots: [{", ".join(simulated)}]
fleet: {{robots: [{", ".join(robots)}]}}
duration_s: 60
spread: {{wheel_gain: 0.01}}
tasks: [{", ".join(tasks)}]
"""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "squares.yaml"
        file.write_text(text, encoding="utf-8")
        return load_experiment(file)


if __name__ == "__main__":
    raise SystemExit(main())
