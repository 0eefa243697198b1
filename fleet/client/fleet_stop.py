"""Stops and resumes the fleet: calls every driver, and waits until each one confirms for its robots."""

import time
from dataclasses import dataclass

from rclpy.client import Client
from std_srvs.srv import Trigger

from fleet.client.graph_client import DISCOVERY_S, GraphClient
from fleet.client.served_fleet import ServedFleet
from fleet.hosts.claims import Announcement

_PATIENCE_S = 10.0  # robots may be driving; Fast DDS announces itself every 3 s where its first announcements were lost
_REPEAT_S = 0.25  # a request without effect is sent again after this; it has no further effect


@dataclass(frozen=True, slots=True)
class StopReport:
    """Which drivers have stopped, or resumed, their robots, by their announcements.

    `is_answered` is whether any server has answered; `foreign_ids` are the robots of servers that announce nothing.
    """

    confirmed: list[Announcement]
    unconfirmed: list[Announcement]
    is_answered: bool
    foreign_ids: list[int]


def stop_fleet(client: GraphClient, timeout_s: float = _PATIENCE_S) -> StopReport:
    """Stop every robot of every driver until it is resumed; return who confirmed that."""
    return _StopCall(client, "/fleet/stop", is_stopped=True).run(timeout_s)


def resume_fleet(client: GraphClient, timeout_s: float = DISCOVERY_S) -> StopReport:
    """Let the robots of every driver accept tasks again; return who confirmed that."""
    return _StopCall(client, "/fleet/resume", is_stopped=False).run(timeout_s)


class _StopCall:
    """One request to all servers of a service, repeated until the drivers announce that it has taken effect."""

    def __init__(self, client: GraphClient, name: str, *, is_stopped: bool) -> None:
        self._client = client
        self._is_stopped = is_stopped
        self._service: Client = client.node.create_client(Trigger, name)  # DDS delivers a request to all its servers
        self._fleet = ServedFleet(client)
        self._sent_s: float | None = None
        self._is_answered = False

    def run(self, timeout_s: float) -> StopReport:
        """Send the request as soon as there is a server; return who confirmed."""
        self._client.settle()
        self._client.spin_until_found(self._is_done, timeout_s)
        return StopReport(
            [one for one in self._fleet.last_announcements if self._is_confirmed(one)],
            [one for one in self._fleet.last_announcements if not self._is_confirmed(one)],
            self._is_answered,
            self._fleet.foreign_ids(),
        )

    def _is_done(self) -> bool:
        """Send the request if it is due; return whether every server has confirmed, or robots have none to call."""
        self._send_if_due()
        if not self._fleet.is_complete():
            return False
        if not self._fleet.last_announcements:
            return self._is_answered or not self._service.service_is_ready()
        return self._is_answered and all(map(self._is_confirmed, self._fleet.last_announcements))

    def _send_if_due(self) -> None:
        now_s = time.monotonic()
        is_due = self._sent_s is None or now_s - self._sent_s >= _REPEAT_S
        is_effective = self._is_answered and all(map(self._is_confirmed, self._fleet.last_announcements))
        if is_due and not is_effective and self._service.service_is_ready():
            self._sent_s = now_s
            self._service.call_async(Trigger.Request()).add_done_callback(lambda _: self._note_answer())

    def _note_answer(self) -> None:
        self._is_answered = True

    def _is_confirmed(self, announcement: Announcement) -> bool:
        return announcement.stop_state.is_stopped is self._is_stopped
