"""Runs the robots of a plant, each driven by its pilot, until all have ended, and records their true poses."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from experiments.control_study.pilot import Pilot
from experiments.control_study.plant import STEP_NS, STEP_S, Plant

Array = NDArray[np.float64]

RECORD_STEPS = 2
RECORD_S = RECORD_STEPS * STEP_S
_STANDS_MPS = 0.01  # slower robots count as stationary
_STANDS_RADPS = 0.2
REST_S = 2.0  # recording continues for this time after the last robot has ended


def drive(plant: Plant, pilots: Sequence[Pilot], limit_s: float) -> Array:
    """Drive all robots at once for at most `limit_s`; return their true poses every 20 ms, shape (times, robots, 3)."""
    every = [round(1.0 / (pilot.control_hz * STEP_S)) for pilot in pilots]
    record = []
    rested_s = 0.0
    for step in range(round(limit_s / STEP_S)):
        if step % RECORD_STEPS == 0:
            record.append(plant.poses())
        for index, pilot in enumerate(pilots):
            if step % every[index] == 0:
                plant.command(index, pilot.step(plant.now_ns))
        _pass_on(plant, pilots)
        rested_s = rested_s + STEP_S if all(pilot.is_done for pilot in pilots) else 0.0
        if rested_s >= REST_S:
            break
    return np.array(record, dtype=float)


def stands_since_s(poses: Array) -> Array:
    """Return the time from which each robot of a record has been stationary, shape (robots,) [s]."""
    steps = np.diff(poses, axis=0)
    turned_rad = turn_sizes(steps[..., 2])
    moves = np.hypot(steps[..., 0], steps[..., 1]) > _STANDS_MPS * RECORD_S
    moves |= turned_rad > _STANDS_RADPS * RECORD_S
    rows = np.where(moves.any(axis=0), len(moves) - np.argmax(moves[::-1], axis=0), 0)
    result: Array = RECORD_S * rows
    return result


def turn_sizes(differences_rad: Array) -> Array:
    """Return the absolute value, 0 to pi, of each heading difference wrapped to +-pi; any shape."""
    sizes_rad: Array = np.abs(np.remainder(differences_rad + math.pi, math.tau) - math.pi)
    return sizes_rad


def recorded(time_ns: float) -> int:
    """Return the first row of a record at or after a time."""
    return int(np.ceil(time_ns / (RECORD_STEPS * STEP_NS)))


def _pass_on(plant: Plant, pilots: Sequence[Pilot]) -> None:
    """Advance by 10 ms, and pass measurements and reports to the pilots."""
    words, samples = plant.step()
    for index, sample in samples.items():
        pilots[index].on_sample(sample, plant.now_ns)
    for index, event in words.items():
        pilots[index].on_report(event, plant.now_ns)
