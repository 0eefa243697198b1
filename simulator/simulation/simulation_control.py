"""Control of a running simulation: pause, step, reset, move entities, press buttons, cut links."""

import math
from dataclasses import dataclass
from enum import Enum

from simulator.physics.objects import ObjectConfig
from simulator.simulation.pace import Pace
from simulator.simulation.presses import Presses
from simulator.simulation.refusal import Refusal, RefusedError
from simulator.simulation.simulation import Simulation
from simulator.world.config import SimulatedRobotConfig, robot_name
from thymio_base.texts.shortened import shortened

MAX_ENTITIES = 1000
MAX_STEPS = 100_000  # per request: a quarter of an hour of simulated time

Place = tuple[float, float, float]  # x and y in m, heading in rad


class State(Enum):
    """Whether simulated time passes."""

    STOPPED = "stopped"  # reset to time 0, waiting
    PLAYING = "playing"
    PAUSED = "paused"


class Link(Enum):
    """The state of a robot's connection."""

    CONNECTED = "connected"
    SILENT = "silent"  # nothing gets through
    DISCONNECTED = "disconnected"  # nothing gets through, and hosts are informed


@dataclass(frozen=True, slots=True)
class Entity:
    """A robot or an object: its name, its index among robots or objects, and whether robots can push it."""

    name: str
    index: int
    is_robot: bool
    is_movable: bool = True


class Control:
    """Runs a simulation and handles requests, each of which is fulfilled or refused at once.

    Parameters
    ----------
    simulation : stepped only by this class
    pace : pace of the steps
    state : the initial state
    """

    def __init__(self, simulation: Simulation, pace: Pace, state: State = State.PLAYING) -> None:
        self.simulation = simulation
        self.pace = pace
        self._state = state
        self._presses = Presses()
        self._spawned: set[str] = set()

    @property
    def state(self) -> State:
        """Whether simulated time passes."""
        return self._state

    def advance(self) -> None:
        """Advance by one step."""
        self.simulation.step()
        self._presses.advance()

    def set_state(self, state: State, now_ns: int) -> None:
        """Play, pause or stop; stopping also resets everything."""
        if state is self._state:
            raise RefusedError(Refusal.ALREADY_THERE, f"the simulation is already {state.value}")
        if state is State.STOPPED:
            self.reset()
        self.pace.restart(now_ns)
        self._state = state

    def check_steps(self, count: int) -> None:
        """Raise `RefusedError` if this number of steps cannot be executed now."""
        if self._state is State.PLAYING:
            raise RefusedError(Refusal.WRONG_STATE, "the simulation is playing; it can be stepped while it is paused")
        if not 1 <= count <= MAX_STEPS:
            raise RefusedError(Refusal.BAD_VALUE, f"steps {count} is not in 1 to {MAX_STEPS}")

    def set_speed_factor(self, factor: float, now_ns: int) -> None:
        """Change the pace of simulated time."""
        try:
            self.pace.set_factor(factor, now_ns)
        except ValueError as error:
            raise RefusedError(Refusal.BAD_VALUE, str(error)) from error

    def reset(self, *, time: bool = True, state: bool = True, spawned: bool = True) -> None:
        """Reset parts of the simulation; a full reset also restarts the robots, and hosts must reconnect."""
        if time and state and spawned:
            self._presses.clear()
            self._spawned.clear()
            self.simulation.restart()
            return
        if spawned:
            for name in [entity.name for entity in self.entities() if entity.name in self._spawned]:
                self.delete(name)
        if state:
            self.simulation.reset_state()
        if time:
            self.simulation.reset_time()

    def entities(self) -> list[Entity]:
        """Return all robots, then all objects."""
        robots = [
            Entity(robot_name(node_id), index, is_robot=True) for index, node_id in enumerate(self.simulation.node_ids)
        ]
        objects = enumerate(self.simulation.world.bodies.objects)
        return robots + [Entity(config.name, index, False, config.movable) for index, config in objects]

    def has(self, name: str) -> bool:
        """Whether an entity with this name exists."""
        return any(entity.name == name for entity in self.entities())

    def place(self, name: str) -> Place:
        """Return the pose of an entity."""
        entity, poses = self._entity(name), self.simulation.world.poses
        if not entity.is_robot:
            return _place(poses.object_poses[entity.index].tolist())
        return _place(poses.array[entity.index].tolist())

    def velocity_mps(self, name: str) -> tuple[float, float]:
        """Return an entity's velocity; that of objects is always 0."""
        entity = self._entity(name)
        if not entity.is_robot:
            return 0.0, 0.0
        x_mps, y_mps = self.simulation.world.motion.velocities_mps[entity.index].tolist()
        return x_mps, y_mps

    def teleport(self, name: str, place: Place) -> None:
        """Move an entity at once."""
        entity = self._entity(name)
        self._check_place(place)
        if entity.is_robot:
            self.simulation.world.place_robot(entity.index, *place)
        else:
            self.simulation.world.bodies.place_object(entity.index, place)

    def spawn_robot(self, config: SimulatedRobotConfig) -> str:
        """Add a new robot to the world; return its name."""
        name = robot_name(config.node_id)
        self._check_new(name, (config.x_m, config.y_m, config.heading_rad))
        if config.uuid in self.simulation.uuids:
            raise RefusedError(Refusal.NAME_TAKEN, f"uuid {config.uuid.hex()} belongs to another robot")
        self.simulation.add_robot(config)
        self._spawned.add(name)
        return name

    def spawn_object(self, config: ObjectConfig) -> str:
        """Add a new object to the world; return its name."""
        self._check_new(config.name, (config.x_m, config.y_m, config.heading_rad))
        self.simulation.world.add_object(config)
        self._spawned.add(config.name)
        return config.name

    def delete(self, name: str) -> None:
        """Remove an entity from the world; if it is a robot carrying an object, the object stays."""
        entity = self._entity(name)
        if entity.is_robot and len(self.simulation.robots) == 1:
            raise RefusedError(Refusal.BAD_VALUE, f"{name} is the last robot, and a world needs one")
        self._spawned.discard(name)
        if entity.is_robot:
            self.simulation.remove_robot(self.simulation.node_ids[entity.index])
        else:
            self.simulation.world.remove_object(entity.index)

    def set_charge(self, name: str, charge: float) -> None:
        """Set the charge of a robot's battery, from 0 (empty) to 1 (full)."""
        robot = self._robot(name)
        if not 0.0 <= charge <= 1.0:
            raise RefusedError(Refusal.BAD_VALUE, f"charge {charge:g} of {name} is not in 0 to 1")
        self.simulation.world.batteries.charge[robot] = charge

    def press(self, name: str, button: str, duration_s: float) -> None:
        """Press a button of a robot for a duration from now."""
        self._presses.start(self.simulation.robots[self._robot(name)].body, button, duration_s)

    def set_link(self, name: str, link: Link) -> None:
        """Cut a robot off from hosts and other robots, or reconnect it."""
        node_id = self.simulation.node_ids[self._robot(name)]
        if link is Link.CONNECTED:
            self.simulation.network.join(node_id)
            return
        self.simulation.network.cut_off(node_id)
        if link is Link.DISCONNECTED:
            self.simulation.network.report_lost(node_id)

    def set_capture(self, name: str, *, is_seen: bool) -> None:
        """Hide a robot from motion capture, or show it again."""
        node_id = self.simulation.node_ids[self._robot(name)]
        (self.simulation.hidden.discard if is_seen else self.simulation.hidden.add)(node_id)

    def attach(self, robot_name: str, object_name: str) -> None:
        """Attach an object to a robot, which carries it until it is put down."""
        robot, index = self._robot(robot_name), self._object(object_name)
        if index in self.simulation.world.bodies.carriers:
            raise RefusedError(Refusal.WRONG_STATE, f"{object_name} is already carried")
        self.simulation.world.bodies.pick_up(index, robot)

    def detach(self, object_name: str) -> None:
        """Put an object down in front of the robot that carries it."""
        index = self._object(object_name)
        if index not in self.simulation.world.bodies.carriers:
            raise RefusedError(Refusal.WRONG_STATE, f"no robot carries {object_name}")
        self.simulation.world.bodies.put_down(index)

    def free_node_id(self) -> int:
        """Return the lowest node id above all existing ones."""
        return max(self.simulation.node_ids, default=0) + 1

    def free_name(self, stem: str) -> str:
        """Return an unused name, made of a stem and a number."""
        numbers = range(1, len(self.entities()) + 2)
        return next(name for number in numbers if not self.has(name := f"{stem}_{number}"))

    def _entity(self, name: str) -> Entity:
        for entity in self.entities():
            if entity.name == name:
                return entity
        raise RefusedError(Refusal.NOT_FOUND, f"there is no entity {shortened(name)!r}")

    def _robot(self, name: str) -> int:
        entity = self._entity(name)
        if not entity.is_robot:
            raise RefusedError(Refusal.NOT_FOUND, f"{name} is not a robot")
        return entity.index

    def _object(self, name: str) -> int:
        entity = self._entity(name)
        if entity.is_robot:
            raise RefusedError(Refusal.NOT_FOUND, f"{name} is not an object")
        return entity.index

    def _check_new(self, name: str, place: Place) -> None:
        if self.has(name):
            raise RefusedError(Refusal.NAME_TAKEN, f"{name} already exists")
        if len(self.entities()) >= MAX_ENTITIES:
            raise RefusedError(Refusal.BAD_VALUE, f"{MAX_ENTITIES} entities exist already, as many as are allowed")
        self._check_place(place)

    def _check_place(self, place: Place) -> None:
        x_m, y_m, heading_rad = place
        arena = self.simulation.config.arena
        if not (0.0 < x_m < arena.width_m and 0.0 < y_m < arena.height_m and math.isfinite(heading_rad)):
            raise RefusedError(
                Refusal.BAD_PLACE,
                f"({x_m:g}, {y_m:g}) is not inside the arena, {arena.width_m:g} m by {arena.height_m:g} m",
            )


def _place(values: list[float]) -> Place:
    x_m, y_m, heading_rad = values
    return x_m, y_m, heading_rad
