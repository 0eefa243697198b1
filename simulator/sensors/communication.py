"""Infrared communication: which robots receive each other's pulses, at which proximity sensors, and how strongly.

The model is that of J. Guzzi's branch ir_comm of Enki: a pulse is received if the detector lies in the emitter's beam,
the emitter lies in the detector's aperture, and nothing is in between. Of several beams at a sensor the strongest
counts. In centimetres the intensity has m = 4600, x0 = 0.2, c = 917; intensities below 1400, beyond 0.46 m, are not
received.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from simulator.numbers.rounding import nearest
from simulator.outlines.rays import Obstacle, View
from simulator.sensors.infrared import Response
from simulator.sensors.proximity import ANGLES_RAD, POSITIONS_M, Ray

PERIOD_S: Final = 0.1  # between two pulses of a robot
RANGE_M: Final = 0.48
MIN_RAW: Final = 1400.0
MAX_RAW: Final = 4600.0
X0_M: Final = 0.002
C_M2: Final = 0.0917
APERTURE_RAD: Final = 0.644  # half angle of a sensor's receiving cone
BEAM_RAD: Final = 0.268  # half angle of a sensor's sending cone
_RESPONSE: Final = Response(MAX_RAW, X0_M, C_M2)
_APERTURE_COS: Final = math.cos(APERTURE_RAD)
_BEAM_COS: Final = math.cos(BEAM_RAD)
_REACH_M: Final = RANGE_M + 2.0 * 0.085  # between axles; no sensor is further from its axle than 0.085 m
_LEAST_M: Final = 1e-9  # closer sensors coincide
_AXES: Final = [Ray(x_m, y_m, angle_rad) for (x_m, y_m), angle_rad in zip(POSITIONS_M, ANGLES_RAD, strict=True)]


@dataclass(frozen=True, slots=True)
class ReceivedPulse:
    """A received pulse: indices of receiver and sender, and the intensity, or 0, at each of the receiver's sensors."""

    receiver: int
    sender: int
    intensities_raw: tuple[int, ...]


class _Sensor:
    """A robot's sensor: its position and direction, a unit vector, in the world's frame."""

    def __init__(self, x_m: float, y_m: float, along_x: float, along_y: float) -> None:
        self.x_m = x_m
        self.y_m = y_m
        self.along_x = along_x
        self.along_y = along_y


def intensity_raw(distance_m: float) -> float:
    """Return the intensity of a pulse at a distance; 0 if it is not received."""
    if not distance_m <= RANGE_M:
        return 0.0
    response = _RESPONSE.raw(distance_m)
    return response if response >= MIN_RAW else 0.0


def received_pulses(
    obstacles: Sequence[Obstacle], places: list[float], communicates: Sequence[bool]
) -> list[ReceivedPulse]:
    """Return all received pulses, ordered by receiver, then by sender.

    Parameters
    ----------
    obstacles
        all bodies, robots first; bodies visible to proximity sensors block infrared
    places
        x, y and heading of each body, concatenated
    communicates
        whether each robot has communication enabled; otherwise it neither sends nor receives
    """
    communicating = [robot for robot in range(len(communicates)) if communicates[robot]]
    air = _Air(obstacles, places, communicating)
    found: list[ReceivedPulse] = []
    for receiver in communicating:
        for sender in communicating:
            if receiver != sender and _are_near(places, receiver, sender):
                words = air.received_raw(receiver, sender)
                if any(words):
                    found.append(ReceivedPulse(receiver, sender, tuple(words)))
    return found


class _Air:
    """The space between communicating robots."""

    def __init__(self, obstacles: Sequence[Obstacle], places: list[float], communicating: list[int]) -> None:
        self._obstacles = list(obstacles)
        self._places = places
        self._sensors = {robot: _sensors(places, robot) for robot in communicating}

    def received_raw(self, receiver: int, sender: int) -> list[int]:
        """Return the strongest intensity at each of the receiver's sensors from any of the sender's sensors."""
        words: list[int] = []
        emitters = self._sensors[sender]
        for detector in self._sensors[receiver]:
            strongest_raw = 0.0
            for emitter in emitters:
                reached_raw = _reached_raw(detector, emitter)
                if reached_raw > strongest_raw and not self._is_hidden(detector, emitter, receiver, sender):
                    strongest_raw = reached_raw
            words.append(nearest(strongest_raw))
        return words

    def _is_hidden(self, detector: _Sensor, emitter: _Sensor, receiver: int, sender: int) -> bool:
        """Return whether another body is between two sensors."""
        way_x, way_y = emitter.x_m - detector.x_m, emitter.y_m - detector.y_m
        length_m = math.sqrt(way_x * way_x + way_y * way_y)
        if length_m < _LEAST_M:
            return False
        middle_x, middle_y, half_m = detector.x_m + 0.5 * way_x, detector.y_m + 0.5 * way_y, 0.5 * length_m
        along_x, along_y = way_x / length_m, way_y / length_m
        for body in range(len(self._obstacles)):
            obstacle = self._obstacles[body]
            x_m, y_m = self._places[3 * body], self._places[3 * body + 1]
            near_m = half_m + obstacle.reach_m
            is_near = (x_m - middle_x) * (x_m - middle_x) + (y_m - middle_y) * (y_m - middle_y) <= near_m * near_m
            if is_near and obstacle.is_visible and body not in (receiver, sender):
                view = View(obstacle, x_m, y_m, self._places[3 * body + 2])
                if view.distance_m(detector.x_m, detector.y_m, along_x, along_y, length_m) < length_m:
                    return True
        return False


def _are_near(places: list[float], one: int, other: int) -> bool:
    """Return whether two robots are close enough to communicate."""
    away_x, away_y = places[3 * one] - places[3 * other], places[3 * one + 1] - places[3 * other + 1]
    return away_x * away_x + away_y * away_y <= _REACH_M * _REACH_M


def _sensors(places: list[float], robot: int) -> list[_Sensor]:
    x_m, y_m, heading_rad = places[3 * robot], places[3 * robot + 1], places[3 * robot + 2]
    cosine, sine = math.cos(heading_rad), math.sin(heading_rad)
    sensors: list[_Sensor] = []
    for axis in _AXES:
        ahead_x, ahead_y = cosine * axis.x_m - sine * axis.y_m, sine * axis.x_m + cosine * axis.y_m
        along_x, along_y = cosine * axis.along_x - sine * axis.along_y, sine * axis.along_x + cosine * axis.along_y
        sensors.append(_Sensor(x_m + ahead_x, y_m + ahead_y, along_x, along_y))
    return sensors


def _reached_raw(detector: _Sensor, emitter: _Sensor) -> float:
    """Return the intensity at a detector without obstacles; 0 outside the beam or the aperture."""
    way_x, way_y = emitter.x_m - detector.x_m, emitter.y_m - detector.y_m
    distance_m = max(math.sqrt(way_x * way_x + way_y * way_y), _LEAST_M)
    if way_x * detector.along_x + way_y * detector.along_y < _APERTURE_COS * distance_m:
        return 0.0
    if -(way_x * emitter.along_x + way_y * emitter.along_y) < _BEAM_COS * distance_m:
        return 0.0
    return intensity_raw(distance_m)
