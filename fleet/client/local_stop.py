"""Stops the drivers of this host at once, without ROS."""

from fleet.client.local_question import ANSWER_S, ask_local_drivers
from fleet.hosts.local_drivers import STOP_ENDING, LocalDriver, driver_from


def stop_local_drivers(domain_id: int, timeout_s: float = ANSWER_S) -> list[LocalDriver]:
    """Stop the drivers of this host and user in a ROS domain; return those that have confirmed it in time."""
    answers = ask_local_drivers(domain_id, STOP_ENDING, timeout_s).answers
    return [driver for driver in map(driver_from, answers) if driver is not None]
