"""Who takes part: every control law as the fleet drives it by default, and the baseline as it was published."""

from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from fleet.config import FleetConfig, load_config
from fleet.tracker_config import LawName

PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Contender:
    """A law as it is driven: by the fleet, or by its author's own programs (`experiments.pilot.PublishedPilot`)."""

    name: str
    config: FleetConfig
    is_published: bool = False

    def with_law(self, law: LawName) -> "Contender":
        """Return the same fleet with another law, which names it."""
        return Contender(law.value, replace(self.config, tracker=replace(self.config.tracker, law=law)))


@lru_cache
def default_contender() -> Contender:
    """Return the fleet with the defaults of fleet.yaml."""
    with resources.as_file(resources.files("experiments").joinpath("fleet.yaml")) as path:
        config = load_config(path)
    return Contender(config.tracker.law.value, config)


def contenders() -> dict[str, Contender]:
    """Return all by name: the baseline, then every law."""
    default = default_contender()
    laws = [default.with_law(law) for law in LawName]
    return {PUBLISHED: Contender(PUBLISHED, default.config, True), **{law.name: law for law in laws}}
