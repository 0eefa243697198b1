"""Stops and resumes the fleet: calls every driver, and waits for each to confirm for its robots."""

from dataclasses import dataclass, replace

from fleet.calls.stop_call import StopCall
from fleet.client.graph_client import DISCOVERY_S, GraphClient, until
from fleet.client.local_fleet import LocalFleet
from fleet.client.served_fleet import ServedFleet
from fleet.hosts.claims import Announcement
from thymio_base.parts import Parts

_PATIENCE_S = 10.0  # robots may be driving; Fast DDS announces itself every 3 s by default


@dataclass(frozen=True, slots=True)
class StopReport:
    """The drivers that have announced that they stopped, or resumed, their robots, and those that have not.

    `is_answered` is whether any server has answered; `foreign_ids` are the robots of servers that announce nothing.
    """

    confirmed: list[Announcement]
    unconfirmed: list[Announcement]
    is_answered: bool
    foreign_ids: list[int]


def stop_fleet(client: GraphClient, local: LocalFleet, timeout_s: float = _PATIENCE_S) -> StopReport:
    """Stop every robot of every driver until it is resumed; return which drivers confirmed that.

    `local` is what the drivers of this host know; these, and all drivers that they know, must be found.
    """
    return client.finish(stop_in_parts(client, local, timeout_s, is_stop=True))


def resume_fleet(client: GraphClient, local: LocalFleet, timeout_s: float = DISCOVERY_S) -> StopReport:
    """Let the robots of every driver accept tasks again; return which drivers confirmed that."""
    return client.finish(stop_in_parts(client, local, timeout_s, is_stop=False))


def stop_in_parts(
    client: GraphClient, local: LocalFleet, timeout_s: float = _PATIENCE_S, *, is_stop: bool
) -> Parts[StopReport]:
    """Stop or resume every robot, as `stop_fleet` and `resume_fleet` do."""
    return _Confirmed(client, local, is_stop=is_stop).run(timeout_s)


class _Confirmed:
    """A stop or resume that is repeated until the drivers announce that it has taken effect."""

    def __init__(self, client: GraphClient, local: LocalFleet, *, is_stop: bool) -> None:
        self._client = client
        self._call = StopCall(client.node, is_stop=is_stop)
        self._fleet = ServedFleet(client)
        self._fleet.local = replace(local, is_settled=False)  # drivers confirm by announcements

    def run(self, timeout_s: float) -> Parts[StopReport]:
        """Send the request as soon as there is a server; return which drivers confirmed."""
        self._client.settle()
        yield from until(self._is_done, timeout_s)
        return StopReport(
            [one for one in self._fleet.last_announcements if self._is_confirmed(one)],
            [one for one in self._fleet.last_announcements if not self._is_confirmed(one)],
            self._call.is_answered,
            self._fleet.foreign_ids(),
        )

    def _is_done(self) -> bool:
        """Send the request if it is due; return whether every server has confirmed, or the robots have no server."""
        call = self._call
        if not (call.is_answered and all(map(self._is_confirmed, self._fleet.last_announcements))):
            call.repeat()
        if not self._fleet.is_complete():
            return False
        if not self._fleet.last_announcements:
            return call.is_answered or not call.has_server
        return call.is_answered and all(map(self._is_confirmed, self._fleet.last_announcements))

    def _is_confirmed(self, announcement: Announcement) -> bool:
        return announcement.stop_state.is_stopped is self._call.is_stop
