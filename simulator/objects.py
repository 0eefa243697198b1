"""Things on the floor: cylinders and boxes that robots see, push and carry."""

import enum
import math
from dataclasses import dataclass

from aseba_link.thymio import AXLE_LENGTH_M
from simulator import outline
from simulator.bodies import Piece
from simulator.outline import Outline
from simulator.proximity import VISIBLE_HEIGHT_M

ROBOT_MASS_KG = 0.25  # Webots; the URDF of ros-thymio has 0.248
WHEEL_FRICTION = 0.8  # rubber on paper or wood; taken for typical, not measured
ROBOT_TURN_ARM_M = 0.5 * AXLE_LENGTH_M  # where wheels slide when a robot is turned


class Shape(enum.Enum):
    """What an object looks like from above."""

    CYLINDER = "cylinder"
    BOX = "box"


@dataclass(frozen=True, slots=True)
class ObjectConfig:
    """One object; a cylinder has a radius, a box a length along its heading, and a width."""

    name: str
    shape: Shape
    x_m: float
    y_m: float
    heading_rad: float = 0.0
    radius_m: float = 0.03
    length_m: float = 0.06
    width_m: float = 0.06
    height_m: float = 0.1
    mass_kg: float = 0.05
    friction: float = 0.4
    movable: bool = True
    gray: float = 1.0


def robot_piece() -> Piece:
    """Return a Thymio as a body: white, and the measure of how easily bodies are pushed."""
    return Piece(outline.thymio(), (1.0, 1.0, ROBOT_TURN_ARM_M**-2))


def object_piece(config: ObjectConfig, is_carried: bool = False) -> Piece:
    """Return an object as a body; one that is carried touches nothing, and is too high to be seen."""
    return Piece(
        outline_of(config),
        mobility=_mobility(config) if config.movable else (0.0, 0.0, 0.0),
        gray=config.gray,
        is_solid=not is_carried,
        is_seen=not is_carried and config.height_m >= VISIBLE_HEIGHT_M,
    )


def outline_of(config: ObjectConfig) -> Outline:
    """Return an object's outline, about its middle."""
    if config.shape is Shape.CYLINDER:
        return outline.disc(config.radius_m)
    return outline.box(config.length_m, config.width_m)


def _mobility(config: ObjectConfig) -> tuple[float, float, float]:
    """Return how much easier than a robot an object is pushed, by the friction of both on the floor.

    The arm at which friction acts while it turns is the mean distance of its ground from its middle: two thirds of
    the radius of a disc; a box is taken for the disc of equal area.
    """
    ease = WHEEL_FRICTION * ROBOT_MASS_KG / (config.friction * config.mass_kg)
    if config.shape is Shape.CYLINDER:
        radius_m = config.radius_m
    else:
        radius_m = math.sqrt(config.length_m * config.width_m / math.pi)
    return ease, ease, ease / (2.0 / 3.0 * radius_m) ** 2
