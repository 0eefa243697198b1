"""Poses of all bodies: robots first, then objects, then walls.

| array          | shape  | unit      | meaning                                   |
|----------------|--------|-----------|-------------------------------------------|
| `array`        | (b, 3) | m, m, rad | of every body                             |
| `positions_m`  | (n, 2) | m         | middle of each robot's axle               |
| `headings_rad` | (n,)   | rad       | of each robot, counter-clockwise from x   |
| `object_poses` | (m, 3) | m, m, rad | of each object                            |

Rolling is computed on a list of plain numbers; the arrays are made from it on demand. They hold the state of the time
when they are read: write to them before the next step, and read them again after it.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from simulator.physics.objects import robot_piece
from simulator.physics.rolling import roll

Array = NDArray[np.float64]


class PoseTable:
    """The poses of all bodies, as a flat list for computation and as arrays for everything else."""

    def __init__(self) -> None:
        self.robots = 0
        self.movers = 0  # robots and objects
        self.moved_m = 0.0  # upper bound of how far any point of any robot has rolled
        self.jumps = 0  # how often bodies have moved otherwise than by rolling
        self._reach_m = robot_piece().outline.reach_m
        self._array: Array = np.zeros((0, 3))
        self._places: list[float] = []  # x, y, heading of each body, one after the other
        self._is_current = True  # whether the array is equal to `_places`
        self._may_be_written = False  # whether the array may have been written since it was last read

    @property
    def array(self) -> Array:
        """Pose of every body; it may be written."""
        if not self._is_current:
            self._array[:] = np.array(self._places).reshape(-1, 3)
            self._is_current = True
        self._may_be_written = True
        return self._array

    @property
    def positions_m(self) -> Array:
        """Position of each robot; it may be written."""
        return self.array[: self.robots, :2]

    @property
    def headings_rad(self) -> Array:
        """Heading of each robot; it may be written."""
        return self.array[: self.robots, 2]

    @property
    def object_poses(self) -> Array:
        """Pose of each object; it may be written."""
        return self.array[self.robots : self.movers]

    def truth(self) -> Array:
        """Return the pose of each robot; (n, 3), a copy."""
        return np.array(self.places()[: 3 * self.robots]).reshape(-1, 3)

    def places(self) -> list[float]:
        """Return x, y, heading of each body, one after the other."""
        if self._may_be_written:
            self._may_be_written = False
            self.replace(self._array.ravel().tolist())
        return self._places

    def replace(self, places: list[float]) -> None:
        """Move bodies to other places, in the format that `places` returns."""
        if places != self._places:
            self._places = places
            self._is_current = False
            self.jumps += 1

    def roll(self, travel_m: list[float], axles_m: list[float]) -> None:
        """Move robots by the rolled distances of their left and right wheels, and the distances between these."""
        self.moved_m += roll(self.places(), travel_m, axles_m, self._reach_m)
        self._is_current = False

    def carry(self, carriers: Mapping[int, int]) -> None:
        """Move each carried object to the robot that carries it."""
        if not carriers:
            return
        places = self.places()
        for index, robot in carriers.items():
            body = self.robots + index
            places[3 * body : 3 * body + 3] = places[3 * robot : 3 * robot + 3]
        self._is_current = False

    def lay_out(self, robots: int, movers: int, poses: Array) -> None:
        """Replace all bodies; `poses` are (b, 3): first the robots, then the objects up to `movers`, then the walls."""
        self.robots, self.movers = robots, movers
        self._array = poses
        self._places = poses.ravel().tolist()
        self._is_current, self._may_be_written = True, False
        self.jumps += 1
