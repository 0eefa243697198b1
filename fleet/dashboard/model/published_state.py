"""Everything that pages show beside poses, in versioned sections: each entry knows which version changed each field."""

import json
from enum import Enum
from typing import Any, Final

from thymio_base.texts.json_text import own_json

_json: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode  # json.dumps would make one per call
_REMEMBERED: Final = 500  # removed entries; a page that missed more gets everything again


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
    """An entry, and when its fields changed; a settled entry is kept as text, with a single version."""

    __slots__ = ("_fields", "_text", "_told", "_value", "changed")

    def __init__(self) -> None:
        self.changed = 0
        self._value: Any = None
        self._text: str | None = None  # instead of the value
        self._fields: dict[str, int] | None = None  # the versions at which they changed; None: all at once
        self._told: tuple[list[str], str] | None = None  # fields and their JSON, shared by pages and the history

    @property
    def value(self) -> Any:
        """The entry, as JSON has it."""
        return self._value if self._text is None else own_json(self._text)

    def set(self, value: Any, version: int) -> None:
        """Set a value without fields, or whose fields are all new to pages."""
        self._value, self._text, self._fields, self.changed = value, None, None, version
        self._told = None

    def differences(self, value: dict[str, Any]) -> list[str]:
        """Return the fields in which a value differs from this entry."""
        earlier = self.value
        return [name for name, one in value.items() if earlier.get(name, _MISSING) != one]

    def set_fields(self, value: dict[str, Any], names: list[str], version: int) -> None:
        """Set a value of which only the fields in `names` have changed."""
        fields = dict.fromkeys(value, self.changed) if self._fields is None else self._fields
        fields |= dict.fromkeys(names, version)
        self.set(value, version)
        self._fields = fields

    def settle(self) -> None:
        """Keep the value as text, which takes half the memory, and forget when which field changed."""
        self._value, self._text, self._fields = None, _json(self.value), None
        self._told = None

    def since(self, version: int) -> str:
        """Return what changed since a version that is older than the latest change, as JSON."""
        if self._text is not None:
            return self._text
        if self._fields is None:
            return _json(self._value)
        names = [name for name, changed in self._fields.items() if changed > version]
        if self._told is None or names != self._told[0]:
            self._told = names, _json({name: self._value[name] for name in names})
        return self._told[1]


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
        self._complete_since = 0  # from this version on, all removals are remembered
        self._cached: tuple[int, int, str] = (-1, -1, "")

    def get(self, section: Section, key: str) -> Any:
        """Return an entry, None if there is none."""
        entry = self._entries.get((section, key))
        return None if entry is None else entry.value

    def keys(self, section: Section) -> list[str]:
        """Return the keys of a section, the latest change last."""
        return [key for one, key in self._entries if one is section]

    def entries(self, section: Section) -> list[Any]:
        """Return the entries of a section, the latest change last."""
        return [entry.value for (one, _), entry in self._entries.items() if one is section]

    def put(self, section: Section, key: str, value: Any, *, is_settled: bool = False) -> bool:
        """Set an entry; return whether it changed.

        The value is JSON, and stays as it is; outside `WHOLE` it is an object, always with the same fields. One that is
        settled is not expected to change again.
        """
        place = (section, key)
        known = self._entries.get(place)
        names = [] if known is None or section in WHOLE else known.differences(value)
        if known is not None and not names and (section not in WHOLE or known.value == value):
            return False
        self.version += 1
        entry = self._entries.pop(place, None) or _Entry()
        self._removed.pop(place, None)
        if names:
            entry.set_fields(value, names, self.version)
        else:
            entry.set(value, self.version)
        if is_settled:
            entry.settle()
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

    def record_since(self, version: int, time_s: float) -> str:
        """Return what changed since a version but for events, as a record of that time; 0 is everything."""
        return f'{{"time_s":{time_s:.3f}{self._body_since(version, without=Section.EVENTS)}}}'

    def _body_since(self, version: int, without: Section | None = None) -> str:
        is_reset = version == 0 or version < self._complete_since
        known = 0 if is_reset else version
        sections: dict[str, list[str]] = {}
        for (section, key), entry in reversed(self._entries.items()):
            if entry.changed <= known:
                break
            if section is not without:
                sections.setdefault(section.value, []).append(f"{_json(key)}:{entry.since(known)}")
        for (section, key), changed in reversed(self._removed.items()):
            if changed <= known or is_reset:
                break
            if section is not without:
                sections.setdefault(section.value, []).append(f"{_json(key)}:null")
        parts = [f'"reset":{_json(is_reset)}'] + [f'"{name}":{{{",".join(ones)}}}' for name, ones in sections.items()]
        return "".join(f",{part}" for part in parts)
