"""Everything that can be touched or seen, as arrays: robots first, then objects, then walls.

| array       | shape      | unit | meaning                                                                    |
|-------------|------------|------|----------------------------------------------------------------------------|
| `vertices`  | (b, 13, 2) | m    | corners of each outline, in its own frame                                  |
| `normals`   | (b, 13, 2) | 1    | of the edge behind each corner                                             |
| `radii`     | (b,)       | m    | by how much each outline is larger than its polygon                        |
| `reaches`   | (b,)       | m    | of the furthest point from the body's origin; 0 for walls                  |
| `spans`     | (b, 2)     | m    | from the middle of a wall to its end, in the world's frame; 0 for others   |
| `mobility`  | (b, 3)     | 1    | how easily it is pushed along x and y, and turned; a robot's is 1, 1, 1/m^2 |
| `is_solid`  | (b,)       |      | whether it touches others                                                  |

`obstacles` is a list of the same bodies as rays meet them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.outline import Outline
from simulator.rays import Obstacle

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]
Pose = tuple[float, float, float]  # x, y in metres, heading in radians


@dataclass(frozen=True, slots=True)
class Piece:
    """One body: its outline, how easily it moves and turns, how it looks."""

    outline: Outline
    mobility: tuple[float, float, float] = (0.0, 0.0, 0.0)
    span_m: tuple[float, float] = (0.0, 0.0)
    gray: float = 1.0
    is_solid: bool = True
    is_seen: bool = True


class Bodies:
    """The table of all bodies; where they are is passed in."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        outlines = [piece.outline for piece in pieces]
        self.vertices: Array = np.array([outline.vertices_m for outline in outlines])
        self.normals: Array = np.array([outline.normals for outline in outlines])
        self.radii: Array = np.array([outline.radius_m for outline in outlines])
        self.spans: Array = np.array([piece.span_m for piece in pieces])
        self.reaches: Array = np.array([0.0 if any(piece.span_m) else piece.outline.reach_m for piece in pieces])
        self.mobility: Array = np.array([piece.mobility for piece in pieces])
        self.is_solid: Flags = np.array([piece.is_solid for piece in pieces])
        self.obstacles = [Obstacle(piece.outline, piece.gray, piece.is_seen) for piece in pieces]

    def placed(self, indices: Indices, poses: Array) -> tuple[Array, Array]:
        """Return corners and normals of some bodies in the world's frame; (p, 13, 2) each.

        Parameters
        ----------
        indices
            (p,) which
        poses
            (b, 3) x, y and heading of all bodies
        """
        picked = poses[indices]
        cosine, sine = np.cos(picked[:, 2]), np.sin(picked[:, 2])
        turn = np.stack((cosine, sine, -sine, cosine), axis=1).reshape(-1, 2, 2)  # rows times this are turned
        return self.vertices[indices] @ turn + picked[:, None, :2], self.normals[indices] @ turn
