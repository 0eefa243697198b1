"""Changes of the control law while robots drive, with the keys of the section `tracker` of fleet.yaml."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fleet.control.tracker_config import TrackerConfig, build_tracker_config
from fleet.errors import ConfigError
from fleet.settings.config import config_schema
from thymio_base.errors import SettingsError
from thymio_base.settings_file import check_values

_SOURCE = "tracker"


def tracker_values(tracker: TrackerConfig) -> dict[str, float]:
    """Return all tunable values of all laws, by names such as lqr.cross_m."""
    values: dict[str, float] = {}
    for key, part in _section(tracker).items():
        if isinstance(part, dict):
            values.update({f"{key}.{gain}": float(value) for gain, value in part.items()})
        elif key != "law":
            values[key] = float(part)
    return values


def changed_tracker(tracker: TrackerConfig, law: str, changes: Sequence[tuple[str, float]]) -> TrackerConfig:
    """Return a tracker with another law ("" keeps it) and changed gains.

    A gain is named as in `tracker_values`, or without its law if it belongs to the resulting law.

    Raises
    ------
    ConfigError
        There is no such law or gain, a value is out of its range, or a gain is given twice; all problems are listed.
    """
    section, schema = _section(tracker), config_schema()["properties"]["tracker"]
    section["law"] = law or section["law"]
    try:
        check_values(_SOURCE, {"law": section["law"]}, schema)
        _change(section, changes)
        return build_tracker_config(check_values(_SOURCE, section, schema))
    except SettingsError as error:
        raise ConfigError(str(error)) from error


def _change(section: dict[str, Any], changes: Sequence[tuple[str, float]]) -> None:
    named = set()
    for name, value in changes:
        owner, gain = _place(name, section)
        if (owner, gain) in named:
            raise ConfigError(f"{_SOURCE}: {name}: given twice")
        named.add((owner, gain))
        if owner and not isinstance(section.get(owner), dict):
            section[owner] = {}  # unknown, which the schema reports
        part = section[owner] if owner else section
        part[gain] = value


def _section(tracker: TrackerConfig) -> dict[str, Any]:
    return {**asdict(tracker), "law": tracker.law.value}


def _place(name: str, section: dict[str, Any]) -> tuple[str, str]:
    """Return the law to which a gain belongs, "" for a gain of all laws, and its name there."""
    owner, dot, gain = name.partition(".")
    if dot:
        return owner, gain
    is_common = name != "law" and name in section and not isinstance(section[name], dict)
    return ("" if is_common else section["law"]), name
