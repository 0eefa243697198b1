"""In which order files of tests start: the longest of the last run first, those that wait beside those that compute."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.needs import needs_more

_KEY = "thymio_fleet/durations"  # in pytest's cache
_UNKNOWN_S = {True: 5.0, False: 0.1}  # of a test of which nothing is known, by whether it needs ROS or sockets


class Durations:
    """How long tests take, known from the last run on this machine."""

    def __init__(self, config: pytest.Config) -> None:
        self._cache = config.cache
        self._known: dict[str, float] = self._cache.get(_KEY, {}) if self._cache else {}
        self._new: dict[str, float] = defaultdict(float)

    def of(self, item: pytest.Item) -> float:
        """Return how long a test is expected to take."""
        return self._known.get(item.nodeid, _UNKNOWN_S[needs_more(item.path)])

    def add(self, report: pytest.TestReport) -> None:
        """Count a phase of a test."""
        self._new[report.nodeid] += report.duration

    def save(self) -> None:
        """Keep what is new for the next run."""
        if self._cache:
            self._cache.set(_KEY, {**self._known, **{name: round(s, 3) for name, s in self._new.items()}})


def groups_of(items: Sequence[pytest.Item], durations: Durations) -> list[tuple[int, ...]]:
    """Return groups of tests, by their numbers, in the order in which they start; a group is run by one process."""
    groups: dict[object, list[int]] = defaultdict(list)
    for number, item in enumerate(items):
        groups[number if _is_apart(item) else _common_path(item)].append(number)
    expected_s = [(sum(durations.of(items[number]) for number in group), group) for group in groups.values()]
    expected_s.sort(key=lambda pair: -pair[0])
    waiting = [pair for pair in expected_s if needs_more(items[pair[1][0]].path)]
    computing = [pair for pair in expected_s if not needs_more(items[pair[1][0]].path)]
    placed = sorted((*_placed(waiting), *_placed(computing)), key=lambda pair: pair[0])
    return [tuple(group) for _, group in placed]


def _placed(groups: Iterable[tuple[float, list[int]]]) -> list[tuple[float, list[int]]]:
    """Return each group with the share of the time of all of them at which it starts."""
    total_s, begun_s, placed = sum(duration_s for duration_s, _ in groups), 0.0, []
    for duration_s, group in groups:
        placed.append((begun_s / total_s, group))
        begun_s += duration_s
    return placed


def _is_apart(item: pytest.Item) -> bool:
    """Whether a test that waits shares nothing with the others of its file, so that they can run at the same time."""
    return needs_more(item.path) and all(one.argname in _OF_EVERY_FILE for one in _shared(item))


def _common_path(item: pytest.Item) -> Path:
    """Return the folder or the file with whose tests a test shares something."""
    return item.path.parent if any(one.scope == "package" for one in _shared(item)) else item.path


def _shared(item: pytest.Item) -> list[pytest.FixtureDef[Any]]:
    definitions = item._fixtureinfo.name2fixturedefs.values() if isinstance(item, pytest.Function) else ()
    return [one for several in definitions for one in several if one.scope != "function" and one.baseid]


_OF_EVERY_FILE = {"nothing_is_left_running", "no_participant_is_left_on_the_graph"}
