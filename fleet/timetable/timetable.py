"""The timetable of the floor: where each robot is, and will be."""

from collections.abc import Collection, Iterator, Sequence

from fleet.timetable.motion import UniformMotion


class Timetable:
    """The motions of each robot; each robot's last one has no end."""

    def __init__(self) -> None:
        self._motions: dict[int, list[UniformMotion]] = {}

    def enter(self, robot_id: int, motions: Sequence[UniformMotion]) -> None:
        """Set where a robot is and will be, instead of what was known before."""
        self._motions[robot_id] = list(motions)

    def remove(self, robot_id: int) -> None:
        """Forget a robot: it is not on the floor."""
        self._motions.pop(robot_id, None)

    def motions(self, without: Collection[int] = ()) -> Iterator[UniformMotion]:
        """Yield the motions of all robots but some."""
        for robot_id, motions in self._motions.items():
            if robot_id not in without:
                yield from motions

    def by_robot(self, without: Collection[int] = ()) -> dict[int, list[UniformMotion]]:
        """Return the motions of all robots but some, by robot."""
        return {robot_id: motions for robot_id, motions in self._motions.items() if robot_id not in without}
