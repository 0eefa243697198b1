"""Reasons why robots that may perform a job cannot."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from fleet.robots.readiness import Readiness
from thymio_base.number_text import numbered_text


def hindrances(robots: Iterable[Readiness], is_off_duty: Callable[[int], bool], is_empty: Callable[[int], bool]) -> str:
    """Return each robot's hindrance, in words: "robots 1 and 2: off duty; robot 3: 3 % charge".

    Parameters
    ----------
    robots
        robots that cannot take a job
    is_off_duty
        whether a robot is off duty
    is_empty
        whether the battery of a robot has too little charge for jobs
    """
    found: defaultdict[str, list[int]] = defaultdict(list)
    for robot in robots:
        found[_hindrance(robot, is_off_duty, is_empty)].append(robot.robot_id)
    return "; ".join(f"{numbered_text('robot', robot_ids)}: {why}" for why, robot_ids in found.items())


def _hindrance(robot: Readiness, is_off_duty: Callable[[int], bool], is_empty: Callable[[int], bool]) -> str:
    if is_off_duty(robot.robot_id):
        return "off duty"
    if not robot.is_served:
        return "no driver"
    if robot.pose is None:
        return "no pose"
    if robot.charge is not None and is_empty(robot.robot_id):
        return f"{100 * robot.charge:.0f} % charge"
    return "takes no tasks, see `thymio-fleet status`"
