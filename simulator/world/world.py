"""The world: its parts, and operations that involve several of them."""

import numpy as np

from simulator.physics.collisions import Collisions
from simulator.physics.contact_solver import ContactSolver
from simulator.physics.objects import ObjectConfig
from simulator.physics.placed_bodies import PlacedBodies
from simulator.physics.pose_table import PoseTable
from simulator.physics.robot_motion import RobotMotion
from simulator.physics.rolling import passing
from simulator.physics.wheels import Wheels
from simulator.sensors.batteries import Batteries
from simulator.world.config import SimulatedRobotConfig, WorldConfig
from simulator.world.robot_sensors import RobotSensors


class World:
    """Robots, objects and walls.

    | part         | content                                                |
    |--------------|--------------------------------------------------------|
    | `poses`      | poses of robots, objects and walls                     |
    | `bodies`     | outlines, and the objects that robots carry            |
    | `wheels`     | targets, speeds and gains                              |
    | `motion`     | velocities, and distances driven                       |
    | `collisions` | counts per robot                                       |
    | `batteries`  | charges and voltages                                   |
    | `sensors`    | readings of the above                                  |

    Parameters
    ----------
    config : content of the world, and behaviour of motors
    random : source of all noise
    """

    def __init__(self, config: WorldConfig, random: np.random.Generator) -> None:
        self._config = config
        robots = config.robots
        self.poses = PoseTable()
        self.bodies = PlacedBodies(self.poses, [robot.pose for robot in robots], config.objects, config.walls_m)
        gains = np.array([robot.wheel_gains for robot in robots], dtype=float).reshape(-1, 2)
        # wheels and sensors have separate streams, so that sensing does not change how robots move
        self.wheels = Wheels(config.motors, gains, random.spawn(1)[0])
        self._axles_m = [robot.axle_m for robot in robots]
        self.motion = RobotMotion(len(robots))
        self.collisions = Collisions(len(robots))
        charge, can_charge = [self._charge_of(robot) for robot in robots], [robot.hardware.charges for robot in robots]
        self.batteries = Batteries(config.battery, config.chargers, charge, can_charge)
        self.sensors = RobotSensors(config, self.bodies, self.poses, self.motion, random)
        self._contact_solver = ContactSolver(self.bodies, self.poses)

    def step(self, dt_s: float) -> None:
        """Advance by `dt_s`: motors follow their targets, wheels roll, overlapping bodies are pushed apart."""
        poses = self.poses
        before = poses.places()[: 3 * poses.robots]
        poses.roll(self.wheels.travel_m(dt_s), self._axles_m)
        touching, close = self._contact_solver.settle(before, was_touching=self.collisions.any_touching)
        blocked = self.collisions.update(touching, close)
        self.motion.update(before, poses.places(), dt_s)
        if blocked:
            self.wheels.hold(blocked, passing(before, poses.places(), self._axles_m, dt_s))
        poses.carry(self.bodies.carriers)

    def discharge(self, dt_s: float) -> None:
        """Discharge or charge batteries for `dt_s` at the present load."""
        self.batteries.step(dt_s, self.wheels.target_list_raw(), self.wheels.measured_raw(), self.poses.places())

    def place_robot(self, robot: int, x_m: float, y_m: float, heading_rad: float) -> None:
        """Place a robot at rest; the next step pushes away the bodies that it overlaps."""
        self.poses.array[robot] = x_m, y_m, heading_rad
        self.poses.carry(self.bodies.carriers)
        self.wheels.stop(robot)
        self.motion.stop(robot)
        self.sensors.accelerometers.stop(robot)

    def add_robot(self, robot: SimulatedRobotConfig) -> None:
        """Add a robot after the others."""
        self.bodies.add_robot(robot.pose)
        self.wheels.append(robot.wheel_gains)
        self._axles_m.append(robot.axle_m)
        self.motion.append()
        self.collisions.append()
        self.batteries.append(self._charge_of(robot), can_charge=robot.hardware.charges)
        self.sensors.accelerometers.append()

    def remove_robot(self, robot: int) -> None:
        """Remove a robot and move later robots up; if it carries an object, put that down first."""
        self.bodies.remove_robot(robot)
        self.wheels.remove(robot)
        del self._axles_m[robot]
        self.motion.remove(robot)
        self.collisions.remove(robot)
        self.batteries.remove(robot)
        self.sensors.accelerometers.remove(robot)

    def add_object(self, config: ObjectConfig) -> None:
        """Add an object after the others."""
        self.bodies.add_object(config)
        self.collisions.renumber()

    def remove_object(self, index: int) -> None:
        """Remove an object and move later objects up."""
        self.bodies.remove_object(index)
        self.collisions.renumber()

    def _charge_of(self, robot: SimulatedRobotConfig) -> float:
        return self._config.battery.charge if robot.charge is None else robot.charge
