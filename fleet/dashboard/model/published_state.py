"""Everything that pages show beside poses: entries of sections, each with the versions at which its fields changed."""

import json
from enum import Enum
from typing import Any, Final

_REMEMBERED: Final = 500  # removed entries; a page that has missed more gets everything anew


class Section(Enum):
    """A part of what pages show; the value is its name on the wire."""

    ROBOTS = "robots"  # by ID
    TASKS = "tasks"  # by robot and task id
    JOBS = "jobs"  # by job id
    ALARMS = "alarms"  # by alarm id
    EVENTS = "events"  # by number
    COMMANDS = "commands"  # by command id
    STATIONS = "stations"  # by name
    FLEET = "fleet"  # by key: what concerns all robots
    MAP = "map"  # by key: what stands on the floor


WHOLE: Final = (Section.FLEET, Section.MAP)  # their entries are values, and those of the others objects with fields


class _Entry:
    """An entry, and when its fields changed; most entries never change, and one without fields has a single version."""

    __slots__ = ("changed", "fields", "has_fields", "value")

    def __init__(self, value: Any, version: int, *, has_fields: bool) -> None:
        self.value = value
        self.changed = version
        self.has_fields = has_fields
        self.fields: dict[str, int] | None = None  # until a field changes

    def set(self, value: Any, version: int) -> None:
        """Set a value that differs from the one before."""
        if self.has_fields:
            if self.fields is None:
                self.fields = dict.fromkeys(value, self.changed)
            changed = [name for name, one in value.items() if self.value.get(name, _MISSING) != one]
            self.fields.update(dict.fromkeys(changed, version))
        self.value, self.changed = value, version

    def since(self, version: int) -> Any:
        """Return what changed since a version that is older than the latest change."""
        if self.fields is None:
            return self.value
        return {name: self.value[name] for name, changed in self.fields.items() if changed > version}


_MISSING: Final = object()


class PublishedState:
    """The latest entries of all sections; a page is sent the fields that changed since the version that it has.

    Attributes
    ----------
    version : grows with every change
    """

    def __init__(self) -> None:
        self.version = 0
        self._entries: dict[tuple[Section, str], _Entry] = {}  # in order of change
        self._removed: dict[tuple[Section, str], int] = {}  # in order of removal
        self._complete_since = 0  # versions from here on know every removal that is still to be told
        self._cached: tuple[int, int, str] = (-1, -1, "")

    def get(self, section: Section, key: str) -> Any:
        """Return an entry, None if there is none."""
        entry = self._entries.get((section, key))
        return None if entry is None else entry.value

    def keys(self, section: Section) -> list[str]:
        """Return the keys of a section, the latest change last."""
        return [key for one, key in self._entries if one is section]

    def put(self, section: Section, key: str, value: Any) -> bool:
        """Set an entry; return whether it changed.

        The value is JSON, and stays as it is; outside `WHOLE` it is an object, always with the same fields.
        """
        place = (section, key)
        entry = self._entries.get(place)
        if entry is not None and entry.value == value:
            return False
        self.version += 1
        if entry is None:
            self._removed.pop(place, None)
            entry = _Entry(value, self.version, has_fields=section not in WHOLE)
        else:
            del self._entries[place]
            entry.set(value, self.version)
        self._entries[place] = entry
        return True

    def remove(self, section: Section, key: str) -> None:
        """Remove an entry, if it is there."""
        place = (section, key)
        if self._entries.pop(place, None) is None:
            return
        self.version += 1
        self._removed[place] = self.version
        if len(self._removed) > _REMEMBERED:
            self._complete_since = self._removed.pop(next(iter(self._removed)))

    def update_since(self, version: int, time_s: float) -> str:
        """Return the message for a page that has a version, "" if nothing changed; 0 is a page that has nothing."""
        if version == self.version and version > 0:
            return ""
        if self._cached[:2] != (version, self.version):
            self._cached = version, self.version, self._body_since(version)
        return f'{{"type":"update","version":{self.version},"time_s":{time_s:.3f}{self._cached[2]}}}'

    def _body_since(self, version: int) -> str:
        is_reset = version == 0 or version < self._complete_since
        known = 0 if is_reset else version
        sections: dict[str, dict[str, Any]] = {}
        for (section, key), entry in reversed(self._entries.items()):
            if entry.changed <= known:
                break
            sections.setdefault(section.value, {})[key] = entry.since(known)
        for (section, key), changed in reversed(self._removed.items()):
            if changed <= known or is_reset:
                break
            sections.setdefault(section.value, {})[key] = None
        body = json.dumps({"reset": is_reset, **sections}, separators=(",", ":"), allow_nan=False)
        return f",{body[1:-1]}"
