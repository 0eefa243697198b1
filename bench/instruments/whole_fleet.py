"""The whole fleet (service, link, wire, firmware, world) in one thread, at full speed, as in experiments.

Every robot drives on its own square, and is measured by motion capture thirty times a second.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.lab.lab import Lab, uncollected
from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.file.experiment_file import load_experiment
from experiments.scenarios.file.variation import varied
from fleet.work.task_of_work import task_of_work

_GRID = 5  # robots per row
_APART_M = 0.8


def measure(count: int, seconds: float) -> tuple[float, float]:
    """Drive robots for a time, once all are driving.

    Returns
    -------
    realtime_factor, cpu_cores
        simulated time over elapsed time, and the share of a core needed in real time
    """
    experiment = squares(count)
    lab = Lab(experiment.fleet, varied(experiment.world, experiment.spread, 1, 1))
    lab.start()
    for task in experiment.tasks:
        robot_id = task.robot_id or 0
        estimate = lab.service.robot(robot_id).telemetry.estimate
        pose = None if estimate is None else estimate.pose
        home = lab.config.robots[0].home
        request = task_of_work(task.work, task.task_id, lab.config, home=home, pose=pose)
        if lab.service.assign(robot_id, request, lab.now_ns) is not None:
            raise RuntimeError(f"robot {robot_id} does not accept its task")
    lab.run(1.0)  # for the planning of paths and computation of gains
    started_s, started_cpu_s = time.perf_counter(), time.process_time()
    with uncollected():
        lab.run(seconds)
    elapsed_s, elapsed_cpu_s = time.perf_counter() - started_s, time.process_time() - started_cpu_s
    return seconds / elapsed_s, elapsed_cpu_s / seconds


def squares(count: int) -> Experiment:
    """Return an experiment in which every robot drives squares."""
    numbers = range(1, count + 1)
    places = [_APART_M * (0.5 + number % _GRID) for number in range(count)]
    rows = [_APART_M * (0.5 + number // _GRID) for number in range(count)]
    spots = [f"x_m: {x_m:.2f}, y_m: {y_m:.2f}" for x_m, y_m in zip(places, rows, strict=True)]
    simulated = [f"{{node_id: {n}, {spot}}}" for n, spot in zip(numbers, spots, strict=True)]
    homes = zip(numbers, spots, strict=True)
    robots = [f"{{id: {n}, node_id: {n}, home: {{{spot}}}, pose_topic: /mocap/robot_{n}}}" for n, spot in homes]
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
