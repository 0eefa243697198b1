"""Limits the rate of commands from one browser."""

from typing import Final

_SECOND_NS: Final = 1_000_000_000
_KEYS: Final = 1000  # from this number on, unused keys are forgotten


class RateLimit:
    """Allows a number of events per second, for each key.

    Parameters
    ----------
    limit : events per second
    what : the plural noun for these events

    Attributes
    ----------
    text : the limit as a text
    """

    def __init__(self, limit: int, what: str = "commands") -> None:
        self._limit = limit
        self.text: Final = f"{limit} {what} a second"
        self._recent: dict[str, list[int]] = {}

    @property
    def size(self) -> int:
        """How many keys are remembered."""
        return len(self._recent)

    def allows(self, key: str, now_ns: int) -> bool:
        """Count an event, and return whether it is allowed."""
        if len(self._recent) > _KEYS:
            self._recent = {one: times for one, times in self._recent.items() if now_ns - times[-1] < _SECOND_NS}
        recent = [time_ns for time_ns in self._recent.get(key, ()) if now_ns - time_ns < _SECOND_NS]
        is_allowed = len(recent) < self._limit
        self._recent[key] = [*recent, now_ns] if is_allowed else recent or [now_ns]
        return is_allowed
