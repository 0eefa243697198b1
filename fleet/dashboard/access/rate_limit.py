"""How many commands one browser may send."""

from typing import Final

_SECOND_NS: Final = 1_000_000_000


class RateLimit:
    """Allows so many of something a second, for each key.

    Parameters
    ----------
    limit : how many
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._recent: dict[str, list[int]] = {}

    def allows(self, key: str, now_ns: int) -> bool:
        """Note one more, and return whether it is allowed."""
        if len(self._recent) > 1000:
            self._recent = {one: times for one, times in self._recent.items() if now_ns - times[-1] < _SECOND_NS}
        recent = [time_ns for time_ns in self._recent.get(key, ()) if now_ns - time_ns < _SECOND_NS]
        is_allowed = len(recent) < self._limit
        self._recent[key] = [*recent, now_ns] if is_allowed else recent or [now_ns]
        return is_allowed
