"""The settings of jobs: the section `dispatch` of fleet.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any


class Finishing(Enum):
    """What a robot does when there is no more job for it; the value is that of the file."""

    STAY = "stay"  # it stays until it is in somebody's way
    HOME = "home"  # it drives home
    PARK = "park"  # it drives to a free station with the role park, or home


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
    finishing: Finishing

    def book_file(self, config_path: str) -> Path | None:
        """Return the file of the book of a configuration; None if it is in memory."""
        kind, _, name = self.book.partition(":")
        return Path(config_path).parent / name if kind == "sqlite" else None


def build_dispatch_config(values: Mapping[str, Any]) -> DispatchConfig:
    """Return the section `dispatch`."""
    return DispatchConfig(**{**values, "finishing": Finishing(values["finishing"])})
