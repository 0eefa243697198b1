"""Reports to an orchestrator when a callback has ended, by the rules of ros2_def.

An orchestrator considers a callback ended once each of its declared outputs was published. So a Status is only needed
to name outputs that were omitted. Two kinds of callback always report their end: those that declare no outputs, and
those of a synchronizer, for each message that they take.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from fleet.errors import FleetError


class CompletionError(FleetError, RuntimeError):
    """A callback breaks the rules of the orchestrator; the message names the callback and the topic."""


class Completion:
    """The callbacks of one node, which run one after the other.

    Parameters
    outputs : for each callback, the absolute names of its declared topics, as outside of the node
    outputs : for each callback, the topics that it declares, by their absolute names outside of the node
    say : sends a Status with the outputs that were omitted
    synced : the callbacks of synchronizers
    """

    def __init__(
        self,
        outputs: Mapping[str, Sequence[str]],
        say: Callable[[list[str]], None],
        synced: Collection[str] = (),
    ) -> None:
        self._synced: Final = frozenset(synced)
        self._outputs: Final = outputs
        self._declared: Final = frozenset(topic for topics in outputs.values() for topic in topics)
        self._say: Final = say
        self._callback: str | None = None
        self._published: Final[set[str]] = set()

    def declares(self, topic: str) -> bool:
        """Whether a callback declares a topic."""
        return topic in self._declared

    def begin(self, callback: str) -> None:
        """Note that a callback runs."""
        self._callback = callback
        self._published.clear()

    def note(self, topic: str) -> None:
        """Note a message on a topic.

        Raises
        ------
        CompletionError
            The running callback does not declare it, or has published it already.
        """
        if topic not in self._declared:
            return
        if self._callback is None:
            raise CompletionError(f"a message on {topic} while no callback runs")
        if topic not in self._outputs[self._callback]:
            raise CompletionError(f"callback {self._callback!r} publishes on {topic}, which it does not declare")
        if topic in self._published:
            raise CompletionError(f"callback {self._callback!r} publishes twice on {topic}")
        self._published.add(topic)

    def end(self) -> None:
        """Send the Status that is due, if one is."""
        if self._callback is None:
            return
        declared = self._outputs[self._callback]
        omitted = [topic for topic in declared if topic not in self._published]
        is_synced = self._callback in self._synced
        self._callback = None
        if omitted or not declared or is_synced:
            self._say(omitted)
