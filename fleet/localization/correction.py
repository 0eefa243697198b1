"""Decides which measured poses correct the belief about a robot, and learns its wheels' noise from them.

An improbable pose is an outlier, unless so many in a row agree that the robot must have been carried. The threshold is
taken from the chi-square distribution with three degrees of freedom (Bar-Shalom, Li and Kirubarajan, Estimation with
Applications to Tracking and Navigation, 2001, section 5.4: gating by the normalized innovation). Improbable poses
within the configured bounds are used however certain the filter is, but do not update the gains. Wheel slip is learned
from the same number: if it is larger than expected on average, the wheels are noisier.
"""

import math
from typing import Final

from fleet.geometry import Pose2D
from fleet.localization.belief import Belief, Spread
from fleet.settings.config import LocalizationConfig

_OUTLIERS_TO_BELIEVE: Final = 5  # this many agreeing outliers in a row are the truth: the robot was carried
_SURPRISE: Final = 16.27  # chi-square with three degrees of freedom, exceeded by 0.1 %
_SURPRISE_MEAN: Final = 3.0
_NOISE_LEARNING_PM: Final = 5.0  # how fast the wheels' noise follows surprises, per metre rolled
_NOISE_SCALE_MAX: Final = 100.0
_GROWTH_MAX: Final = math.log(_NOISE_SCALE_MAX)


class Correction:
    """Corrects the belief about one robot with the poses that its pose source measures.

    Parameters
    ----------
    config : noise of measured poses, and bounds for outliers

    Attributes
    ----------
    noise_scale : ratio of the noise of the wheels' travel to the usual one
    """

    def __init__(self, config: LocalizationConfig) -> None:
        self._config = config
        self._noise = Spread(config.position_std_m, config.heading_std_rad)
        self._displacements: list[Pose2D] = []  # poses of consecutive outliers relative to the believed pose
        self.noise_scale = 1.0

    def first(self, belief: Belief, measured: Pose2D) -> Belief:
        """Return the belief after the first measured pose."""
        return belief.placed(measured, self._noise)

    def correct(self, belief: Belief, measured: Pose2D, rolled_m: float) -> Belief | None:
        """Return the belief after a measured pose, or None if it is an outlier.

        Parameters
        ----------
        belief
            the belief at the time of the pose
        measured
            the pose, in the fleet's frame
        rolled_m
            travel of both wheels since the last pose; no gains are learned at standstill
        """
        after, surprise = belief.corrected(measured, self._noise, updates_gains=rolled_m > 0.0)
        if surprise > _SURPRISE:
            if not self._agrees(belief.pose, measured):
                return self._believed(belief, measured)
            # something other than its wheels moved it
            after, _ = belief.corrected(measured, self._noise, updates_gains=False)
        if self._displacements:
            self._displacements.clear()
        self._learn_noise(surprise, rolled_m)
        return after

    def _learn_noise(self, surprise: float, rolled_m: float) -> None:
        if rolled_m == 0.0:
            return
        growth = _NOISE_LEARNING_PM * rolled_m * (min(surprise, _SURPRISE) / _SURPRISE_MEAN - 1.0)
        growth = min(growth, _GROWTH_MAX)  # a robot may roll any distance between two poses
        self.noise_scale = min(_NOISE_SCALE_MAX, max(1.0, self.noise_scale * math.exp(growth)))

    def _agrees(self, first: Pose2D, second: Pose2D) -> bool:
        near = first.distance_to(second) <= self._config.outlier_m
        return near and abs(first.heading_error_to(second)) <= self._config.outlier_rad

    def _believed(self, belief: Belief, measured: Pose2D) -> Belief | None:
        """Count an outlier; return a belief at its pose once enough outliers agree with each other."""
        if self._displacements and not self._agrees(self._displacements[-1].compose(belief.pose), measured):
            self._displacements.clear()
        self._displacements.append(measured.compose(belief.pose.inverse()))
        if len(self._displacements) < _OUTLIERS_TO_BELIEVE:
            return None
        self._displacements.clear()
        return belief.placed(measured, self._noise)
