"""The last half hour: poses twice a second, and the numbers of each robot as often as it publishes them."""

import math
import zlib
from array import array
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any, Final, NamedTuple

LENGTH_S: Final = 1800.0
PERIOD_S: Final = 0.5
_SERIES_LENGTH: Final = 1800
_KEYS: Final = ("cross_track_mm", "battery_pct", "pose_age_ms")
_PACKED: Final = 16  # records at once: frames of 100 robots take half a millisecond
_FAST: Final = 1  # the level of zlib


class _Pack(NamedTuple):
    """Records that are compressed together: their times, where each of them ends, and their bytes."""

    times_s: "array[float]"
    ends: "array[int]"
    packed: bytes


class PackedLog:
    """Records of the last half hour or more, in the order of their times; all but the latest ones are compressed."""

    def __init__(self) -> None:
        self._packs: deque[_Pack] = deque()
        self._latest: list[tuple[float, bytes]] = []

    def add(self, time_s: float, record: bytes) -> None:
        """Add a record; its time is not before that of the one before."""
        self._latest.append((time_s, record))
        if len(self._latest) == _PACKED:
            times_s, records = zip(*self._latest, strict=True)
            content = zlib.compress(b"".join(records), _FAST)
            self._packs.append(_Pack(array("d", times_s), array("I", accumulate(map(len, records))), content))
            self._latest = []
        while self._packs and self._packs[0].times_s[-1] < time_s - LENGTH_S:
            self._packs.popleft()

    def between(self, from_s: float, to_s: float) -> Iterator[tuple[float, bytes]]:
        """Yield the times and records of a time, oldest first; records may be added meanwhile."""
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
        self._frames: Final = PackedLog()
        self._next_s = 0.0

    def is_due(self, time_s: float) -> bool:
        """Whether a frame should be recorded now."""
        return time_s >= self._next_s

    def record(self, time_s: float, frame: bytes) -> None:
        """Record a frame."""
        self._next_s = time_s + PERIOD_S
        self._frames.add(time_s, frame)

    def between(self, from_s: float, to_s: float, step_s: float) -> Iterator[bytes]:
        """Yield the frames of a time, oldest first, at least `step_s` apart."""
        last_s = -step_s
        for time_s, frame in self._frames.between(from_s, to_s):
            if time_s - last_s >= step_s:
                yield frame
                last_s = time_s


class _Series:
    """The latest numbers of one robot, in a ring that takes its memory at once."""

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

    def since(self, from_s: float) -> dict[str, list[float | None]]:
        end = self._count % _SERIES_LENGTH
        rows = [*range(end, min(self._count, _SERIES_LENGTH)), *range(end)]
        times = self._columns["time_s"]
        start = next((index for index, row in enumerate(rows) if times[row] >= from_s), len(rows))
        return {key: [_finite(column[row]) for row in rows[start:]] for key, column in self._columns.items()}


class SeriesLog:
    """The latest numbers of each robot, for charts; NaN where there is none."""

    def __init__(self) -> None:
        self._series: dict[int, _Series] = {}

    def record(self, robot_id: int, time_s: float, numbers: Mapping[str, float | None]) -> None:
        """Record a robot's numbers by the keys cross_track_mm, battery_pct and pose_age_ms."""
        series = self._series.get(robot_id)
        if series is None:
            series = self._series[robot_id] = _Series()
        series.add({**numbers, "time_s": time_s})

    def since(self, robot_id: int, from_s: float) -> dict[str, Any] | None:
        """Return a robot's numbers from an instant on, None for a robot without any."""
        series = self._series.get(robot_id)
        return None if series is None else {"robot": robot_id, **series.since(from_s)}

    def forget(self, robot_id: int) -> None:
        """Forget a robot."""
        self._series.pop(robot_id, None)


def _finite(value: float) -> float | None:
    return None if value != value else round(value, 3)  # noqa: PLR0124  NaN alone differs from itself
