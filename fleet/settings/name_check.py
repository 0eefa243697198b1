"""Checks names and addresses in fleet.yaml by the rules of ROS, tf2 and the network."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from thymio_base.names.host_names import host_problem
from thymio_base.names.ros_names import frame_problem, label_problem, resolved_topic, topic_problem
from thymio_base.settings_file import Problem
from thymio_base.texts.yaml_text import KeyPath

_LISTENER = "pose_sources"  # the node that subscribes to pose topics


def name_problems(parts: Mapping[str, Any], robots: Sequence[tuple[int, Mapping[str, Any]]]) -> Iterator[Problem]:
    """Yield names that would be refused later; invalid values are None, and are already reported."""
    stations = [(index, one) for index, one in enumerate(parts["stations"] or ()) if one is not None]
    names: list[tuple[KeyPath, str | None, Callable[[str], str]]] = [
        (("frame",), parts["frame"], frame_problem),
        (("motion_capture", "frame"), parts["motion_capture"]["frame"], label_problem),
        (("hosts", "name"), parts["hosts"]["name"], label_problem),
        (("link", "switch_address"), parts["link"]["switch_address"], host_problem),
        *((("stations", index, "name"), one.get("name"), label_problem) for index, one in stations),
        *((("robots", index, "pose_topic"), one.get("pose_topic"), topic_problem) for index, one in robots),
    ]
    for keys, name, problem_of in names:
        if name is not None and (problem := problem_of(name)):
            yield keys, f"{name!r} does not fit: {problem}"
    yield from _own_topics(robots)
    yield from _own_frames(parts["frame"], robots)


def full_topic(robot: Mapping[str, Any]) -> str | None:
    """Return the full name of the topic with a robot's measured poses; None without one."""
    topic = robot.get("pose_topic")
    return resolved_topic(topic, _LISTENER) if topic else None


def _own_topics(robots: Sequence[tuple[int, Mapping[str, Any]]]) -> Iterator[Problem]:
    """Yield pose topics to which the driver itself publishes: it would measure its own estimate."""
    own = {f"/factory/robot_{robot.get('id')}/pose" for _, robot in robots}
    for index, robot in robots:
        if full_topic(robot) in own:
            problem = f"{robot['pose_topic']!r} is published by the driver itself; name that of motion capture"
            yield ("robots", index, "pose_topic"), problem


def _own_frames(frame: str | None, robots: Sequence[tuple[int, Mapping[str, Any]]]) -> Iterator[Problem]:
    """Yield the fleet's frame if it moves with a robot."""
    if frame is not None and any(frame.startswith(f"robot_{robot.get('id')}/") for _, robot in robots):
        yield ("frame",), f"{frame!r} is a frame of a robot; name that of the floor, such as map"
