"""Measurements of one run."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The results of a run.

    Parameters
    ----------
    contacts : how often two bodies started to touch
    asked : number of tasks of robots that did not die
    durations_s, alone_s : durations of the arrived tasks in order of their ends, as driven and alone on the floor
    last_end_s : time of the last end since the start
    least_gap_m : least distance between two axles
    ticks_ms : CPU time of each tick
    held : how often a robot was granted less than it wanted
    pushes : number of pushes
    off_path_mm : the largest true distance of a robot from its path; None without paths
    failures : texts on the tasks that did not arrive
    tracks : places ten times a second, shape (times, robots, 2) [m]
    """

    contacts: int
    asked: int
    durations_s: list[float]
    alone_s: list[float]
    last_end_s: float
    least_gap_m: float
    ticks_ms: list[float]
    held: int
    pushes: int
    off_path_mm: float | None
    failures: list[str]
    tracks: NDArray[np.float64]

    @property
    def ratios(self) -> list[float]:
        """The duration of each task over its duration alone."""
        return [duration_s / alone_s for duration_s, alone_s in zip(self.durations_s, self.alone_s, strict=True)]
