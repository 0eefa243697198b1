"""Teleoperates all robots at random."""

from numpy.random import Generator

from experiments.lab.lab import Lab
from fleet.geometry import STILL, Twist2D

_SPEED_MPS, _TURN_RADPS = 0.14, 2.0
_LEAST_S, _MOST_S = 0.5, 2.0  # duration of a twist


class RandomTwists:
    """The twists of one run.

    Parameters
    ----------
    lab : the lab with the robots
    random : chooses twists and their durations
    """

    def __init__(self, lab: Lab, random: Generator) -> None:
        self._lab = lab
        self._random = random
        self._twists = dict.fromkeys(lab.robot_ids, STILL)
        self._until_ns = dict.fromkeys(lab.robot_ids, 0)

    def drive(self) -> None:
        """Send every robot its twist; call before each tick."""
        for robot_id in self._twists:
            if self._lab.now_ns >= self._until_ns[robot_id]:
                self._choose(robot_id)
            self._lab.service.drive(robot_id, self._twists[robot_id], self._lab.now_ns)

    def _choose(self, robot_id: int) -> None:
        linear_mps, angular_radps = self._random.uniform(-1.0, 1.0, 2).tolist()
        self._twists[robot_id] = Twist2D(_SPEED_MPS * linear_mps, _TURN_RADPS * angular_radps)
        self._until_ns[robot_id] = self._lab.now_ns + round(self._random.uniform(_LEAST_S, _MOST_S) * 1e9)
