"""Finds messages of several topics that belong together by their stamps, like `message_filters` of ROS in Python."""

from collections.abc import Sequence
from typing import Final, Generic, TypeVar

Message = TypeVar("Message")


class ApproximateTimeSync(Generic[Message]):
    """Collects messages of several topics until a set of them is within the slop.

    Each topic has a queue ordered by stamp; when it is full, the oldest message is dropped. A new message is tried with
    those of each other topic that are within the slop of it, the nearest in time first; of equally near messages the
    earlier to arrive comes first. Combinations are tried like the digits of a number, in which the last topic changes
    fastest. The first combination in which all stamps are less than the slop apart is complete, and leaves the queues.

    Parameters
    ----------
    topics : number of topics
    queue_size : capacity of each topic's queue
    slop_s : stamps less than this apart belong together; with 0, none do
    """

    def __init__(self, topics: int, queue_size: int, slop_s: float) -> None:
        self._queues: Final[list[dict[int, Message]]] = [{} for _ in range(topics)]
        self._queue_size: Final = queue_size
        self._slop_ns: Final = int(slop_s * 1e9)

    def add(self, topic: int, stamp_ns: int, message: Message) -> tuple[Message, ...] | None:
        """Add a message; return the set that it completes, in the order of the topics, or None.

        Parameters
        ----------
        topic
            index of the topic, from 0
        stamp_ns
            stamp of the header
        message
            replaces a message with the same stamp
        """
        own = self._queues[topic]
        own[stamp_ns] = message
        while len(own) > self._queue_size:
            del own[min(own)]
        if stamp_ns not in own:
            return None
        near = [self._near(index, stamp_ns) for index in range(len(self._queues))]
        near[topic] = [stamp_ns]
        chosen = self._first(near, stamp_ns)
        if chosen is None:
            return None
        return tuple(queue.pop(stamp) for queue, stamp in zip(self._queues, chosen, strict=True))

    def _near(self, index: int, stamp_ns: int) -> list[int]:
        """Return the stamps of a topic that are within the slop, nearest first."""
        found = [one for one in self._queues[index] if abs(one - stamp_ns) <= self._slop_ns]
        return sorted(found, key=lambda one: abs(one - stamp_ns))

    def _first(self, near: Sequence[Sequence[int]], stamp_ns: int) -> list[int] | None:
        """Return the first combination within the slop that contains a stamp."""
        low = high = stamp_ns
        chosen: list[int] = []
        for place, stamps in enumerate(near):
            rest = near[place + 1 :]
            fitting = (one for one in stamps if self._fits(min(low, one), max(high, one), rest))
            stamp = next(fitting, None)
            if stamp is None:
                return None
            low, high = min(low, stamp), max(high, stamp)
            chosen.append(stamp)
        return chosen

    def _fits(self, low: int, high: int, near: Sequence[Sequence[int]]) -> bool:
        """Return whether stamps within [low, high] can be completed by one of each topic, without trying them all."""
        starts = {low, *(one for stamps in near for one in stamps if high - self._slop_ns < one < low)}
        return high - low < self._slop_ns and any(
            all(any(start <= one < start + self._slop_ns for one in stamps) for stamps in near) for start in starts
        )
