"""The fleet's configuration: one file, one reader, frozen values; fleet.schema.json documents every key."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

from aseba_link.host.node import Node, NodeAddress
from aseba_link.link.target import target_problems
from aseba_link.thymio.events import Reports
from fleet.control.tracker_config import ActuationConfig, TrackerConfig, build_tracker_config
from fleet.errors import ConfigError
from fleet.floor.obstacles import BODY_RADIUS_M, Area, Obstacles, Segment
from fleet.geometry import Pose2D
from fleet.settings.calibration_file import load_calibrations
from fleet.settings.dispatch_config import DispatchConfig, build_dispatch_config
from fleet.settings.driver_config import DriverConfig, build_driver_config
from fleet.settings.motion_capture import MotionCaptureConfig, axis_problems, build_motion_capture_config
from fleet.settings.name_check import full_topic, name_problems
from fleet.settings.station_check import outside_arena, station_problems
from fleet.settings.station_config import DashboardConfig, StationConfig, build_stations
from fleet.settings.traffic_config import TrafficConfig, build_traffic_config
from fleet.settings.vda5050_config import Vda5050Config, build_vda5050_config, vda5050_problems
from fleet.trajectories.limits import Limits
from fleet.wheels.robot_calibration import RobotCalibration, WheelCalibration
from thymio_base.errors import SettingsError
from thymio_base.settings_file import Problem, SettingsDocument, load_text, read_document, repeats
from thymio_base.texts.json_text import shipped_schema
from thymio_base.texts.user_file import may_exist

LEAST_ODOMETRY_HZ = 5  # below this, a robot's reports count as stale: link.stale_s is at least two periods
_LEAST_PROXIMITY_HZ = 5.0  # a robot that detects an obstacle at 14 cm twice in a row stops 5 cm before it
FOOTPRINT_M = 0.12  # two homes closer than the width of a Thymio cannot both be occupied, even without traffic

_Robots = list[tuple[int, dict[str, Any]]]  # each robot's index in the file, and its entry


@dataclass(frozen=True, slots=True)
class ArenaConfig:
    """The rectangle that robots may not leave."""

    x_min_m: float
    y_min_m: float
    x_max_m: float
    y_max_m: float

    @property
    def area_m2(self) -> float:
        """Its area."""
        return (self.x_max_m - self.x_min_m) * (self.y_max_m - self.y_min_m)

    def has_room(self, pose: Pose2D) -> bool:
        """Whether a robot's body lies inside at a pose, for every heading."""
        return self.contains(pose, BODY_RADIUS_M)

    def contains(self, pose: Pose2D, margin_m: float = 0.0) -> bool:
        """Whether the position lies inside, at least `margin_m` from the edges."""
        inside_x = self.x_min_m + margin_m <= pose.x_m <= self.x_max_m - margin_m
        return inside_x and self.y_min_m + margin_m <= pose.y_m <= self.y_max_m - margin_m

    def margin_m(self, x_m: float, y_m: float) -> float:
        """Return the distance of a place to the nearest edge; negative outside."""
        return min(x_m - self.x_min_m, self.x_max_m - x_m, y_m - self.y_min_m, self.y_max_m - y_m)

    def shrunk(self, margin_m: float) -> "ArenaConfig":
        """Return the part that is at least `margin_m` from the edges."""
        return ArenaConfig(
            self.x_min_m + margin_m, self.y_min_m + margin_m, self.x_max_m - margin_m, self.y_max_m - margin_m
        )

    @property
    def edges(self) -> list[Segment]:
        """The four sides."""
        xs_m = (self.x_min_m, self.x_max_m, self.x_max_m, self.x_min_m)
        ys_m = (self.y_min_m, self.y_min_m, self.y_max_m, self.y_max_m)
        return Area(list(zip(xs_m, ys_m, strict=True))).outline


@dataclass(frozen=True, slots=True)
class FloorConfig:
    """Obstacles on the floor, in metres: walls as (x1, y1, x2, y2), keep-out areas as corners (x, y)."""

    walls: tuple[tuple[float, float, float, float], ...]
    keep_out: tuple[tuple[tuple[float, float], ...], ...]

    @property
    def obstacles(self) -> Obstacles:
        """The geometry."""
        return Obstacles([Segment(*wall) for wall in self.walls], [Area(corners) for corners in self.keep_out])


@dataclass(frozen=True, slots=True)
class RatesConfig:
    """Frequencies of the control loop, reports and publications."""

    control_hz: float
    odometry_hz: float
    pose_hz: float
    status_hz: float


@dataclass(frozen=True, slots=True)
class LinkConfig:
    """The link to the robots, and when they count as lost."""

    targets: tuple[str, ...]
    budgets_hz: Mapping[str, float]  # of targets with limited capacity
    lost_grace_s: float
    stale_s: float
    keep_alive_s: float
    switch_port: int
    switch_address: str
    switch_loop: bool
    bridge: bool


@dataclass(frozen=True, slots=True)
class BodyConfig:
    """Geometry and gain of the drive."""

    axle_length_m: float
    speed_unit_mps: float


@dataclass(frozen=True, slots=True)
class MotionConfig:
    """Limits of planned motion, and whether robots may drive backward to a goal."""

    limits: Limits
    backward: bool


@dataclass(frozen=True, slots=True)
class TasksConfig:
    """Conditions for the success and the abort of a task."""

    position_tolerance_m: float
    heading_tolerance_rad: float
    settle_s: float
    dwell_s: float
    no_progress_s: float
    deadline_min_s: float
    deadline_factor: float
    id_history: int
    result_timeout_s: float
    client_lost_s: float


@dataclass(frozen=True, slots=True)
class DockingConfig:
    """Docking of robots onto chargers: distance and speed of the approach, and number of tries to be charged."""

    approach_m: float
    speed_mps: float
    confirm_s: float
    tries: int


@dataclass(frozen=True, slots=True)
class HostsConfig:
    """Coexistence with drivers on other hosts; a `name` of "" is the machine's own, `forget_s` 0 is never."""

    name: str
    listen_s: float
    silent_s: float
    forget_s: float


@dataclass(frozen=True, slots=True)
class LocalizationConfig:
    """Noise of measured poses, limits for outliers, and times until the pose counts as degraded or lost."""

    position_std_m: float
    heading_std_rad: float
    degraded_s: float
    lost_s: float
    outlier_m: float
    outlier_rad: float


@dataclass(frozen=True, slots=True)
class BatteryConfig:
    """Voltages below which the battery is low and critical, its capacity, and the currents of robot and charger."""

    low_v: float
    critical_v: float
    capacity_ah: float
    resting_a: float
    driving_a: float
    charging_a: float

    @property
    def drain_per_s(self) -> float:
        """Share of a full charge that a robot uses per second of fast driving."""
        return (self.resting_a + self.driving_a) / (self.capacity_ah * 3_600.0)


@dataclass(frozen=True, slots=True)
class RobotConfig:
    """One robot; exactly one of `node_id` and `uuid` (32 lower-case hexadecimal digits) is given.

    `marker` is the pose that motion capture tracks, in the robot's frame; `priority` of its tasks is from 0 to 9.
    """

    id: int
    node_id: int | None
    uuid: str
    target: str
    home: Pose2D
    initial_pose: Pose2D
    pose_topic: str
    marker: Pose2D
    wheels: WheelCalibration
    calibration: RobotCalibration
    priority: int

    @property
    def name(self) -> str:
        """The robot's name in the customer's interface."""
        return f"robot_{self.id}"

    def is_node(self, node: Node) -> bool:
        """Whether a node is this robot: by uuid, or by node id (and target, if given)."""
        return self.uuid == node.uuid if self.uuid else self.is_at(node.address)

    def is_at(self, address: NodeAddress) -> bool:
        """Whether an address can belong to the robot, according to node id and target."""
        return self.node_id == address.node_id and self.target in ("", address.target)


@dataclass(frozen=True, slots=True)
class FleetConfig:
    """The contents of fleet.yaml."""

    path: str
    frame: str
    arena: ArenaConfig | None
    floor: FloorConfig
    traffic: TrafficConfig
    rates: RatesConfig
    link: LinkConfig
    body: BodyConfig
    motion: MotionConfig
    following: Limits
    corner_m: float  # by how much paths may deviate from the lines between their waypoints
    tracker: TrackerConfig
    actuation: ActuationConfig
    hosts: HostsConfig
    tasks: TasksConfig
    docking: DockingConfig
    localization: LocalizationConfig
    motion_capture: MotionCaptureConfig
    battery: BatteryConfig
    driver: DriverConfig
    dashboard: DashboardConfig
    dispatch: DispatchConfig
    vda5050: Vda5050Config
    stations: tuple[StationConfig, ...]
    robots: tuple[RobotConfig, ...]
    calibration_path: Path | None

    @property
    def apart_m(self) -> float:
        """The distance that ways keep between two axles."""
        return self.traffic.apart_m(self.motion.limits, self.actuation, 1.0 / self.rates.control_hz)

    @property
    def reports(self) -> Reports:
        """The reports that the robots' script must send: for driver topics, and to find obstacles."""
        reports = self.driver.reports
        if not (self.traffic.enabled and self.traffic.detects_obstacles):
            return reports
        return replace(reports, proximity_hz=self.driver.rates.proximity_hz)

    @property
    def budget_advice(self) -> list[str]:
        """Targets that are overloaded when all their robots drive, each with a remedy."""
        advice = []
        for target, budget_hz in self.link.budgets_hz.items():
            robots = sum(robot.target in ("", target) for robot in self.robots)
            own_hz = 1.0 / self.link.keep_alive_s  # to each robot, in addition to its reports
            requested_hz = robots * (self.rates.odometry_hz + own_hz)
            if requested_hz > budget_hz:
                advice.append(
                    f"{target}: {robots} robots exchange {requested_hz:.0f} messages a second, it carries {budget_hz:g}"
                    f"; rates.odometry_hz: {_advised_hz(budget_hz / robots - own_hz)}"
                )
        return advice

    @property
    def calibration_text(self) -> str:
        """The robots with and without calibrated wheels, human-readable."""
        if self.calibration_path is None:
            return "no calibration_file: every robot uses `body` and Enki's proximity model"
        if not may_exist(self.calibration_path):
            return f"{self.calibration_path} does not exist: every robot uses `body` and Enki's proximity model"
        missing = [str(robot.id) for robot in self.robots if robot.calibration.wheels is None]
        return f"{self.calibration_path}: wheels of {_robots_text(missing, len(self.robots))}"


def load_config(path: Path, with_calibration: bool = True, text: str | None = None) -> FleetConfig:
    """Return the configuration in the file at `path`, or in a part of it passed as `text`.

    The calibration file is read as well, or, without `with_calibration`, robots count as not calibrated.

    Raises
    ------
    ConfigError
        The file cannot be read or has problems; the message lists all of them, each with path and line.
    """
    return build_config(path, read_config(path, text), with_calibration)


def read_config(path: Path, text: str | None = None) -> SettingsDocument:
    """Return the document in the file at `path`, or in a part of it passed as `text`, with all its problems.

    Raises
    ------
    ConfigError
        The file cannot be read, or is not YAML.
    """
    try:
        document = read_document(load_text(path) if text is None else text, str(path), config_schema())
    except SettingsError as error:
        raise ConfigError(str(error)) from error
    return document.examined(_contradictions, _conflicts)


def build_config(path: Path, document: SettingsDocument, with_calibration: bool = True) -> FleetConfig:
    """Return the configuration in a document read from the file at `path`; see `load_config`.

    Raises
    ------
    ConfigError
        The document or the calibration file has problems; the message lists all of them, each with path and line.
    """
    try:
        config = _build(str(path), document.checked())
    except SettingsError as error:
        raise ConfigError(str(error)) from error
    return _calibrated(config) if with_calibration else config


def config_schema() -> dict[str, Any]:
    """Return the JSON Schema of fleet.yaml."""
    return shipped_schema("fleet.settings", "fleet.schema.json")


def _build(path: str, values: dict[str, Any]) -> FleetConfig:
    following = {key: value for key, value in values["following"].items() if key != "corner_m"}
    return FleetConfig(
        path=path,
        frame=values["frame"],
        arena=ArenaConfig(**values["arena"]) if "arena" in values else None,
        floor=_floor(values["floor"]),
        traffic=build_traffic_config(values["traffic"]),
        rates=RatesConfig(**values["rates"]),
        link=LinkConfig(**{**values["link"], "targets": tuple(values["link"]["targets"])}),
        body=BodyConfig(**values["body"]),
        motion=_motion(values["motion"], BodyConfig(**values["body"])),
        following=replace(_motion(values["motion"], BodyConfig(**values["body"])).limits, **following),
        corner_m=float(values["following"]["corner_m"]),
        tracker=build_tracker_config(values["tracker"]),
        actuation=ActuationConfig(**values["actuation"]),
        hosts=HostsConfig(**values["hosts"]),
        tasks=TasksConfig(**values["tasks"]),
        docking=DockingConfig(**values["docking"]),
        localization=LocalizationConfig(**values["localization"]),
        motion_capture=build_motion_capture_config(values["motion_capture"], values["frame"]),
        battery=BatteryConfig(**values["battery"]),
        driver=build_driver_config(values["driver"]),
        dashboard=DashboardConfig(**values["dashboard"]),
        dispatch=build_dispatch_config(values["dispatch"]),
        vda5050=build_vda5050_config(values["vda5050"], Path(path).parent),
        stations=build_stations(values["stations"]),
        robots=tuple(_robot(robot, BodyConfig(**values["body"])) for robot in values["robots"]),
        calibration_path=Path(path).parent / values["calibration_file"] if "calibration_file" in values else None,
    )


def _floor(values: Mapping[str, Any]) -> FloorConfig:
    return FloorConfig(
        tuple((wall["x1_m"], wall["y1_m"], wall["x2_m"], wall["y2_m"]) for wall in values["walls"]),
        tuple(tuple((corner["x_m"], corner["y_m"]) for corner in area) for area in values["keep_out"]),
    )


def _advised_hz(rest_hz: float) -> str:
    """Return the possible odometry rate, given the rest of a budget for one robot."""
    return f"at most {int(rest_hz)}" if rest_hz >= LEAST_ODOMETRY_HZ else "none fits, it needs fewer robots"


def _motion(values: Mapping[str, Any], body: BodyConfig) -> MotionConfig:
    limits = {key: value for key, value in values.items() if key != "backward"}
    return MotionConfig(Limits(**limits, axle_length_m=body.axle_length_m), values["backward"])


def _robot(values: dict[str, Any], body: BodyConfig) -> RobotConfig:
    return RobotConfig(
        id=values["id"],
        node_id=values.get("node_id"),
        uuid=plain_uuid(values),
        target=values.get("target", ""),
        home=_pose(values["home"]),
        initial_pose=_pose(values.get("initial_pose", values["home"])),
        pose_topic=values.get("pose_topic", ""),
        marker=_pose(values["marker"]),
        wheels=WheelCalibration(body.speed_unit_mps, body.speed_unit_mps, body.axle_length_m),
        calibration=RobotCalibration(values["id"]),
        priority=values["priority"],
    )


def _calibrated(config: FleetConfig) -> FleetConfig:
    """Return the configuration with its robots' data from the calibration file."""
    if config.calibration_path is None:
        return config
    found = load_calibrations(config.calibration_path)
    disagreements = [
        problem
        for robot in config.robots
        if robot.id in found
        for problem in found[robot.id].disagreements(robot.node_id, robot.uuid)
    ]
    if disagreements:
        raise ConfigError("\n".join(f"{config.calibration_path}: {problem}" for problem in disagreements))
    robots = (
        replace(robot, calibration=found[robot.id], wheels=found[robot.id].wheels or robot.wheels)
        if robot.id in found
        else robot
        for robot in config.robots
    )
    return replace(config, robots=tuple(robots))


def _robots_text(missing: list[str], count: int) -> str:
    if not missing:
        return "all robots are calibrated"
    are_calibrated = count - len(missing)
    return f"{are_calibrated} robots are calibrated, those of {', '.join(missing)} are not and use `body`"


def _pose(values: dict[str, Any]) -> Pose2D:
    return Pose2D(values["x_m"], values["y_m"], values.get("heading_rad", 0.0))


def plain_uuid(robot: Mapping[str, Any]) -> str:
    """Return the UUID of an entry of `robots` as 32 lower-case digits; "" without one."""
    return str(robot.get("uuid") or "").replace("-", "").lower()


def _contradictions(values: dict[str, Any]) -> Iterator[Problem]:
    """Yield problems that the schema cannot detect, of sections and robots that conform to it."""
    for key, problem in axis_problems(values["motion_capture"]):
        yield ("motion_capture", key), problem


def _conflicts(parts: dict[str, Any]) -> Iterator[Problem]:
    """Yield problems that the schema cannot detect, of single values; invalid values are None."""
    robots = [(index, robot) for index, robot in enumerate(parts["robots"]) if robot is not None]
    yield from _limit_conflicts(parts)
    yield from _target_conflicts(parts["link"])
    arena = parts.get("arena")
    if arena is not None and None not in arena.values():
        yield from _arena_conflicts(ArenaConfig(**arena), robots)
        yield from outside_arena(parts["stations"], ArenaConfig(**arena).has_room)
    obstacles = _valid_floor(parts["floor"]).obstacles
    yield from _obstructed_homes(obstacles, robots)
    yield from station_problems(parts["stations"], obstacles, _least_apart_m(parts["traffic"]))
    yield from _ambiguous_nodes(parts["link"]["targets"], robots)
    yield from _shared(robots, "id", lambda robot: robot.get("id"))
    yield from _shared(robots, "uuid", plain_uuid)
    yield from name_problems(parts, robots)
    yield from _shared(robots, "pose_topic", full_topic)
    yield from _shared_nodes(robots)
    yield from vda5050_problems(parts["vda5050"], frozenset(robot.get("id") for _, robot in robots))
    yield from _crowded_homes(robots, _least_apart_m(parts["traffic"]))


def _limit_conflicts(parts: dict[str, Any]) -> Iterator[Problem]:
    rates, link = parts["rates"], parts["link"]
    localization, battery = parts["localization"], parts["battery"]
    for key in ("pose_hz", "status_hz"):
        if _is_above(rates[key], rates["control_hz"]):
            yield ("rates", key), f"{rates[key]:g} is above rates.control_hz, {rates['control_hz']:g}"
    if rates["odometry_hz"] is not None and _is_above(2.0 / rates["odometry_hz"], link["stale_s"]):
        yield ("link", "stale_s"), f"{link['stale_s']:g} is less than two odometry periods"
    proximity_hz = (parts["driver"]["rates"] or {}).get("proximity_hz")
    if parts["traffic"]["detects_obstacles"] and _is_above(_LEAST_PROXIMITY_HZ, proximity_hz):
        problem = f"{proximity_hz:g} is too slow for traffic.detects_obstacles; at least {_LEAST_PROXIMITY_HZ:g}"
        yield ("driver", "rates", "proximity_hz"), problem
    if _is_above(localization["degraded_s"], localization["lost_s"]):
        yield (
            ("localization", "lost_s"),
            f"{localization['lost_s']:g} is below degraded_s, {localization['degraded_s']:g}",
        )
    if _is_above(battery["critical_v"], battery["low_v"]):
        yield ("battery", "critical_v"), f"{battery['critical_v']:g} is above low_v, {battery['low_v']:g}"
    charging = parts["dispatch"]["charging"] or {}
    for lower, higher in pairwise(("critical_pct", "low_pct", "ready_pct", "full_pct")):
        if _is_above(charging.get(lower), charging.get(higher)):
            problem = f"{charging[lower]:g} is above {higher}, {charging[higher]:g}"
            yield ("dispatch", "charging", lower), problem
    if _is_above(charging.get("idle_pct"), charging.get("full_pct")):
        problem = f"{charging['idle_pct']:g} is above full_pct, {charging['full_pct']:g}"
        yield ("dispatch", "charging", "idle_pct"), problem


def _is_above(value: float | None, limit: float | None) -> bool:
    return value is not None and limit is not None and value > limit


def _target_conflicts(link: dict[str, Any]) -> Iterator[Problem]:
    targets = link["targets"]
    if targets is None:
        return
    # an invalid target keeps its place, and an empty text is reported by the schema
    indices = [index for index, target in enumerate(targets) if target is not None]
    for number, problem in target_problems([targets[index] for index in indices], link["switch_port"] or 0):
        yield ("link", "targets", indices[number]), problem
    for target in link["budgets_hz"] or ():
        if target not in targets and None not in targets:
            yield ("link", "budgets_hz", target), "not one of link.targets"


def _arena_conflicts(arena: ArenaConfig, robots: _Robots) -> Iterator[Problem]:
    if arena.x_min_m >= arena.x_max_m or arena.y_min_m >= arena.y_max_m:
        yield ("arena",), "the maximum is not above the minimum"
        return
    for index, robot in robots:
        for key in ("home", "initial_pose"):
            if _has_pose(robot, key) and not arena.has_room(_pose(robot[key])):
                place = f"({robot[key]['x_m']:g}, {robot[key]['y_m']:g})"
                yield ("robots", index, key), f"{place} is not inside the arena, {BODY_RADIUS_M:g} m from its edges"


def _valid_floor(floor: Mapping[str, Any]) -> FloorConfig:
    """Return the valid walls and areas of a section."""
    walls = [wall for wall in floor["walls"] or () if _is_whole(wall, 4)]
    areas = floor["keep_out"] or ()
    return _floor(
        {"walls": walls, "keep_out": [area for area in areas if area and all(_is_whole(at, 2) for at in area)]}
    )


def _is_whole(values: Mapping[str, Any] | None, count: int) -> bool:
    """Whether an entry has the right number of keys, all of them valid."""
    return values is not None and len(values) == count and None not in values.values()


def _obstructed_homes(obstacles: Obstacles, robots: _Robots) -> Iterator[Problem]:
    for index, robot in robots:
        for key in ("home", "initial_pose"):
            if not _has_pose(robot, key):
                continue
            clearance_m = obstacles.clearance_m(robot[key]["x_m"], robot[key]["y_m"])
            if clearance_m < BODY_RADIUS_M:
                place = f"({robot[key]['x_m']:g}, {robot[key]['y_m']:g})"
                problem = (
                    f"{place} is {clearance_m:.3f} m from a wall or area of `floor`; a body needs {BODY_RADIUS_M:g} m"
                )
                yield ("robots", index, key), problem


def _has_pose(robot: dict[str, Any], key: str) -> bool:
    """Whether a key of a robot has a valid pose."""
    pose = robot.get(key)
    return pose is not None and None not in pose.values()


def _ambiguous_nodes(targets: list[str | None] | None, robots: _Robots) -> Iterator[Problem]:
    for index, robot in robots:
        # a key without a valid value may be the misspelt node_id, which is reported already
        is_unnamed = "node_id" not in robot and "uuid" not in robot and None not in robot.values()
        if is_unnamed or ("node_id" in robot and "uuid" in robot):
            yield ("robots", index), f"robot {robot.get('id', index + 1)} needs either node_id or uuid"
        target = robot.get("target")
        if target is not None and targets is not None and target not in targets and None not in targets:
            yield ("robots", index, "target"), f"{target!r} is not one of link.targets"


def _shared(robots: _Robots, key: str, value_of: Callable[[dict[str, Any]], Any]) -> Iterator[Problem]:
    """Yield every robot that shares its value with an earlier robot."""
    for later, earlier in repeats(value_of(robot) or None for _, robot in robots):
        index, robot = robots[later]
        yield ("robots", index, key), f"{robot[key]!r} is taken by robots[{robots[earlier][0]}]"


def _shared_nodes(robots: _Robots) -> Iterator[Problem]:
    """Yield robots that claim the same node: equal ids on the same target, or where one of them has no target."""
    claims = [(index, robot) for index, robot in robots if robot.get("node_id") is not None]
    for (first, earlier), (second, later) in combinations(claims, 2):
        one, other = earlier.get("target", ""), later.get("target", "")
        if earlier["node_id"] == later["node_id"] and ("" in (one, other) or one == other):
            yield ("robots", second, "node_id"), f"{later['node_id']} is taken by robots[{first}]"


def _least_apart_m(traffic: dict[str, Any]) -> float:
    """Return the least distance between homes: as far as traffic keeps robots apart, if it does."""
    if None in traffic.values() or not traffic["enabled"]:
        return FOOTPRINT_M
    return build_traffic_config(traffic).right_of_way_m


def _crowded_homes(robots: _Robots, least_m: float) -> Iterator[Problem]:
    located = [(index, robot) for index, robot in robots if _has_pose(robot, "home")]
    for (first, earlier), (second, later) in combinations(located, 2):
        apart_m = _pose(earlier["home"]).distance_to(_pose(later["home"]))
        if apart_m < least_m:
            problem = f"only {apart_m:.3f} m from the home of robots[{first}]; robots need {least_m:g} m"
            yield ("robots", second, "home"), problem
