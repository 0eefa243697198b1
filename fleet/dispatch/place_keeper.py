"""Keeps places for jobs: which robots may come to a place, and which must leave one.

A transport needs its first place until its robot has left it loaded, and its last place from then on. Jobs with the
same first place start one after the other. A second job that ends at a place starts once the first has loaded, a third
once the first has ended: robots would otherwise wait with loads, in the way of others. A job only starts if that closes
no ring of jobs in which each waits at its first place for the place of the next; so robots always leave places
eventually.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from fleet.dispatch.records.job_record import LOAD_LEG, JobRecord
from fleet.geometry import Pose2D
from fleet.robots.readiness import Readiness
from fleet.settings.dispatch_config import Finishing
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Place

_IDLE_NS: Final = 3_000_000_000  # a robot without a job for this long goes where it is to wait


class PlaceKeeper:
    """Decides about the places of one fleet.

    Parameters
    ----------
    apart_m : robots at places that are nearer to each other are in each other's way
    parking : places where robots without a job may wait
    finishing : where they actually wait
    """

    def __init__(self, apart_m: float, parking: Sequence[Pose2D], finishing: Finishing) -> None:
        self._apart_m: Final = apart_m
        self._parking: Final = parking
        self._finishing: Final = finishing
        self._idle_since_ns: dict[int, int] = {}
        self._poses: dict[int, Pose2D] = {}  # of all robots
        self._finished: Final[set[int]] = set()  # robots whose latest task was that of a job

    def note_end(self, robot_id: int) -> None:
        """Note that a robot's task for a job has ended."""
        self._finished.add(robot_id)

    def note_poses(self, robots: Iterable[Readiness]) -> None:
        """Note the robots' poses: a robot that has loaded keeps its place until it has left it."""
        self._poses = {robot.robot_id: robot.pose for robot in robots if robot.pose is not None}

    def awaits(self, record: JobRecord, performed: Mapping[int, JobRecord]) -> str:
        """Return the place for which a job must wait, in words; "" if it may start.

        Parameters
        ----------
        record
            the job
        performed
            jobs in progress, by robot
        """
        places = _needed(record)
        if not places:
            return ""
        for other in performed.values():
            held = self._held(other)
            if held and self._is_same(held[0].pose, places[0].pose):
                return f"for the place {places[0]}, which {other.job_id} needs"
        if len(places) > 1 and (ahead := self._ahead(places[1], performed.values())):
            return f"for the place {places[1]}, where {' and '.join(ahead)} will unload"
        if len(places) > 1 and self._closes_ring(places, performed.values()):
            return f"for the place {places[1]}: robots there wait for {places[0]}"
        return ""

    def sent_away(
        self,
        robots: Iterable[Readiness],
        performed: Mapping[int, JobRecord],
        now_ns: int,
        kept: Mapping[int, Pose2D] | None = None,
    ) -> list[tuple[int, Pose2D]]:
        """Return robots without a task that must leave now, with goals: they are in the way, or their jobs are done.

        Parameters
        ----------
        robots
            all robots; those of other hosts are not able
        performed
            jobs in progress, by robot
        now_ns
            the core's clock
        kept
            the chargers of charging robots
        """
        kept = kept or {}
        everybody = list(robots)
        self._finished.difference_update(one.robot_id for one in everybody if one.task_id)
        idle = [one for one in everybody if _has_nothing_to_do(one) and one.robot_id not in kept]
        self._idle_since_ns = {one.robot_id: self._idle_since_ns.get(one.robot_id, now_ns) for one in idle}
        needed = [place.pose for record in performed.values() for place in self._held(record)] + list(kept.values())
        sent: list[tuple[int, Pose2D]] = []
        for robot in idle:
            if robot.pose is None:
                continue
            is_in_the_way = any(self._is_same(robot.pose, place) for place in needed)
            is_done = now_ns - self._idle_since_ns[robot.robot_id] >= _IDLE_NS
            is_done = is_done and robot.robot_id in self._finished and self._finishing is not Finishing.STAY
            if is_in_the_way or is_done:
                taken = [*needed, *(goal for _, goal in sent), *_places_of(everybody, robot)]
                goal = self._waiting_place(robot, robot.pose, taken)
                if goal is not None:
                    sent.append((robot.robot_id, goal))
        return sent

    def _waiting_place(self, robot: Readiness, here: Pose2D, taken: Sequence[Pose2D]) -> Pose2D | None:
        """Return where a robot should wait; None if it waits there already, or no place is free."""
        nearest = sorted(self._parking, key=here.distance_to)
        wanted = [robot.home] if self._finishing is Finishing.HOME else [*nearest, robot.home]
        for place in wanted:
            if here.distance_to(place) < 0.5 * self._apart_m and not any(self._is_same(place, one) for one in taken):
                return None
            if not any(self._is_same(place, one) for one in taken):
                return place
        return None

    def _ahead(self, end: Place, performed: Iterable[JobRecord]) -> list[str]:
        """Return the other jobs that end at a place; none if it is one job that has loaded: another may follow it."""
        held = [(other, places) for other in performed if (places := self._held(other))]
        same = [other for other, places in held if self._is_same(places[-1].pose, end.pose)]
        is_near_its_end = len(same) == 1 and same[0].attempt is not None and same[0].attempt.leg > LOAD_LEG
        return [] if is_near_its_end else [other.job_id for other in same]

    def _closes_ring(self, places: Sequence[Place], performed: Iterable[JobRecord]) -> bool:
        """Whether ways of other jobs lead from a job's end back to its start."""
        ways = [held for held in map(self._held, performed) if len(held) > 1]
        if self._is_same(places[-1].pose, places[0].pose):
            return False  # it needs one place, and no other job that starts there runs
        reached = [places[-1].pose]
        for place in reached:
            if self._is_same(place, places[0].pose):
                return True
            reached += [
                way[-1].pose
                for way in ways
                if self._is_same(way[0].pose, place) and not any(self._is_same(way[-1].pose, one) for one in reached)
            ]
        return False

    def _held(self, record: JobRecord) -> tuple[Place, ...]:
        """Return the places that the running attempt still needs, in order."""
        attempt, places = record.attempt, record.job.work.places
        if attempt is None or record.job.work.kind is not TaskKind.TRANSPORT or attempt.leg <= LOAD_LEG:
            return places
        here = self._poses.get(attempt.robot_id)
        return places if here is not None and self._is_same(here, places[0].pose) else places[1:]

    def _is_same(self, one: Pose2D, other: Pose2D) -> bool:
        return one.distance_to(other) < self._apart_m


def _has_nothing_to_do(robot: Readiness) -> bool:
    return robot.is_able and not robot.task_id and not robot.is_aside


def _needed(record: JobRecord) -> tuple[Place, ...]:
    """Return the places that the next attempt needs, in order."""
    return record.job.work.places[1:] if record.loaded_robot is not None else record.job.work.places


def _places_of(robots: Iterable[Readiness], but: Readiness) -> list[Pose2D]:
    """Return the poses and goals of all other robots."""
    others = [robot for robot in robots if robot is not but]
    places = [place for robot in others for place in (robot.pose, robot.task_end, robot.aside_at)]
    return [place for place in places if place is not None]
