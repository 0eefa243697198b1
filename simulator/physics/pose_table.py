"""Poses of all bodies: robots first, then objects, then walls.

| array          | shape  | unit      | meaning                                   |
|----------------|--------|-----------|-------------------------------------------|
| `array`        | (b, 3) | m, m, rad | pose of each body                         |
| `positions_m`  | (n, 2) | m         | centre of each robot's axle               |
| `headings_rad` | (n,)   | rad       | of each robot, counter-clockwise from x   |
| `object_poses` | (m, 3) | m, m, rad | pose of each object                       |

Rolling is computed on a list of plain numbers, and the arrays are made from it on demand. They hold the state at the
time they are read: write to them before the next step, and read them again after it.
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
        self.moved_m = 0.0  # upper bound of the distance that any point of any robot has rolled
        self.jumps = 0  # number of times that bodies have moved other than by rolling
        self._reach_m = robot_piece().outline.reach_m
        self._array: Array = np.zeros((0, 3))
        self._places: list[float] = []  # x, y and heading of each body, concatenated
        self._is_current = True  # whether the array is equal to `_places`
        self._may_be_written = False  # whether the array may have been written since it was last read

    @property
    def array(self) -> Array:
        """Pose of each body; writable."""
        if not self._is_current:
            self._array[:] = np.array(self._places).reshape(-1, 3)
            self._is_current = True
        self._may_be_written = True
        return self._array

    @property
    def positions_m(self) -> Array:
        """Position of each robot; writable."""
        return self.array[: self.robots, :2]

    @property
    def headings_rad(self) -> Array:
        """Heading of each robot; writable."""
        return self.array[: self.robots, 2]

    @property
    def object_poses(self) -> Array:
        """Pose of each object; writable."""
        return self.array[self.robots : self.movers]

    def truth(self) -> Array:
        """Return a copy of the robots' poses, (n, 3)."""
        return np.array(self.places()[: 3 * self.robots]).reshape(-1, 3)

    def places(self) -> list[float]:
        """Return x, y and heading of each body, concatenated."""
        if self._may_be_written:
            self._may_be_written = False
            self.replace(self._array.ravel().tolist())
        return self._places

    def replace(self, places: list[float]) -> None:
        """Move bodies to new places, in the format of `places`."""
        if places != self._places:
            self._places = places
            self._is_current = False
            self.jumps += 1

    def roll(self, travel_m: list[float], axles_m: list[float]) -> None:
        """Move robots, given the rolled distances of their left and right wheels, and their wheel spacings."""
        self.moved_m += roll(self.places(), travel_m, axles_m, self._reach_m)
        self._is_current = False

    def carry(self, carriers: Mapping[int, int]) -> None:
        """Move each carried object to its carrier."""
        if not carriers:
            return
        places = self.places()
        for index, robot in carriers.items():
            body = self.robots + index
            places[3 * body : 3 * body + 3] = places[3 * robot : 3 * robot + 3]
        self._is_current = False

    def lay_out(self, robots: int, movers: int, poses: Array) -> None:
        """Replace all bodies; `poses` is (b, 3): robots, then objects up to `movers`, then walls."""
        self.robots, self.movers = robots, movers
        self._array = poses
        self._places = poses.ravel().tolist()
        self._is_current, self._may_be_written = True, False
        self.jumps += 1
