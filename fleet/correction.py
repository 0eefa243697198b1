"""Which measured poses correct what is believed of a robot, and what they tell of its wheels' noise.

Poses that nothing likely explains are outliers, unless so many of them in a row agree that the robot must have been
carried. The threshold is that of the chi-square distribution with three degrees of freedom (Bar-Shalom, Li and
Kirubarajan, Estimation with Applications to Tracking and Navigation, 2001, section 5.4: gating by the normalised
innovation); poses near enough for the configured floor are used however sure the filter is, but teach no gains then.
How much wheels slip is learned by the same number: where poses surprise more than they should, ways are noisier.
"""

import math
from typing import Final

from fleet.belief import Belief, Spread
from fleet.config import LocalizationConfig
from fleet.geometry import Pose2D

_OUTLIERS_TO_BELIEVE: Final = 5  # so many outliers in a row that agree are the truth: the robot was carried
_SURPRISE: Final = 16.27  # chi-square with three degrees of freedom, exceeded by 0.1 %
_SURPRISE_MEAN: Final = 3.0
_NOISE_LEARNING_PM: Final = 5.0  # how fast the noise of ways follows surprises, per metre of wheels
_NOISE_SCALE_MAX: Final = 100.0


class Correction:
    """Corrects beliefs of one robot by the poses that its pose source measures.

    Parameters
    ----------
    config : how noisy measured poses are, and which are not believed

    Attributes
    ----------
    noise_scale : how many times noisier than usual the ways of the wheels are
    """

    def __init__(self, config: LocalizationConfig) -> None:
        self._config = config
        self._noise = Spread(config.position_std_m, config.heading_std_rad)
        self._displacements: list[Pose2D] = []  # where outliers in a row saw the robot, from where it was believed
        self.noise_scale = 1.0

    def first(self, belief: Belief, measured: Pose2D) -> Belief:
        """Return the belief in a pose of which nothing was known before."""
        return belief.placed(measured, self._noise)

    def correct(self, belief: Belief, measured: Pose2D, rolled_m: float) -> Belief | None:
        """Return the belief after a measured pose, None where it is an outlier.

        Parameters
        ----------
        belief
            what is believed of the time of the pose
        measured
            the pose, in the fleet's frame
        rolled_m
            what both wheels rolled since the last pose; standing still teaches no gains
        """
        after, surprise = belief.seen(measured, self._noise, teaches=rolled_m > 0.0)
        if surprise > _SURPRISE:
            if not self._agrees(belief.pose, measured):
                return self._believed(belief, measured)
            after, _ = belief.seen(measured, self._noise, teaches=False)  # something else than its wheels moved it
        if self._displacements:
            self._displacements.clear()
        self._learn_noise(surprise, rolled_m)
        return after

    def _learn_noise(self, surprise: float, rolled_m: float) -> None:
        if rolled_m == 0.0:
            return
        louder = _NOISE_LEARNING_PM * rolled_m * (min(surprise, _SURPRISE) / _SURPRISE_MEAN - 1.0)
        self.noise_scale = min(_NOISE_SCALE_MAX, max(1.0, self.noise_scale * math.exp(louder)))

    def _agrees(self, first: Pose2D, second: Pose2D) -> bool:
        near = first.distance_to(second) <= self._config.outlier_m
        return near and abs(first.heading_error_to(second)) <= self._config.outlier_rad

    def _believed(self, belief: Belief, measured: Pose2D) -> Belief | None:
        """Count an outlier; return a belief there once enough of them agree with each other."""
        if self._displacements and not self._agrees(self._displacements[-1].compose(belief.pose), measured):
            self._displacements.clear()
        self._displacements.append(measured.compose(belief.pose.inverse()))
        if len(self._displacements) < _OUTLIERS_TO_BELIEVE:
            return None
        self._displacements.clear()
        return belief.placed(measured, self._noise)
