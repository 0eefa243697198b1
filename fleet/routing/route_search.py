"""Safe-interval search for the earliest route over the roadmap.

After Phillips and Likhachev, SIPP: Safe interval path planning for dynamic environments, 2011. A state is a place, a
free interval of it, and the direction of arrival, so that turns and stops have their true costs. Robots cruise from
place to place; the departures that meet others on the line between are known in closed form.
"""

import heapq
import math
from typing import Final

from fleet.geometry import wrap_angle
from fleet.routing.chains import turning_s
from fleet.routing.way_problem import WayProblem
from fleet.timetable.motion import Interval, UniformMotion
from fleet.timetable.occupancy import free_until, index_at, is_in

_STRAIGHT_RAD: Final = 1e-3
_MOST: Final = 4_000  # expansions after which a search is given up: it is tried again when others have moved
_WEIGHT: Final = 1.3  # of the time to the goal: fewer states are expanded than if the earliest route were sought
_HASTY_WEIGHT: Final = 5.0  # the same in haste, ...
_CAREFUL: Final = 200  # ... after this many expansions
_INTERVALS: Final = 1_000  # more than a place has


class _Label:
    """A reached state: a place, at a time, in a direction.

    Parameters
    ----------
    place : index in the roadmap; the goal and the start follow after its places
    time_s : time of arrival
    heading_rad : heading at arrival
    before : the previous state, None at the start
    """

    def __init__(self, place: int, time_s: float, heading_rad: float, before: "_Label | None") -> None:
        self.place: Final = place
        self.time_s: Final = time_s
        self.heading_rad: Final = heading_rad
        self.before: Final = before
        self.has_stopped = True  # at the previous place
        self.free_until_s = math.inf  # when another robot next takes the place


_NONE: Final[list[_Label]] = []


class RouteSearch:
    """Finds an early route between two poses at rest.

    Parameters
    ----------
    problem : the journey among others
    latest_s : later arrivals are of no use
    enough_s : the search ends when no arrival before this is likely
    in_haste : whether to find a route in fewer steps, though it may be a longer one

    Attributes
    ----------
    corners : the places at which the robot turns or waits, start and goal included; None until a route is found
    is_over : whether the search has ended
    """

    def __init__(
        self, problem: WayProblem, latest_s: float, enough_s: float = math.inf, *, in_haste: bool = False
    ) -> None:
        roadmap, journey, start_s = problem.roadmap, problem.journey, problem.start_s
        self.corners: list[tuple[float, float]] | None = None
        self.is_over = False
        self._roadmap: Final = roadmap
        self._occupancy: Final = problem.occupancy
        self._start: Final = journey.start
        self._goal: Final = journey.goal
        self._start_s: Final = start_s
        self._latest_s: Final = latest_s
        self._enough_s: Final = enough_s
        self._backward: Final = journey.backward
        self._speed_mps: Final = journey.limits.speed_mps
        self._half_stop_s: Final = 0.5 * journey.limits.speed_mps / journey.limits.acceleration_mps2
        self._turn_radps, self._turn_radps2 = journey.limits.on_the_spot()
        self._goal_index: Final = len(roadmap.xs_m)
        self._start_index: Final = self._goal_index + 1
        self._goal_neighbours: Final = set(problem.times.near)
        self._times: Final = problem.times
        self._weight = _WEIGHT
        self._careful: Final = _CAREFUL if in_haste else _MOST
        self._taken: dict[int, list[Interval]] = {}
        self._blocked: dict[int, list[Interval]] = {}
        self._reached: dict[int, list[_Label]] = {}
        self._heap: list[tuple[float, int, _Label]] = []
        self._count = 0
        self._expanded = 0
        first = _Label(self._start_index, start_s, journey.start.heading_rad, None)
        first.free_until_s = free_until(self._taken_at(self._start_index), start_s)
        heapq.heappush(self._heap, (start_s, 0, first))

    def expand(self, count: int) -> int:
        """Expand at most `count` states, or do as much other work; return the number of steps."""
        if not self._times.is_over:
            return self._times.expand(count)
        for expanded in range(count):
            self._expanded += 1
            if not self._heap or self._expanded > _MOST:
                self.is_over = True
                return expanded
            if self._expanded == self._careful + 1:
                self._hurry()
            key_s, _, label = heapq.heappop(self._heap)
            if key_s > self._enough_s:
                self.is_over = True
                return expanded
            if label.place == self._goal_index:
                self.is_over = True
                self.corners = self._corners(label)
                return expanded
            self._expand(label)
        return count

    def _hurry(self) -> None:
        """Look first at the states that are nearest to the goal."""
        self._weight = _HASTY_WEIGHT
        again = [
            (label.time_s + self._weight * self._times.time_s(label.place), count, label)
            for _, count, label in self._heap
            if label.place < self._goal_index
        ]
        again += [entry for entry in self._heap if entry[2].place == self._goal_index]
        heapq.heapify(again)
        self._heap = again

    def _turn_s(self, angle_rad: float, backward: bool) -> float:
        """Return the duration of a turn on the spot towards a direction, which may be driven backward."""
        angle_rad = abs(angle_rad)
        if backward:
            angle_rad = min(angle_rad, math.pi - angle_rad)
        return turning_s(angle_rad, self._turn_radps, self._turn_radps2)

    def _expand(self, label: _Label) -> None:
        place, roadmap = label.place, self._roadmap
        if place == self._start_index:
            for following in roadmap.near(self._start.x_m, self._start.y_m):
                self._leave_freely(label, following)
            return
        lengths_m, bearings_rad = roadmap.lengths_m[place], roadmap.bearings_rad[place]
        for index, following in enumerate(roadmap.neighbours[place]):
            self._leave(label, following, lengths_m[index], bearings_rad[index])
        if place in self._goal_neighbours:
            self._leave_freely(label, self._goal_index)

    def _leave_freely(self, label: _Label, following: int) -> None:
        """Add the states of arrival at a place that no line of the roadmap reaches."""
        away_x_m = self._x_m(following) - self._x_m(label.place)
        away_y_m = self._y_m(following) - self._y_m(label.place)
        length_m = math.sqrt(away_x_m * away_x_m + away_y_m * away_y_m)
        self._leave(label, following, length_m, math.atan2(away_y_m, away_x_m))

    def _leave(self, label: _Label, following: int, length_m: float, bearing_rad: float) -> None:
        """Add the states of arrival at a neighbouring place."""
        heading_rad = bearing_rad if length_m > 1e-9 else label.heading_rad
        duration_s = length_m / self._speed_mps
        turn_rad = abs(wrap_angle(heading_rad - label.heading_rad))
        is_moving = label.before is not None
        blocked = self._departures(label.place, following, duration_s)
        if is_moving and turn_rad < _STRAIGHT_RAD and not is_in(blocked, label.time_s):
            self._arrive(following, label.time_s + duration_s, heading_rad, label, has_stopped=False)
            return
        ready_s = label.time_s + (2.0 if is_moving else 1.0) * self._half_stop_s
        if turn_rad >= _STRAIGHT_RAD:
            ready_s += self._turn_s(turn_rad, self._backward)
        departed_s = ready_s
        for interval in blocked:
            if departed_s >= label.free_until_s:
                return
            if interval.start_s > departed_s:
                self._arrive(following, departed_s + duration_s, heading_rad, label)
            departed_s = max(departed_s, interval.end_s)
        if departed_s < label.free_until_s:
            self._arrive(following, departed_s + duration_s, heading_rad, label)

    def _arrive(
        self, place: int, time_s: float, heading_rad: float, before: _Label, *, has_stopped: bool = True
    ) -> None:
        """Add a state, unless its place is taken then or another state is as good."""
        taken = self._taken_at(place)
        interval = index_at(taken, time_s)
        if interval < 0:
            return
        free_until_s = taken[interval].start_s if interval < len(taken) else math.inf
        if place == self._goal_index:
            if free_until_s < math.inf:
                return
            turn_rad = wrap_angle(self._goal.heading_rad - heading_rad)
            rest_s = self._half_stop_s + self._turn_s(turn_rad, self._backward)
        else:
            rest_s = self._times.time_s(place)
        state = place * _INTERVALS + interval
        if time_s + rest_s <= self._latest_s and self._is_new(state, time_s, heading_rad):
            label = _Label(place, time_s, heading_rad, before)
            label.has_stopped, label.free_until_s = has_stopped, free_until_s
            self._reached.setdefault(state, []).append(label)
            self._count += 1
            key_s = time_s + (rest_s if place == self._goal_index else self._weight * rest_s)
            heapq.heappush(self._heap, (key_s, self._count, label))

    def _is_new(self, state: int, time_s: float, heading_rad: float) -> bool:
        """Whether no earlier arrival in the same interval leaves time to stop, turn, and continue like this one."""
        for other in self._reached.get(state, _NONE):
            spare_s = time_s - other.time_s + 1e-9
            if spare_s < 0.0:
                continue
            turn_rad = abs(wrap_angle(heading_rad - other.heading_rad))
            if turn_rad < _STRAIGHT_RAD or spare_s >= 2.0 * self._half_stop_s + self._turn_s(turn_rad, self._backward):
                return False
        return True

    def _departures(self, place: int, following: int, duration_s: float) -> list[Interval]:
        """Return the departures that meet others on the line to a neighbouring place."""
        key = place * (self._start_index + 1) + following
        found = self._blocked.get(key)
        if found is None:
            x_m, y_m = self._x_m(place), self._y_m(place)
            duration_s = max(duration_s, 1e-9)
            vx_mps, vy_mps = (self._x_m(following) - x_m) / duration_s, (self._y_m(following) - y_m) / duration_s
            own = UniformMotion(Interval(0.0, duration_s), x_m, y_m, vx_mps, vy_mps)
            found = self._occupancy.short_departures(own, self._least_s(x_m, y_m))
            self._blocked[key] = found
        return found

    def _least_s(self, x_m: float, y_m: float) -> float:
        """Return a lower bound of the time of arrival at a place."""
        away_x_m, away_y_m = x_m - self._start.x_m, y_m - self._start.y_m
        return self._start_s + math.sqrt(away_x_m * away_x_m + away_y_m * away_y_m) / self._speed_mps

    def _taken_at(self, place: int) -> list[Interval]:
        found = self._taken.get(place)
        if found is None:
            found = self._occupancy.taken(self._x_m(place), self._y_m(place))
            self._taken[place] = found
        return found

    def _x_m(self, place: int) -> float:
        if place < self._goal_index:
            return self._roadmap.xs_m[place]
        return self._goal.x_m if place == self._goal_index else self._start.x_m

    def _y_m(self, place: int) -> float:
        if place < self._goal_index:
            return self._roadmap.ys_m[place]
        return self._goal.y_m if place == self._goal_index else self._start.y_m

    def _corners(self, last: _Label) -> list[tuple[float, float]]:
        corners = [(self._x_m(last.place), self._y_m(last.place))]
        label = last
        while label.before is not None:
            if label.has_stopped:
                corners.append((self._x_m(label.before.place), self._y_m(label.before.place)))
            label = label.before
        corners.reverse()
        return corners
