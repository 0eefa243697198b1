"""Poses of all robots, objects and walls in one table, with neighbours and carried objects.

Robots roll on a list of plain numbers; the table is built from it on demand, and for array operations.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aseba_link.thymio.events import AXLE_LENGTH_M
from aseba_link.thymio.robot_outline import NOSE_M
from simulator.physics import contacts
from simulator.physics.bodies import Bodies, Pose
from simulator.physics.contacts import MARGIN_M, settle
from simulator.physics.neighbours import Neighbours, Pair
from simulator.physics.objects import ObjectConfig, object_piece, robot_piece
from simulator.physics.rolling import roll, wrapped
from simulator.physics.walls import Ends, wall
from simulator.sensors.proximity import RANGE_M

Array = NDArray[np.float64]

PUT_DOWN_M: Final = 0.01  # between a robot's nose and an object that it puts down


class PlacedBodies:
    """All bodies and their poses: robots first, then objects, then walls.

    Parameters
    ----------
    robots : their poses
    objects : their properties and poses
    walls : their ends
    """

    def __init__(self, robots: Sequence[Pose], objects: Sequence[ObjectConfig], walls: Sequence[Ends]) -> None:
        self.objects = list(objects)
        self.carriers: dict[int, int] = {}  # object to the robot that carries it
        self._reach_m = robot_piece().outline.reach_m
        self._places: list[float] = []  # x, y, heading of each body, one after the other
        self._is_current = True  # whether the table is equal to `_places`
        self._is_lent = False  # whether the table may have been written since it was last read
        self._moved_m = 0.0  # upper bound of the motion of any point of any robot
        self._clear_until_m = 0.0  # nothing overlaps before `_moved_m` reaches this
        self._blind_until_m = 0.0  # nothing sees anything before
        self._walls = [wall(ends) for ends in walls]
        things = [(thing.x_m, thing.y_m, thing.heading_rad) for thing in objects]
        self._lay_out(len(robots), np.array([*robots, *things], dtype=float).reshape(-1, 3))

    @property
    def poses(self) -> Array:
        """Pose of every body; (b, 3), it may be written before the next step."""
        self._is_lent = True
        return self._table()

    @property
    def positions_m(self) -> Array:
        """Position of each robot; (n, 2), it may be written before the next step."""
        return self.poses[: self.robots, :2]

    @property
    def headings_rad(self) -> Array:
        """Heading of each robot; (n,), it may be written before the next step."""
        return self.poses[: self.robots, 2]

    @property
    def object_poses(self) -> Array:
        """Pose of each object; (m, 3), it may be written before the next step."""
        return self.poses[self.robots : self.robots + len(self.objects)]

    def places(self) -> list[float]:
        """Return x, y, heading of each body, one after the other."""
        if self._is_lent:
            self._is_lent = False
            self._take_in(self._array.ravel().tolist())
        return self._places

    def in_sight(self) -> list[Pair]:
        """Return the pairs of bodies one of which may see the other."""
        places = self.places()
        if self._moved_m < self._blind_until_m:
            return []
        pairs = self._in_sight.pairs(places)
        if not pairs:
            self._blind_until_m = self._moved_m + 0.5 * (self._in_sight.gap_m() - RANGE_M)  # both may move
        return pairs

    def roll(self, travel_m: list[float]) -> None:
        """Move robots by the rolled distances of their left and right wheels."""
        self._moved_m += roll(self.places(), travel_m, AXLE_LENGTH_M, self._reach_m)
        self._is_current = False

    def settle(self, before: list[float], *, was_touching: bool) -> tuple[list[Pair], list[Pair]]:
        """Push apart overlaps since robots were `before`; return the pairs that touch, and those close to it.

        Close pairs are returned only if something touches, or did so.
        """
        if not was_touching and self._is_clear():
            return [], []
        pairs = self._near.pairs(self.places())
        if not pairs:
            return [], []
        places, touching, close = settle(self.bodies, before + self._places[len(before) :], self._places, pairs)
        for body in range(self._movers):
            places[3 * body + 2] = wrapped(places[3 * body + 2])
        self._take_in(places)
        self._is_current = False
        return touching, close

    def _table(self) -> Array:
        """Return the table, updated."""
        if not self._is_current:
            self._array[:] = np.array(self._places).reshape(-1, 3)
            self._is_current = True
        return self._array

    def _take_in(self, places: list[float]) -> None:
        """Take the places of bodies from the table: a caller may have written anything there."""
        if places != self._places:
            self._places = places
            self._clear_until_m = self._blind_until_m = 0.0

    def _is_clear(self) -> bool:
        """Return whether nothing can overlap; the motion until something can is computed when needed."""
        if self._moved_m >= self._clear_until_m:
            pairs = self._near.pairs(self.places())
            gap_m = self._near.gap_m()
            if pairs:
                gap_m = min(gap_m, contacts.gap_m(self.bodies, self._places, pairs))
            self._clear_until_m = self._moved_m + 0.5 * gap_m  # both may move
        return self._moved_m < self._clear_until_m

    def overlap_m(self) -> float:
        """Return the largest overlap of any two bodies; 0 if none overlap."""
        pairs = self._near.pairs(self.places())
        return max(0.0, -contacts.gap_m(self.bodies, self._places, pairs)) if pairs else 0.0

    def carry(self) -> None:
        """Move carried objects to their carriers."""
        if not self.carriers:
            return
        places = self.places()
        for thing, robot in self.carriers.items():
            body = self.robots + thing
            places[3 * body : 3 * body + 3] = places[3 * robot : 3 * robot + 3]
        self._is_current = False

    def add_robot(self, pose: Pose) -> None:
        """Add a robot, behind the others."""
        self._lay_out(self.robots + 1, np.insert(self._movable(), self.robots, pose, axis=0))

    def remove_robot(self, robot: int) -> None:
        """Remove a robot; later robots move up. An object that it carries is put down first."""
        for thing in [thing for thing, carrier in self.carriers.items() if carrier == robot]:
            self.put_down(thing)
        self.carriers = {thing: carrier - (carrier > robot) for thing, carrier in self.carriers.items()}
        self._lay_out(self.robots - 1, np.delete(self._movable(), robot, axis=0))

    def add_object(self, thing: ObjectConfig) -> None:
        """Add an object, behind the others."""
        self.objects.append(thing)
        self._lay_out(self.robots, np.vstack((self._movable(), (thing.x_m, thing.y_m, thing.heading_rad))))

    def remove_object(self, thing: int) -> None:
        """Remove an object; later objects move up."""
        del self.objects[thing]
        self.carriers = {other - (other > thing): robot for other, robot in self.carriers.items() if other != thing}
        self._lay_out(self.robots, np.delete(self._movable(), self.robots + thing, axis=0))

    def place_object(self, thing: int, pose: Pose) -> None:
        """Place an object; a robot that carries it lets it go."""
        if self.carriers.pop(thing, None) is not None:
            self._lay_out(self.robots, self._movable())
        self.object_poses[thing] = pose

    def pick_up(self, thing: int, robot: int) -> None:
        """Load an object on a robot."""
        self.carriers[thing] = robot
        self._lay_out(self.robots, self._movable())
        self.carry()

    def put_down(self, thing: int) -> None:
        """Put an object in front of the robot that carries it, if one does."""
        robot = self.carriers.get(thing)
        if robot is None:
            return
        x_m, y_m, heading_rad = self.poses[robot].tolist()
        ahead_m = NOSE_M + PUT_DOWN_M + object_piece(self.objects[thing]).outline.reach_m
        place = x_m + ahead_m * math.cos(heading_rad), y_m + ahead_m * math.sin(heading_rad)
        self.place_object(thing, (*place, heading_rad))

    def _movable(self) -> Array:
        return self.poses[: self._movers]

    def _lay_out(self, robots: int, movable: Array) -> None:
        """Rebuild all tables."""
        pieces = [robot_piece()] * robots
        pieces += [object_piece(thing, index in self.carriers) for index, thing in enumerate(self.objects)]
        self.robots = robots
        self.bodies = Bodies([*pieces, *(piece for piece, _ in self._walls)])
        self._movers = len(movable)
        self._array: Array = np.vstack((movable, [pose for _, pose in self._walls]))
        self._places = self._array.ravel().tolist()
        self._is_current, self._is_lent = True, False
        self._clear_until_m = self._blind_until_m = 0.0
        is_seen = [obstacle.is_seen for obstacle in self.bodies.obstacles]
        self._near = Neighbours(self.bodies, len(movable), self.bodies.is_solid, MARGIN_M)
        self._in_sight = Neighbours(self.bodies, len(movable), is_seen, RANGE_M)
