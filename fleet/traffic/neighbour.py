"""A robot on our floor that another driver serves."""

import math
from typing import Final

from fleet.floor.obstacles import Segment
from fleet.geometry import Pose2D
from fleet.hosts.claims import DriverId
from fleet.timetable.knots import KnottedWay
from fleet.timetable.motion import UniformMotion, standing
from fleet.timetable.shared_ways import SharedWay, SharedWays
from fleet.timetable.timetable import YIELDS_S
from fleet.traffic.sweep import Sweep

SILENT_S: Final = 1.0  # a robot unseen for longer may be anywhere on the rest of its way
TOUCH_S: Final = 1.25  # robots without a way drive only while all drivers have heard of each other within this time
_DELAY_S: Final = 0.05  # upper bound of the shortest network delay, which no stamp reveals
_PAST_S: Final = 10.0  # stationary robots are entered from this long ago
_OFF_M: Final = 0.1  # a robot this far off its way counts as stationary beside it
_HURRY_S: Final = 0.1  # clocks of ways never hurry, but a robot may catch up with its clock by this much
_EARLY_S: Final = 0.35  # ways are planned as if it were this early ...
_LATE_S: Final = 0.2  # ... and this late, as its poses reach us with a delay
_SIDES: Final = 8  # places around a robot's last seen place where it may be
_STEP_M: Final = 0.05  # between places that a silent robot may have reached
_SAME_S: Final = 0.02  # ways whose starts differ by less are the same


class Neighbour:
    """What is known about another driver's robot: its way, and where it was seen.

    It takes part in the order like a robot's clock, as if its delay were all the clock's.

    Parameters
    ----------
    robot_id : the robot's ID
    driver : its driver; None if that driver publishes only poses

    Attributes
    ----------
    shared : the way its driver published; None if that is outdated or unknown
    seen_s : the time of the latest pose; minus infinity before it
    speed_mps, stop_s, wide_m : its top speed, how long it drives on after a stop command, and the excess of its disc's
        radius over ours
    delay_s : how late it is on its way
    behind_s : always 0
    """

    def __init__(self, robot_id: int, driver: DriverId | None, speed_mps: float, stop_s: float) -> None:
        self.robot_id: Final = robot_id
        self.driver = driver
        self.shared: SharedWay | None = None
        self.seen_s = -math.inf
        self.speed_mps = speed_mps
        self.stop_s = stop_s
        self.wide_m = 0.0
        self.delay_s = 0.0
        self.behind_s: Final = 0.0
        self._told_s = -math.inf
        self._place: Pose2D | None = None
        self._way: KnottedWay | None = None
        self._progress_s = 0.0
        self._off_m = 0.0

    # What is published and seen

    def note_driver(self, shared: SharedWays, wide_m: float) -> None:
        """Note its driver, and how that driver's robots move."""
        if self.driver is None or self.driver.token != shared.driver.token:
            self.shared = None
        self.driver = shared.driver
        self.speed_mps, self.stop_s, self.wide_m = shared.speed_mps, shared.stop_s, wide_m

    def tell(self, shared: SharedWay, told_s: float) -> bool:
        """Note what its driver published at a time; return whether that is new."""
        is_new = self.shared is None or self.shared.version != shared.version
        self.shared, self._told_s = shared, told_s
        if is_new:
            self._way, self._progress_s, self.delay_s = None, 0.0, 0.0
        if is_new and len(shared.knots) == 1 and (self._place is None or told_s > self.seen_s):
            self._place = shared.knots[0].pose
        return is_new

    def retime(self, start_s: float) -> bool:
        """Note when its published way starts, if there is a way; return whether that is new."""
        shared, way = self.shared, self._way
        if shared is None or len(shared.knots) == 1 or (way is not None and abs(way.start_s - start_s) < _SAME_S):
            return False
        self._way = KnottedWay(shared.knots, start_s)
        return True

    def see(self, pose: Pose2D, seen_s: float) -> None:
        """Note where it is at a time."""
        if seen_s < self.seen_s:
            return
        self._place, self.seen_s = pose, seen_s
        way = self._way
        if way is None or seen_s < way.start_s:
            return
        time_s = seen_s - way.start_s
        self._progress_s = way.time_at(pose, time_s, self._progress_s)
        self.delay_s = time_s - self._progress_s
        self._off_m = way.place(self._progress_s).distance_to(pose)

    def leave_way(self) -> None:
        """Forget its published way: it is stationary where it is."""
        self._place = self._place or self.pose
        self.shared, self._way = None, None

    def stand(self, pose: Pose2D) -> None:
        """Note where it is stationary."""
        self._place = pose

    # Where it is and may be

    @property
    def is_roaming(self) -> bool:
        """Whether it may start to drive anywhere."""
        return self.driver is None or (self.shared is not None and self.shared.is_roaming)

    @property
    def is_off(self) -> bool:
        """Whether it has left its way."""
        return self._way is not None and self._off_m > _OFF_M

    def is_silent(self, now_s: float) -> bool:
        """Whether it may be anywhere on the rest of its way."""
        is_lost = self.shared is not None and self.shared.is_lost
        return self._way is not None and (is_lost or now_s - self.seen_s > SILENT_S)

    @property
    def is_driving(self) -> bool:
        """Whether it is on a way."""
        return self._way is not None and not self.is_off

    def is_leaving(self, now_s: float) -> bool:
        """Whether it will leave its place soon: it has asked for a way."""
        is_asking = self.shared is not None and self.shared.is_asking and not self.shared.is_lost
        return is_asking and now_s - self.seen_s < SILENT_S

    @property
    def pose(self) -> Pose2D | None:
        """Where it is; without its heading if that is unknown, None if the place is unknown too."""
        if self._way is not None and not self.is_off:
            return self._way.place(self._progress_s)
        return self._place

    def unsure_m(self, now_s: float) -> float:
        """Return how far from where it was seen it may get before it stops, if it drives without a way; else 0."""
        if not (self.is_roaming or self.is_off):
            return 0.0
        return self.speed_mps * (min(max(0.0, now_s - self.seen_s), TOUCH_S) + _DELAY_S + self.stop_s)

    def motions(self, now_s: float) -> list[UniformMotion]:
        """Return where it is and will be; simultaneous motions are alternatives."""
        way, place = self._way, self.pose
        since_s = now_s - _PAST_S
        if place is None:
            return []
        until_s = now_s + YIELDS_S if self.is_leaving(now_s) else math.inf
        found = [standing(one, since_s, until_s) for one in _around(place, self.unsure_m(now_s))]
        if way is None:
            return found
        if self.is_silent(now_s):
            return found + self._everywhere(way, since_s)
        if not self.is_off:
            found = []
        for delay_s in (self.delay_s - _EARLY_S, self.delay_s + _LATE_S):
            start_s = way.start_s + delay_s
            found.append(standing(way.place(0.0), start_s - _PAST_S, start_s))
            found += way.later(delay_s)
        return found

    def sweep(self, now_s: float) -> Sweep | None:
        """Return the floor that it may cover until it has stopped; None while nothing is known."""
        place = self._place or self.pose
        if place is None:
            return None
        here = Segment(place.x_m, place.y_m, place.x_m, place.y_m)
        way = self._way
        if way is None or self.is_off:
            return Sweep([here], self.wide_m + self.unsure_m(now_s))
        moves_s = max(0.0, now_s - self.seen_s) + _DELAY_S + self.stop_s + _HURRY_S
        until_s = math.inf if self.is_silent(now_s) else self._progress_s + moves_s
        return Sweep([here, *way.lines(self._progress_s, until_s)], self.wide_m + self._off_m)

    @property
    def noted_s(self) -> float:
        """When it was last seen or published."""
        return max(self.seen_s, self._told_s)

    def activity(self, now_s: float) -> str:
        """Return what it does, in a word or two."""
        if self.shared is not None and self.shared.is_lost:
            return "lost"
        if now_s - self.seen_s > SILENT_S:
            return "not seen" if math.isinf(self.seen_s) else f"not seen for {now_s - self.seen_s:.0f} s"
        if self._way is not None:
            return "driving"
        return "driving freely" if self.driver is not None and self.is_roaming else "standing"

    # In the order of robots on their ways

    @property
    def late_s(self) -> float:
        """How late it is."""
        return self.delay_s

    @property
    def start_s(self) -> float:
        """When its way starts."""
        return 0.0 if self._way is None else self._way.start_s

    @property
    def way_motions(self) -> list[UniformMotion]:
        """The motions of its way, as planned."""
        return [] if self._way is None else self._way.motions

    def place(self, now_s: float) -> Pose2D:
        """Return where it should be on its way, as late as it is."""
        if self._way is None:
            raise ValueError(f"robot {self.robot_id} has no way")
        return self._way.place(self.time_s(now_s))

    def time_s(self, now_s: float) -> float:
        """Return the time on its way."""
        return 0.0 if self._way is None else now_s - self._way.start_s - self.delay_s

    def _everywhere(self, way: KnottedWay, since_s: float) -> list[UniformMotion]:
        """Return stationary motions at places all along the rest of its way."""
        found: list[UniformMotion] = []
        for line in way.lines(self._progress_s, math.inf):
            dx_m, dy_m = line.x2_m - line.x1_m, line.y2_m - line.y1_m
            count = max(1, math.ceil(math.sqrt(dx_m * dx_m + dy_m * dy_m) / _STEP_M))
            for part in range(1, count + 1):
                place = Pose2D(line.x1_m + dx_m * part / count, line.y1_m + dy_m * part / count, 0.0)
                found.append(standing(place, since_s, math.inf))
        return found


def _around(place: Pose2D, radius_m: float) -> list[Pose2D]:
    """Return a place, and places on a circle around it."""
    if radius_m == 0.0:
        return [place]
    angles = [math.tau * index / _SIDES for index in range(_SIDES)]
    return [
        place,
        *(Pose2D(place.x_m + radius_m * math.cos(one), place.y_m + radius_m * math.sin(one), 0.0) for one in angles),
    ]
