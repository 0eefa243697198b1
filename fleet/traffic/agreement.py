"""Tracks which of our ways all other drivers on the floor know; robots drive only those."""

import math
from collections.abc import Mapping
from typing import Final

from fleet.hosts.claims import DriverId
from fleet.timetable.shared_ways import KnownWays, SharedWays
from fleet.timetable.way import Way
from fleet.traffic.neighbour import TOUCH_S

_KEPT: Final = 50  # publications remembered until all others know them


class OwnState:
    """The published state of one of our robots.

    Parameters
    ----------
    way : the way that it is on; None without one
    until_s : end of the published knots, after the way's start
    is_roaming : whether it moves without a way
    """

    def __init__(self, way: Way | None, until_s: float, is_roaming: bool) -> None:
        self.way: Final = way
        self.until_s: Final = until_s
        self.is_roaming: Final = is_roaming


class _Peer:
    """Another driver."""

    def __init__(self, driver: DriverId, now_s: float) -> None:
        self.driver: Final = driver
        self.heard_s = now_s
        self.number = 0  # number of its latest ways that we know
        self.confirmed = -1  # number of our latest ways that it knows
        self.waits_since_s = now_s  # time since which its confirmation is missing; infinite once confirmed


class Agreement:
    """Compares what we published with what all other drivers confirm.

    While two drivers do not hear each other, only the driver whose host, node and token sort first may drive on: after
    a while, it does without confirmation. The other driver gets none either, so that its robots start no new ways.

    Parameters
    ----------
    driver : our own identity
    silent_s : after this time, a driver that sorts first does without confirmation
    """

    def __init__(self, driver: DriverId, silent_s: float) -> None:
        self._driver: Final = driver
        self._silent_s: Final = silent_s
        self._peers: dict[str, _Peer] = {}
        self._published: dict[int, Mapping[int, OwnState]] = {}
        self._latest = 0

    @property
    def is_needed(self) -> bool:
        """Whether there are other drivers."""
        return bool(self._peers)

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers of the latest ways that we know, by the token of their driver."""
        return {token: peer.number for token, peer in self._peers.items()}

    def note_ways(self, shared: SharedWays, now_s: float) -> bool:
        """Note the ways of another driver; return whether they are new."""
        token = shared.driver.token
        if shared.is_leaving:
            return self._peers.pop(token, None) is not None
        peer = self._peers.setdefault(token, _Peer(shared.driver, now_s))
        peer.heard_s = now_s
        is_new = shared.number != peer.number
        peer.number = shared.number
        return is_new

    def note_known(self, known: KnownWays, now_s: float) -> None:
        """Note which of our ways another driver knows."""
        peer = self._peers.get(known.driver.token)
        if peer is None:
            return
        peer.heard_s = now_s
        number = known.numbers.get(self._driver.token, -1)
        if number != peer.confirmed:
            peer.waits_since_s = now_s
        peer.confirmed = number
        if number == self._latest:
            peer.waits_since_s = math.inf
        self._forget_confirmed()

    def publish(self, number: int, states: Mapping[int, OwnState], now_s: float) -> None:
        """Note what we publish now."""
        self._latest = number
        self._published[number] = states
        if len(self._published) > _KEPT:
            del self._published[next(iter(self._published))]
        for peer in self._peers.values():
            peer.waits_since_s = min(peer.waits_since_s, now_s)

    def drop(self, token: str) -> None:
        """Forget a driver."""
        self._peers.pop(token, None)

    def heard_s(self, token: str) -> float:
        """Return when a driver was last heard; minus infinity if it is unknown."""
        peer = self._peers.get(token)
        return -math.inf if peer is None else peer.heard_s

    def unheard(self, now_s: float) -> list[DriverId]:
        """Return the drivers whose confirmation is overdue."""
        return [peer.driver for peer in self._peers.values() if now_s - peer.waits_since_s > TOUCH_S]

    def known_until_s(self, robot_id: int, way: Way, now_s: float) -> float:
        """Return the time after its start up to which all others know a way; minus infinity if not at all."""
        state = self._confirmed(robot_id, now_s)
        return state.until_s if state is not None and state.way is way else -math.inf

    def may_roam(self, robot_id: int, now_s: float) -> bool:
        """Whether all others know that a robot drives without a way, and are heard."""
        if any(now_s - peer.heard_s > TOUCH_S for peer in self._peers.values()):
            return False
        state = self._confirmed(robot_id, now_s)
        return state is not None and state.is_roaming

    def _confirmed(self, robot_id: int, now_s: float) -> OwnState | None:
        """Return the latest published state of a robot that all others know."""
        number = self._confirmed_number(now_s)
        found = [states for published, states in self._published.items() if published <= number]
        return found[-1].get(robot_id) if found else None

    def _confirmed_number(self, now_s: float) -> int:
        number = self._latest
        for peer in self._peers.values():
            goes_first = _rank(self._driver) < _rank(peer.driver)
            if not (goes_first and now_s - peer.waits_since_s > self._silent_s):
                number = min(number, peer.confirmed)
        return number

    def _forget_confirmed(self) -> None:
        """Forget publications older than the latest that all others have confirmed."""
        least = min(peer.confirmed for peer in self._peers.values())
        older = [number for number in self._published if number <= least][:-1]
        for number in older:
            del self._published[number]


def _rank(driver: DriverId) -> tuple[str, str, str]:
    return (driver.host, driver.node, driver.token)
