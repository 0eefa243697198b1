"""Converts drivers' announcements to messages and back."""

from collections.abc import Sequence
from typing import Final

from thymio_fleet_interfaces.msg import Driver

from fleet.hosts.claims import Announcement, DriverId
from fleet.hosts.stop_state import StopState
from fleet.interface.ways_messages import NAME_MAX

_ROBOTS_MAX: Final = 1000  # of one driver
_STOPPERS_MAX: Final = 1000  # drivers whose stops are read
_STOPS_MAX: Final = 1_000_000_000  # of one driver; a higher count would not fit the message after the next stop


def announcement_to_ros(announcement: Announcement) -> Driver:
    """Return an announcement as a message."""
    return Driver(
        host=announcement.driver.host,
        node=announcement.driver.node,
        token=announcement.driver.token,
        begun_ns=announcement.started_ns,
        serves=list(announcement.serves),
        since_ns=list(announcement.serves.values()),
        waits_for=list(announcement.waits_for),
        knows=list(announcement.knows),
        stoppers=list(announcement.stop_state.stops),
        stops=list(announcement.stop_state.stops.values()),
        resumed=[announcement.stop_state.resumed.get(token, 0) for token in announcement.stop_state.stops],
        jobs=announcement.jobs,
        tasks=list(announcement.tasks),
    )


def announcement_from_ros(message: Driver) -> Announcement:
    """Return a message as an announcement.

    Drops what none of our drivers would send: robots without a time, counts of stops that nobody could have requested,
    and the end of very long names and lists.
    """
    serves = dict(zip(message.serves[:_ROBOTS_MAX], message.since_ns, strict=False))
    driver = DriverId(message.host[:NAME_MAX], message.node[:NAME_MAX], message.token[:NAME_MAX])
    stop_state = StopState(_counts(message.stoppers, message.stops), _counts(message.stoppers, message.resumed))
    return Announcement(
        driver,
        message.begun_ns,
        serves,
        tuple(message.waits_for[:_ROBOTS_MAX]),
        stop_state,
        tuple(message.knows[:_STOPPERS_MAX]),
        message.jobs[:NAME_MAX],
        tuple(message.tasks[:_ROBOTS_MAX]),
    )


def _counts(tokens: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
    """Return the count of each token; the higher one if a token occurs twice."""
    found: dict[str, int] = {}
    for token, count in zip(tokens[:_STOPPERS_MAX], counts, strict=False):
        if token and len(token) <= NAME_MAX and count <= _STOPS_MAX:
            found[token] = max(count, found.get(token, 0))
    return found
