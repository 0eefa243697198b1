"""The configuration of the simulated world, read from one file; world.schema.json documents every key."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from aseba_link.thymio.events import AXLE_LENGTH_M
from simulator.errors import WorldError
from simulator.firmware.hardware import SOUND, HardwareConfig, hardware_config
from simulator.network.faulty_line import SOUND_LINE, HostLineConfig
from simulator.network.radio import DropoutsConfig, RadioConfig
from simulator.physics.bodies import Pose
from simulator.physics.objects import ObjectConfig, ObjectShape, object_piece, robot_piece
from simulator.physics.start_places import Placed, moved_inside, outside, overlaps
from simulator.physics.walls import Ends, border, wall
from simulator.physics.wheels import MotorsConfig
from simulator.sensors.batteries import ChargerConfig, SimulatedBatteryConfig
from simulator.sensors.floor import FloorImage, read_pixels
from simulator.sensors.microphone import SoundConfig
from simulator.sensors.proximity import ProximityConfig, ResponseKind
from simulator.world.playground_file import is_playground, open_playground
from thymio_base.errors import SettingsError, TextError
from thymio_base.names.host_names import host_problem
from thymio_base.names.ros_names import label_problem
from thymio_base.settings_file import (
    Problem,
    SettingsDocument,
    check_values,
    fit_document,
    load_text,
    read_document,
    repeats,
)
from thymio_base.texts.json_text import shipped_schema


@dataclass(frozen=True, slots=True)
class NetworkConfig:
    """The address that the simulator listens on."""

    address: str
    port: int


@dataclass(frozen=True, slots=True)
class SimulatedArenaConfig:
    """The floor, from (0, 0) to (width, height), with a wall around it."""

    width_m: float
    height_m: float


@dataclass(frozen=True, slots=True)
class WallConfig:
    """A wall inside the arena: x1, y1, x2, y2."""

    ends_m: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class LineConfig:
    """A line on the floor: x1, y1, x2, y2; gray is 0 for black, 1 for white."""

    ends_m: tuple[float, float, float, float]
    width_m: float
    gray: float


@dataclass(frozen=True, slots=True)
class SimulatedRobotConfig:
    """A Thymio: its identity on the network, start pose, and wheel gains."""

    node_id: int
    uuid: bytes
    x_m: float
    y_m: float
    heading_rad: float
    left_wheel_gain: float
    right_wheel_gain: float
    charge: float | None = None  # None means the value of `battery`
    axle_m: float = AXLE_LENGTH_M  # between the wheels
    hardware: HardwareConfig = SOUND

    @property
    def pose(self) -> Pose:
        """The start pose."""
        return self.x_m, self.y_m, self.heading_rad

    @property
    def wheel_gains(self) -> tuple[float, float]:
        """Ratios of rolled to measured distance: left wheel, right wheel."""
        return self.left_wheel_gain, self.right_wheel_gain


@dataclass(frozen=True, slots=True)
class SimulatedCaptureConfig:
    """The simulated motion-capture system."""

    enabled: bool
    rate_hz: float
    position_noise_m: float
    heading_noise_rad: float
    latency_s: float
    scale: float = 1.0
    mirrored: bool = False
    turned_rad: float = 0.0
    marker_x_m: float = 0.0
    jump_m: float = 0.0
    freezes_s: float = 0.0
    exchanged: bool = False


NO_RADIO = RadioConfig(
    enabled=False,
    latency_s=0.0,
    jitter_s=0.0,
    loss=0.0,
    bandwidth_messages_per_s=0.0,
    queue_messages=0,
    dropouts=DropoutsConfig(mean_interval_s=0.0, duration_s=0.0),
)


@dataclass(frozen=True, slots=True)
class WorldConfig:
    """The content of world.yaml; `notes` lists elements of a .playground file that are not simulated."""

    network: NetworkConfig
    arena: SimulatedArenaConfig
    walls: tuple[WallConfig, ...]
    motors: MotorsConfig
    robots: tuple[SimulatedRobotConfig, ...]
    motion_capture: SimulatedCaptureConfig
    seed: int
    floor_gray: float
    lines: tuple[LineConfig, ...]
    temperature_c: float
    ground_image: FloorImage | None
    objects: tuple[ObjectConfig, ...]
    proximity: ProximityConfig
    battery: SimulatedBatteryConfig
    chargers: tuple[ChargerConfig, ...]
    sounds: tuple[SoundConfig, ...]
    loudness_raw: float
    radio: RadioConfig
    notes: tuple[str, ...]
    line: HostLineConfig = SOUND_LINE

    @property
    def walls_m(self) -> list[Ends]:
        """Ends of all walls: first the border, then walls inside the arena."""
        return [*border(self.arena.width_m, self.arena.height_m), *(inner.ends_m for inner in self.walls)]


def world_schema() -> dict[str, Any]:
    """Return the schema of world files."""
    return shipped_schema("simulator.world", "world.schema.json")


def load_world(path: Path, text: str | None = None) -> WorldConfig:
    """Return the world in a world.yaml or a .playground of Aseba, or in `text`, a part of that file.

    Raises
    ------
    WorldError
        The file cannot be read or has problems; the message lists all of them, each with path and line.
    """
    return world_of(path, read_world(path, text))


@dataclass(frozen=True, slots=True)
class WorldFile:
    """The document in a world file.

    Parameters
    ----------
    notes : elements of a .playground file that are not simulated or were moved
    picture : content of the floor's picture if it is in an archive; otherwise it is beside the world file
    """

    document: SettingsDocument
    notes: tuple[str, ...] = ()
    picture: bytes | None = None


def read_world(path: Path, text: str | None = None) -> WorldFile:
    """Return the document in the file at `path`, or in `text`, a part of it, with all its problems.

    Raises
    ------
    WorldError
        The file cannot be read, or is neither YAML nor a playground.
    """
    check = partial(_contradictions, folder=path.parent)
    try:
        if text is None and is_playground(path):
            return _load_playground(path)
        document = read_document(load_text(path) if text is None else text, str(path), world_schema())
        return WorldFile(document.examined(check, _conflicts))
    except SettingsError as error:
        raise WorldError(str(error)) from error


def world_of(path: Path, file: WorldFile) -> WorldConfig:
    """Return the world in a document; pictures are beside the file.

    Raises
    ------
    WorldError
        The file has problems; the message lists all of them, each with path and line.
    """
    try:
        return _world(file.document.checked(), path.parent, file.notes, file.picture)
    except SettingsError as error:
        raise WorldError(str(error)) from error


def build_world(values: Mapping[str, Any]) -> WorldConfig:
    """Return the world described by the keys of a world.yaml, with the schema's defaults; bodies may overlap.

    Raises
    ------
    WorldError
        The keys do not fit the schema; the message lists all problems.
    """
    try:
        return _world(check_values("world", values, world_schema()), Path(), ())
    except SettingsError as error:
        raise WorldError(str(error)) from error


def _world(values: dict[str, Any], folder: Path, notes: Sequence[str], picture: bytes | None = None) -> WorldConfig:
    """Return the world described by checked values; without `picture`, the floor's picture is in the folder."""
    return WorldConfig(
        network=NetworkConfig(**values["network"]),
        arena=SimulatedArenaConfig(**values["arena"]),
        walls=tuple(WallConfig(_ends(wall)) for wall in values["walls"]),
        motors=MotorsConfig(**values["motors"]),
        robots=tuple(build_robot(robot) for robot in values["robots"]),
        motion_capture=SimulatedCaptureConfig(**values["motion_capture"]),
        seed=values["seed"],
        floor_gray=values["floor_gray"],
        lines=tuple(LineConfig(_ends(line), line["width_m"], line["gray"]) for line in values["lines"]),
        temperature_c=values["temperature_c"],
        ground_image=_ground_image(values, folder, picture),
        objects=tuple(build_object(entry, index) for index, entry in enumerate(values["objects"])),
        proximity=ProximityConfig(ResponseKind(values["proximity"]["response"]), values["proximity"]["noise_raw"]),
        battery=SimulatedBatteryConfig(**values["battery"]),
        chargers=tuple(ChargerConfig(**charger) for charger in values["chargers"]),
        sounds=tuple(SoundConfig(**sound) for sound in values["sounds"]),
        loudness_raw=values["loudness_raw"],
        radio=RadioConfig(**{**values["radio"], "dropouts": DropoutsConfig(**values["radio"]["dropouts"])}),
        notes=tuple(notes),
        line=HostLineConfig(**values["line"]),
    )


def _load_playground(path: Path) -> WorldFile:
    try:
        playground, picture = open_playground(path)
    except TextError as error:
        where = path if error.line is None else f"{path}:{error.line}"
        raise SettingsError(str(path), [f"{where}: {error.problem}"]) from error
    schema = world_schema() if not playground.problems else {"properties": {}}  # missing values cannot be checked
    document = fit_document(str(path), playground.values, schema, lines=playground.lines, problems=playground.problems)
    document.checked()
    remarks = [*_moved_inside(document.values), *_overlapping(document.values)]
    notes = [*(f"{path}:{note}" for note in playground.notes), *document.located(remarks)]
    check = partial(_contradictions, folder=path.parent, picture=picture, are_places_free=True)
    return WorldFile(document.examined(check, _conflicts), tuple(notes), picture)


def _moved_inside(values: dict[str, Any]) -> Iterator[Problem]:
    """Move robots and movable objects into the arena, as the playground does, and yield a note on each."""
    size_m = values["arena"]["width_m"], values["arena"]["height_m"]
    robots, objects, _ = _places(values)
    for place in [*robots, *objects]:
        entry = values[str(place.key[0])][place.key[1]]
        x_m, y_m, _ = moved_inside(place, *size_m)
        if any(outside([place], *size_m)) and entry.get("movable", True):
            yield (
                place.key,
                f"({place.pose[0]:g}, {place.pose[1]:g}) is outside of the arena; it starts at ({x_m:g}, {y_m:g})",
            )
            entry["x_m"], entry["y_m"] = x_m, y_m


def _overlapping(values: dict[str, Any]) -> Iterator[Problem]:
    """Yield the robots that the physics pushes out of other bodies at the start."""
    robots, objects, walls = _places(values)
    for key, text in overlaps(robots, [*objects, *walls]):
        yield key, f"{text}; it is pushed out at the start"


def _ends(segment: dict[str, Any]) -> tuple[float, float, float, float]:
    return segment["x1_m"], segment["y1_m"], segment["x2_m"], segment["y2_m"]


def uuid_of(robot: Mapping[str, Any]) -> bytes:
    """Return the UUID of an entry of `robots`; by default it is derived from the node id."""
    return bytes.fromhex((robot.get("uuid") or f"{robot['node_id']:032x}").replace("-", ""))


def build_robot(values: dict[str, Any]) -> SimulatedRobotConfig:
    """Return the robot described by a checked entry of `robots`."""
    hardware = hardware_config(values.get("hardware", {}))
    return SimulatedRobotConfig(**{**values, "uuid": uuid_of(values), "hardware": hardware})


def build_object(values: dict[str, Any], index: int = 0) -> ObjectConfig:
    """Return the object described by a checked entry of `objects`; by default its index gives the name."""
    return ObjectConfig(**{**values, "name": object_name(values, index), "shape": ObjectShape(values["shape"])})


def robot_name(node_id: int) -> str:
    """Return the name of a robot as entity."""
    return f"thymio_{node_id}"


def object_name(values: Mapping[str, Any], index: int) -> Any:
    """Return the name of an entry of `objects`; by default it is derived from the index."""
    return values.get("name", f"object_{index + 1}")


def _ground_image(values: dict[str, Any], folder: Path, picture: bytes | None = None) -> FloorImage | None:
    """Return the picture on the floor; by default it fills the arena."""
    image = values["ground_image"]
    if "file" not in image:
        return None
    sizes = {key: image.get(key, values["arena"][key]) for key in ("width_m", "height_m")}
    source = folder / image["file"] if picture is None else io.BytesIO(picture)
    return FloorImage(read_pixels(source), image["x_m"], image["y_m"], **sizes)


def _contradictions(
    values: dict[str, Any], folder: Path, picture: bytes | None = None, *, are_places_free: bool = False
) -> Iterator[Problem]:
    """Yield problems in valid entries that the schema cannot find: overlaps, lines without length, pictures."""
    for index, line in enumerate(values["lines"]):
        if line is not None and _ends(line)[:2] == _ends(line)[2:]:
            yield ("lines", index), "both ends are the same point"
    if not are_places_free:
        yield from _misplaced(values)
    if "arena" in values:
        try:
            _ground_image(values, folder, picture)
        except ValueError as error:
            yield ("ground_image", "file"), f"{values['ground_image']['file']!r}: {error}"


def _conflicts(parts: dict[str, Any]) -> Iterator[Problem]:
    """Yield names and identities that are used twice; values that do not fit the schema are None."""
    robots = [(index, robot) for index, robot in enumerate(parts["robots"]) if robot and robot.get("node_id")]
    for (first, earlier), (second, later) in combinations(robots, 2):
        if earlier["node_id"] == later["node_id"]:
            yield ("robots", second, "node_id"), f"{later['node_id']} is taken by robots[{first}]"
        elif uuid_of(earlier) == uuid_of(later):
            yield ("robots", second, "uuid"), f"{uuid_of(later).hex()} is taken by robots[{first}]"
    yield from _duplicate_names(parts)
    address = parts["network"]["address"]
    if address is not None and (problem := host_problem(address)):
        yield ("network", "address"), problem


def _misplaced(values: dict[str, Any]) -> Iterator[Problem]:
    """Yield the bodies that overlap other bodies or are outside the arena."""
    robots, objects, walls = _places(values)
    yield from overlaps(robots, [*objects, *walls])
    if "arena" in values:
        yield from outside([*robots, *objects], values["arena"]["width_m"], values["arena"]["height_m"])


def _places(values: dict[str, Any]) -> tuple[list[Placed], list[Placed], list[Placed]]:
    """Return the bodies of robots, objects and walls, except those that do not fit the schema."""
    valid = {
        section: [(index, item) for index, item in enumerate(values[section]) if item is not None]
        for section in ("robots", "objects", "walls")
    }
    robots = [Placed(("robots", index), robot_piece(), _pose(robot)) for index, robot in valid["robots"]]
    objects = [
        Placed(("objects", index), object_piece(build_object(entry, index)), _pose(entry))
        for index, entry in valid["objects"]
    ]
    walls = [Placed(("walls", index), *wall(_ends(ends))) for index, ends in valid["walls"]]
    return robots, objects, walls


def _duplicate_names(parts: dict[str, Any]) -> Iterator[Problem]:
    names = [None if entry is None else object_name(entry, index) for index, entry in enumerate(parts["objects"])]
    for index, first in repeats(names):
        yield ("objects", index, "name"), f"{names[index]!r} is taken by objects[{first}]"
    robots = {robot_name(robot["node_id"]) for robot in parts["robots"] if robot and robot.get("node_id")}
    for index, name in enumerate(names):
        if name in robots:
            yield ("objects", index, "name"), f"{name!r} is the name of a robot"
        elif isinstance(name, str) and (problem := label_problem(name)):
            yield ("objects", index, "name"), f"{name!r} does not fit: {problem}"


def _pose(values: dict[str, Any]) -> Pose:
    return values["x_m"], values["y_m"], values["heading_rad"]
