"""The simulated world's configuration: one file, one reader; world.schema.json documents every key."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aseba_link.errors import SettingsError
from aseba_link.settings import Problem, load_settings
from simulator.contacts import DISC_RADIUS_M, disc_centres, nearest_points
from simulator.errors import WorldError


@dataclass(frozen=True, slots=True)
class NetworkConfig:
    """Where the simulator listens."""

    address: str
    port: int


@dataclass(frozen=True, slots=True)
class ArenaConfig:
    """The floor, from (0, 0) to (width, height), with a wall around it."""

    width_m: float
    height_m: float


@dataclass(frozen=True, slots=True)
class WallConfig:
    """A wall inside of the arena: x1, y1, x2, y2."""

    ends_m: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class LineConfig:
    """A line on the floor: x1, y1, x2, y2; gray is 0 for black, 1 for white."""

    ends_m: tuple[float, float, float, float]
    width_m: float
    gray: float


@dataclass(frozen=True, slots=True)
class MotorsConfig:
    """How motors behave."""

    time_constant_s: float
    speed_noise: float


@dataclass(frozen=True, slots=True)
class SimulatedRobotConfig:
    """One Thymio: its identity on the network, where it starts, and how its wheels deviate."""

    node_id: int
    uuid: bytes
    x_m: float
    y_m: float
    heading_rad: float
    left_wheel_gain: float
    right_wheel_gain: float


@dataclass(frozen=True, slots=True)
class MotionCaptureConfig:
    """The stand-in for a motion-capture system."""

    enabled: bool
    rate_hz: float
    position_noise_m: float
    heading_noise_rad: float
    latency_s: float


@dataclass(frozen=True, slots=True)
class WorldConfig:
    """Everything that world.yaml says."""

    network: NetworkConfig
    arena: ArenaConfig
    walls: tuple[WallConfig, ...]
    motors: MotorsConfig
    robots: tuple[SimulatedRobotConfig, ...]
    motion_capture: MotionCaptureConfig
    seed: int
    floor_gray: float = 1.0
    lines: tuple[LineConfig, ...] = ()
    temperature_c: float = 22.0


def load_world(path: Path, text: str | None = None) -> WorldConfig:
    """Return the world in the file at `path`, or in a part of it that is passed as `text`.

    Raises
    ------
    WorldError
        The file cannot be read or has problems; the message lists all of them, each with path and line.
    """
    schema = json.loads(resources.files("simulator").joinpath("world.schema.json").read_text())
    try:
        values = load_settings(path, schema, _contradictions, text)
    except SettingsError as error:
        raise WorldError(str(error)) from error
    return WorldConfig(
        network=NetworkConfig(**values["network"]),
        arena=ArenaConfig(**values["arena"]),
        walls=tuple(WallConfig(_ends(wall)) for wall in values["walls"]),
        motors=MotorsConfig(**values["motors"]),
        robots=tuple(SimulatedRobotConfig(**{**robot, "uuid": _uuid(robot)}) for robot in values["robots"]),
        motion_capture=MotionCaptureConfig(**values["motion_capture"]),
        seed=values["seed"],
        floor_gray=values["floor_gray"],
        lines=tuple(LineConfig(_ends(line), line["width_m"], line["gray"]) for line in values["lines"]),
        temperature_c=values["temperature_c"],
    )


def _ends(segment: dict[str, Any]) -> tuple[float, float, float, float]:
    return segment["x1_m"], segment["y1_m"], segment["x2_m"], segment["y2_m"]


def _uuid(robot: dict[str, Any]) -> bytes:
    return bytes.fromhex(robot.get("uuid", f"{robot['node_id']:032x}").replace("-", ""))


def _contradictions(values: dict[str, Any]) -> Iterator[Problem]:
    """Yield what the schema cannot see: shared identities, robots that overlap something, lines without length."""
    robots = [(index, robot) for index, robot in enumerate(values["robots"]) if robot is not None]
    for (first, earlier), (second, later) in combinations(robots, 2):
        if earlier["node_id"] == later["node_id"]:
            yield ("robots", second, "node_id"), f"{later['node_id']} is taken by robots[{first}]"
        elif _uuid(earlier) == _uuid(later):
            yield ("robots", second, "uuid"), f"{_uuid(later).hex()} is taken by robots[{first}]"
        if np.linalg.norm(_centre(earlier) - _centre(later)) < 2.0 * DISC_RADIUS_M:
            yield ("robots", second), f"overlaps robots[{first}]"
    yield from _in_walls(values["walls"], robots)
    for index, line in enumerate(values["lines"]):
        if line is not None and _ends(line)[:2] == _ends(line)[2:]:
            yield ("lines", index), "both ends are the same point"
    if "arena" not in values:
        return
    size_m = np.array([values["arena"]["width_m"], values["arena"]["height_m"]])
    for index, robot in robots:
        centre = _centre(robot)
        if (centre < DISC_RADIUS_M).any() or (centre > size_m - DISC_RADIUS_M).any():
            yield ("robots", index), f"({robot['x_m']}, {robot['y_m']}) is not inside of the arena's walls"


def _in_walls(walls: list[dict[str, Any] | None], robots: list[tuple[int, dict[str, Any]]]) -> Iterator[Problem]:
    """Yield the robots that stand in one of the walls inside of the arena."""
    for number, wall in enumerate(walls):
        if wall is None:
            continue
        ends_m = np.array([_ends(wall)])
        for index, robot in robots:
            centre = _centre(robot)
            if np.linalg.norm(centre - nearest_points(centre[None], ends_m)[0, 0]) < DISC_RADIUS_M:
                yield ("robots", index), f"stands in walls[{number}]"


def _centre(robot: dict[str, Any]) -> NDArray[np.float64]:
    """Return the centre of a robot's disc."""
    centres = disc_centres(np.array([[robot["x_m"], robot["y_m"]]]), np.array([robot["heading_rad"]]))
    return centres.reshape(2)
