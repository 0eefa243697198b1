"""PD pure pursuit: Park, Path Tracking Control of a Small Mobile Robot, Cornell University, 2024, sections 5.1 and 6.

The law as published, and the baseline that every other is measured against. With the errors of `TrackingError`,

    v     = v_ref + ks * delta_s
    omega = omega_ref + kn * delta_n + ktheta * delta_theta,

where the published gains are ks = 1 /s, kn = 20 rad/(m s), ktheta = 5 /s. The reference is a point that moves along the
path at constant speed, through corners too; here it takes as long as the trajectory. As in the published program its
heading is the direction from its last place to this one, and v_ref and omega_ref are the differences of the last two
places and headings over the period; the difference of headings is not wrapped.

Stability: linearized about a straight reference at v, the along-track error decays with ks, the cross-track error with
s^2 + ktheta s + kn v = 0: poles -0.44 /s and -4.56 /s at 0.1 m/s. That holds near the reference only. v lacks the
cosine of the heading error, so a robot that faces backwards drives away from its reference, and near 180 degrees the
noise of the heading chooses another direction of turning each time. Across the heading of +-pi the difference of
headings commands a whole turn for one period.
"""

import math
from typing import Final

from fleet.control.control_law import NO_ERROR, ControlInput, TrackingError, Tracks, tracking_error
from fleet.control.tracker_config import PdPursuitGains
from fleet.geometry import Pose2D, Twist2D, wrap_angle
from fleet.trajectories.timing import plan_at_constant_speed
from fleet.trajectories.trajectory import Trajectory

_MOVED_M: Final = 1e-6  # a reference that moves by less has no direction of motion


class PdPursuit:
    """The published law.

    Parameters
    ----------
    trajectory : the trajectory to track
    gains : the three gains
    """

    tracks = Tracks.TIME

    def __init__(self, trajectory: Trajectory, gains: PdPursuitGains) -> None:
        path, duration_s = trajectory.path, trajectory.duration_s
        moves = path.length_m > 0.0 and duration_s > 0.0
        self._point = plan_at_constant_speed(path, path.length_m / duration_s) if moves else trajectory
        self._gains = gains
        self._before: Pose2D | None = None
        self._plan_time_s = 0.0
        self._error = NO_ERROR

    @property
    def plan_time_s(self) -> float:
        """The time of the reference that was last tracked."""
        return self._plan_time_s

    @property
    def error(self) -> TrackingError:
        """The errors of the last step."""
        return self._error

    def step(self, control_input: ControlInput) -> Twist2D:
        """Return the published twist."""
        reference, forward = self._reference(control_input)
        self._error = error = tracking_error(control_input.pose, reference)
        self._plan_time_s = control_input.time_s
        gains = self._gains
        return Twist2D(
            forward.linear_mps + gains.ks_per_s * error.along_m,
            forward.angular_radps + gains.kn_rad_per_m_s * error.cross_m + gains.ktheta_per_s * error.heading_rad,
        )

    def _reference(self, control_input: ControlInput) -> tuple[Pose2D, Twist2D]:
        """Return the reference's pose, heading in its direction of motion, and the twist that led there."""
        sample = self._point.sample(control_input.time_s)
        here, sense = sample.pose, -1.0 if sample.twist.linear_mps < 0.0 else 1.0
        before = self._before or self._point.sample(control_input.time_s - control_input.period_s).pose
        moved_m = before.distance_to(here)
        heading_rad = here.heading_rad
        if moved_m > _MOVED_M:
            heading_rad = before.bearing_to(here) if sense > 0.0 else wrap_angle(before.bearing_to(here) + math.pi)
        self._before = Pose2D(here.x_m, here.y_m, heading_rad)
        turned_rad = heading_rad - before.heading_rad
        return self._before, Twist2D(sense * moved_m / control_input.period_s, turned_rad / control_input.period_s)
