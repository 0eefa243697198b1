"""Objects on the floor: cylinders and boxes that robots see, push and carry."""

import enum
import math
from dataclasses import dataclass

from aseba_link.thymio.events import AXLE_LENGTH_M
from simulator.outlines import outline
from simulator.outlines.outline import Outline
from simulator.physics.bodies import BodyPiece
from simulator.sensors.proximity import VISIBLE_HEIGHT_M

ROBOT_MASS_KG = 0.25  # Webots; the URDF of ros-thymio has 0.248
WHEEL_FRICTION = 0.8  # rubber on paper or wood; a typical value, not measured
ROBOT_TURN_ARM_M = 0.5 * AXLE_LENGTH_M  # lever arm of the wheels when a robot is turned


class ObjectShape(enum.Enum):
    """An object's shape from above."""

    CYLINDER = "cylinder"
    BOX = "box"


@dataclass(frozen=True, slots=True)
class ObjectConfig:
    """An object; a cylinder has a radius, a box a width and, along its heading, a length."""

    name: str
    shape: ObjectShape
    x_m: float
    y_m: float
    heading_rad: float
    radius_m: float
    length_m: float
    width_m: float
    height_m: float
    mass_kg: float
    friction: float
    movable: bool
    gray: float


def robot_piece() -> BodyPiece:
    """Return a Thymio as a body: white, and with unit mobility."""
    return BodyPiece(outline.thymio(), (1.0, 1.0, ROBOT_TURN_ARM_M**-2))


def object_piece(config: ObjectConfig, is_carried: bool = False) -> BodyPiece:
    """Return an object as a body; a carried object touches nothing and is too high for the sensors."""
    return BodyPiece(
        _outline_of(config),
        mobility=_mobility(config) if config.movable else (0.0, 0.0, 0.0),
        gray=config.gray,
        is_solid=not is_carried,
        is_visible=not is_carried and config.height_m >= VISIBLE_HEIGHT_M,
    )


def _outline_of(config: ObjectConfig) -> Outline:
    if config.shape is ObjectShape.CYLINDER:
        return outline.disc(config.radius_m)
    return outline.box(config.length_m, config.width_m)


def _mobility(config: ObjectConfig) -> tuple[float, float, float]:
    """Return how much more easily an object is pushed than a robot, given the friction of both with the floor.

    The lever arm of friction in a turn is the mean distance of its base from its centre: two thirds of the radius of a
    disc; a box is treated as a disc of equal area.
    """
    ease = WHEEL_FRICTION * ROBOT_MASS_KG / (config.friction * config.mass_kg)
    if config.shape is ObjectShape.CYLINDER:
        radius_m = config.radius_m
    else:
        radius_m = math.sqrt(config.length_m * config.width_m / math.pi)
    return ease, ease, ease / (2.0 / 3.0 * radius_m) ** 2
