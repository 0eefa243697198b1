"""Converts drivers' announcements to messages and back."""

from thymio_fleet_interfaces.msg import Driver

from fleet.hosts.claims import Announcement, DriverId
from fleet.hosts.stop_state import StopState


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
    )


def announcement_from_ros(message: Driver) -> Announcement:
    """Return a message as an announcement; robots without a time, in a message that is not ours, are left out."""
    serves = dict(zip(message.serves, message.since_ns, strict=False))
    driver = DriverId(message.host, message.node, message.token)
    stop_state = StopState(
        dict(zip(message.stoppers, message.stops, strict=False)),
        dict(zip(message.stoppers, message.resumed, strict=False)),
    )
    return Announcement(
        driver, message.begun_ns, serves, tuple(message.waits_for), stop_state, tuple(message.knows), message.jobs
    )
