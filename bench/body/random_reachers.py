"""Reachers that command arbitrary velocities, which the coupler must keep within the limits."""

import numpy as np

from bench.body.arm_loop import PERIOD_S, ArmLoop, example_body
from body.memory.body_board import BodyState, Share
from body.reachers.reacher import EndReason, GoalEnd

LONGEST_S = 20.0  # simulated time of one arm and its reachers, in the benchmark
_ABSURD = 0.05  # share of steps with an absurd velocity


class RandomReacher:
    """Commands random velocities, now and then absurd ones.

    Parameters
    ----------
    rng : source of randomness
    """

    is_busy = True

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def step(self, _: BodyState, __: int) -> Share:
        """Return velocities of some of the joints."""
        velocities = self._rng.normal(0, 3, 7)
        if self._rng.random() < _ABSURD:
            velocities[self._rng.integers(7)] = self._rng.choice([np.nan, np.inf, -np.inf, 1e300])
        return Share(velocities, np.zeros(7), (self._rng.random(7) < 0.7).astype(np.float64))

    def end(self, reason: EndReason) -> None:
        """Do nothing."""

    def take_end(self) -> GoalEnd | None:
        """Return None: there is no end."""
        return None


def violations(seconds: float, seed: int | tuple[int, ...]) -> int:
    """Return the number of samples of joints or commands beyond a limit or too fast, with 1 to 4 random reachers.

    Parameters
    ----------
    seconds
        simulated time
    seed
        seed of weights, velocities and start positions
    """
    rng = np.random.default_rng(seed)
    arm = example_body("arm")
    reachers = [(RandomReacher(rng), float(rng.uniform(0, 10))) for _ in range(int(rng.integers(1, 5)))]
    loop = ArmLoop(arm, reachers, rng.uniform(arm.lower, arm.upper))
    found, before = 0, None
    for _ in range(round(seconds / PERIOD_S)):
        loop.step()
        found += int((np.abs(loop.arm.velocities) > arm.fastest + 1e-9).any())
        found += int(((loop.arm.positions < arm.lower) | (loop.arm.positions > arm.upper)).any())
        if loop.topics:
            found += int(((loop.references < arm.lower) | (loop.references > arm.upper)).any())
            if before is not None:
                found += int((np.abs(loop.references - before) > arm.fastest * PERIOD_S + 1e-12).any())
            before = loop.references
    return found
