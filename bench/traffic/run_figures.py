"""What is measured in one run."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The results of a run.

    Parameters
    ----------
    contacts : how often two bodies began to touch
    asked : tasks of robots that did not die
    durations_s, alone_s : of the tasks that arrived, in the order of their ends: as driven, and alone on the floor
    last_end_s : since the start
    least_gap_m : between two axles
    ticks_ms : CPU time of each tick
    held : how often a robot was granted less than it wanted
    pushes : how often a robot was pushed
    off_path_mm : the largest true distance of a robot from the path that it followed; None without paths
    failures : in words, the tasks that did not arrive
    tracks : (times, robots, 2), ten times a second
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
        """How much longer each task took than alone."""
        return [duration_s / alone_s for duration_s, alone_s in zip(self.durations_s, self.alone_s, strict=True)]
