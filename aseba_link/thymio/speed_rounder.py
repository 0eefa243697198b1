"""Motor targets for wheel speeds: whole motor units with the correct mean."""

from aseba_link.thymio.events import NOMINAL_UNITS, SpeedUnits, speed_to_raw

Targets = tuple[int, int]  # left, right, in motor units


class SpeedRounder:
    """Rounds a robot's wheel speeds to motor units.

    Half a unit is 0.5 % of a wheel's speed at 33 mm/s, which alone would move a robot 25 mm sideways over a metre. So
    each rounding error is added before the next rounding, and the robot, whose motors respond more slowly than that,
    drives at the mean.

    Parameters
    ----------
    units : speed of each wheel at one motor unit
    """

    def __init__(self, units: SpeedUnits = NOMINAL_UNITS) -> None:
        self._units = units
        self._residuals_mps = (0.0, 0.0)

    def nearest(self, left_mps: float, right_mps: float) -> Targets:
        """Return the targets nearest to wheel speeds, clamped to the motors' range."""
        return speed_to_raw(left_mps, self._units.left_mps), speed_to_raw(right_mps, self._units.right_mps)

    def next(self, left_mps: float, right_mps: float) -> Targets:
        """Return the targets to send now; a stop is sent as 0, 0 and clears the residuals."""
        nearest_left, nearest_right = self.nearest(left_mps, right_mps)
        if nearest_left == 0 and nearest_right == 0:
            self._residuals_mps = (0.0, 0.0)
            return 0, 0
        left_unit_mps, right_unit_mps = self._units.left_mps, self._units.right_mps
        left_residual_mps, right_residual_mps = self._residuals_mps
        left, right = self.nearest(left_mps + left_residual_mps, right_mps + right_residual_mps)
        self._residuals_mps = (
            _clamp_residual(left_mps + left_residual_mps - left * left_unit_mps, left_unit_mps),
            _clamp_residual(right_mps + right_residual_mps - right * right_unit_mps, right_unit_mps),
        )
        return left, right


def _clamp_residual(residual_mps: float, unit_mps: float) -> float:
    """Return a rounding error without the effect of clamping the target."""
    return max(-0.5 * unit_mps, min(0.5 * unit_mps, residual_mps))
