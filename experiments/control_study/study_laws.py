"""The laws under test: every control law with the fleet's defaults, and the published baseline."""

from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from fleet.control.tracker_config import LawName
from fleet.settings.config import FleetConfig, load_config

PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class LawUnderTest:
    """A control law as driven by the fleet, or by its author's own programs (`pilot.PublishedPilot`)."""

    name: str
    config: FleetConfig
    is_published: bool = False

    def with_law(self, law: LawName) -> "LawUnderTest":
        """Return the same fleet with another law, under that law's name."""
        return LawUnderTest(law.value, replace(self.config, tracker=replace(self.config.tracker, law=law)))


@lru_cache
def default_law_under_test() -> LawUnderTest:
    """Return the fleet with the defaults of fleet.yaml."""
    with resources.as_file(resources.files("experiments.control_study").joinpath("fleet.yaml")) as path:
        config = load_config(path)
    return LawUnderTest(config.tracker.law.value, config)


def laws_under_test() -> dict[str, LawUnderTest]:
    """Return all laws under test by name: the baseline, then every law."""
    default = default_law_under_test()
    laws = [default.with_law(law) for law in LawName]
    return {PUBLISHED: LawUnderTest(PUBLISHED, default.config, True), **{law.name: law for law in laws}}
