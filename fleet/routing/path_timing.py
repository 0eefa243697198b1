"""Earliest timing along a path that a robot may not leave, with stops to let others pass.

The path is cut into short parts. As with a chain of lines, arrivals at the end of each part are found for each
free interval of that place; between parts a robot drives on, or stops at the cost of braking. The stops
found are inserted into the path, which is then timed exactly.
"""

import math
from typing import Final

from fleet.paths.path import Path
from fleet.paths.remaining_path import with_stops
from fleet.routing.arrivals import WAIT_S, Drive, PlannedArrival, arrivals_after
from fleet.routing.stop_timing import StopTiming, starting
from fleet.timetable.motion import Interval, UniformMotion
from fleet.timetable.occupancy import HORIZON_S, Occupancy, free
from fleet.trajectories.counted_work import CountedWork
from fleet.trajectories.curvature_segments import Segmentation
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import planning_fastest
from fleet.trajectories.trajectory import Trajectory

_PART_M: Final = 0.05
_AT_ONCE: Final = 50  # steps of planning without a pause
_COPIED_A_STEP: Final = 70  # pieces of a path


class PathTiming:
    """Finds the earliest trajectory along a path, as far ahead as ways are planned.

    Parameters
    ----------
    path : the path to drive
    limits : limits of the motion
    occupancy : where other robots are, and when
    start_s : the earliest departure

    Attributes
    ----------
    is_over : whether the timing has ended
    """

    def __init__(self, path: Path, limits: Limits, occupancy: Occupancy, start_s: float) -> None:
        self.is_over = False
        self._path: Final = path
        self._limits: Final = limits
        self._occupancy: Final = occupancy
        self._start_s: Final = start_s
        self._stop_s: Final = limits.speed_mps / limits.acceleration_mps2
        self._segmentation: Final = Segmentation()
        self._planning = CountedWork(planning_fastest(path, limits, self._segmentation))
        self._plan: Trajectory | None = None
        self._places_m: list[float] = []
        self._index = 0  # of the present part
        self._arrivals: list[PlannedArrival] = []
        self._timing: StopTiming | None = None

    @property
    def trajectory(self) -> Trajectory | None:
        """The trajectory found; None if there is none."""
        return None if self._timing is None else self._timing.trajectory

    def advance(self) -> int:
        """Do a small part of the work; return the steps it took beyond the usual."""
        done = 0
        if self._timing is not None:
            done = self._timing.advance()
            self.is_over = self._timing.is_over
        elif not self._planning.is_over:
            done = self._planning.advance(_AT_ONCE)
            if self._planning.result is not None:
                self._note_plan(self._planning.result)
        elif not self._arrivals or self._plan is None:
            self.is_over = True
        elif self._index < len(self._places_m) - 1:
            part = _part(self._plan, self._places_m[self._index], self._places_m[self._index + 1])
            self._arrivals = self._after(part)
            self._index += 1
        else:
            path = with_stops(self._path, self._stops(min(self._arrivals, key=_time_s)))
            self._planning = CountedWork(planning_fastest(path, self._limits, self._segmentation))
            done = len(path.pieces) // _COPIED_A_STEP
        return done

    def _note_plan(self, plan: Trajectory) -> None:
        """Note the plan without stops, or continue with the plan with stops."""
        if self._plan is None:
            self._plan, self._places_m = plan, _places(plan)
            self._arrivals = [starting(plan, self._occupancy, self._start_s)]
        else:
            self._timing = StopTiming(plan, self._occupancy, self._start_s)

    def _after(self, part: UniformMotion) -> list[PlannedArrival]:
        """Return the earliest arrivals at the end of a part."""
        end_x_m, end_y_m = part.x_m + part.vx_mps * part.end_s, part.y_m + part.vy_mps * part.end_s
        places = free(self._occupancy.taken(end_x_m, end_y_m), -math.inf)
        gaps = free(self._occupancy.short_departures(part, -math.inf), -math.inf)
        return arrivals_after(self._arrivals, Drive(0.0, part.end_s, self._stop_s), gaps, places)

    def _stops(self, last: PlannedArrival) -> list[float]:
        """Return the arc lengths of the waits, in order."""
        return [
            place_m
            for place_m, wait_s in zip(self._places_m, last.waits_s, strict=False)
            if wait_s > WAIT_S and place_m > 0.0
        ]


def _places(plan: Trajectory) -> list[float]:
    """Return the arc lengths between which the path is cut."""
    end_m = plan.point_at(HORIZON_S)
    count = math.ceil(end_m / _PART_M)
    return [index * _PART_M for index in range(count)] + [end_m]


def _part(plan: Trajectory, from_m: float, to_m: float) -> UniformMotion:
    """Return the motion of one part, as if it started at 0 s; turns on the spot are driven slowly through."""
    first = plan.path.sample(from_m).pose
    last = plan.path.sample(to_m, arriving=True).pose
    duration_s = max(plan.time_at(to_m) - plan.time_at(from_m), 1e-6)
    vx_mps, vy_mps = (last.x_m - first.x_m) / duration_s, (last.y_m - first.y_m) / duration_s
    return UniformMotion(Interval(0.0, duration_s), first.x_m, first.y_m, vx_mps, vy_mps)


def _time_s(arrival: PlannedArrival) -> float:
    return arrival.time_s
