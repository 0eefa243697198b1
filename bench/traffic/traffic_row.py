"""Rows of the traffic benchmark: all runs of one scenario with one method."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.traffic.run_figures import RunFigures
from bench.traffic.scenario import Scenario


@dataclass(frozen=True, slots=True)
class TrafficRow:
    """The results of one scenario with one method; None where nothing was measured.

    Parameters
    ----------
    contacts : how often two bodies, or a robot and a wall, started to touch, over all runs
    asked, arrived : number of tasks of robots that did not die, and of those that succeeded
    least_gap_mm : the least distance between two axles in all runs
    sum_ratio : sum of the durations of all arrived tasks, over the sum of their durations alone
    p95_ratio : 95th percentile of that ratio over single tasks
    makespan_ratio : the end of the last task over the longest task alone, in the worst run; None for random goals
    cpu_ms_per_tick_p99, cpu_ms_per_tick_max : CPU time of the fleet's ticks; the longest ticks plan
    held : how often right of way granted a robot less than it wanted
    pushes : number of pushes
    off_path_mm : largest true distance from followed paths
    failures : each task that did not arrive, with its seed
    """

    scenario: str
    method: str
    robots: int
    seeds: int
    contacts: int
    asked: int
    arrived: int
    least_gap_mm: float | None
    sum_ratio: float | None
    p95_ratio: float | None
    makespan_ratio: float | None
    cpu_ms_per_tick_p99: float
    cpu_ms_per_tick_max: float
    held: int
    pushes: int
    off_path_mm: float | None
    failures: tuple[str, ...]


def traffic_row(scenario: Scenario, method: str, runs: Sequence[tuple[int, RunFigures]]) -> TrafficRow:
    """Return the row of some runs, each with its seed."""
    figures = [run for _, run in runs]
    ratios = [ratio for run in figures for ratio in run.ratios]
    alone_s = sum(sum(run.alone_s) for run in figures)
    ticks_ms = [tick_ms for run in figures for tick_ms in run.ticks_ms]
    off_path_mm = [run.off_path_mm for run in figures if run.off_path_mm is not None]
    makespans = [run.last_end_s / max(run.alone_s) for run in figures if run.alone_s]
    return TrafficRow(
        scenario=scenario.name,
        method=method,
        robots=figures[0].tracks.shape[1],
        seeds=len(runs),
        contacts=sum(run.contacts for run in figures),
        asked=sum(run.asked for run in figures),
        arrived=len(ratios),
        least_gap_mm=round(1000.0 * min(run.least_gap_m for run in figures), 1),
        sum_ratio=round(sum(sum(run.durations_s) for run in figures) / alone_s, 3) if ratios else None,
        p95_ratio=round(float(np.quantile(ratios, 0.95)), 2) if ratios else None,
        makespan_ratio=round(max(makespans), 2) if makespans and not scenario.duration_s else None,
        cpu_ms_per_tick_p99=round(float(np.quantile(ticks_ms, 0.99)), 2),
        cpu_ms_per_tick_max=round(max(ticks_ms), 1),
        held=sum(run.held for run in figures),
        pushes=sum(run.pushes for run in figures),
        off_path_mm=round(max(off_path_mm), 2) if off_path_mm else None,
        failures=tuple(f"seed {seed}: {failure}" for seed, run in runs for failure in run.failures),
    )
