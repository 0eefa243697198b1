"""Horizontal proximity sensors: rays, and the response of Enki's model or of a real robot.

`enki` is the response of the Aseba playground: three rays, 15 degrees apart, whose responses F are combined to
F(left) + F(centre) + F(right) - 2 F(centre / cos 15 degrees). That is F(centre) in front of a wide wall; where one of
the rays hits nothing within 14 cm the sum jumps, up or down, and small distant obstacles read 0. Colours do not matter.

`smooth` is Enki's response to the centre ray alone, without these jumps.

`real` is the measured response of a real robot: one ray, and a curve for white paper that ends at 1000; darker
obstacles read less.

Positions and directions are those of Enki; they agree with the robot's URDF to 2 mm and 3 degrees.
"""

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from simulator.numbers.noise import Noise
from simulator.numbers.rounding import nearest
from simulator.outlines.rays import Obstacle, View
from simulator.sensors.infrared import MeasuredResponse, Response

Words = tuple[int, ...]
Pair = tuple[int, int]

RANGE_M: Final = 0.14
MAX_RAW: Final = 4505
X0_M: Final = 0.0003
C_M2: Final = 0.0073
SPREAD_RAD: Final = math.radians(15.0)  # between the rays of a sensor
VISIBLE_HEIGHT_M: Final = 0.034  # height of the sensors; lower objects are invisible to them
BLACK_REFLECTANCE: Final = 0.06  # black paper reads 3200 at 1 cm and 1360 at 3 cm, like white at 4.5 and 12.8 cm
WHITE_CURVE_M: Final[tuple[float, ...]] = tuple(0.01 * number for number in range(15))
WHITE_CURVE_RAW: Final[tuple[float, ...]] = (
    4450.0, 4430.0, 4410.0, 4120.0, 3450.0, 3010.0, 2680.0, 2460.0, 2280.0, 2100.0, 1930.0, 1790.0, 1520.0, 1330.0,
    1000.0,
)  # fmt: skip
# front: left, mid-left, centre, mid-right, right; back: left, right; in the robot's frame
POSITIONS_M: Final[tuple[tuple[float, float], ...]] = (
    (0.062, 0.0485), (0.075, 0.0255), (0.0795, 0.0), (0.075, -0.0255), (0.062, -0.0485), (-0.0295, 0.0295),
    (-0.0295, -0.0295),
)  # fmt: skip
ANGLES_RAD: Final[tuple[float, ...]] = tuple(
    math.radians(angle_deg) for angle_deg in (40.0, 20.0, 0.0, -20.0, -40.0, 180.0, 180.0)
)
SENSORS: Final = 7
_RAYS: Final = 3 * SENSORS
_NOWHERE_M: Final = math.inf
_NO_HITS: Final[Words] = (0,) * SENSORS  # nothing is near
_ENKI: Final = Response(MAX_RAW, X0_M, C_M2)
_REAL: Final = MeasuredResponse(WHITE_CURVE_M, WHITE_CURVE_RAW)
_FLAT: Final = math.cos(SPREAD_RAD)  # ratio of the centre ray's length to the outer rays', in front of a wide wall


class Ray:
    """A ray in the robot's frame: its origin and its direction, a unit vector."""

    def __init__(self, x_m: float, y_m: float, angle_rad: float) -> None:
        self.x_m = x_m
        self.y_m = y_m
        self.along_x = math.cos(angle_rad)
        self.along_y = math.sin(angle_rad)


_BUNDLES: Final = [
    Ray(x_m, y_m, angle_rad + spread_rad)
    for (x_m, y_m), angle_rad in zip(POSITIONS_M, ANGLES_RAD, strict=True)
    for spread_rad in (SPREAD_RAD, 0.0, -SPREAD_RAD)
]


class ResponseKind(enum.Enum):
    """The kind of response that is simulated."""

    ENKI = "enki"  # that of the Aseba playground
    SMOOTH = "smooth"  # the same curve for a single ray
    REAL = "real"  # that of a measured robot


@dataclass(frozen=True, slots=True)
class ProximityConfig:
    """Behaviour of proximity sensors."""

    response: ResponseKind
    noise_raw: float  # standard deviation


class RayHits:
    """The hits of the rays of all robots' sensors.

    `near_m` holds the lengths of the left, centre and right ray of every sensor, robot by robot, infinite without a hit
    within range; `gray` holds the gray of the body that each sensor's centre ray hits.
    """

    def __init__(self, robots: int) -> None:
        self.near_m: list[float] = [_NOWHERE_M] * (robots * _RAYS)
        self.gray: list[float] = [1.0] * (robots * SENSORS)

    def record(self, robot: int, obstacle: Obstacle, x_m: float, y_m: float, heading_rad: float) -> None:
        """Record the hits of a robot's rays on a body placed in its frame; on a tie the later body counts."""
        view = View(obstacle, x_m, y_m, heading_rad)
        near_m, first = self.near_m, robot * _RAYS
        for number in range(_RAYS):
            ray = _BUNDLES[number]
            distance_m = view.distance_m(ray.x_m, ray.y_m, ray.along_x, ray.along_y, RANGE_M)
            if distance_m < _NOWHERE_M and distance_m <= near_m[first + number]:
                near_m[first + number] = distance_m
                if number % 3 == 1:
                    self.gray[robot * SENSORS + number // 3] = obstacle.gray


def response_raw(distance_m: float) -> float:
    """Return Enki's noise-free response at a distance; infinite distances read 0."""
    return _ENKI.raw(distance_m) if distance_m < RANGE_M else 0.0


def enki_raw(left_m: float, centre_m: float, right_m: float) -> float:
    """Return the reading of an Enki sensor for its three rays."""
    flat = response_raw(centre_m / _FLAT)
    reading = response_raw(left_m) + response_raw(centre_m) + response_raw(right_m) - 2.0 * flat
    return min(max(reading, 0.0), MAX_RAW)


def real_raw(distance_m: float, gray: float) -> float:
    """Return a real robot's reading at a distance from a surface with a gray from 0 (black) to 1 (white)."""
    return _REAL.raw(distance_m, BLACK_REFLECTANCE + (1.0 - BLACK_REFLECTANCE) * gray)


def cast_rays(obstacles: Sequence[Obstacle], places: list[float], robots: int, pairs: list[Pair]) -> RayHits:
    """Return the hits of the rays of all robots' sensors.

    Parameters
    ----------
    obstacles
        all bodies, robots first
    places
        x, y and heading of each body, concatenated
    robots
        number of robots
    pairs
        pairs of bodies near each other, each pair once
    """
    hits = RayHits(robots)
    for first, second in pairs:
        if first < robots:
            _cast_at(hits, first, second, obstacles[second], places)
    for first, second in pairs:
        if second < robots:
            _cast_at(hits, second, first, obstacles[first], places)
    return hits


def _cast_at(hits: RayHits, robot: int, other: int, obstacle: Obstacle, places: list[float]) -> None:
    heading_rad = places[3 * robot + 2]
    cosine, sine = math.cos(heading_rad), math.sin(heading_rad)
    across_x, across_y = places[3 * other] - places[3 * robot], places[3 * other + 1] - places[3 * robot + 1]
    ahead_m, leftward_m = cosine * across_x + sine * across_y, cosine * across_y - sine * across_x
    hits.record(robot, obstacle, ahead_m, leftward_m, places[3 * other + 2] - heading_rad)


def readings_raw(hits: RayHits, config: ProximityConfig, noise: Noise) -> list[Words]:
    """Return the readings of the sensors: seven words from 0 to 4505 for each robot."""
    numbers = noise.draw(len(hits.gray))
    words: list[int] = []
    clean = _clean_raw(hits, config.response)
    for sensor in range(len(clean)):
        reading = clean[sensor]
        if reading > 0.0:
            words.append(min(max(nearest(reading + config.noise_raw * numbers[sensor]), 0), MAX_RAW))
        else:
            words.append(0)
    return [tuple(words[first : first + SENSORS]) for first in range(0, len(words), SENSORS)]


def readings_without_hits(robots: int) -> list[Words]:
    """Return the readings when no ray hits anything."""
    return [_NO_HITS] * robots


def _clean_raw(hits: RayHits, response: ResponseKind) -> list[float]:
    near_m, gray = hits.near_m, hits.gray
    if response is ResponseKind.ENKI:
        return [enki_raw(near_m[3 * s], near_m[3 * s + 1], near_m[3 * s + 2]) for s in range(len(gray))]
    if response is ResponseKind.SMOOTH:
        return [response_raw(near_m[3 * s + 1]) for s in range(len(gray))]
    return [real_raw(near_m[3 * s + 1], gray[s]) for s in range(len(gray))]
