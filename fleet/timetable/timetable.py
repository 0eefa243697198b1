"""The timetable of the floor: where each robot is and will be."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from fleet.timetable.motion import Interval, UniformMotion


class Timetable:
    """The motions of each robot; each robot's last motion has no end."""

    def __init__(self) -> None:
        self._motions: dict[int, list[UniformMotion]] = {}

    def enter(self, robot_id: int, motions: Sequence[UniformMotion]) -> None:
        """Set where a robot is and will be, replacing earlier motions."""
        self._motions[robot_id] = list(motions)

    def remove(self, robot_id: int) -> None:
        """Forget a robot: it is not on the floor."""
        self._motions.pop(robot_id, None)

    def motions(self, without: Collection[int] = ()) -> Iterator[UniformMotion]:
        """Yield the motions of all robots except those in `without`."""
        for robot_id, motions in self._motions.items():
            if robot_id not in without:
                yield from motions

    def by_robot(self, without: Collection[int] = ()) -> dict[int, list[UniformMotion]]:
        """Return the motions of all robots except those in `without`, by robot."""
        return {robot_id: motions for robot_id, motions in self._motions.items() if robot_id not in without}


YIELDS_S: Final = 4.0  # how long a robot that waits for its way stays in the way of others
_STOPS_S: Final = 0.25  # a stopping robot drives on as far as it would have in this time


class Others:
    """The other robots, among which some robots are planned together.

    Parameters
    ----------
    timetable : where all robots are and will be
    together : the robots that are planned together
    yielding : for each of these, others that stop when its way starts, and plan again behind it
    leaving : others that wait for their ways, with their stationary motions until they get them
    """

    def __init__(
        self,
        timetable: Timetable,
        together: Collection[int],
        yielding: Mapping[int, Collection[int]],
        leaving: Mapping[int, UniformMotion],
    ) -> None:
        self._timetable: Final = timetable
        self._without: Final = [*together, *leaving]
        self._yielding: Final = yielding
        self._leaving: Final = leaving

    def motions(self, robot_id: int, start_s: float) -> list[UniformMotion]:
        """Return the motions of others for a robot whose way starts at a time."""
        yielding = [other_id for other_id in self._yielding.get(robot_id, ()) if other_id not in self._leaving]
        motions = motions_with_yielding(self._timetable, self._without, yielding, start_s)
        return [*motions, *self._leaving.values()]


def motions_with_yielding(
    timetable: Timetable, without: Collection[int], yielding: Collection[int], start_s: float
) -> list[UniformMotion]:
    """Return the motions of all robots except `without`; yielding robots stop at `start_s`, and leave later."""
    if not yielding:
        return list(timetable.motions(without=without))
    motions = list(timetable.motions(without=[*without, *yielding]))
    for robot_id, theirs in timetable.by_robot(without).items():
        if robot_id in yielding:
            motions += _stopping(theirs, start_s)
    return motions


def _stopping(motions: Sequence[UniformMotion], start_s: float) -> list[UniformMotion]:
    stops_s = start_s + _STOPS_S
    kept = [motion.until(stops_s) for motion in motions if motion.start_s < stops_s]
    if kept:
        last = kept[-1]
        x_m, y_m = last.x_m + last.vx_mps * last.duration_s, last.y_m + last.vy_mps * last.duration_s
    else:  # it was entered after the time at which it yields
        x_m, y_m = motions[0].x_m, motions[0].y_m
    return [*kept, UniformMotion(Interval(stops_s, start_s + YIELDS_S), x_m, y_m, 0.0, 0.0)]
