"""The errands of a demonstration, and when each may be sent: no two robots are on errands to the same place.

Errands are listed in one order. Each place serves those that lead there in this order: an errand is sent once its robot
has done its earlier ones, and the robots of all earlier errands to its places have been there and left.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fleet.geometry import Pose2D
from fleet.tasks.task_kind import TaskKind

_THERE_M = 0.05  # a robot that was this close to a place has been there
_LEFT_M = 0.25  # and has left it at this distance, at which another one can stand there


@dataclass(frozen=True, slots=True)
class Errand:
    """One task of one robot.

    Parameters
    ----------
    stops : where the robot goes, in order: two places for a transport, its home for going home
    """

    robot_id: int
    kind: TaskKind
    stops: tuple[Pose2D, ...]

    @property
    def goal(self) -> Pose2D:
        """Where the robot is at the end."""
        return self.stops[-1]

    def needs(self, place: Pose2D) -> bool:
        """Whether one of its stops is so near to a place that only one robot can stand there."""
        return any(stop.distance_to(place) < _LEFT_M for stop in self.stops)


class ErrandBook:
    """Keeps which errands were sent, and which places they still occupy.

    Parameters
    ----------
    errands : in the order in which places serve them
    """

    def __init__(self, errands: Sequence[Errand]) -> None:
        self._errands = list(errands)
        self._sent: set[int] = set()
        self._visits: dict[tuple[int, int], bool] = {}  # errand and stop that are occupied: was the robot there?

    @property
    def size(self) -> int:
        """How many errands there are."""
        return len(self._errands)

    @property
    def has_unsent(self) -> bool:
        """Whether errands remain to be sent."""
        return len(self._sent) < len(self._errands)

    def note_poses(self, poses: Mapping[int, Pose2D]) -> None:
        """Note where robots are: the places that they have left are free."""
        for (index, stop), was_there in list(self._visits.items()):
            errand = self._errands[index]
            pose = poses.get(errand.robot_id)
            if pose is None:
                continue
            apart_m = pose.distance_to(errand.stops[stop])
            if was_there and apart_m > _LEFT_M:
                del self._visits[index, stop]
            elif apart_m < _THERE_M:
                self._visits[index, stop] = True

    def send(self, idle_ids: Sequence[int]) -> Iterator[Errand]:
        """Yield the errands that may be sent now to robots that are idle; they count as sent."""
        idle = set(idle_ids)
        for index, errand in enumerate(self._errands):
            if index in self._sent or errand.robot_id not in idle:
                continue
            idle.discard(errand.robot_id)  # its later errands wait
            if self._is_free(index):
                self._sent.add(index)
                self._visits.update({(index, stop): False for stop in range(len(errand.stops))})
                yield errand

    def _is_free(self, index: int) -> bool:
        """Whether the robots of all earlier errands to the same places have been there and left."""
        errand = self._errands[index]
        return not any(
            errand.needs(place) and other.robot_id != errand.robot_id
            for earlier, other in enumerate(self._errands[:index])
            for stop, place in enumerate(other.stops)
            if earlier not in self._sent or (earlier, stop) in self._visits
        )
