"""Records the last half hour: poses twice a second, all else once a second, and each robot's numbers as published."""

import math
import zlib
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any, Final, NamedTuple

from fleet.dashboard.model.published_state import PublishedState

LENGTH_S: Final = 1800.0
PERIOD_S: Final = 0.5
_SERIES_LENGTH: Final = 1800
_STATE_PERIOD_S: Final = 1.0
_WHOLE_PERIOD_S: Final = 60.0  # between two records from which a reader can start
_KEYS: Final = ("cross_track_mm", "battery_pct", "pose_age_ms")
_PACKED: Final = 16  # records compressed at once: frames of 100 robots take half a millisecond
_FAST: Final = 1  # the level of zlib


class Pack(NamedTuple):
    """Records compressed together: their times, the end offset of each, and their bytes."""

    times_s: "array[float]"
    ends: "array[int]"
    packed: bytes


class PackedLog:
    """Records of at least the last half hour in order of time; all but the latest are compressed.

    Attributes
    ----------
    keep : called with each completed pack
    """

    def __init__(self) -> None:
        self.keep: Callable[[Pack], None] = _keep_nowhere
        self._packs: deque[Pack] = deque()
        self._latest: list[tuple[float, bytes]] = []

    def restore(self, pack: Pack) -> None:
        """Add records of an earlier run, before any of this one."""
        self._packs.append(pack)

    def add(self, time_s: float, record: bytes) -> None:
        """Add a record; times must not decrease."""
        self._latest.append((time_s, record))
        if len(self._latest) == _PACKED:
            self.pack()
        while self._packs and self._packs[0].times_s[-1] < time_s - LENGTH_S:
            self._packs.popleft()

    def pack(self) -> None:
        """Compress the latest records."""
        if self._latest:
            times_s, records = zip(*self._latest, strict=True)
            content = zlib.compress(b"".join(records), _FAST)
            pack = Pack(array("d", times_s), array("I", accumulate(map(len, records))), content)
            self._packs.append(pack)
            self._latest = []
            self.keep(pack)

    def between(self, from_s: float, to_s: float) -> Iterator[tuple[float, bytes]]:
        """Yield times and records of an interval, oldest first; records may be added meanwhile."""
        latest = tuple(self._latest)
        for pack in list(self._packs):
            if from_s <= pack.times_s[-1] and pack.times_s[0] <= to_s:
                content, start = zlib.decompress(pack.packed), 0
                for time_s, end in zip(pack.times_s, pack.ends, strict=True):
                    if from_s <= time_s <= to_s:
                        yield time_s, content[start:end]
                    start = end
        yield from (one for one in latest if from_s <= one[0] <= to_s)


class History:
    """Frames of poses at a fixed period."""

    def __init__(self) -> None:
        self.frames: Final = PackedLog()
        self._next_s = 0.0

    def is_due(self, time_s: float) -> bool:
        """Whether a frame should be recorded now."""
        return time_s >= self._next_s

    def record(self, time_s: float, frame: bytes) -> None:
        """Record a frame."""
        self._next_s = time_s + PERIOD_S
        self.frames.add(time_s, frame)

    def between(self, from_s: float, to_s: float, step_s: float) -> Iterator[bytes]:
        """Yield the frames of an interval, oldest first, at least `step_s` apart."""
        last_s = -step_s
        for time_s, frame in self.frames.between(from_s, to_s):
            if time_s - last_s >= step_s:
                yield frame
                last_s = time_s


class StateHistory:
    """Records what pages showed beside poses and events: everything once a minute, and changes in between."""

    def __init__(self, state: PublishedState) -> None:
        self.records: Final = PackedLog()
        self._state = state
        self._version = 0
        self._next_s = self._whole_s = -math.inf

    def advance(self, time_s: float) -> None:
        """Record what changed, if a record is due."""
        if time_s < self._next_s:
            return
        self._next_s = time_s + _STATE_PERIOD_S
        is_whole = time_s >= self._whole_s
        if is_whole:
            self._whole_s = time_s + _WHOLE_PERIOD_S
        if is_whole or self._state.version != self._version:
            record = self._state.record_since(0 if is_whole else self._version, time_s)
            self.records.add(time_s, (_WHOLE if is_whole else _PART) + record.encode())
            self._version = self._state.version

    def between(self, from_s: float, to_s: float) -> list[str]:
        """Return updates in JSON, oldest first, from which a page can show an interval.

        The first is a whole record of at most a minute before `from_s`, or the oldest whole record if none is that old.
        """
        found: list[str] = []
        for time_s, record in self.records.between(from_s - _WHOLE_PERIOD_S - _STATE_PERIOD_S, to_s):
            is_whole = record.startswith(_WHOLE)
            if is_whole and time_s <= from_s:
                found = []
            if is_whole or found:
                found.append(record[len(_WHOLE) :].decode())
        return found


_WHOLE, _PART = b"=", b"+"


class _Series:
    """The latest numbers of one robot, in a preallocated ring buffer."""

    def __init__(self) -> None:
        self._columns: Final = {
            key: array("d" if key == "time_s" else "f", [math.nan]) * _SERIES_LENGTH for key in ("time_s", *_KEYS)
        }
        self._count = 0

    def add(self, values: Mapping[str, float | None]) -> None:
        row = self._count % _SERIES_LENGTH
        for key, column in self._columns.items():
            value = values.get(key)
            column[row] = math.nan if value is None else value
        self._count += 1

    def between(self, from_s: float, to_s: float) -> dict[str, list[float | None]]:
        end = self._count % _SERIES_LENGTH
        rows = [*range(end, min(self._count, _SERIES_LENGTH)), *range(end)]
        times = self._columns["time_s"]
        shown = [row for row in rows if from_s <= times[row] <= to_s]
        return {key: [_finite(column[row]) for row in shown] for key, column in self._columns.items()}


class SeriesLog:
    """The latest numbers of each robot, for charts; NaN where a number is missing."""

    def __init__(self) -> None:
        self._series: dict[int, _Series] = {}

    def record(self, robot_id: int, time_s: float, numbers: Mapping[str, float | None]) -> None:
        """Record a robot's numbers by the keys cross_track_mm, battery_pct and pose_age_ms."""
        series = self._series.get(robot_id)
        if series is None:
            series = self._series[robot_id] = _Series()
        series.add({**numbers, "time_s": time_s})

    def between(self, robot_id: int, from_s: float, to_s: float) -> dict[str, Any] | None:
        """Return a robot's numbers in an interval, None for a robot without any."""
        series = self._series.get(robot_id)
        return None if series is None else {"robot": robot_id, **series.between(from_s, to_s)}

    def forget(self, robot_id: int) -> None:
        """Forget a robot."""
        self._series.pop(robot_id, None)


def _keep_nowhere(_: Pack) -> None:
    """Do nothing: packs stay in memory alone."""


def _finite(value: float) -> float | None:
    return None if value != value else round(value, 3)  # noqa: PLR0124  NaN alone differs from itself
