"""The world: robots as arrays that roll, touch, and see.

| array               | shape  | unit        | meaning                                                    |
|---------------------|--------|-------------|------------------------------------------------------------|
| `positions_m`       | (n, 2) | m           | middle of each axle                                        |
| `headings_rad`      | (n,)   | rad         | counter-clockwise from x                                   |
| `object_poses`      | (m, 3) | m, m, rad   | of each object                                             |
| `targets_raw`       | (n, 2) | motor units | target of each motor: left, right                          |
| `wheels_mps`        | (n, 2) | m/s         | speed of each motor                                        |
| `gains`             | (n, 2) | 1           | how far a wheel rolls for what its motor measures          |
| `charge`            | n      | 1           | of each battery, 0 to 1                                    |
| `velocities_mps`    | (n, 2) | m/s         | of each axle's middle in the last step, in the map's frame |
| `distances_m`       | (n,)   | m           | distance that each axle's middle has driven                |
| `collisions`        | (n,)   | 1           | number of collisions of each robot                         |
| `walls_m`           | (w, 4) | m           | x1, y1, x2, y2; the first four are the border              |
| `lines`             | (l, 6) | m, gray     | x1, y1, x2, y2, width, gray 0 to 1; on the floor           |

`charge` is a list. Arrays show the state when they are read: write to them before the next step, and read them again
after it. Sensor readings are lists, robot by robot.
"""

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.events import AXLE_LENGTH_M
from simulator.numbers.noise import Noise
from simulator.physics.objects import ObjectConfig
from simulator.physics.placed_bodies import PlacedBodies
from simulator.physics.rolling import moved, passing
from simulator.physics.touches import Touches
from simulator.physics.walls import border
from simulator.physics.wheels import Counts, Wheels
from simulator.sensors import accelerometer, ground, microphone, proximity
from simulator.sensors.batteries import Batteries
from simulator.sensors.communication import Contact, contacts
from simulator.sensors.floor import Floor
from simulator.world.config import SimulatedRobotConfig, WorldConfig

Array = NDArray[np.float64]


class World:
    """Robots, objects, walls and time.

    Parameters
    ----------
    config : everything in the world, and how the motors behave
    random : source of all noise
    """

    def __init__(self, config: WorldConfig, random: np.random.Generator) -> None:
        self._config = config
        # separate streams, so that sensing does not change how robots move
        wheels_random, *sensors_random = random.spawn(4)
        self._proximity_noise, self._ground_noise, self._tilt_noise = map(Noise, sensors_random)
        robots = config.robots
        gains = [(robot.left_wheel_gain, robot.right_wheel_gain) for robot in robots]
        self._wheels = Wheels(config.motors, np.array(gains, dtype=float).reshape(-1, 2), wheels_random)
        charge = [self._charge_of(robot) for robot in robots]
        self._batteries = Batteries(config.battery, config.chargers, charge)
        self._floor = Floor(config.floor_gray, config.ground_image)
        walls = [*border(config.arena.width_m, config.arena.height_m), *(inner.ends_m for inner in config.walls)]
        self.walls_m: Array = np.array(walls, dtype=float)
        lines = [(*line.ends_m, line.width_m, line.gray) for line in config.lines]
        self.lines: Array = np.array(lines, dtype=float).reshape(-1, 6)
        sounds = [(sound.x_m, sound.y_m, sound.loudness_raw) for sound in config.sounds]
        self._sounds: Array = np.array(sounds, dtype=float).reshape(-1, 3)
        self._scene = PlacedBodies(
            [(robot.x_m, robot.y_m, robot.heading_rad) for robot in robots], config.objects, walls
        )
        self._touches = Touches(len(robots))
        self._distances: list[float] = [0.0] * len(robots)
        self._moved_m: list[float] = [0.0] * (2 * len(robots))  # in the last step: x, y, x, y
        self._step_s = 1.0  # of the last step
        self._sampled_mps: list[float] = [0.0] * (2 * len(robots))  # velocities when the accelerometers were read

    @property
    def positions_m(self) -> Array:
        """Position of each axle's middle; it may be written."""
        return self._scene.positions_m

    @positions_m.setter
    def positions_m(self, positions_m: Array) -> None:
        self._scene.positions_m[:] = positions_m

    @property
    def headings_rad(self) -> Array:
        """Heading of each robot, counter-clockwise from x; it may be written."""
        return self._scene.headings_rad

    @headings_rad.setter
    def headings_rad(self, headings_rad: Array) -> None:
        self._scene.headings_rad[:] = headings_rad

    @property
    def objects(self) -> list[ObjectConfig]:
        """The objects' properties."""
        return self._scene.objects

    @property
    def object_poses(self) -> Array:
        """Pose of each object."""
        return self._scene.object_poses

    @property
    def targets_raw(self) -> Counts:
        """Target of each motor."""
        return self._wheels.targets_raw

    @property
    def wheels_mps(self) -> Array:
        """Speed of each motor."""
        return self._wheels.speeds_mps

    @property
    def gains(self) -> Array:
        """How far each wheel rolls for what its motor measures."""
        return self._wheels.gains

    @gains.setter
    def gains(self, gains: Array) -> None:
        self._wheels.gains = gains

    @property
    def velocities_mps(self) -> Array:
        """Velocity of each axle's middle in the last step, in the map's frame."""
        return np.array(self._velocities()).reshape(-1, 2)

    @property
    def distances_m(self) -> Array:
        """Distance that each axle's middle has driven."""
        return np.array(self._distances)

    @property
    def charge(self) -> list[float]:
        """Charge of each battery; it may be written."""
        return self._batteries.charge

    @property
    def is_loud(self) -> bool:
        """Whether there is a sound to hear."""
        return bool(len(self._sounds)) or self._config.loudness_raw > 0.0

    @property
    def collisions(self) -> NDArray[np.int64]:
        """Number of collisions of each robot."""
        return self._touches.counts

    def step(self, dt_s: float) -> None:
        """Advance by `dt_s` seconds: motors follow their targets, wheels roll, bodies that touch are pushed apart."""
        scene = self._scene
        robots = len(self._distances)
        before = scene.places()[: 3 * robots]
        scene.roll(self._wheels.travel_m(dt_s))
        touching, close = scene.settle(before, was_touching=self._touches.are_any)
        blocked = self._touches.update(touching, close)
        self._moved_m, self._step_s = moved(before, scene.places(), self._distances), dt_s
        if blocked:
            self._wheels.hold(blocked, passing(before, scene.places(), AXLE_LENGTH_M, dt_s))
        scene.carry()

    def tell(self, targets_raw: list[int]) -> None:
        """Set each motor's target: left, right, left, right."""
        self._wheels.tell(targets_raw)

    def discharge(self, dt_s: float) -> None:
        """Discharge and charge batteries by what happened during `dt_s` seconds."""
        self._batteries.step(dt_s, self._wheels.told_raw(), self._wheels.measured_raw(), self._scene.places())

    def speeds_raw(self) -> Counts:
        """Return each motor's measured speed; (n, 2) motor units, left and right."""
        return self._wheels.readings_raw()

    def measured_raw(self) -> list[int]:
        """Return the same as a list: left, right, left, right."""
        return self._wheels.measured_raw()

    def proximity_raw(self) -> list[tuple[int, ...]]:
        """Return the readings of the horizontal proximity sensors: seven words for each robot."""
        scene = self._scene
        pairs = scene.in_sight()
        if not pairs:
            return proximity.dark(scene.robots)
        sight = proximity.sighted(scene.bodies.obstacles, scene.places(), scene.robots, pairs)
        return proximity.readings_raw(sight, self._config.proximity, self._proximity_noise)

    def ground_raw(self) -> list[tuple[int, int]]:
        """Return the readings of each robot's ground sensors: left and right."""
        return ground.readings_raw(self._ground_gray(), self._ground_noise)

    def acceleration_raw(self, period_s: float) -> list[tuple[int, int, int]]:
        """Return each accelerometer's reading, the mean over the `period_s` since the last reading."""
        velocities_mps = self._velocities()
        gained_mps = [velocities_mps[axis] - self._sampled_mps[axis] for axis in range(len(velocities_mps))]
        self._sampled_mps = velocities_mps
        headings_rad = self._scene.places()[2 : 3 * len(self._distances) : 3]
        return accelerometer.readings_raw(gained_mps, headings_rad, period_s, self._tilt_noise)

    def loudness_raw(self) -> NDArray[np.int64]:
        """Return the readings of the microphones; (n,) words."""
        return microphone.readings_raw(self.positions_m, self._sounds, self._config.loudness_raw)

    def battery_raw(self) -> list[int]:
        """Return the value of both equal words of `_vbat` for each robot."""
        return self._batteries.readings_raw()

    def taps(self) -> list[int]:
        """Return the robots that have begun to touch something since the last call."""
        return self._touches.fresh()

    def contacts(self, talks: list[bool]) -> list[Contact]:
        """Return which of the communicating robots hear which others by infrared."""
        return contacts(self._scene.bodies.obstacles, self._scene.places(), talks)

    def poses(self) -> Array:
        """Return the pose of each robot; (n, 3), a copy."""
        return np.array(self._scene.places()[: 3 * len(self._distances)]).reshape(-1, 3)

    def place_robot(self, robot: int, x_m: float, y_m: float, heading_rad: float) -> None:
        """Place a robot at rest. Anything that it overlaps is pushed away in the next step."""
        self._scene.poses[robot] = x_m, y_m, heading_rad
        self._wheels.stop(robot)
        self._moved_m[2 * robot : 2 * robot + 2] = (0.0, 0.0)
        self._sampled_mps[2 * robot : 2 * robot + 2] = (0.0, 0.0)
        self._scene.carry()

    def place_object(self, thing: int, x_m: float, y_m: float, heading_rad: float) -> None:
        """Place an object; a robot that carries it lets it go."""
        self._scene.place_object(thing, (x_m, y_m, heading_rad))

    def add_robot(self, robot: SimulatedRobotConfig) -> None:
        """Add a robot, behind the others."""
        self._scene.add_robot((robot.x_m, robot.y_m, robot.heading_rad))
        self._wheels.append((robot.left_wheel_gain, robot.right_wheel_gain))
        self._batteries.append(self._charge_of(robot))
        self._touches.append()
        self._distances.append(0.0)
        self._moved_m += (0.0, 0.0)
        self._sampled_mps += (0.0, 0.0)

    def remove_robot(self, robot: int) -> None:
        """Remove a robot; later robots move up. An object that it carries is put down first."""
        self._scene.remove_robot(robot)
        self._wheels.remove(robot)
        self._batteries.remove(robot)
        self._touches.remove(robot)
        del self._distances[robot]
        del self._moved_m[2 * robot : 2 * robot + 2], self._sampled_mps[2 * robot : 2 * robot + 2]

    def add_object(self, thing: ObjectConfig) -> None:
        """Add an object, behind the others."""
        self._scene.add_object(thing)
        self._touches.renumber()

    def remove_object(self, thing: int) -> None:
        """Remove an object; later objects move up."""
        self._scene.remove_object(thing)
        self._touches.renumber()

    def attach(self, thing: int, robot: int) -> None:
        """Load an object on a robot: it moves with the robot, touches nothing, and is not seen."""
        self._scene.pick_up(thing, robot)

    def detach(self, thing: int) -> None:
        """Put down an object in front of the robot that carries it, if one does."""
        self._scene.put_down(thing)

    def carrier(self, thing: int) -> int | None:
        """Return the robot that carries an object, None for an object on the floor."""
        return self._scene.carriers.get(thing)

    def overlap_m(self) -> float:
        """Return the largest overlap of any two bodies; 0 if none overlap."""
        return self._scene.overlap_m()

    def _velocities(self) -> list[float]:
        """Return the velocity of each axle's middle in the last step, in the map's frame: x, y, x, y."""
        return [moved_m / self._step_s for moved_m in self._moved_m]

    def _ground_gray(self) -> list[float]:
        """Return the gray under each ground sensor, from 0, black, to 1, white: left, right, left, right."""
        if self._floor.is_plain and not len(self.lines):  # the same everywhere
            return [self._config.floor_gray] * (2 * len(self._distances))
        points = ground.sensor_points(self.positions_m, self.headings_rad)
        seen: list[float] = ground.seen_gray(points, self._floor.gray(points), self.lines).ravel().tolist()
        return seen

    def _charge_of(self, robot: SimulatedRobotConfig) -> float:
        return self._config.battery.charge if robot.charge is None else robot.charge
