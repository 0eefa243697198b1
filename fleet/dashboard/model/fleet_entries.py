"""Entries of the fleet as a whole: counts, drivers, and why there is nothing to see."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from thymio_base.palette import Tone

_COUNTED = {Tone.IDLE: "idle", Tone.BUSY: "busy", Tone.STOPPED: "stopped", Tone.WARNING: "warning", Tone.ERROR: "error"}


@dataclass(frozen=True, slots=True)
class SeenDriver:
    """A driver that has announced itself.

    Parameters
    ----------
    serves : the IDs of its robots
    is_stopped : whether it announces that its robots are stopped
    is_silent : whether its announcements are overdue
    age_s : time since its latest announcement
    """

    host: str
    node: str
    token: str
    serves: tuple[int, ...] = ()
    is_stopped: bool = False
    is_silent: bool = False
    age_s: float = 0.0

    @property
    def entry(self) -> dict[str, Any]:
        """The driver as pages show it."""
        return {
            "host": self.host,
            "node": self.node,
            "token": self.token,
            "serves": list(self.serves),
            "is_stopped": self.is_stopped,
            "is_silent": self.is_silent,
        }


def counts(tones: Iterable[Tone]) -> dict[str, int]:
    """Return the number of robots, in all and by state."""
    found = Counter(tones)
    named = {name: found[tone] for tone, name in _COUNTED.items()}
    return {"robots": found.total(), **named, "lost": found[Tone.LOST]}


def is_stopped(drivers: Sequence[SeenDriver], words: Iterable[str]) -> bool:
    """Whether the fleet is stopped: every driver says so or, if none announces itself, every robot's status does."""
    present = [driver for driver in drivers if not driver.is_silent]
    if present:
        return all(driver.is_stopped for driver in present)
    found = list(words)
    return bool(found) and all(word == "stopped" for word in found)


def empty_entry(drivers: Sequence[SeenDriver], robots: int, posed: int, domain: int) -> dict[str, Any] | None:
    """Return why there is nothing to see, and what helps; None if there is something.

    Parameters
    ----------
    drivers
        drivers that have announced themselves
    robots
        number of known robots
    posed
        number of robots that have published a pose
    domain
        the ROS domain
    """
    if posed:
        return None
    present = [driver for driver in drivers if not driver.is_silent]
    if robots:
        text = "Robots are there, but none publishes a pose: none has a link, or motion capture is silent."
        return _empty("no_poses", text, ["thymio-fleet status", "thymio-fleet view"])
    if present:
        hosts = ", ".join(sorted({driver.host for driver in present}))
        text = f"A driver runs on {hosts} and has no robot yet: check that robots are on, and link.targets."
        return _empty("no_robots", text, ["thymio-fleet list", "thymio-fleet check config/fleet.yaml"])
    text = f"No driver and no robot is on ROS domain {domain}. A fleet on another domain cannot be seen from here."
    return _empty("no_driver", text, ["thymio-fleet up", "ROS_DOMAIN_ID=<its domain> thymio-fleet dashboard"])


def _empty(reason: str, text: str, commands: list[str]) -> dict[str, Any]:
    return {"reason": reason, "text": text, "commands": commands}
