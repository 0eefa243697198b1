"""Counts durations in buckets, as Prometheus histograms need them."""

from dataclasses import dataclass, field
from typing import Final

BUCKETS_S: Final = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0)


@dataclass(slots=True)
class DurationCounts:
    """The durations of one kind of task.

    Parameters
    ----------
    at_most : for each bucket, the number of durations up to its bound
    total_s : sum of all durations
    count : number of all durations
    """

    at_most: list[int] = field(default_factory=lambda: [0] * len(BUCKETS_S))
    total_s: float = 0.0
    count: int = 0

    def add(self, duration_s: float) -> None:
        """Count a duration."""
        self.at_most = [found + (duration_s <= limit_s) for found, limit_s in zip(self.at_most, BUCKETS_S, strict=True)]
        self.total_s += duration_s
        self.count += 1
