"""The last half hour: poses twice a second, and the numbers of each robot as often as it publishes them."""

from array import array
from collections import deque
from typing import Any, Final

from fleet.dashboard.model.pose_frames import HEADER

LENGTH_S: Final = 1800.0
PERIOD_S: Final = 0.5
_SERIES_LENGTH: Final = 1800
_KEYS: Final = ("cross_track_mm", "battery_pct", "pose_age_ms")


class History:
    """Frames of poses at a fixed period; the oldest ones make room for new ones."""

    def __init__(self) -> None:
        self._frames: deque[bytes] = deque(maxlen=round(LENGTH_S / PERIOD_S))
        self._next_s = 0.0

    def is_due(self, time_s: float) -> bool:
        """Whether a frame should be recorded now."""
        return time_s >= self._next_s

    def record(self, time_s: float, frame: bytes) -> None:
        """Record a frame."""
        self._next_s = time_s + PERIOD_S
        self._frames.append(frame)

    def between(self, from_s: float, to_s: float, step_s: float) -> bytes:
        """Return the frames of a time one after the other, oldest first, at least `step_s` apart."""
        found: list[bytes] = []
        last_s = -step_s
        for frame in self._frames:
            time_s: float = HEADER.unpack_from(frame)[4]
            if from_s <= time_s <= to_s and time_s - last_s >= step_s:
                found.append(frame)
                last_s = time_s
        return b"".join(found)


class SeriesLog:
    """The latest numbers of each robot, for charts; NaN where there is none."""

    def __init__(self) -> None:
        self._series: dict[int, dict[str, array[float]]] = {}

    def record(self, robot_id: int, time_s: float, numbers: dict[str, float | None]) -> None:
        """Record a robot's numbers by the keys cross_track_mm, battery_pct and pose_age_ms."""
        series = self._series.get(robot_id)
        if series is None:
            series = self._series[robot_id] = {
                key: array("d" if key == "time_s" else "f") for key in ("time_s", *_KEYS)
            }
        series["time_s"].append(time_s)
        for key in _KEYS:
            number = numbers.get(key)
            series[key].append(float("nan") if number is None else number)
        if len(series["time_s"]) >= 2 * _SERIES_LENGTH:
            for values in series.values():
                del values[:_SERIES_LENGTH]

    def since(self, robot_id: int, from_s: float) -> dict[str, Any] | None:
        """Return a robot's numbers from an instant on, None for a robot without any."""
        series = self._series.get(robot_id)
        if series is None:
            return None
        times = series["time_s"]
        start = next((index for index, time_s in enumerate(times) if time_s >= from_s), len(times))
        found: dict[str, Any] = {key: [_finite(value) for value in values[start:]] for key, values in series.items()}
        return {"robot": robot_id, **found}

    def forget(self, robot_id: int) -> None:
        """Forget a robot."""
        self._series.pop(robot_id, None)


def _finite(value: float) -> float | None:
    return None if value != value else round(value, 3)  # noqa: PLR0124  NaN alone differs from itself
