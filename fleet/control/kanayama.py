"""Kanayama's law: Kanayama, Kimura, Miyazaki and Noguchi, A stable tracking control method, ICRA 1990.

With the reference relative to the robot (e_x, e_y, e_theta), the reference's twist (v_r, omega_r), and the twist
(v_f, omega_f) that makes lagging wheels move as the reference does (`feed_forward`),

    v     = v_f + v_r (cos e_theta - 1) + kx e_x
    omega = omega_f + v_r ky e_y + max(kturn, ktheta |v_r|) sin e_theta.

The paper has ktheta |v_r| alone, which fades as the reference slows down; kturn keeps correcting the heading while it
turns on the spot. Beyond a right angle sin e_theta is replaced by its sign: the turn back does not get slower.

Stability: with V = (e_x^2 + e_y^2) / 2 + (1 - cos e_theta) / ky, wheels that obey at once and |e_theta| <= pi / 2,
V' = -kx e_x^2 - max(kturn, ktheta |v_r|) sin^2 e_theta / ky <= 0, for any reference, forwards or backwards. Linearized
about a straight one, the along-track error decays with kx, the cross-track error with s^2 + k s + v_r^2 ky = 0 where k
is the maximum; with the shipped gains and 0.1 m/s: poles -1.22 /s and -3.28 /s, which is a fixed distance of 8 cm.
"""

import math

from fleet.control.control_law import ControlInput
from fleet.control.tracker_config import KanayamaGains
from fleet.geometry import Twist2D
from fleet.trajectories.trajectory import Reference


class Kanayama:
    """Kanayama's law; `gains` set how strongly it corrects."""

    def __init__(self, gains: KanayamaGains) -> None:
        self._gains = gains

    def steer(self, control_input: ControlInput, reference: Reference, forward: Twist2D) -> Twist2D:
        """Return the twist that brings the robot to its reference and moves it along with it."""
        error = reference.pose.relative_to(control_input.pose)
        speed_mps = reference.twist.linear_mps
        swing = math.sin(error.heading_rad)
        if abs(error.heading_rad) > 0.5 * math.pi:
            swing = math.copysign(1.0, error.heading_rad)
        turn_gain_per_s = max(self._gains.kturn_per_s, self._gains.ktheta_per_m * abs(speed_mps))
        return Twist2D(
            forward.linear_mps + speed_mps * (math.cos(error.heading_rad) - 1.0) + self._gains.kx_per_s * error.x_m,
            forward.angular_radps + speed_mps * self._gains.ky_per_m2 * error.y_m + turn_gain_per_s * swing,
        )
