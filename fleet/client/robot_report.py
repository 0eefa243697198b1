"""A client's view of one robot: its latest status and pose, with defaults for servers that are not ours."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from fleet.geometry import Pose2D
from fleet.robots.activity import Activity
from fleet.robots.status_level import Level
from thymio_base.errors import TextError
from thymio_base.palette import Tone
from thymio_base.texts.decimal_text import real_number

SILENT_S = 5.0  # statuses are published once a second
_ACTIVITIES = {
    "executing": Activity.DRIVING,
    "canceling": Activity.STOPPING,
}  # by the status key `state`, where they differ
_BY_WORD = {activity.value: activity for activity in Activity}
_LEVELS = {level.value: level for level in Level}
_SHOWN_ELSEWHERE = ("battery low",)  # parts of messages that repeat other values


@dataclass(frozen=True)  # without slots, as it keeps what follows from its values: the dashboard asks a dozen times
class RobotReport:
    """One robot as a client sees it.

    Parameters
    ----------
    level : None before the first status
    values : values of the status, by key
    pose : the latest pose; None before the first
    age_s : time since the latest status arrived; None before the first one
    host : its driver's host; "" if unknown
    driver_node : the driver's ROS node; "" if unknown
    waiting_hosts : hosts of drivers that would serve it if this driver did not
    is_stale : whether its server marks the status as stale, which counts as an error
    """

    robot_id: int
    level: Level | None = None
    message: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    pose: Pose2D | None = None
    age_s: float | None = None
    host: str = ""
    driver_node: str = ""
    waiting_hosts: Sequence[str] = ()
    is_stale: bool = False

    @cached_property
    def word(self) -> str:
        """Its state, in a word or two."""
        if self.level is None:
            return "waiting"
        if self._is_silent:
            return "silent"
        activity = self.activity
        return (self._state or Activity.IDLE.value) if activity is None else activity.value

    @cached_property
    def activity(self) -> Activity | None:
        """Its activity according to its latest status; None for an unknown state of another server."""
        told = _BY_WORD.get(self.values.get("activity", ""))
        state = self._state
        found = told or _ACTIVITIES.get(state) or _BY_WORD.get(state)
        if found not in (Activity.STOPPED, Activity.SCRIPTED) and self._is_lost:
            return Activity.LOST
        return found

    @cached_property
    def tone(self) -> Tone:
        """Its state, as a colour."""
        if self._is_silent or (self.level is Level.ERROR and self._is_lost):
            return Tone.LOST
        if self.level is Level.ERROR:
            return Tone.STOPPED if self.word == "stopped" and not self.battery_is_critical else Tone.ERROR
        if self.level is Level.WARN:
            return Tone.WARNING
        return Tone.BUSY if self.activity is not None and self.activity.is_busy else Tone.IDLE

    @property
    def is_in_trouble(self) -> bool:
        """Whether it needs attention; a robot that only waits to be resumed does not."""
        return self.tone.urgency >= Tone.WARNING.urgency

    @property
    def is_busy(self) -> bool:
        """Whether it performs a task."""
        return self.values.get("busy") == "yes"

    @property
    def is_free(self) -> bool:
        """Whether it would start a task at once; errands of its own end for a task."""
        return self.word not in ("waiting", "silent") and self.activity is not None and self.activity.is_free

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for other robots, or finds no way at present."""
        return self.is_busy and self.values.get("traffic") in ("waiting", "blocked")

    @property
    def blocked_text(self) -> str:
        """Its obstacle, and when it will give up; "" unless it is blocked and its server reports that."""
        blocked_by = self.values.get("blocked_by", "") if self.is_waiting else ""
        left_s = self._number("gives_up_s")
        if not blocked_by or left_s is None:
            return f"blocked by {blocked_by}" if blocked_by else ""
        return f"blocked by {blocked_by}, gives up in {left_s:.0f} s"

    @property
    def task(self) -> str:
        """Its task in words; the task id if its server does not publish that, "" when idle."""
        return (self.values.get("task") or self.values.get("assigned_task", "")) if self.is_busy else ""

    @property
    def occupation(self) -> str:
        """Its task, or what it does on its own, in words; "" when idle."""
        return self.task or ("" if self.word == Activity.IDLE.value else self.word)

    @cached_property
    def progress(self) -> float | None:
        """Share of its task that is done, from 0 to 1; None when idle or not published."""
        progress = self._number("progress") if self.is_busy else None
        return None if progress is None else min(max(progress, 0.0), 1.0)

    @cached_property
    def eta_s(self) -> float | None:
        """Time to the end of its task; None when idle or not published."""
        return self._number("eta_s") if self.is_busy else None

    @property
    def battery(self) -> str:
        """Its charge in percent, or the level if that is all its server publishes."""
        percent = self._number("battery_pct")
        return f"{percent:.0f}%" if percent is not None and percent >= 0.0 else self.values.get("battery", "")

    @property
    def battery_is_low(self) -> bool:
        """Whether its battery is low or critical."""
        return self.values.get("battery") in ("low", "critical")

    @property
    def battery_is_critical(self) -> bool:
        """Whether its battery is critical."""
        return self.values.get("battery") == "critical"

    @property
    def note(self) -> str:
        """Its message without what other columns show; "" if nothing remains."""
        if self.level is None:
            return "no status yet"
        if self._is_silent:
            return f"no status for {self.age_s or 0.0:.0f} s"
        if self.level is Level.OK:
            return "" if "state" in self.values or self.message in (self.word, "OK") else self.message
        return "; ".join(part for part in self.message.split("; ") if not self._shows(part))

    @property
    def node_id(self) -> int | None:
        """Its node id on the Aseba network; None if it is not published."""
        number = self._number("node")
        return None if number is None else int(number)

    def poses(self, key: str) -> list[tuple[float, ...]]:
        """Return a value with poses or places: x [m], y [m] and, for poses, heading [rad]; malformed ones are left out.

        Keys are `home` and `plan`.
        """
        return list(_poses(self.values.get(key, "")))

    @property
    def _state(self) -> str:
        return self.values.get("state") or ("executing" if self.is_busy else "idle")

    @property
    def _is_silent(self) -> bool:
        return self.age_s is not None and self.age_s > SILENT_S

    @property
    def _is_lost(self) -> bool:
        values = self.values
        is_unlocated = self.level is Level.ERROR and values.get("localization") in ("lost", "unknown")
        return values.get("link") == "lost" or is_unlocated

    def _shows(self, part: str) -> bool:
        return part.startswith(_SHOWN_ELSEWHERE) or (self.word == "stopped" and part.startswith("stopped"))

    def _number(self, key: str) -> float | None:
        return number_of(self.values, key)


def level_of(number: int) -> Level:
    """Return a level of diagnostics as ours; another one, such as STALE, counts as an error."""
    return _LEVELS.get(number, Level.ERROR)


def number_of(values: Mapping[str, str], key: str) -> float | None:
    """Return a value of a status as a finite number, or None."""
    text = values.get(key)
    return _number(text) if text else None


@lru_cache(maxsize=2000)  # most of a robot's numbers stay as they are from status to status
def _number(text: str) -> float | None:
    try:
        return real_number(text)
    except TextError:
        return None


@lru_cache(maxsize=1000)  # homes and goals are in every status
def _poses(text: str) -> tuple[tuple[float, ...], ...]:
    """Return the poses and places of a text, without malformed ones."""
    return tuple(pose for pose in map(_parsed, text.split()) if pose)


def _parsed(text: str) -> tuple[float, ...]:
    """Return the position, and the heading in radians if there is one; nothing if the text is neither."""
    numbers = _numbers(text)
    if len(numbers) not in (2, 3):
        return ()
    return (*numbers[:2], *map(math.radians, numbers[2:]))


def _numbers(text: str) -> tuple[float, ...]:
    """Return finite numbers that are separated by commas, or nothing."""
    try:
        return tuple(map(real_number, text.split(",")))
    except TextError:
        return ()
