"""Regulated pure pursuit: Coulter, Implementation of the pure pursuit path tracking algorithm, CMU-RI-TR-92-01, 1992.

The robot drives on the circle through a place ahead on its path, at the lookahead distance L: with that place at
(x, y) in the robot's frame, its curvature is gamma = 2 y / (x^2 + y^2), and omega = v gamma. It is regulated after
Macenski, Singh, Martin and Gines, Regulated pure pursuit for robot path tracking, Autonomous Robots 47, 2023:

    L = L_0 + T v                                      the lookahead grows with speed,
    v = v_plan min(1, 1 / (r |gamma|), remaining / l)  slower in curves below the radius r, and near the end,

and the robot turns on the spot where the path does, and where its heading error is large. Unlike in that paper, a
place beyond the end of a leg is taken on the extension of the leg: the robot goes straight to corners and does not cut
them.

Stability: linearized about a straight path, over the distance driven, d'' + (2 / L) d' + (2 / L^2) d = 0: poles
(-1 +- i) / L, whatever the speed. Constant curvature is followed exactly, changes of curvature are smoothed over L; a
command that acts late by a distance of L / 2 or more makes it oscillate. L is the compromise.
"""

import math

from fleet.control.control_law import ControlInput, TrackingError
from fleet.control.path_progress import PathPlace
from fleet.control.tracker_config import PurePursuitGains
from fleet.geometry import Pose2D, Twist2D
from fleet.paths.path import Path


class PurePursuit:
    """Regulated pure pursuit.

    Parameters
    ----------
    path : the path to follow
    gains : lookahead and regulation
    """

    def __init__(self, path: Path, gains: PurePursuitGains) -> None:
        self._path = path
        self._gains = gains

    def drive(self, control_input: ControlInput, place: PathPlace, error: TrackingError) -> Twist2D:
        """Return the twist along the circle through the place ahead."""
        gains = self._gains
        lookahead_m = gains.lookahead_m + gains.lookahead_s * place.speed_mps
        ahead = self._ahead(place, lookahead_m).relative_to(control_input.pose)
        distance2_m2 = max(ahead.x_m * ahead.x_m + ahead.y_m * ahead.y_m, 0.25 * lookahead_m * lookahead_m)
        bend_per_m = 2.0 * ahead.y_m / distance2_m2
        sense = -1.0 if place.point.is_backward else 1.0
        slower = min(
            1.0,
            1.0 / max(gains.radius_m * abs(bend_per_m), 1e-9),
            place.remaining_m / gains.approach_m,
        )
        speed_mps = max(min(gains.creep_mps, place.speed_mps), place.speed_mps * slower)
        return Twist2D(sense * speed_mps, sense * speed_mps * bend_per_m)

    def _ahead(self, place: PathPlace, lookahead_m: float) -> Pose2D:
        """Return the place on the path at the lookahead distance; beyond the leg's end, on its extension."""
        path, leg = self._path, place.leg
        beyond_m = place.point.s_m + lookahead_m - leg.to_s_m
        if beyond_m <= 0.0:
            return path.sample(place.point.s_m + lookahead_m).pose
        end = path.sample(leg.to_s_m, arriving=True).pose
        return end.compose(Pose2D(math.copysign(beyond_m, -1.0 if leg.is_backward else 1.0), 0.0, 0.0))
