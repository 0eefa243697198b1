"""The robots that can reach the places of a job; where walls leave no way, no robot can perform it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from fleet.dispatch.records.job import Job
from fleet.geometry import Pose2D
from fleet.robots.readiness import Readiness
from fleet.tasks.task_kind import TaskKind

HasWay: TypeAlias = Callable[[Pose2D, Pose2D], bool]


class Reach:
    """Looks for ways to the places of jobs.

    Parameters
    ----------
    has_way : returns whether walls leave a way from one pose to another
    """

    def __init__(self, has_way: HasWay) -> None:
        self._has_way: Final = has_way

    def out_of_reach(self, job: Job, robots: Iterable[Readiness], *, is_loaded: bool = False) -> Pose2D | None:
        """Return a place of a job that no permitted robot can reach; None if at least one robot can reach all.

        A robot whose pose is not known counts as at home. If no pose is known, nothing is out of reach yet. A robot
        that `is_loaded` need not go to the first place again.
        """
        may = [robot for robot in robots if job.allows(robot.robot_id)]
        if all(robot.pose is None for robot in may):
            return None
        found: Pose2D | None = None
        for robot in may:
            missed = self.missed_by(robot, job, is_loaded=is_loaded)
            if missed is None:
                return None
            found = found or missed
        return found

    def missed_by(self, robot: Readiness, job: Job, *, is_loaded: bool = False) -> Pose2D | None:
        """Return the first place of a job that a robot cannot reach; None if it can reach all."""
        here = robot.home if robot.pose is None else robot.pose
        for place in _places(job, robot)[int(is_loaded) :]:
            if not self._has_way(here, place):
                return place
            here = place
        return None


def _places(job: Job, robot: Readiness) -> Sequence[Pose2D]:
    if job.work.kind is TaskKind.GO_HOME:
        return (robot.home,)
    return [place.pose for place in job.work.places]
