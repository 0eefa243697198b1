"""Topics that the simulator publishes as data provider of a stack."""

from collections.abc import Iterable
from typing import Final

TO_HOST: Final = "/aseba/to_host"
ALL_TRUTHS: Final = "/simulator/truth"


def truth_topic(node_id: int) -> str:
    """Return the topic of a robot's true pose."""
    return f"/simulator/thymio_{node_id}/truth"


def capture_topic(node_id: int) -> str:
    """Return the topic of a robot's pose as motion capture measures it."""
    return f"/mocap/thymio_{node_id}/pose"


def provided_topics(node_ids: Iterable[int], *, has_capture: bool) -> tuple[str, ...]:
    """Return all topics of a simulation with these robots."""
    ids = tuple(node_ids)
    captures = map(capture_topic, ids if has_capture else ())
    return (TO_HOST, ALL_TRUTHS, *map(truth_topic, ids), *captures)
