"""Usual values of the fields of our messages, by name, as a well-behaved client would set them."""

import json
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Quaternion
from numpy.random import Generator

from bench.doors.requests.odd_values import changed, odd_text, pick
from simulator.simulation.simulation_control import MAX_STEPS

_GOALS: Final = 40  # ids of goals in requests: enough for some goals to run, few enough for most requests to hit one
_ROBOTS: Final = ("thymio_1", "thymio_2", "thymio_3", "thymio_4", "crate", "box_1")
_PATHS: Final[tuple[Any, ...]] = (
    {"shape": "square", "size_m": 0.3, "laps": 2},
    {"shape": "star", "size_m": 0.3},
    {"shape": "eight", "size_m": 0.2, "laps": 1, "relative_to": "pose"},
    {"waypoints_m": [[0.0, 0.0], [0.1, 0.0], [0.1, 0.1]]},
    {"waypoints_m": [[0.5, 0.5], [0.7, 0.5], [0.7, 0.7], [0.5, 0.5]], "laps": 3, "relative_to": "map"},
    {"circle": {"radius_m": 0.2}},
)
_DESCRIPTIONS: Final[tuple[Any, ...]] = ({"length_m": 0.1, "width_m": 0.1}, {"radius_m": 0.05}, {"height_m": 0.1}, {})
_FEW_STEPS: Final = 300
_GAINS: Final = ("kx_per_s", "cross_m", "lqr.cross_m", "kanayama.kx_per_s", "lookahead_m")
_PARAMETERS: Final = ("use_sim_time", "weight", "base_link", "joints", "pid", "end_link", "speed_mps", "posture")
_VARIABLES: Final = ("motor.left.target", "_id", "prox.horizontal", "acc", "_vbat", "event.args", "leds.top")
SCRIPT: Final = (
    '<!DOCTYPE aesl-source><network><event size="1" name="a"/><constant value="3" name="SPEED"/>'
    '<node nodeId="1" name="thymio-II">var x = SPEED\nonevent a\nx = event.args[0]\nemit a x</node></network>'
)


def path_text(chance: Generator) -> str:
    """Return a path: a shape's name, or the text of a path file, possibly with a fault in one place."""
    if chance.random() < 0.3:
        return str(pick(chance, ("square", "star", "eight", "circle", "straight")))
    tree = pick(chance, _PATHS)
    return json.dumps(changed(tree, chance) if chance.random() < 0.7 else tree, ensure_ascii=False, default=str)


def goal_uuid(chance: Generator) -> Any:
    """Return the UUID of one of a few goals; rarely the UUID that stands for all."""
    if chance.random() < 0.1:
        return np.zeros(16, np.uint8)
    return np.array([7, *[0] * 14, int(chance.integers(_GOALS))], np.uint8)


def _quaternion(chance: Generator) -> Quaternion:
    half_rad = chance.uniform(-math.pi, math.pi) / 2.0
    return Quaternion(z=math.sin(half_rad), w=math.cos(half_rad))


def _one_of(*values: Any) -> Callable[[Generator], Any]:
    return lambda chance: pick(chance, values)


def _uniform(low: float, high: float) -> Callable[[Generator], float]:
    return lambda chance: float(np.round(chance.uniform(low, high), 3))


def _some(*values: Any) -> Callable[[Generator], list[Any]]:
    return lambda chance: [pick(chance, values) for _ in range(int(chance.integers(3)))]


def description_text(chance: Generator) -> str:
    """Return the description of an entity to spawn, possibly with a fault in one place."""
    tree = pick(chance, _DESCRIPTIONS)
    text = json.dumps(changed(tree, chance) if chance.random() < 0.5 else tree, ensure_ascii=False, default=str)
    return odd_text(chance, text) if chance.random() < 0.2 else text


_IDS: Final = tuple(f"job{number}" for number in range(60))
_TOKENS: Final = ("0123456789abcdef0123456789abcdef", "token", "other")

WORDS: Final[dict[str, Callable[[Generator], Any]]] = {
    "frame_id": _one_of("map", "map", "map", ""),
    "stamp": lambda _: Time(),
    "start": lambda _: Time(),
    "deadline": lambda _: Time(),
    "not_before": lambda _: Time(),
    "orientation": _quaternion,
    "uuid": goal_uuid,
    "task_id": lambda chance: f"task{int(chance.integers(1_000_000))}",
    "path": path_text,
    "relative_to": _one_of("", "pose", "map"),
    "speed_mps": _one_of(0.0, 0.05, 0.1),
    "laps": _one_of(0, 1, 2),
    "law": _one_of("lqr", "kanayama", "path_following", "pure_pursuit", "pd_pursuit"),
    "geometry_msgs/Point.x": _uniform(0.2, 3.0),
    "geometry_msgs/Point.y": _uniform(0.2, 2.0),
    "geometry_msgs/Point.z": _one_of(0.0, 0.5),
    "geometry_msgs/Vector3.x": _uniform(-0.1, 0.1),
    "x_m": _uniform(0.2, 3.0),
    "y_m": _uniform(0.2, 2.0),
    "heading_rad": _uniform(-3.0, 3.0),
    "entity": _one_of(*_ROBOTS),
    "object": _one_of("crate", "box_1"),
    "button": _one_of("center", "left", "forward"),
    "duration_s": _one_of(0.1, 1.0),
    "charge": _uniform(0.3, 1.0),
    "link": _one_of(0, 0, 0, 1, 2),
    "factor": _one_of(0.5, 1.0, 1.0, 2.0),
    "steps": _one_of(1, 10, 50),
    "uri": _one_of("box", "cylinder", "thymio"),
    "resource_string": description_text,
    "simulation_interfaces/SpawnEntity_Request.name": _one_of("crate", "box_1", "thymio_7", ""),
    "simulation_interfaces/SimulationState.state": _one_of(1, 1, 1, 2, 0),
    "scope": _one_of(1, 2, 4, 0),
    "job_id": _one_of(*_IDS, ""),
    "job_ids": _some(*_IDS),
    "kind": _one_of("go_to", "transport", "go_home", "follow"),
    "thymio_fleet_interfaces/JobPlace.name": _one_of("A", "B", "C", ""),
    "priority": _one_of(0, 5, 9),
    "attempts": _one_of(1, 3),
    "thymio_fleet_interfaces/Job.after": lambda chance: [] if chance.random() < 0.8 else [pick(chance, _IDS)],
    "robots": _some(1, 2, 3, 4),
    "change": _one_of("cancel", "cancel", "hold", "release", "priority", "robots", "deadline", "move"),
    "before": _one_of("", *_IDS[:4]),
    "states": _some("queued", "executing", "SUCCEEDED"),
    "duty": _one_of("on", "on", "off"),
    "robot": _one_of(0, 1, 2),
    "robot_id": _one_of(7, 8, 9),
    "file_name": _one_of("", "", "/nowhere.aesl"),
    "text": _one_of("", SCRIPT, SCRIPT.replace("SPEED", "Ждя"), "<network/>"),
    "node_ids": _some(1, 2),
    "variable": _one_of(*_VARIABLES),
    "cmd": _one_of("list_re", "list_re", "list_re", "create_re", "delete_re"),
    "rbc_msgs_srvs/RbcL2Ctrl_Request.data": _one_of("VF", "JR", "SC", "TC"),
    "rbc_msgs_srvs/RbcL2Ctrl_Request.name": _one_of("VF0", "JR0", "TC0"),
    "joint": _one_of("arm_j0", "arm_j1", "arm_j2"),
    "names": _some(*_GAINS, *_PARAMETERS),
    "rcl_interfaces/Parameter.name": _one_of(*_PARAMETERS),
    "host": _one_of("here", "there", ""),
    "token": _one_of(*_TOKENS),
    "tokens": _some(*_TOKENS),
    "serves": _some(1, 2, 9),
    "waits_for": _some(1, 9),
    "asebaros_msgs/Constant.name": _one_of("SPEED", "GROUND_RAW_PERIOD"),
    "builtin_interfaces/Duration.sec": _one_of(0, 1),
    "duration": lambda chance: Duration(sec=int(chance.integers(2))),
    "timeout": lambda chance: Duration(sec=int(chance.integers(1, 4))),
}

_PLACES: Final[tuple[Any, ...]] = ({"station": "A"}, {"station": "B"}, {"x_m": 1.3, "y_m": 0.6, "heading_rad": 0.0})


def takes_long(request: Any) -> bool:
    """Whether a request asks for work that takes long by nature: thousands of steps of a paused simulation."""
    return _FEW_STEPS < getattr(request, "steps", 0) <= MAX_STEPS


def page_body(verb: str, chance: Generator) -> dict[str, Any]:
    """Return the body of a command of the page."""
    robot = int(chance.integers(1, 5))
    pose = {"x_m": 1.0 + 0.1 * robot, "y_m": 0.8, "heading_rad": 0.5}
    path = {"path": path_text(chance), "size_m": 0.3, "speed_mps": 0.05, "laps": 2, "relative_to": "pose"}
    place, other = pick(chance, _PLACES), pick(chance, _PLACES)
    job = {"places": [place, other], "robots": [robot], "priority": 5, "id": f"page{int(chance.integers(30))}"}
    bodies: dict[str, dict[str, Any]] = {
        "go_to": {"goals": [{"robot": robot, **pose}]},
        "transport": {"robot": robot, "from": place, "to": other},
        "follow": {"robots": [robot], **path},
        "submit": pick(chance, ({"kind": "transport", **job}, {"kind": "follow", **path}, {"kind": "go_home"})),
        "change_jobs": {"jobs": [f"page{int(chance.integers(30))}"], "change": "cancel"},
        "law": {"robots": [robot], "law": "kanayama", "gains": {"kx_per_s": 3.0}},
        "station": {"name": "D", **pose, "role": "load"},
        "remove_station": {"name": "D"},
        "acknowledge": {"alarms": ["1:link"]},
        "name": {"name": "Anna"},
        "push": {"robot": robot, "distance_m": 0.1, "heading_rad": 0.0},
        "link": {"robots": [robot], "link": "connected"},
        "battery": {"robots": [robot], "charge": 0.8},
        "teleport": {"robot": robot, **pose},
        "drive": {"robot": robot, "speed_mps": 0.1, "turn_radps": -0.5},
        "stop": {},
        "resume": {},
    }
    return bodies.get(verb, {"robots": [robot]})


def page_message(chance: Generator) -> dict[str, Any]:
    """Return a message of the page on its WebSocket."""
    robot = int(chance.integers(1, 5))
    messages: tuple[dict[str, Any], ...] = (
        {"type": "ack", "frame": int(chance.integers(100))},
        {"type": "visible", "visible": bool(chance.random() < 0.8)},
        {"type": "select", "robot": robot},
        {"type": "drive", "robot": robot, "speed_mps": 0.1, "turn_radps": -0.5},
        {"type": "stop"},
    )
    return dict(pick(chance, messages))
