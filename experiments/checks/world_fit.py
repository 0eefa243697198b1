"""Checks whether a fleet fits a simulated world: addresses, nodes, arenas, and the places of robots.

It works on the valid parts of the documents, so that mistakes in one file do not hide mismatches of the pair. All
problems refer to keys of the fleet's file. A mistake keeps the fleet from working in that world; a remark may be
about something intended.
"""

import ipaddress
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aseba_link.errors import TargetError
from aseba_link.link.target import SerialTarget, parse_target
from experiments.checks.place_fit import Entries, arena_mistakes, far_chargers, misplaced, place_text, valid_pose
from experiments.checks.places import StayingPlace
from experiments.checks.world_floor import outline_of
from experiments.lab.simulated_index import is_same_robot
from fleet.floor.obstacles import Area, Obstacles, Segment
from fleet.geometry import Pose2D
from fleet.settings.config import plain_uuid
from simulator.world.config import build_object, object_name
from thymio_base.number_text import number_text
from thymio_base.settings_file import Problem, SettingsDocument
from thymio_base.texts.decimal_text import whole_number
from thymio_base.texts.yaml_text import KeyPath

_NEAR_M, _NEAR_RAD = 0.02, 0.0873  # the default tolerances of tasks
_MOCAP_TOPIC = re.compile("/mocap/thymio_([0-9]{1,10})/pose")
_ANY_ADDRESS = ("0.0.0.0", "::")
_SAME_M = 0.02  # largest distance between an obstacle of the world and its counterpart in the fleet
_STEP_M = 0.05  # distance between compared points of an obstacle
_NAMED = 3  # most named obstacles; the others are counted


def missing_obstacles(floor: Mapping[str, Any], world: Mapping[str, Any], name: str) -> Iterator[Problem]:
    """Yield a problem if obstacles of a world are missing in the section `floor` of a fleet."""
    known = _obstacles(floor)
    missing = [text for text, sides in _world_sides(world) if not all(_is_known(known, side) for side in sides)]
    if missing:
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        yield (
            ("floor",),
            f"it lacks {', '.join(missing[:_NAMED])}{more} of {name}, so robots will run into them; "
            f"`thymio-fleet floor {name} --write FLEET` adds all of them",
        )


def _world_sides(world: Mapping[str, Any]) -> Iterator[tuple[str, list[Segment]]]:
    """Yield name and sides of the walls and immovable objects of a world."""
    for index, ends in enumerate(world["walls"]):
        if ends is not None:
            yield f"walls[{index}]", [_wall(ends)]
    for index, entry in enumerate(world["objects"]):
        if entry is not None and not entry["movable"]:
            yield f"the object {object_name(entry, index)!r}", Area(outline_of(build_object(entry, index))).outline


def _obstacles(floor: Mapping[str, Any]) -> Obstacles:
    areas = [Area([(corner["x_m"], corner["y_m"]) for corner in area]) for area in floor["keep_out"]]
    return Obstacles([_wall(ends) for ends in floor["walls"]], areas)


def _wall(ends: Mapping[str, float]) -> Segment:
    return Segment(ends["x1_m"], ends["y1_m"], ends["x2_m"], ends["y2_m"])


def _is_known(known: Obstacles, side: Segment) -> bool:
    """Return whether every point of a side has an obstacle of the fleet nearby."""
    steps = max(1, math.ceil(math.hypot(side.x2_m - side.x1_m, side.y2_m - side.y1_m) / _STEP_M))
    shares = (step / steps for step in range(steps + 1))
    return all(
        known.clearance_m(side.x1_m + share * (side.x2_m - side.x1_m), side.y1_m + share * (side.y2_m - side.y1_m))
        < _SAME_M
        for share in shares
    )


@dataclass(slots=True)
class WorldFit:
    """The result of a check: mistakes, and remarks on things that may be intended."""

    mistakes: list[Problem] = field(default_factory=list)
    remarks: list[Problem] = field(default_factory=list)


def world_fit(fleet: SettingsDocument, world: SettingsDocument) -> WorldFit:
    """Return the mismatches of a fleet and a world, without the problems of each file alone."""
    name, fit = world.source, WorldFit()
    reaching = _check_targets(fleet.parts["link"]["targets"], world.parts["network"], name, fit)
    robots = [(index, robot) for index, robot in enumerate(fleet.parts["robots"]) if robot is not None]
    expected = [(index, robot) for index, robot in robots if _is_expected(robot, fleet, reaching)]
    simulated = [robot for robot in world.parts["robots"] if robot and robot.get("node_id") is not None]
    is_whole = len(simulated) == len(world.parts["robots"])
    if is_whole:
        fit.mistakes += _missing_nodes(expected, simulated, name)
    fit.remarks += _unlisted_nodes(robots, simulated, name)
    fit.mistakes += _wrong_topics(expected)
    fit.remarks += _captures(expected, world.parts["motion_capture"], name)
    fit.remarks += _moved_starts(expected, simulated, name)
    if "arena" in world.values:
        fit.mistakes += arena_mistakes(fleet.parts.get("arena"), world.values["arena"], name)
    known = {key_path for key_path, _ in fleet.problems}
    fit.mistakes += (problem for problem in misplaced(expected, world.values, name) if problem[0] not in known)
    fit.remarks += missing_obstacles(fleet.values["floor"], world.values, name)
    fit.remarks += far_chargers(fleet.parts.get("arena"), world.values["chargers"], name)
    return fit


def world_chargers(world: SettingsDocument) -> list[StayingPlace]:
    """Return the chargers of a world, named by their keys in its file."""
    return [
        StayingPlace(f"chargers[{index}] of {world.source}", Pose2D(charger["x_m"], charger["y_m"], 0.0))
        for index, charger in enumerate(world.values["chargers"])
        if charger is not None
    ]


def _check_targets(
    targets: Sequence[str | None] | None, network: Mapping[str, Any], name: str, fit: WorldFit
) -> list[str] | None:
    """Check the link's targets; return those that reach the world, or None if this is unknown."""
    address, port = network["address"], network["port"]
    if targets is None or None in targets or address is None or port is None:
        return None
    if port == 0:
        fit.remarks.append((("link", "targets"), f"not checked: {name} listens on any free port (network.port: 0)"))
        return None
    texts = [text for text in targets if text is not None]
    found = [text for text in texts if _reaches(text, address, port)]
    if not found and all(map(_is_valid, texts)):
        key: KeyPath = ("link", "targets", 0) if len(texts) == 1 else ("link", "targets")
        verb = "does not reach" if len(texts) == 1 else "do not reach"
        fit.mistakes.append((key, f"{', '.join(texts)} {verb} {name}, which listens on {address}, port {port}"))
    return found


def _is_valid(text: str) -> bool:
    try:
        parse_target(text)
    except TargetError:
        return False
    return True


def _reaches(text: str, address: str, port: int) -> bool:
    """Return whether a target is, or may be, the address of a world; host names are not resolved."""
    try:
        target = parse_target(text)
    except TargetError:
        return False
    if isinstance(target, SerialTarget) or target.port != port:
        return False
    host, listener = _address(target.host), _address(address)
    if host is None or listener is None:
        return True
    if address in _ANY_ADDRESS:
        return host.version == 4 or listener.version == 6
    return host == listener or (host.is_loopback and listener.is_loopback and host.version == listener.version)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return a numeric address; None for a host name, which may have several addresses."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_expected(robot: Mapping[str, Any], fleet: SettingsDocument, reaching: list[str] | None) -> bool:
    """Return whether a robot must be in the world, since it cannot be on another target."""
    if not reaching:  # the targets are unknown
        return True
    target = robot.get("target")
    return target in reaching if target else len(fleet.parts["link"]["targets"]) == len(reaching)


def _missing_nodes(robots: Entries, simulated: Sequence[dict[str, Any]], name: str) -> Iterator[Problem]:
    for index, robot in robots:
        key = "uuid" if plain_uuid(robot) else "node_id"
        if robot.get(key) is None or any(is_same_robot(robot, other) for other in simulated):
            continue
        node_ids = number_text(other["node_id"] for other in simulated)
        node_text = f"; its node ids are {node_ids}" if key == "node_id" else ""
        yield ("robots", index, key), f"no robot of {name} has {key} {robot[key]}{node_text}"


def _unlisted_nodes(robots: Entries, simulated: Sequence[dict[str, Any]], name: str) -> Iterator[Problem]:
    is_complete = all(robot.get("node_id") is not None or plain_uuid(robot) for _, robot in robots)
    unlisted = [other["node_id"] for other in simulated if not any(is_same_robot(robot, other) for _, robot in robots)]
    if unlisted and is_complete:
        yield ("robots",), f"node {number_text(unlisted)} of {name} is not a robot of this fleet, and will stand still"


def _wrong_topics(robots: Entries) -> Iterator[Problem]:
    for index, robot in robots:
        match = _MOCAP_TOPIC.fullmatch(robot.get("pose_topic") or "")
        node_id = robot.get("node_id")
        if match and node_id is not None and whole_number(match.group(1)) != node_id:
            yield (
                ("robots", index, "pose_topic"),
                f"{match.group(0)} belongs to node {match.group(1)}, not {node_id}",
            )


def _captures(robots: Entries, capture: Mapping[str, Any], name: str) -> Iterator[Problem]:
    topics = [index for index, robot in robots if _MOCAP_TOPIC.fullmatch(robot.get("pose_topic") or "")]
    if topics and capture["enabled"] is False:
        yield ("robots", topics[0], "pose_topic"), f"nothing publishes it: motion_capture.enabled of {name} is false"


def _moved_starts(robots: Entries, simulated: Sequence[dict[str, Any]], name: str) -> Iterator[Problem]:
    """Yield robots without a pose source that do not start at the pose that the fleet assumes."""
    for index, robot in robots:
        key = "initial_pose" if "initial_pose" in robot else "home"
        assumed = valid_pose(robot.get(key))
        true = next((valid_pose(other) for other in simulated if is_same_robot(robot, other)), None)
        if "pose_topic" in robot or assumed is None or true is None:
            continue
        here, there = Pose2D(*assumed), Pose2D(*true)
        if here.distance_to(there) > _NEAR_M or abs(here.heading_error_to(there)) > _NEAR_RAD:
            text = f"without a pose_topic {place_text(assumed)} is assumed, but in {name} it is at {place_text(true)}"
            yield ("robots", index, key), text
