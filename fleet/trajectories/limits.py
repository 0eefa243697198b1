"""The limits of planned motion: speeds, accelerations and jerks."""

import math
from dataclasses import dataclass, fields, replace

from aseba_link.thymio.events import AXLE_LENGTH_M
from fleet.errors import PathError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits that a planned motion never exceeds; all are positive, and infinite if there is no limit.

    Parameters
    ----------
    speed_mps, acceleration_mps2, jerk_mps3 : along the path
    turn_radps, turn_acceleration_radps2, turn_jerk_radps3 : of turns on the spot
    wheel_mps : speed of each wheel
    wheel_acceleration_mps2 : acceleration of each wheel
    wheel_step_mps : sudden change of a wheel's speed at a jump of curvature, such as from a line to an arc
    lateral_mps2 : acceleration across the path
    axle_length_m : distance between the wheels
    """

    speed_mps: float
    acceleration_mps2: float
    turn_radps: float
    turn_acceleration_radps2: float
    jerk_mps3: float = math.inf
    turn_jerk_radps3: float = math.inf
    wheel_mps: float = math.inf
    wheel_acceleration_mps2: float = math.inf
    wheel_step_mps: float = math.inf
    lateral_mps2: float = math.inf
    axle_length_m: float = AXLE_LENGTH_M

    def __post_init__(self) -> None:
        """Check that all limits are positive, and that those needed for a finite duration are finite."""
        for field in fields(self):
            value = getattr(self, field.name)
            if not value > 0.0:
                raise PathError(f"the limit {field.name} is {value}, not positive")
        for name in ("speed_mps", "acceleration_mps2", "turn_radps", "turn_acceleration_radps2", "axle_length_m"):
            if math.isinf(getattr(self, name)):
                raise PathError(f"the limit {name} is infinite")

    @property
    def half_axle_m(self) -> float:
        """Distance of a wheel from the middle of the axle; times a turn rate, it gives a wheel speed."""
        return 0.5 * self.axle_length_m

    def at_speed(self, speed_mps: float) -> "Limits":
        """Return these limits with another speed along the path."""
        return replace(self, speed_mps=speed_mps)

    def on_arc(self, curvature_per_m: float) -> tuple[float, float]:
        """Return the (speed, acceleration) on a path of constant curvature within all limits except jerk and step.

        The outer wheel turns at v (1 + |kappa| L / 2), the acceleration across is v^2 |kappa|.
        """
        bend_per_m = abs(curvature_per_m)
        outer = 1.0 + bend_per_m * self.half_axle_m
        across_mps = math.sqrt(self.lateral_mps2 / bend_per_m) if bend_per_m > 0.0 else math.inf
        return (
            min(self.speed_mps, self.wheel_mps / outer, across_mps),
            min(self.acceleration_mps2, self.wheel_acceleration_mps2 / outer),
        )

    def on_the_spot(self) -> tuple[float, float]:
        """Return the (rate, acceleration) of turns on the spot within the limits of turns and wheels."""
        return (
            min(self.turn_radps, self.wheel_mps / self.half_axle_m),
            min(self.turn_acceleration_radps2, self.wheel_acceleration_mps2 / self.half_axle_m),
        )

    def over_step(self, step_per_m: float) -> float:
        """Return the highest speed for a jump of the curvature: the wheels' speeds then jump by v |step| L / 2."""
        return self.wheel_step_mps / (abs(step_per_m) * self.half_axle_m) if step_per_m else math.inf
