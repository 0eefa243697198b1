"""A table of all bodies that sensors and contacts deal with, as lists: robots, then objects, then walls.

| list        | of each body | unit    | meaning                                                                       |
|-------------|--------------|---------|-------------------------------------------------------------------------------|
| `obstacles` | `Obstacle`   | m       | its outline, in its own frame, and its gray                                   |
| `reaches`   | number       | m       | distance of the furthest point from the origin; 0 for walls                   |
| `spans`     | x, y         | m       | from the middle of a wall to its end, in the world's frame; 0 for others      |
| `mobility`  | x, y, turn   | 1       | how easily it is pushed along x and y, and turned; a robot's is 1, 1, 1/m^2   |
| `is_solid`  | flag         |         | whether it touches others                                                     |
"""

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.outlines.outline import Outline
from simulator.outlines.rays import Obstacle

Pose = tuple[float, float, float]  # x, y in metres, heading in radians


@dataclass(frozen=True, slots=True)
class BodyPiece:
    """A body: its outline, mobility, and appearance."""

    outline: Outline
    mobility: tuple[float, float, float] = (0.0, 0.0, 0.0)
    span_m: tuple[float, float] = (0.0, 0.0)
    gray: float = 1.0
    is_solid: bool = True
    is_visible: bool = True


class Bodies:
    """The table of all bodies; their places are passed in."""

    def __init__(self, pieces: Sequence[BodyPiece]) -> None:
        self.obstacles = [Obstacle(piece.outline, piece.gray, piece.is_visible) for piece in pieces]
        self.reaches = [0.0 if any(piece.span_m) else piece.outline.reach_m for piece in pieces]
        self.spans = [piece.span_m for piece in pieces]
        self.mobility = [piece.mobility for piece in pieces]
        self.is_solid = [piece.is_solid for piece in pieces]
