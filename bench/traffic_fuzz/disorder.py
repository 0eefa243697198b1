"""Causes random events: tasks, growing routes, cancels, stops, losses, pushes, hand-overs, teleoperation."""

import heapq
import math
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Final

from numpy.random import Generator

from bench.traffic_fuzz.fuzz_floor import FuzzFloor
from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D, Twist2D
from fleet.paths.shapes import square
from fleet.tasks.route import RouteLeg, RouteLegKind
from fleet.tasks.task import TaskRequest, follow_path, go_home, go_to, transport
from fleet.tasks.task_kind import TaskKind
from fleet.work.task_of_work import task_of_work
from fleet.work.work import RouteExtension, Work
from thymio_base.parts import finished

_EDGE_M = 0.1  # of goals, from walls and edges
_FROM_WALLS_M, _FROM_ROBOTS_M = 0.2, 0.35  # of places to which robots are carried, so that none touches others at once
_PUSH_M, _PUSH_RAD, _PUSHED_FREE_M = 0.04, 0.4, 0.2
_SEEN_S: Final = 0.1  # between two poses of a robot that another driver serves
_SQUARE_M = 0.3


class Disorder:
    """The random events of one run.

    Parameters
    ----------
    floor : the floor with the robots
    random : chooses events and their times
    events_hz : rate of events

    Attributes
    ----------
    accepted : ids of all accepted tasks, in order
    counts : number of events of each kind
    displaced_s : when each robot was last pushed or carried
    """

    def __init__(self, floor: FuzzFloor, random: Generator, events_hz: float) -> None:
        self.accepted: list[str] = []
        self.counts: Counter[str] = Counter()
        self.displaced_s: dict[int, float] = {}
        self._floor = floor
        self._lab = floor.lab
        self._random = random
        self._mean_s = 1.0 / events_hz
        self._next_s = 0.0
        self._numbers = count(1)
        self._ends: list[tuple[float, int, Callable[[], object]]] = []
        self._cut: set[int] = set()
        self._yielded: set[int] = set()
        self._twists: dict[int, Twist2D] = {}
        self._is_stopped = False
        self._seen_s = 0.0
        self._kinds: list[tuple[Callable[[int, float], bool], int]] = [
            (self._task, 40),
            (self._extend, 20),
            (self._cancel, 8),
            (self._stop, 1),
            (self._lose, 3),
            (self._lose_all, 1),
            (self._hide, 4),
            (self._push, 6),
            (self._carry, 3),
            (self._yield, 3),
            (self._teleoperate, 6),
        ]
        weights = [weight for _, weight in self._kinds]
        self._shares = [weight / sum(weights) for weight in weights]

    def advance(self, time_s: float) -> None:
        """Cause the events that are due."""
        self._end_due(time_s)
        while time_s >= self._next_s:
            self._next_s += float(self._random.exponential(self._mean_s))
            kind = self._kinds[int(self._random.choice(len(self._kinds), p=self._shares))][0]
            robot_id = int(self._random.choice(self._lab.robot_ids))
            if kind(robot_id, time_s):
                self.counts[kind.__name__.strip("_")] += 1
        self.keep_on(time_s)

    def end(self) -> None:
        """End all lasting events; no further event happens."""
        self._end_due(math.inf)

    def keep_on(self, time_s: float) -> None:
        """Continue lasting events: teleoperation, and poses of robots that another driver serves."""
        for robot_id, twist in self._twists.items():
            self._lab.service.drive(robot_id, twist, self._lab.now_ns)
        if time_s - self._seen_s >= _SEEN_S:
            self._seen_s = time_s
            for robot_id in sorted(self._yielded):
                self._neighbourhood_sees(robot_id)

    def is_served(self, robot_id: int) -> bool:
        """Whether the fleet serves a robot, can reach it, and sees it."""
        return robot_id not in self._yielded and robot_id not in self._cut and robot_id not in self._lab.hidden

    # Tasks

    def _task(self, robot_id: int, _: float) -> bool:
        task_id = f"task {next(self._numbers)}"
        goals = [self._floor.place(_EDGE_M, 0.0) for _ in range(2)]
        first, second = (self._floor.homes[robot_id] if goal is None else goal for goal in goals)
        kind = int(self._random.integers(8))
        if kind == 0:
            request = go_home(task_id, self._lab.service.robot(robot_id).config.home)
        elif kind == 1:
            request = transport(task_id, first, second, 1.0)
        elif kind == 2:
            path = square(_SQUARE_M).moved(self._lab.truth(robot_id))
            request = follow_path(task_id, path, self._lab.config.following)
        elif kind > 5:
            return self._route(robot_id, task_id)
        else:
            request = go_to(task_id, first)
        return self.assign(robot_id, request)

    def _route(self, robot_id: int, task_id: str) -> bool:
        estimate = self._lab.service.robot(robot_id).telemetry.estimate
        work = Work(TaskKind.FOLLOW_ROUTE, route=self._legs(robot_id))
        config, home = self._lab.config, self._floor.homes[robot_id]
        try:
            pose = None if estimate is None else estimate.pose
            request = task_of_work(work, task_id, config, home=home, pose=pose)
        except GoalRejectedError:
            return False
        return self.assign(robot_id, request)

    def _extend(self, robot_id: int, _: float) -> bool:
        service, legs = self._lab.service, self._legs(robot_id)
        try:
            finished(service.extending_route(robot_id, service.robot(robot_id).task_id, RouteExtension(legs)))
        except GoalRejectedError:
            return False
        return True

    def _legs(self, robot_id: int) -> tuple[RouteLeg, ...]:
        """Return one to three legs: mostly drives."""
        legs = []
        for _ in range(int(self._random.integers(1, 4))):
            place = self._floor.place(_EDGE_M, 0.0) or self._floor.homes[robot_id]
            kind = int(self._random.integers(6))
            if kind == 0:
                legs.append(RouteLeg(RouteLegKind.TURN, value=place.heading_rad))
            elif kind == 1:
                legs.append(RouteLeg(RouteLegKind.WAIT, value=1.0))
            else:
                legs.append(RouteLeg(RouteLegKind.DRIVE, ((place.x_m, place.y_m),)))
        return tuple(legs)

    def assign(self, robot_id: int, request: TaskRequest) -> bool:
        """Assign a task; return whether it was accepted."""
        if self._lab.service.assign(robot_id, request, self._lab.now_ns) is not None:
            return False
        self.accepted.append(request.task_id)
        return True

    def _cancel(self, robot_id: int, _: float) -> bool:
        robot = self._lab.service.robot(robot_id)
        return robot.cancel(robot.task_id, self._lab.now_ns) if robot.task_id else False

    # Stops and losses

    def _stop(self, _: int, time_s: float) -> bool:
        if self._is_stopped:
            return False
        self._is_stopped = True
        self._lab.service.stop()
        self._end_after(time_s, 0.2, 3.0, self._resume)
        return True

    def _resume(self) -> None:
        self._is_stopped = False
        self._lab.service.resume()

    def _lose(self, robot_id: int, time_s: float) -> bool:
        if robot_id in self._cut:
            return False
        self._cut.add(robot_id)
        self._lab.cut_off(robot_id)
        self._end_after(time_s, 0.1, 8.0, partial(self._find, robot_id))
        return True

    def _find(self, robot_id: int) -> None:
        self._cut.discard(robot_id)
        self._lab.join(robot_id)

    def _lose_all(self, _: int, time_s: float) -> bool:
        if self._cut:
            return False
        self._cut.update(self._lab.robot_ids)
        self._lab.switch_off()
        self._end_after(time_s, 0.1, 2.0, self._find_all)
        return True

    def _find_all(self) -> None:
        self._cut.clear()
        self._lab.switch_on()

    def _hide(self, robot_id: int, time_s: float) -> bool:
        if robot_id in self._lab.hidden or time_s - self.displaced_s.get(robot_id, -math.inf) < 1.0:
            return False
        self._lab.hidden.add(robot_id)
        self._end_after(time_s, 0.2, 4.0, partial(self._lab.hidden.discard, robot_id))
        return True

    # Pushes

    def _push(self, robot_id: int, time_s: float) -> bool:
        x_m, y_m = self._random.uniform(-_PUSH_M, _PUSH_M, 2).tolist()
        push = Pose2D(x_m, y_m, self._random.uniform(-_PUSH_RAD, _PUSH_RAD))
        place = self._lab.truth(robot_id).compose(push)
        others = (self._lab.truth(other_id) for other_id in self._lab.robot_ids if other_id != robot_id)
        has_room = self._floor.has_room(place, _EDGE_M)
        is_free = has_room and all(place.distance_to(other) >= _PUSHED_FREE_M for other in others)
        return is_free and self._displace(robot_id, place, time_s)

    def _carry(self, robot_id: int, time_s: float) -> bool:
        place = self._floor.place(_FROM_WALLS_M, _FROM_ROBOTS_M, without=robot_id)
        return place is not None and self._displace(robot_id, place, time_s)

    def _displace(self, robot_id: int, place: Pose2D, time_s: float) -> bool:
        """Move a robot, unless no pose source would see that."""
        if robot_id in self._lab.hidden:
            return False
        poses = self._lab.simulation.world.poses
        poses.array[self._lab.index(robot_id)] = place.x_m, place.y_m, place.heading_rad
        self.displaced_s[robot_id] = time_s
        return True

    # Hand-overs and teleoperation

    def _yield(self, robot_id: int, time_s: float) -> bool:
        """Hand a robot to another driver, which does not move it."""
        if robot_id in self._yielded:
            return False
        self._yielded.add(robot_id)
        self._lab.service.yield_robot(robot_id, "another driver")
        self._twists.pop(robot_id, None)
        self._end_after(time_s, 0.5, 6.0, partial(self._serve, robot_id))
        return True

    def _serve(self, robot_id: int) -> None:
        self._yielded.discard(robot_id)
        self._lab.service.serve_robot(robot_id)

    def _neighbourhood_sees(self, robot_id: int) -> None:
        self._floor.neighbourhood.see(robot_id, self._lab.truth(robot_id), 0, self._lab.now_ns)

    def _teleoperate(self, robot_id: int, time_s: float) -> bool:
        if robot_id in self._yielded:
            return False
        linear_mps, angular_radps = self._random.uniform(-1.0, 1.0, 2).tolist()
        self._twists[robot_id] = Twist2D(0.14 * linear_mps, 2.0 * angular_radps)
        self._end_after(time_s, 0.2, 3.0, partial(self._twists.pop, robot_id, None))
        return True

    # Ends

    def _end_after(self, time_s: float, least_s: float, most_s: float, end: Callable[[], object]) -> None:
        at_s = time_s + float(self._random.uniform(least_s, most_s))
        heapq.heappush(self._ends, (at_s, next(self._numbers), end))

    def _end_due(self, time_s: float) -> None:
        while self._ends and self._ends[0][0] <= time_s:
            heapq.heappop(self._ends)[2]()
