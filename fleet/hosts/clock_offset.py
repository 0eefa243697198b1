"""Estimates the offset of another host's clock from the stamps of its messages."""

from collections import deque

_WINDOW_NS = 10_000_000_000
_LONGEST_NS = 1_000_000_000  # of a delay; more is a clock that was set back


class ClockOffset:
    """Compares stamps with reception times.

    A message is received after it was sent, so the least difference among the latest messages is the offset of the
    clocks plus the shortest delay of the network. The clocks need not agree: a change of the offset is followed, at
    once if messages seem to get faster, otherwise within 10 s.
    """

    def __init__(self) -> None:
        self._sent_ns = 0
        self._least: deque[tuple[int, int]] = deque()  # times of reception and differences; both ascend

    @property
    def offset_ns(self) -> int | None:
        """What to add to a stamp to convert it to our clock; None before the first message; never too small."""
        return self._least[0][1] if self._least else None

    def note(self, stamp_ns: int, received_ns: int) -> None:
        """Note a message that was just received."""
        difference_ns = received_ns - stamp_ns
        while self._least and self._least[-1][1] >= difference_ns:
            self._least.pop()
        self._least.append((received_ns, difference_ns))
        while received_ns - self._least[0][0] > _WINDOW_NS:
            self._least.popleft()

    def sent_ns(self, stamp_ns: int, received_ns: int) -> int:
        """Note a message; return when it was sent, on our clock: never decreasing, and no later than its reception.

        The common part of the messages' delays is included. Without a stamp, the result is the reception.
        """
        self.note(stamp_ns, received_ns)
        sent_ns = stamp_ns + self._least[0][1]
        if stamp_ns == 0 or received_ns - sent_ns > _LONGEST_NS:
            self._least.clear()
            sent_ns = received_ns
        self._sent_ns = max(self._sent_ns, sent_ns)
        return self._sent_ns
