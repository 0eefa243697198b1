"""The radio between robots and their wireless dongle: it delays messages, loses some, and has a limited bandwidth.

Every robot has its own link to the dongle, in two directions; all links share the air. Messages from one end of a
link arrive in the order they were sent. A message to several robots is transmitted once, and each robot may miss it.
"""

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from aseba_link.wire.message import Message


@dataclass(frozen=True, slots=True)
class DropoutsConfig:
    """How often and how long a robot is out of reach; an interval of 0 means never."""

    mean_interval_s: float
    duration_s: float


@dataclass(frozen=True, slots=True)
class RadioConfig:
    """The quality of the radio; `loss` is a probability, a bandwidth of 0 means unlimited."""

    enabled: bool
    latency_s: float
    jitter_s: float
    loss: float
    bandwidth_messages_per_s: float
    queue_messages: int
    dropouts: DropoutsConfig


class Direction(Enum):
    """The direction of a message on a robot's link."""

    TO_ROBOT = "to"
    FROM_ROBOT = "from"


@dataclass(frozen=True, slots=True)
class RadioArrival:
    """A message that has arrived at an end of a robot's link."""

    node_id: int
    direction: Direction
    message: Message


class Radio:
    """Delivers messages with delay and loss.

    Parameters
    ----------
    config : quality of the radio
    random : decides on losses and delays
    """

    def __init__(self, config: RadioConfig, random: np.random.Generator) -> None:
        self._config = config
        self._random = random
        self._now_s = 0.0
        self._air_free_s = 0.0
        self._sent = 0
        self._in_transit: list[tuple[float, int, RadioArrival]] = []
        self._latest_s: dict[tuple[int, Direction], float] = {}
        self._outages: dict[int, _Outages] = {}

    def advance(self, dt_s: float) -> None:
        """Advance time."""
        self._now_s += dt_s

    def send_to_robots(self, node_ids: Iterable[int], message: Message) -> None:
        """Send a message from the dongle to robots."""
        self._send(node_ids, Direction.TO_ROBOT, message)

    def send_from_robot(self, node_id: int, message: Message) -> None:
        """Send a message from a robot to the dongle."""
        self._send((node_id,), Direction.FROM_ROBOT, message)

    def receive(self) -> list[RadioArrival]:
        """Return the messages that have arrived since the last call, in order of arrival."""
        arrived = []
        while self._in_transit and self._in_transit[0][0] <= self._now_s + 1e-9:
            arrived.append(heapq.heappop(self._in_transit)[2])
        return arrived

    def _send(self, node_ids: Iterable[int], direction: Direction, message: Message) -> None:
        sent_s = self._reserve_air()
        for node_id in node_ids:
            lost = self._random.random() < self._config.loss
            due_s = sent_s + self._config.latency_s + self._config.jitter_s * self._random.random()
            if lost or sent_s == math.inf or self._outages_of(node_id).is_active(self._now_s):
                continue
            due_s = max(due_s, self._latest_s.get((node_id, direction), 0.0))
            self._latest_s[node_id, direction] = due_s
            self._sent += 1  # keeps messages that arrive at the same time in order
            heapq.heappush(self._in_transit, (due_s, self._sent, RadioArrival(node_id, direction, message)))

    def _reserve_air(self) -> float:
        """Reserve the air for a transmission and return when it ends; infinity if too many messages are queued."""
        rate_hz = self._config.bandwidth_messages_per_s
        if rate_hz <= 0.0:
            return self._now_s
        start_s = max(self._now_s, self._air_free_s)
        if (start_s - self._now_s) * rate_hz > self._config.queue_messages:
            return math.inf
        self._air_free_s = start_s + 1.0 / rate_hz
        return self._air_free_s

    def _outages_of(self, node_id: int) -> "_Outages":
        if node_id not in self._outages:
            self._outages[node_id] = _Outages(self._config.dropouts, self._random.spawn(1)[0])
        return self._outages[node_id]


class _Outages:
    """Outages of a robot, of fixed duration, at exponentially distributed intervals."""

    def __init__(self, config: DropoutsConfig, random: np.random.Generator) -> None:
        self._config = config
        self._random = random
        self._start_s = 0.0
        self._end_s = 0.0
        self._plan(0.0)

    def is_active(self, now_s: float) -> bool:
        """Whether the robot is out of reach; must be called in order of time."""
        while now_s >= self._end_s:
            self._plan(self._end_s)
        return now_s >= self._start_s

    def _plan(self, after_s: float) -> None:
        interval_s = self._config.mean_interval_s
        self._start_s = after_s + self._random.exponential(interval_s) if interval_s > 0.0 else math.inf
        self._end_s = self._start_s + self._config.duration_s
