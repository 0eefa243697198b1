"""The traffic of one floor: where robots are and will be, which ways they get, and who may drive on now."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from fleet.geometry import Pose2D, Twist2D
from fleet.routing.journey import Journey
from fleet.routing.place_aside import AsideSearch
from fleet.routing.roadmap import Roadmap
from fleet.routing.static_route import static_route
from fleet.timetable.motion import Interval, UniformMotion, standing
from fleet.timetable.occupancy import HORIZON_S, Occupancy, free_until, is_in, within_reach
from fleet.timetable.step_budget import EXAMINED, StepBudget
from fleet.timetable.timetable import Timetable, motions_with_yielding
from fleet.timetable.way import Way, is_clear
from fleet.traffic.agreement import Agreement
from fleet.traffic.planning import Planning
from fleet.traffic.precedence import WayOrder, WayProgress
from fleet.traffic.priorities import Priorities
from fleet.traffic.traffic_state import TrafficPhase, TrafficState
from fleet.traffic.waiting import Obstruction, near_route, passing
from fleet.traffic.way_clock import WayClock
from fleet.trajectories.grown_trajectory import GrownTrajectory
from fleet.trajectories.trajectory import Trajectory

_MOVED_M: Final = 0.01  # stationary robots are entered again when they have moved this far
_OFF_M: Final = 0.05  # a robot this far off its way asks for a new way if others are near ...
_LATE_S: Final = 2.0  # ... and so does a robot this late
_LAGS_S: Final = 0.2  # a robot's clock waits for it when it is this far behind, if others follow it
_SHIFT_S: Final = 0.1  # late ways are entered again when their delay has grown by this
_TRACKED_M: Final = 0.02  # planned ways keep this much more distance than the order keeps
_PAST_S: Final = 10.0  # stationary robots are entered from this long ago: planning starts later
_COAST_S: Final = 1.0  # teleoperated robots are expected to drive on for this long
_KNOWN_S: Final = 90.0  # the motions of long ways are known for this long, at least
_AGREED_S: Final = 1.0  # robots drive on while others know at least this much of their ways
_HELD_S: Final = 1.0  # robots whose ways others have not confirmed for this long are blocked
_ENTERED_A_STEP: Final = 10  # motions of a grown way
_MOTIONS_A_STEP: Final = 5  # motions compared with those of others
_ASK_STEPS: Final = 10  # to answer a request, apart from the examined motions
_ALONE_M: Final = 0.2  # robots have room off their ways if all others keep this much more distance


class Traffic:
    """Keeps the timetable and the order; time comes in as seconds.

    Parameters
    ----------
    roadmap : where robots can drive
    apart_m : the distance that ways keep between two axles
    budget_steps : the steps of planning that one tick may do

    Attributes
    ----------
    agreement : which ways other drivers on the floor know; None without other drivers
    budget : the work that the present tick may still do
    """

    def __init__(self, roadmap: Roadmap, apart_m: float, budget_steps: int) -> None:
        self._roadmap: Final = roadmap
        self._apart_m: Final = apart_m
        self.budget: Final = StepBudget(budget_steps)
        self._timetable: Final = Timetable()
        self._priorities: Final = Priorities()
        self._planning: Final = Planning(roadmap, self._timetable, apart_m, self._priorities, self.budget)
        self._order: Final = WayOrder(apart_m - _TRACKED_M, self.budget)
        self._clocks: dict[int, WayClock] = {}
        self._places: dict[int, Pose2D] = {}  # places of robots without a way
        self._obsolete: set[int] = set()  # robots whose ways meet an unexpected stationary robot
        self._unexpected: set[int] = set()  # robots in unexpected places
        self._awaited: dict[int, int] = {}  # for each robot that lets another pass, that other
        self._obstructions: dict[int, Obstruction] = {}  # of robots that have been blocked
        self._now_s = 0.0
        self._poses: dict[int, Pose2D] = {}
        self.agreement: Agreement | None = None
        self._neighbours: dict[int, list[Pose2D]] = {}  # places of obstacles, and of neighbours without a way
        self._held_since_s: dict[int, float] = {}  # of robots whose ways other drivers have yet to confirm

    def clock(self, robot_id: int) -> WayClock | None:
        """Return the clock of a robot's way, None without a way."""
        return self._clocks.get(robot_id)

    def is_planning(self, robot_id: int) -> bool:
        """Whether a robot has asked for a way."""
        return self._planning.journey(robot_id) is not None

    def is_blocked(self, robot_id: int) -> bool:
        """Whether a robot has asked for a way, and none was found."""
        return robot_id in self._planning.blocked_since_s

    def blocked_for(self, least_s: float) -> list[int]:
        """Return the robots that have found no way, or may not drive, for at least `least_s`."""
        waiting = [*self._planning.blocked_since_s.items(), *self._held_since_s.items()]
        return [robot_id for robot_id, since_s in waiting if self._now_s - since_s >= least_s]

    def by_priority(self, robot_ids: Iterable[int]) -> list[int]:
        """Return robots by priority, then in the order in which they got their ways; robots without a way last."""
        starts = [(self._start_s(robot_id), index, robot_id) for index, robot_id in enumerate(robot_ids)]
        starts.sort()
        return self._priorities.ordered(robot_id for _, _, robot_id in starts)

    def set_priority(self, robot_id: int, priority: int) -> None:
        """Set the priority of a robot, from 0 to 9: it may take the ways of robots with lower priority."""
        self._priorities.set(robot_id, priority)

    def state(self, robot_id: int) -> TrafficState:
        """Return the state of a robot in traffic; `blocked_by` is filled in by callers that know the names."""
        held_since_s = self._held_since_s.get(robot_id, math.inf)
        if self._now_s - held_since_s > _HELD_S:
            return TrafficState(TrafficPhase.BLOCKED, blocked_s=self._now_s - held_since_s)
        blocked_since_s = self._planning.blocked_since_s.get(robot_id)
        if blocked_since_s is not None:
            return TrafficState(TrafficPhase.BLOCKED, blocked_s=self._now_s - blocked_since_s)
        if self.is_planning(robot_id):
            return TrafficState(TrafficPhase.PLANNING)
        awaited = self._awaited.get(robot_id)
        passing_ids = self._passing(robot_id) if awaited is None else [awaited]
        return TrafficState(TrafficPhase.WAITING, tuple(passing_ids)) if passing_ids else TrafficState()

    def is_held(self, robot_id: int) -> bool:
        """Whether a robot waits until all other drivers know its way."""
        return robot_id in self._held_since_s

    def may_drive(self, robot_id: int) -> bool:
        """Whether all other drivers know where a robot drives, or that it drives without a way."""
        clock, agreement = self._clocks.get(robot_id), self.agreement
        if clock is not None:
            return not clock.is_held
        return agreement is None or not agreement.is_needed or agreement.may_roam(robot_id, self._now_s)

    def in_the_way(self, robot_id: int) -> list[int] | None:
        """Return the stationary robots in the way of a blocked robot; None if walls leave no way."""
        journey = self._planning.journey(robot_id)
        if journey is None:
            return []
        found = self._obstructions.get(robot_id)
        if found is None or found.journey is not journey:
            found = self._obstructions[robot_id] = Obstruction(self._roadmap, journey, self._apart_m)
        places = {other_id: [place] for other_id, place in self._places.items() if other_id != robot_id}
        places.update(self._neighbours)
        return found.culprits(places)

    def are_others_moving(self, robot_id: int) -> bool:
        """Whether any other robot is on its way."""
        motions = self._timetable.motions(without=(robot_id,))
        return any(self._now_s < motion.end_s < math.inf for motion in motions)

    def places_aside(self, robot_id: int, movable: Collection[int], homes: Mapping[int, Pose2D]) -> dict[int, Pose2D]:
        """Return places aside for `movable` robots in the way of a blocked robot; empty if that does not help it.

        No robot is sent to another robot's home.
        """
        journey = self._planning.journey(robot_id)
        if journey is None:
            return {}
        standing_at = {other_id: place for other_id, place in self._places.items() if other_id != robot_id}
        may_leave = [other_id for other_id in standing_at if other_id in movable or self.is_planning(other_id)]
        immovable = [place for other_id, place in standing_at.items() if other_id not in may_leave]
        immovable += chain.from_iterable(self._neighbours.values())
        route = static_route(self._roadmap, journey, immovable, self._apart_m)
        if route is None:
            return {}
        found: dict[int, Pose2D] = {}
        movable_at = {other_id: [place] for other_id, place in standing_at.items() if other_id in movable}
        for other_id in near_route(route, movable_at, self._apart_m):
            motions = self._timetable.motions(without=(robot_id, other_id))
            occupancy = Occupancy(motions, self._apart_m, self._now_s)
            avoided = [*self._destinations(other_id, homes), *found.values()]
            search = AsideSearch(self._roadmap, route, immovable, avoided, occupancy)
            place = search.place_for(standing_at[other_id])
            if place is None:
                return {}
            found[other_id] = place
        return found

    def is_left_at_last(self, place: Pose2D, robot_id: int) -> bool:
        """Whether all other robots leave a place by their present plans."""
        occupancy = Occupancy(self._timetable.motions(without=(robot_id,)), self._apart_m, self._now_s)
        taken = occupancy.taken(place.x_m, place.y_m)
        return not taken or taken[-1].end_s < math.inf

    def whereabouts(self, robot_id: int) -> list[Pose2D]:
        """Return where a robot is now by the timetable, without its heading; several places are alternatives."""
        motions = self._timetable.by_robot().get(robot_id, [])
        now = [motion.since(self._now_s) for motion in motions if motion.start_s <= self._now_s < motion.end_s]
        return [Pose2D(motion.x_m, motion.y_m, 0.0) for motion in now]

    def start_tick(self, now_s: float) -> None:
        """Start a tick: all calls until the next start happen at `now_s`."""
        self._now_s = now_s
        self.budget.refill()

    def note_pose(self, robot_id: int, pose: Pose2D, twist: Twist2D | None = None) -> None:
        """Note a robot's pose, and its twist if it is teleoperated."""
        self._poses[robot_id] = pose
        clock = self._clocks.get(robot_id)
        if clock is not None:
            clock.note_pose(pose, self._now_s)
            if abs(clock.late_s - clock.entered_s) > _SHIFT_S:
                self._enter(robot_id, clock)
        elif twist is not None and twist.linear_mps != 0.0:
            self._coast(robot_id, pose, twist)
        else:
            place = self._places.get(robot_id)
            if place is None or place.distance_to(pose) > _MOVED_M:
                self._stand(robot_id, pose)

    def note_lost(self, robot_id: int, pose: Pose2D, ahead: Pose2D) -> None:
        """Note where a silent robot was last seen, and the farthest pose at which it may have stopped."""
        self._poses[robot_id] = pose
        if robot_id in self._clocks:
            return  # its tracker gives up the way
        place = self._places.get(robot_id)
        if place is None or place.distance_to(ahead) > _MOVED_M:
            self._places[robot_id] = ahead
            since_s = self._now_s - _PAST_S
            self._enter_surprise(robot_id, [standing(place, since_s, math.inf) for place in (pose, ahead)])

    def advance(self, period_s: float) -> None:
        """Let clocks run or wait for others, and plan ways for robots that ask, within the budget of a tick."""
        self._make_way()
        self._order.arrange(self._now_s)
        for robot_id, clock in self._clocks.items():
            awaited = self._order.awaited(robot_id, self._now_s)
            if awaited is None:
                self._awaited.pop(robot_id, None)
            else:
                self._awaited[robot_id] = awaited
            lags = clock.behind_s > _LAGS_S and self._order.leads(robot_id)
            if self._is_agreed(robot_id, clock):
                self._held_since_s.pop(robot_id, None)
                clock.run(period_s, awaited is None and not lags)
            else:
                self._held_since_s.setdefault(robot_id, self._now_s)
                clock.hold(self._now_s, period_s)
            if clock.way.is_growing or (not clock.way.is_known and self._now_s > clock.way.known_s - _KNOWN_S):
                self._extend(robot_id, clock)
        for robot_id, way in self._planning.advance(self._now_s, self._poses, self._clocks).items():
            yielding = [*self._yielding(robot_id), *self._planning.displaced(robot_id)]
            self._take_ways(robot_id, self._give(robot_id, way), yielding)
        self._unexpected.update(self._planning.stays)

    @property
    def may_ask(self) -> bool:
        """Whether this tick's budget allows another request; robots that ask later get the same answers."""
        return self.budget.may_overdraw

    def ask(
        self, robot_id: int, journey: Journey, direct: Trajectory, cut: list[UniformMotion] | None = None
    ) -> WayClock | None:
        """Return the clock of a way for a journey; None while it is being planned, or none was found.

        `direct` is started now if it meets only robots of lower priority, which then lose their ways.
        Otherwise the way is planned: poll `clock` in each tick. `cut` are the motions of `direct`, if known.
        """
        self.budget.spend(_ASK_STEPS)
        self._priorities.note_goal(robot_id, journey.goal)
        way = Way(direct, self._now_s, cut)
        has_room = self._has_room(way)
        if has_room and self._is_free(robot_id, way):
            return self._give(robot_id, way)
        yielding = self._yielding(robot_id) if has_room else []
        if yielding and self._is_free(robot_id, way, yielding):
            clock = self._give(robot_id, way)
            self._take_ways(robot_id, clock, yielding)
            return clock
        self._planning.ask(robot_id, journey)
        return None

    def may_grow(self, robot_id: int, grown: GrownTrajectory, cut: list[UniformMotion], time_s: float) -> bool:
        """Let a robot drive on beyond the end of its way if it meets nobody there and nobody comes there later.

        `time_s` is the present time on its trajectory, `cut` are the motions of the grown trajectory.
        """
        clock = self._clocks[robot_id]
        self.budget.spend(_ASK_STEPS)
        parts_s = grown.parts_s(clock.way.trajectory, time_s)
        longer = clock.grown(Way(grown.trajectory, clock.start_s + grown.shift_s, cut), grown.shift_s, parts_s)
        if (
            robot_id in self._obsolete
            or not self._has_room(longer.way)
            or not self._may_part(robot_id, longer, parts_s)
        ):
            return False
        self._clocks[robot_id] = longer
        self._order.enter(robot_id, longer)
        self._enter(robot_id, longer)
        return True

    def _may_part(self, robot_id: int, longer: WayClock, parts_s: float) -> bool:
        """Whether a robot whose way changes at `parts_s` meets nobody, and nobody comes to its end."""
        way, since_s = longer.way, longer.start_s + parts_s
        motions = [*self._timetable.motions(without=(robot_id,))]
        for found in self._planning.found:
            motions += found.motions
        occupancy = Occupancy(way.near(motions, self._apart_m), self._apart_m, self._now_s, self._poses.get(robot_id))
        rest = [motion.since(since_s) for motion in way.motions if since_s < motion.end_s < math.inf]
        meets = occupancy.meets(rest, longer.late_s)
        end, end_s = way.trajectory.path.end, longer.start_s + longer.late_s + way.trajectory.duration_s
        taken = occupancy.taken(end.x_m, end.y_m)
        self.budget.spend(len(way.motions) // _MOTIONS_A_STEP + occupancy.examined // EXAMINED)
        return not meets and not is_in(taken, end_s) and math.isinf(free_until(taken, end_s))

    def give_up(self, robot_id: int) -> None:
        """Withdraw a robot's way or request: it is stationary where it is."""
        asked = self._planning.give_up(robot_id)
        had_way = self._take(robot_id)
        pose = self._poses.get(robot_id)
        if (had_way or asked) and pose is not None:
            self._stand(robot_id, pose)

    def is_obsolete(self, robot_id: int) -> bool:
        """Whether a robot needs another way: it is off its way, too late, or a stationary robot is in the way."""
        if robot_id in self._obsolete:
            return True
        clock = self._clocks.get(robot_id)
        if clock is None or clock.is_held or (clock.off_m <= _OFF_M and clock.late_s <= _LATE_S):
            return False
        return not self._has_room_beside(robot_id, clock)

    def remove(self, robot_id: int) -> None:
        """Forget a robot that is not on the floor."""
        self._planning.give_up(robot_id)
        self._take(robot_id)
        self._unexpected.discard(robot_id)
        self._places.pop(robot_id, None)
        self._poses.pop(robot_id, None)
        self._obstructions.pop(robot_id, None)
        self._timetable.remove(robot_id)

    # Robots of other drivers

    def enter_neighbour(self, robot_id: int, motions: Sequence[UniformMotion], course: WayProgress | None) -> None:
        """Enter where a neighbour is and will be; nobody has planned for that, unless it is on a `course`."""
        self._timetable.enter(robot_id, motions)
        self._planning.try_again()
        if course is not None:
            self._neighbours.pop(robot_id, None)
            self._unexpected.discard(robot_id)
            self._order.enter(robot_id, course)
            return
        self._order.remove(robot_id)
        self._unexpected.add(robot_id)
        self._neighbours[robot_id] = [Pose2D(motion.x_m, motion.y_m, 0.0) for motion in motions]

    def shift_neighbour(self, robot_id: int, motions: Sequence[UniformMotion]) -> None:
        """Enter a late neighbour's motions; robots that follow it wait for it."""
        self._timetable.enter(robot_id, motions)

    def remove_neighbour(self, robot_id: int, *, is_ours: bool) -> None:
        """Forget a neighbour; if it is ours now, it stays where we have it."""
        self._neighbours.pop(robot_id, None)
        pose = self._poses.get(robot_id)
        if not is_ours or pose is None:
            self.remove(robot_id)
        elif robot_id not in self._clocks:
            self._order.remove(robot_id)
            self._stand(robot_id, pose)

    def met_by(self, robot_id: int) -> list[int]:
        """Return our robots whose ways meet a neighbour."""
        motions = self._motions_from_now(robot_id)
        return [other_id for other_id, clock in self._clocks.items() if self._meets(other_id, clock, motions)]

    def make_obsolete(self, robot_id: int) -> None:
        """Make a robot plan another way."""
        self._obsolete.add(robot_id)

    # Obstacles

    def enter_obstacle(self, obstacle_id: int, place: Pose2D) -> None:
        """Enter an obstacle like a stationary robot; its number is not a robot's."""
        self.enter_neighbour(obstacle_id, [standing(place, self._now_s - _PAST_S, math.inf)], None)

    def remove_obstacle(self, obstacle_id: int) -> None:
        """Forget an obstacle."""
        self.remove_neighbour(obstacle_id, is_ours=False)

    def is_robot_near(self, place: Pose2D, near_m: float, without: Collection[int]) -> bool:
        """Whether any robot, except those in `without`, is expected near a place now."""
        near = (*self._poses.items(), *self._places.items())
        if any(pose.distance_to(place) < near_m for robot_id, pose in near if robot_id not in without):
            return True
        others = self._timetable.by_robot((*without, *self._poses))
        return any(place.distance_to(pose) < near_m for robot_id in others for pose in self.whereabouts(robot_id))

    # Ways

    def _is_agreed(self, robot_id: int, clock: WayClock) -> bool:
        """Whether all other drivers know the next part of a robot's way."""
        agreement, way = self.agreement, clock.way
        if agreement is None or not agreement.is_needed:
            clock.agreed_s = math.inf if way.is_known else way.known_s - way.start_s
            return True
        needed_s = clock.time_s(self._now_s) + _AGREED_S
        if clock.agreed_s < needed_s:
            clock.agreed_s = max(clock.agreed_s, agreement.known_until_s(robot_id, way, self._now_s))
        return clock.agreed_s >= needed_s

    def _motions_from_now(self, robot_id: int) -> list[UniformMotion]:
        motions = self._timetable.by_robot()[robot_id]
        return [motion.since(self._now_s) for motion in motions if motion.end_s > self._now_s]

    def _destinations(self, robot_id: int, homes: Mapping[int, Pose2D]) -> list[Pose2D]:
        """Return where all other robots are stationary, will be, or may want to go."""
        found = [home for other_id, home in homes.items() if other_id != robot_id]
        found += [place for other_id, place in self._places.items() if other_id != robot_id]
        found += [clock.way.trajectory.path.end for other_id, clock in self._clocks.items() if other_id != robot_id]
        journeys = (self._planning.journey(other_id) for other_id in self._poses if other_id != robot_id)
        return found + [journey.goal for journey in journeys if journey is not None]

    def _start_s(self, robot_id: int) -> float:
        clock = self._clocks.get(robot_id)
        return math.inf if clock is None else clock.way.start_s

    def _passing(self, robot_id: int) -> list[int]:
        """Return the robots that a robot lets pass by plan."""
        clock = self._clocks.get(robot_id)
        if clock is None or not clock.way.trajectory.is_waiting(clock.time_s(self._now_s)):
            return []
        return passing(
            clock.way.motions, self._now_s - clock.delay_s, self._timetable.by_robot((robot_id,)), self._apart_m
        )

    def _take(self, robot_id: int) -> bool:
        """Withdraw a robot's way; return whether it had one."""
        self._order.remove(robot_id)
        self._planning.try_again()
        self._obsolete.discard(robot_id)
        self._awaited.pop(robot_id, None)
        self._held_since_s.pop(robot_id, None)
        return self._clocks.pop(robot_id, None) is not None

    def _give(self, robot_id: int, way: Way) -> WayClock:
        clock = WayClock(way)
        if self.agreement is not None and self.agreement.is_needed:
            clock.hold(self._now_s, 0.0)
        self._clocks[robot_id] = clock
        self._places.pop(robot_id, None)
        self._order.enter(robot_id, clock)
        self._enter(robot_id, clock)
        return clock

    def _enter(self, robot_id: int, clock: WayClock) -> None:
        """Enter a way in the timetable, with its robot's lateness."""
        way, clock.entered_s = clock.way, clock.late_s
        start_s = way.start_s + clock.late_s
        start = standing(way.trajectory.path.start, min(start_s, self._now_s) - _PAST_S, start_s)
        motions = way.motions if clock.late_s == 0.0 else [motion.later(clock.late_s) for motion in way.motions]
        self._timetable.enter(robot_id, [start, *motions])

    def _stand(self, robot_id: int, pose: Pose2D) -> None:
        self._places[robot_id] = pose
        self._enter_surprise(robot_id, [standing(pose, self._now_s - _PAST_S, math.inf)])

    def _coast(self, robot_id: int, pose: Pose2D, twist: Twist2D) -> None:
        """Expect a teleoperated robot to drive on for a second, and then to stop."""
        now_s, speed_mps = self._now_s, twist.linear_mps
        vx_mps, vy_mps = speed_mps * math.cos(pose.heading_rad), speed_mps * math.sin(pose.heading_rad)
        end = Pose2D(pose.x_m + vx_mps * _COAST_S, pose.y_m + vy_mps * _COAST_S, pose.heading_rad)
        coasting = UniformMotion(Interval(now_s, now_s + _COAST_S), pose.x_m, pose.y_m, vx_mps, vy_mps)
        self._places.pop(robot_id, None)
        self._enter_surprise(robot_id, [coasting, standing(end, now_s + _COAST_S, math.inf)])

    def _enter_surprise(self, robot_id: int, motions: Sequence[UniformMotion]) -> None:
        """Enter motions that nobody has planned for."""
        self._timetable.enter(robot_id, motions)
        self._unexpected.add(robot_id)

    def _make_way(self) -> None:
        """Make robots plan again whose ways meet an unexpected robot.

        If the unexpected robot asks for a way itself, it plans around theirs instead, unless that fails.
        """
        for robot_id in sorted(self._unexpected):
            is_asking = self.is_planning(robot_id) and robot_id not in self._planning.blocked_since_s
            if robot_id in self._clocks or not is_asking:
                self._unexpected.discard(robot_id)
            if robot_id not in self._clocks and not is_asking:
                self._make_way_for(robot_id)

    def _make_way_for(self, robot_id: int) -> None:
        motions = self._motions_from_now(robot_id)
        for other_id, clock in self._clocks.items():
            if self._meets(other_id, clock, motions):
                self._obsolete.add(other_id)

    def _meets(self, robot_id: int, clock: WayClock, motions: Iterable[UniformMotion]) -> bool:
        """Whether a robot meets others on the rest of its way."""
        apart_m = self._apart_m - _TRACKED_M
        near = [motion for motion in motions if clock.way.is_near(motion, apart_m)]
        if not near:
            return False
        occupancy = Occupancy(near, apart_m, self._now_s, self._poses.get(robot_id))
        return occupancy.meets(self._rest_of(clock), clock.late_s)

    def _extend(self, robot_id: int, clock: WayClock) -> None:
        """Find and enter more of a long way; a robot that meets others there needs another way."""
        way, since_s = clock.way, self._now_s - max(0.0, clock.late_s) - _PAST_S
        self.budget.spend(way.grow(self._now_s + HORIZON_S, since_s, self.budget.share()))
        if way.is_growing:
            return
        self.budget.spend(len(way.motions) // _ENTERED_A_STEP)
        self._order.enter(robot_id, clock)
        self._enter(robot_id, clock)
        if self._meets(robot_id, clock, self._timetable.motions(without=(robot_id,))):
            self._obsolete.add(robot_id)

    def _rest_of(self, clock: WayClock) -> list[UniformMotion]:
        """Return the rest of a way's motions."""
        since_s = self._now_s - clock.late_s
        return [motion.since(since_s) for motion in clock.way.motions if since_s < motion.end_s < math.inf]

    def _has_room_beside(self, robot_id: int, clock: WayClock) -> bool:
        """Whether all others keep far enough from a robot's way for it to be off the way, and late."""
        rest, apart_m = self._rest_of(clock), self._apart_m + _ALONE_M
        near = within_reach(self._timetable.motions(without=(robot_id,)), rest, apart_m)
        return not any(
            interval.start_s < clock.late_s + _LATE_S and interval.end_s > clock.late_s - _LATE_S
            for interval in Occupancy(near, apart_m, self._now_s).departures_near(rest, clock.late_s, _LATE_S)
        )

    def _yielding(self, robot_id: int) -> list[int]:
        """Return the robots, on their ways or in planning, that yield to a robot of higher priority."""
        return [
            other_id
            for other_id in self._poses
            if self._priorities.may_take(robot_id, other_id)
            and (other_id in self._clocks or self.is_planning(other_id))
        ]

    def _take_ways(self, robot_id: int, clock: WayClock, yielding: Iterable[int]) -> None:
        """Make robots plan again that meet the new way of a robot with higher priority."""
        others = self._timetable.by_robot() if yielding else {}
        for other_id in yielding:
            if not is_clear(clock.way, 0.0, others[other_id], self._apart_m, self.budget):
                self._priorities.note_taken(robot_id, other_id)
                if other_id in self._clocks:
                    self._obsolete.add(other_id)

    def _is_free(self, robot_id: int, way: Way, yielding: Collection[int] = ()) -> bool:
        """Whether a way meets nobody, and nobody comes to its end later."""
        motions = motions_with_yielding(self._timetable, (robot_id,), yielding, self._now_s)
        for found in [] if yielding else self._planning.found:
            motions += found.motions
        return is_clear(way, 0.0, motions, self._apart_m, self.budget)

    def _has_room(self, way: Way) -> bool:
        """Whether walls leave room along a way."""
        return self._roadmap.is_polyline_free([(motion.x_m, motion.y_m) for motion in way.motions])
