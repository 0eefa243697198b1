"""The settings of jobs: the section `dispatch` of fleet.yaml."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DispatchConfig:
    """Whether and how a driver accepts jobs; see `Dispatcher`."""

    enabled: bool
    book: str
    book_survives: str
    age_s: float
    no_robot_s: float
    makespan_weight: float
    budget_steps: int

    def book_file(self, config_path: str) -> Path | None:
        """Return the file of the book of a configuration; None if it is in memory."""
        kind, _, name = self.book.partition(":")
        return Path(config_path).parent / name if kind == "sqlite" else None
