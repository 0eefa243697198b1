"""The robots, objects and walls in the world, and the objects that robots carry."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.robot_outline import NOSE_M
from simulator.physics.bodies import Bodies, Pose
from simulator.physics.objects import ObjectConfig, object_piece, robot_piece
from simulator.physics.pose_table import PoseTable
from simulator.physics.walls import Ends, wall

Array = NDArray[np.float64]

PUT_DOWN_GAP_M: Final = 0.01  # between a robot's nose and an object it puts down


class PlacedBodies:
    """Bodies that can be added, removed, placed and carried; each such change replaces `table`.

    Parameters
    ----------
    poses : table of the bodies' poses; laid out by this class
    robots : initial poses
    objects : properties and poses
    walls : ends of each wall
    """

    def __init__(
        self, poses: PoseTable, robots: Sequence[Pose], objects: Sequence[ObjectConfig], walls: Sequence[Ends]
    ) -> None:
        self.objects = list(objects)
        self.carriers: dict[int, int] = {}  # carrying robot, by object
        self._poses = poses
        self._walls = [wall(ends) for ends in walls]
        object_poses = [(config.x_m, config.y_m, config.heading_rad) for config in objects]
        self._lay_out(len(robots), np.array([*robots, *object_poses], dtype=float).reshape(-1, 3))

    def add_robot(self, pose: Pose) -> None:
        """Add a robot after the others."""
        robots = self._poses.robots
        self._lay_out(robots + 1, np.insert(self._movable(), robots, pose, axis=0))

    def remove_robot(self, robot: int) -> None:
        """Remove a robot and move later robots up; if it carries an object, put that down first."""
        for carried in [index for index, carrier in self.carriers.items() if carrier == robot]:
            self.put_down(carried)
        self.carriers = {index: carrier - (carrier > robot) for index, carrier in self.carriers.items()}
        self._lay_out(self._poses.robots - 1, np.delete(self._movable(), robot, axis=0))

    def add_object(self, config: ObjectConfig) -> None:
        """Add an object after the others."""
        self.objects.append(config)
        pose = config.x_m, config.y_m, config.heading_rad
        self._lay_out(self._poses.robots, np.vstack((self._movable(), pose)))

    def remove_object(self, index: int) -> None:
        """Remove an object and move later objects up."""
        del self.objects[index]
        self.carriers = {other - (other > index): robot for other, robot in self.carriers.items() if other != index}
        robots = self._poses.robots
        self._lay_out(robots, np.delete(self._movable(), robots + index, axis=0))

    def place_object(self, index: int, pose: Pose) -> None:
        """Place an object; a robot that carries it releases it."""
        if self.carriers.pop(index, None) is not None:
            self._lay_out(self._poses.robots, self._movable())
        self._poses.object_poses[index] = pose

    def pick_up(self, index: int, robot: int) -> None:
        """Load an object on a robot: it moves with the robot, touches nothing, and is invisible to sensors."""
        self.carriers[index] = robot
        self._lay_out(self._poses.robots, self._movable())
        self._poses.carry(self.carriers)

    def put_down(self, index: int) -> None:
        """Put an object down in front of the robot that carries it, if any."""
        robot = self.carriers.get(index)
        if robot is None:
            return
        x_m, y_m, heading_rad = self._poses.array[robot].tolist()
        ahead_m = NOSE_M + PUT_DOWN_GAP_M + object_piece(self.objects[index]).outline.reach_m
        place = x_m + ahead_m * math.cos(heading_rad), y_m + ahead_m * math.sin(heading_rad)
        self.place_object(index, (*place, heading_rad))

    def _movable(self) -> Array:
        """Return the poses of robots and objects."""
        return self._poses.array[: self._poses.movers]

    def _lay_out(self, robots: int, movable: Array) -> None:
        """Rebuild all tables."""
        pieces = [robot_piece()] * robots
        pieces += [object_piece(config, index in self.carriers) for index, config in enumerate(self.objects)]
        self.table = Bodies([*pieces, *(piece for piece, _ in self._walls)])
        self._poses.lay_out(robots, len(movable), np.vstack((movable, [pose for _, pose in self._walls])))
