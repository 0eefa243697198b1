"""Converts drivers' announcements to messages and back."""

from thymio_fleet_interfaces.msg import Driver

from fleet.hosts.claims import Announcement, DriverId
from fleet.hosts.standstill import Standstill


def announcement_to_ros(said: Announcement) -> Driver:
    """Return an announcement as a message."""
    return Driver(
        host=said.driver.host,
        node=said.driver.node,
        token=said.driver.token,
        begun_ns=said.begun_ns,
        serves=list(said.serves),
        since_ns=list(said.serves.values()),
        waits_for=list(said.waits_for),
        stoppers=list(said.standstill.stops),
        stops=list(said.standstill.stops.values()),
        resumed=[said.standstill.resumed.get(token, 0) for token in said.standstill.stops],
    )


def announcement_from_ros(message: Driver) -> Announcement:
    """Return a message as an announcement; robots without a time, in a message that is not ours, are left out."""
    serves = dict(zip(message.serves, message.since_ns, strict=False))
    driver = DriverId(message.host, message.node, message.token)
    standstill = Standstill(
        dict(zip(message.stoppers, message.stops, strict=False)),
        dict(zip(message.stoppers, message.resumed, strict=False)),
    )
    return Announcement(driver, message.begun_ns, serves, tuple(message.waits_for), standstill)
