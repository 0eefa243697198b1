"""Ways: trajectories with fixed start times, as uniform motions of a disc."""

import math
from collections.abc import Iterable
from typing import Final

from fleet.timetable.motion import UniformMotion, standing
from fleet.timetable.occupancy import HORIZON_S, Occupancy, free_until, is_in
from fleet.timetable.step_budget import EXAMINED, StepBudget
from fleet.timetable.uniform_cut import cutting, motions_of
from fleet.trajectories.counted_work import CountedWork
from fleet.trajectories.trajectory import Trajectory


class Way:
    """A trajectory that starts at a fixed time; afterwards the robot is stationary at its end.

    Parameters
    ----------
    trajectory : where to drive, with times from the start
    start_s : when it starts
    cut : its motions up to the horizon, as if it started at 0 s; computed if not given

    Attributes
    ----------
    known_s : the end of its known motions; a longer way is taken to end there
    is_known : whether all its motions are known
    motions : the way until then, then stationary without end; growing drops motions long past
    """

    def __init__(self, trajectory: Trajectory, start_s: float, cut: list[UniformMotion] | None = None) -> None:
        self.trajectory: Final = trajectory
        self.start_s: Final = start_s
        self.known_s = start_s
        self.is_known = False
        self.motions: list[UniformMotion] = []
        self._cut: Final = motions_of(trajectory) if cut is None else cut
        self._low_x_m = self._low_y_m = math.inf
        self._high_x_m = self._high_y_m = -math.inf
        self._growth: CountedWork[list[UniformMotion]] | None = None
        self._grows_until_s = start_s + HORIZON_S
        self._add(self._cut)

    @property
    def is_growing(self) -> bool:
        """Whether growing is under way: some of the next motions have been found."""
        return self._growth is not None

    def grow(self, until_s: float, since_s: float, count: int) -> int:
        """Find more motions up to a time, in about `count` steps at most; return the number of steps.

        They are added once all are found; motions that ended before `since_s` are then dropped.
        """
        if self._growth is None:
            self._growth = CountedWork(cutting(self.trajectory, self.known_s - self.start_s, until_s - self.start_s))
            self._grows_until_s = until_s
        done = self._growth.advance(count)
        added = self._growth.result
        if added is not None:
            self._growth = None
            self.motions = [motion for motion in self.motions if since_s < motion.end_s < math.inf]
            self._add(added)
        return done

    def near(self, others: Iterable[UniformMotion], apart_m: float) -> list[UniformMotion]:
        """Return the motions that may come nearer than `apart_m` to the way, or to its end."""
        end = self.trajectory.path.end
        low_x_m, high_x_m = min(self._low_x_m, end.x_m) - apart_m, max(self._high_x_m, end.x_m) + apart_m
        low_y_m, high_y_m = min(self._low_y_m, end.y_m) - apart_m, max(self._high_y_m, end.y_m) + apart_m
        return [motion for motion in others if motion.is_within(low_x_m, high_x_m, low_y_m, high_y_m)]

    def is_near(self, motion: UniformMotion, apart_m: float) -> bool:
        """Whether a motion may come nearer than `apart_m` to the way."""
        return motion.is_within(
            self._low_x_m - apart_m, self._high_x_m + apart_m, self._low_y_m - apart_m, self._high_y_m + apart_m
        )

    def is_far_from(self, other: "Way", apart_m: float) -> bool:
        """Whether the rectangles around two ways are at least `apart_m` from each other, along x or y."""
        return (
            other._low_x_m - self._high_x_m >= apart_m
            or self._low_x_m - other._high_x_m >= apart_m
            or other._low_y_m - self._high_y_m >= apart_m
            or self._low_y_m - other._high_y_m >= apart_m
        )

    def later(self, delay_s: float) -> "Way":
        """Return the same way, started later (or earlier)."""
        return Way(self.trajectory, self.start_s + delay_s, self._cut)

    def _add(self, cut: list[UniformMotion]) -> None:
        """Add motions, and a stationary motion at their end."""
        motions = self.motions
        motions += [motion.later(self.start_s) for motion in cut]
        if motions:
            self.known_s = max(self.start_s, motions[-1].end_s)
        self.is_known = self._grows_until_s >= self.start_s + self.trajectory.duration_s
        motions.append(standing(self.trajectory.sample(self.known_s - self.start_s).pose, self.known_s, math.inf))
        low_x_m = low_y_m = math.inf
        high_x_m = high_y_m = -math.inf
        for motion in motions:
            low_x_m, high_x_m = min(low_x_m, motion.low_x_m), max(high_x_m, motion.high_x_m)
            low_y_m, high_y_m = min(low_y_m, motion.low_y_m), max(high_y_m, motion.high_y_m)
        self._low_x_m, self._high_x_m, self._low_y_m, self._high_y_m = low_x_m, high_x_m, low_y_m, high_y_m


def is_clear(way: Way, delay_s: float, others: Iterable[UniformMotion], apart_m: float, budget: StepBudget) -> bool:
    """Whether a way, delayed, meets no other motion, and nobody comes to its end later."""
    start, end = way.trajectory.path.start, way.trajectory.path.end
    start_s = way.start_s + delay_s
    occupancy = Occupancy(way.near(others, apart_m), apart_m, start_s, start)
    meets = occupancy.meets(way.motions[:-1], delay_s)
    taken = occupancy.taken(end.x_m, end.y_m)
    budget.spend(len(way.motions) // 5 + occupancy.examined // EXAMINED)
    end_s = start_s + way.trajectory.duration_s
    return not meets and not is_in(taken, end_s) and math.isinf(free_until(taken, end_s))
