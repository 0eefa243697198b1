"""Checks outlines of robots closer to each other than their discs allow, as after a push, where turning may touch."""

import math
from collections.abc import Sequence
from typing import Final

from aseba_link.thymio.robot_outline import NOSE_M, OUTLINE_M
from fleet.floor.obstacles import Obstacles, Segment
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.traffic.sweep import OBSTACLE, Stopping, gap_between_m
from fleet.wheels.differential_drive import SLIPPING

_APART_M: Final = 0.003  # outlines may approach down to this gap, as estimates err by some millimetres
_NEAR_M: Final = 2.0 * NOSE_M + _APART_M + 0.02  # robots whose axles are farther apart cannot touch within a tick
_UNTURNED_RAD: Final = 0.01  # smaller turns leave an outline unchanged
_ROUNDING_M: Final = 1e-6


class _Refusal:
    """A turn refused to a robot that is still near to what it would have met.

    Parameters
    ----------
    radps : the refused turn rate
    met : what it would have touched

    Attributes
    ----------
    is_turning_back : whether the robot has turned the other way since then
    """

    def __init__(self, radps: float, met: int) -> None:
        self.radps: Final = radps
        self.met: Final = met
        self.is_turning_back = True


class Outlines:
    """The outlines of robots when stopped, for one tick.

    Parameters
    ----------
    obstacles : the obstacles on the floor
    """

    def __init__(self, obstacles: Obstacles) -> None:
        self._obstacles: Final = obstacles
        self._stoppings: dict[int, Stopping] = {}
        self._granted: dict[int, Twist2D] = {}
        self._refusals: dict[int, _Refusal] = {}

    def start(self, stoppings: dict[int, Stopping]) -> None:
        """Start a tick; nothing has been granted yet."""
        self._stoppings = stoppings
        self._granted = {}

    def note(self, robot_id: int, twist: Twist2D) -> None:
        """Note a robot's granted twist."""
        self._granted[robot_id] = twist

    def turn(self, robot_id: int, turn: Twist2D) -> tuple[Twist2D, int | None]:
        """Return the turn on the spot granted to a robot, and who is in the way.

        If it would touch something, it turns the other way round, and continues to do so; if it would touch something
        there too, it stands still.
        """
        met = self.met_by(robot_id, turn)
        refusal = self._refusals.get(robot_id)
        if refusal is not None and not self._is_near(robot_id, refusal.met):
            del self._refusals[robot_id]
            refusal = None
        if refusal is not None and refusal.is_turning_back and refusal.radps * turn.angular_radps > 0.0:
            met = refusal.met
        if met is None:
            if refusal is not None:
                refusal.is_turning_back = False
            return turn, None
        if refusal is not None and refusal.radps * turn.angular_radps < 0.0:
            return STILL, met
        self._refusals[robot_id] = _Refusal(turn.angular_radps, met)
        other_way = Twist2D(0.0, -turn.angular_radps)
        return (other_way if self.met_by(robot_id, other_way) is None else STILL), met

    def met_by(self, robot_id: int, twist: Twist2D) -> int | None:
        """Return whom a robot with this twist almost touches, and would not approach without the twist."""
        stopping = self._stoppings[robot_id]
        for other_id, other in self._stoppings.items():
            if other_id != robot_id and _are_near(stopping, other):
                theirs = _outlines(other, self._granted.get(other_id, STILL))
                if any(_approaches(stopping, twist, outline) for outline in theirs):
                    return other_id
        if self._is_near(robot_id, OBSTACLE) and _approaches(stopping, twist, self._obstacles.segments):
            return OBSTACLE
        return None

    def _is_near(self, robot_id: int, other_id: int) -> bool:
        stopping = self._stoppings[robot_id]
        if other_id == OBSTACLE:
            place = stopping.then
            return bool(self._obstacles) and self._obstacles.clearance_m(place.x_m, place.y_m) < _NEAR_M - NOSE_M
        other = self._stoppings.get(other_id)
        return other is not None and _are_near(stopping, other)


def _are_near(first: Stopping, second: Stopping) -> bool:
    return first.then.distance_to(second.then) < _NEAR_M


def _approaches(stopping: Stopping, twist: Twist2D, other: Sequence[Segment]) -> bool:
    """Whether a twist brings a robot too near to an outline, and nearer than without it, with or without slip."""
    for before, after in zip(_outlines(stopping, STILL), _outlines(stopping, twist), strict=True):
        after_m = gap_between_m(after, other)
        if after_m < _APART_M and after_m < gap_between_m(before, other) - _ROUNDING_M:
            return True
    return False


def _outlines(stopping: Stopping, twist: Twist2D) -> list[list[Segment]]:
    """Return the outline of a robot after a twist for one period and a stop.

    A turning robot has a second outline, at its heading if its wheels slip.
    """
    rolled_m = stopping.lag_s * stopping.twist.linear_mps + stopping.period_s * twist.linear_mps
    turned_rad = stopping.lag_s * stopping.twist.angular_radps + stopping.period_s * twist.angular_radps
    found = [outline_at(stopping.then.along_arc(rolled_m, turned_rad))]
    if abs(stopping.unturned_rad) > _UNTURNED_RAD:
        then = stopping.then.along_arc(0.0, -stopping.unturned_rad)
        found.append(outline_at(then.along_arc(SLIPPING * rolled_m, SLIPPING * turned_rad)))
    return found


def outline_at(pose: Pose2D) -> list[Segment]:
    """Return the outline of a robot at a pose, edge by edge."""
    cosine, sine = math.cos(pose.heading_rad), math.sin(pose.heading_rad)
    corners = [
        (pose.x_m + cosine * ahead_m - sine * left_m, pose.y_m + sine * ahead_m + cosine * left_m)
        for ahead_m, left_m in OUTLINE_M
    ]
    return [
        Segment(x1_m, y1_m, x2_m, y2_m)
        for (x1_m, y1_m), (x2_m, y2_m) in zip(corners, [*corners[1:], corners[0]], strict=True)
    ]
