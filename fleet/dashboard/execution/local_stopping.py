"""Stops the drivers of this host without ROS, so that the page can do so before ROS is loaded."""

from fleet.client.local_question import stop_local_drivers
from fleet.dashboard.model.fleet_entries import SeenDriver


def stop_local(domain: int) -> list[SeenDriver]:
    """Stop the drivers of this host in a ROS domain at once; return those that confirmed."""
    drivers = stop_local_drivers(domain)
    return [
        SeenDriver(one.driver.host, one.driver.node, one.driver.token, one.robot_ids, is_stopped=True)
        for one in drivers
    ]
