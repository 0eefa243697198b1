"""Readiness of the fleet for work: its drivers, their links, the robots and the book of jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fleet.dashboard.model.fleet_entries import SeenDriver
from fleet.dashboard.model.story import Story
from thymio_base.number_text import count_text
from thymio_base.palette import Tone


class ReadyState(Enum):
    """The state of a part of the fleet or of the whole, which takes the worst; in ascending order."""

    READY = "ready"
    DEGRADED = "degraded"  # partly missing; the fleet works with the rest
    NOT_READY = "not_ready"


@dataclass(frozen=True, slots=True)
class FleetReadiness:
    """The readiness of the fleet.

    Parameters
    ----------
    parts : state and finding of each part by its name; texts without names or addresses
    """

    parts: dict[str, tuple[ReadyState, str]]

    @property
    def state(self) -> ReadyState:
        """The worst state of a part."""
        states = [state for state, _ in self.parts.values()]
        return max(states, key=list(ReadyState).index)

    @property
    def is_ready(self) -> bool:
        """Whether no part is wholly missing."""
        return self.state is not ReadyState.NOT_READY

    @property
    def entry(self) -> dict[str, Any]:
        """The same as JSON."""
        parts = {name: {"state": state.value, "text": text} for name, (state, text) in self.parts.items()}
        return {"ready": self.is_ready, "state": self.state.value, "parts": parts}


def readiness(story: Story, now_ns: int) -> FleetReadiness:
    """Return the fleet's readiness, from what its drivers publish."""
    drivers = story.drivers(now_ns)
    present = [driver for driver in drivers if not driver.is_silent]
    return FleetReadiness(
        {
            "driver": _part(len(present), len(drivers), "driver", "announced in the last 5 s"),
            "link": _link(story, drivers, now_ns),
            "robots": _robots(story, present),
            "book": _book(story),
        }
    )


def _link(story: Story, drivers: Sequence[SeenDriver], now_ns: int) -> tuple[ReadyState, str]:
    targets = [is_up for counts in story.counts.current(drivers, now_ns) for is_up in counts.targets.values()]
    return _part(sum(targets), len(targets), "target", "connected")


def _robots(story: Story, present: Sequence[SeenDriver]) -> tuple[ReadyState, str]:
    served = {robot_id for driver in present for robot_id in driver.serves}
    reports = [story.picture.robots[robot_id].report for robot_id in served if robot_id in story.picture.robots]
    up = sum(report.word not in ("waiting", "silent") and report.tone is not Tone.LOST for report in reports)
    return _part(up, len(served), "robot", "with a link")


def _book(story: Story) -> tuple[ReadyState, str]:
    if not story.jobs.is_served:
        return ReadyState.READY, "no driver accepts jobs"
    if not story.jobs.is_kept:
        return ReadyState.NOT_READY, "jobs cannot be kept"
    return ReadyState.READY, "jobs are kept"


def _part(good: int, count: int, noun: str, what: str) -> tuple[ReadyState, str]:
    """Return the state and finding of a part, of which `good` of `count` members are fine."""
    if not good:
        return ReadyState.NOT_READY, f"0 of {count_text(count, noun)} {what}" if count else f"no {noun} is known"
    state = ReadyState.READY if good == count else ReadyState.DEGRADED
    return state, f"{good} of {count_text(count, noun)} {what}"
