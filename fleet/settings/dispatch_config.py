"""The settings of jobs: the section `dispatch` of fleet.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any


class Finishing(Enum):
    """Behaviour of a robot without further jobs; the value is that of the file."""

    STAY = "stay"  # it stays until it is in another robot's way
    HOME = "home"  # it drives home
    PARK = "park"  # it drives to a free station with the role park, or home
    CHARGE = "charge"  # it drives to a free station with the role charge, or parks


@dataclass(frozen=True, slots=True)
class ChargingConfig:
    """Charges, in percent, at which robots drive to chargers and leave them; fleet.schema.json has the details."""

    critical_pct: float
    low_pct: float
    early_pct: float
    ready_pct: float
    full_pct: float
    idle_pct: float
    idle_s: float


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
    charging: ChargingConfig

    def book_file(self, config_path: str) -> Path | None:
        """Return the file of the book of a configuration; None for a book in memory or on a server."""
        kind, _, name = self.book.partition(":")
        return Path(config_path).parent / name if kind == "sqlite" else None


def build_dispatch_config(values: Mapping[str, Any]) -> DispatchConfig:
    """Return the section `dispatch`."""
    finishing, charging = Finishing(values["finishing"]), ChargingConfig(**values["charging"])
    return DispatchConfig(**{**values, "finishing": finishing, "charging": charging})
