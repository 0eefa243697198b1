"""A task: legs that a robot performs one after the other, from acceptance to exactly one end."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from fleet.actuation.wheel_response import MotionForecast
from fleet.control.control_law import TrackingError
from fleet.control.tracker_config import TrackerConfig
from fleet.errors import PathError
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.paths.path import Path
from fleet.paths.polyline import Point
from fleet.reason import Explanation, Reason
from fleet.settings.config import MotionConfig, TasksConfig
from fleet.tasks import explanations
from fleet.tasks.deviation import CrossTrack, Deviation
from fleet.tasks.leg_planner import LegPlanner
from fleet.tasks.legs import (
    STANDING,
    ChargeLeg,
    DriveLeg,
    DwellLeg,
    FollowLeg,
    Growth,
    Leg,
    MovingLeg,
    Room,
    expected_legs,
    following_leg,
    no_room_m,
)
from fleet.tasks.plan_points import leg_report, plan_points
from fleet.tasks.route import NEAR_M, LegMark, Route, RouteProgress
from fleet.tasks.task_kind import HIGHEST_PRIORITY, TaskKind
from fleet.tasks.task_report import TaskReport
from fleet.tasks.task_words import goal_words, path_words, plan_text
from fleet.tasks.tracker import Tracker, planned_leg_s
from fleet.trajectories.limits import Limits
from fleet.trajectories.timing import limits_at_mean_speed
from thymio_base.number_text import count_text


class TaskState(Enum):
    """The state of a task, in the terms of action_msgs/GoalStatus."""

    EXECUTING = "executing"  # the robot performs it
    CANCELING = "canceling"  # the wheels are commanded to stop, but still turn
    SUCCEEDED = "SUCCEEDED"  # ended: every leg was performed
    CANCELED = "CANCELED"  # ended: on request
    ABORTED = "ABORTED"  # ended: for a reason


_ORDINALS: Final = {state: index for index, state in enumerate(TaskState)}
_STANDING_TEXTS: Final = {DwellLeg: "loading or unloading", ChargeLeg: "waiting for the charger"}
_EXECUTING: Final = TaskState.EXECUTING  # looked up once because every tick uses it
_CANCELING: Final = TaskState.CANCELING


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A client's request; the legs are performed in order.

    `path_name` and `shape_size_m` are those of a named path, "" and None without one. `priority`, from 0 to 9, counts
    among other robots on the floor; None is that of the robot. `route` is what the legs are made for, if it may grow.
    `names` are pairs of a position in words and the name of the station there, for places of the task.
    """

    task_id: str
    kind: TaskKind
    legs: tuple[Leg, ...]
    path_name: str = ""
    shape_size_m: float | None = None
    priority: int | None = None
    route: Route | None = None
    names: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Reject a priority that is out of range."""
        if self.priority is not None and not 0 <= self.priority <= HIGHEST_PRIORITY:
            raise ValueError(f"priority {self.priority} of task {self.task_id!r} is not from 0 to {HIGHEST_PRIORITY}")

    def places(self, room_m: Room = no_room_m) -> Iterator[Pose2D]:
        """Return the places to which the task leads, as those of its legs."""
        return (place for leg in self.legs if not isinstance(leg, STANDING) for place in leg.places(room_m))

    @property
    def end_place(self) -> Pose2D | None:
        """End of its last drive; None if the robot only stands still."""
        return next((leg.goal for leg in reversed(self.legs) if not isinstance(leg, STANDING)), None)

    @property
    def docks_at(self) -> Pose2D | None:
        """The last charger onto which it leads; None if there is none."""
        for leg, after in zip(reversed(self.legs[:-1]), reversed(self.legs[1:]), strict=True):
            if isinstance(after, ChargeLeg) and not isinstance(leg, STANDING):
                return leg.goal
        return None

    @property
    def ends_in_charger(self) -> bool:
        """Whether it ends in a charger."""
        return isinstance(self.legs[-1], ChargeLeg)

    def words(self, lap: int | None = None) -> str:
        """Return what a robot does: "transport press > (0.90, 0.80)", "follow eight", in a lap "follow eight 2/3"."""
        first = self.legs[0]
        if self.route is not None:
            return f"follow route of {count_text(self.route.count, 'leg')}"
        if isinstance(first, FollowLeg):
            return f"follow {path_words(self.path_name, first, lap)}"
        name = self.kind.value.removeprefix("task_")
        if self.kind is TaskKind.GO_HOME:
            return name
        names = dict(self.names)
        return f"{name} {' > '.join(names.get(words, words) for words in map(goal_words, self._stops()))}"

    def _stops(self) -> Iterator[Leg]:
        """Yield the expected legs at whose ends the robot stands still."""
        legs = list(expected_legs(self.legs))
        for leg, after in zip(legs, [*legs[1:], None], strict=True):
            if not isinstance(leg, STANDING) and (after is None or isinstance(after, STANDING)):
                yield leg


def go_to(task_id: str, goal: Pose2D) -> TaskRequest:
    """Return the request to drive to `goal`."""
    return TaskRequest(task_id, TaskKind.GO_TO, (DriveLeg(goal),))


def go_home(task_id: str, home: Pose2D) -> TaskRequest:
    """Return the request to drive to `home`."""
    return TaskRequest(task_id, TaskKind.GO_HOME, (DriveLeg(home),))


def transport(task_id: str, pose_from: Pose2D, pose_to: Pose2D, dwell_s: float) -> TaskRequest:
    """Return the request to load at `pose_from` and unload at `pose_to`, each in `dwell_s` seconds."""
    legs = (DriveLeg(pose_from), DwellLeg(dwell_s, True), DriveLeg(pose_to), DwellLeg(dwell_s, False))
    return TaskRequest(task_id, TaskKind.TRANSPORT, legs)


def follow_path(
    task_id: str,
    lap: Path,
    limits: Limits,
    speed_mps: float | None = None,
    laps: int = 1,
    *,
    name: str = "",
    shape_size_m: float | None = None,
    is_endless: bool = False,
    waypoints_m: Sequence[Point] = (),
) -> TaskRequest:
    """Return the request to follow a path.

    Parameters
    ----------
    task_id
        the client's id
    lap
        the path, in the fleet's frame
    limits
        the limits of the robot
    speed_mps
        mean speed from the path's start to its end, stops included; None is as fast as the limits allow
    laps
        number of laps; more than one only for a closed path
    name
        name of the path, "" without one
    shape_size_m
        size of a named shape, for the advice to choose a smaller one
    is_endless
        whether it is repeated until the task is canceled
    waypoints_m
        waypoints of the path, in the fleet's frame, if it may be extended by further ones

    Raises
    ------
    PathError
        The limits do not allow the speed, or the path cannot be repeated.
    """
    paced = limits if speed_mps is None else limits_at_mean_speed(lap, limits, speed_mps, laps)
    if is_endless and not lap.is_closed:
        raise PathError("a path that is not closed cannot be driven again and again")
    legs = (FollowLeg(lap.repeated(laps), paced, laps, is_endless=is_endless, waypoints_m=tuple(waypoints_m)),)
    return TaskRequest(task_id, TaskKind.FOLLOW_PATH, legs, name, shape_size_m)


class Task:
    """One accepted request while a robot performs it.

    The owner calls `step` at every tick while the robot can drive and `hold` while it cannot, and `stopped` once the
    wheels have stopped after `cancel`. Ended states are final.
    """

    def __init__(
        self,
        request: TaskRequest,
        motion: MotionConfig,
        tracker: TrackerConfig,
        config: TasksConfig,
        planner: LegPlanner,
    ) -> None:
        self.request = request
        self._planner = planner
        self.state = TaskState.EXECUTING
        self.explanation: Explanation | None = None  # of an abort
        self.loaded = False
        self.waited_s = 0.0  # for other robots
        self._motion = motion
        self._tracker_config = tracker
        self._config = config
        durations_s = _leg_durations_s(request.legs, motion, config.settle_s)
        self._later_s = _later_s(request.legs, durations_s)  # expected after each leg
        self._spare_s = sum(durations_s[1:], 0.0) - self._later_s[0]  # of further tries
        self._index = 0
        self._tracker: Tracker | None = None
        self._deviation = Deviation()
        self._dwelt_s = 0.0
        self._stood_ns: int | None = None  # start of standing still on this leg
        self._charge_ns = 0  # when the latest voltage was measured, ...
        self._is_charged = False  # ... and whether a charger fed the battery then
        self._stepped_ns: int | None = None
        self._planned_s = 0.0
        self._is_rough = True  # whether that is not known yet
        self._remaining_s = 0.0
        self._started_ns: int | None = None
        self._plan = ""
        self._planned_index = -1  # the leg at which `_plan` starts
        self._pose: Pose2D | None = None  # the latest
        self._growths = 0
        self._is_growing = False  # whether the time to the end is known only roughly, as the path has grown
        self._passed = 0  # number of passed marks of its route

    @property
    def is_ended(self) -> bool:
        """Whether the task is over."""
        return self.state is not _EXECUTING and self.state is not _CANCELING

    @property
    def reason(self) -> Reason | None:
        """Why it was aborted; None unless it was."""
        return self.explanation.reason if self.explanation else None

    @property
    def eta_s(self) -> float:
        """Planned time to the end, in seconds."""
        return self._remaining_s

    @property
    def has_way(self) -> bool:
        """Whether the way of its current leg is planned, or the leg needs none."""
        if self.is_ended or isinstance(self.request.legs[self._index], STANDING):
            return True
        return self._tracker is not None and self._tracker.path is not None

    @property
    def progress(self) -> float:
        """Share of the planned time that has passed, from 0 to 1."""
        if self.state is TaskState.SUCCEEDED:
            return 1.0
        return max(0.0, min(1.0, 1.0 - self._remaining_s / self._planned_s)) if self._planned_s > 0.0 else 0.0

    def stalled_s(self, now_ns: int) -> float:
        """Return for how long a drive has come no nearer to its goal."""
        return self._tracker.stalled_s(now_ns) if self._tracker else 0.0

    @property
    def reference(self) -> Pose2D | None:
        """Desired pose of the robot according to its plan, in the map; None while it has no plan."""
        return self._tracker.reference if self._tracker else None

    @property
    def tracking_error(self) -> TrackingError | None:
        """Deviation of the robot from its reference; None while it does not drive."""
        return self._tracker.error if self._tracker else None

    @property
    def lap(self) -> int:
        """The current lap of a path, from 1; 0 without a path."""
        leg = None if self.is_ended else self.request.legs[self._index]
        return leg.lap(self._tracker.remaining_m) if isinstance(leg, FollowLeg) and self._tracker else 0

    @property
    def leg(self) -> int:
        """The index of the current leg."""
        return min(self._index, len(self.request.legs) - 1)

    @property
    def words(self) -> str:
        """Its description in words: the kind of task, its goals, the current lap of a path."""
        return self.request.words(self.lap)

    @property
    def plan(self) -> str:
        """Remaining poses and places of its legs; see `task_words.plan_text`."""
        if self._index != self._planned_index:
            self._planned_index = self._index
            self._plan = plan_text(self.request.legs[self._index :])
        return self._plan

    @property
    def version(self) -> int:
        """A number that grows whenever more of the report changes than progress."""
        plans = self._growths if self._tracker is None else self._growths + self._tracker.plans
        return self._index << 40 | plans << 8 | _ORDINALS[self.state]

    def report(self) -> TaskReport:
        """Return its report, except for its clients."""
        tracker, legs = self._tracker, self.request.legs
        path = None if tracker is None else tracker.path
        from_m = 0.0 if path is None or tracker is None else tracker.reached_m
        later = legs[self._index if path is None else self._index + 1 :]
        return TaskReport(
            task_id=self.request.task_id,
            kind=self.request.kind.value,
            state=self.state.value,
            reason=self.reason.value if self.reason else "",
            detail=self.explanation.detail if self.explanation else "",
            words=self.request.words(),  # no lap: it is published on change only
            legs=tuple(leg_report(leg) for leg in legs),
            leg=self.leg,
            plan_m=() if self.is_ended else plan_points(path, from_m, self._pose, later),
            eta_s=self.eta_s,
            progress=self.progress,
        )

    @property
    def cross_track(self) -> CrossTrack | None:
        """Deviations of the robot from its paths so far; None before it drives."""
        return self._deviation.cross_track

    def configure(self, tracker: TrackerConfig, now_ns: int) -> None:
        """Continue with another control law, or with other gains."""
        self._tracker_config = tracker
        if self._tracker is not None:
            self._tracker.configure(tracker, now_ns)

    def note_charge(self, is_charged: bool, measured_ns: int) -> None:
        """Note whether a charger feeds the robot, by its latest voltage, and its time of measurement; 0 is never."""
        self._is_charged, self._charge_ns = is_charged, measured_ns

    @property
    def followed(self) -> FollowLeg | None:
        """Its current leg, if that follows a path that can grow; otherwise None."""
        leg = None if self.state is not _EXECUTING else self.request.legs[self._index]
        return leg if isinstance(leg, FollowLeg) and self.request.kind is TaskKind.FOLLOW_PATH else None

    @property
    def remaining_m(self) -> float:
        """Remaining length of the current drive; infinite before it starts."""
        return math.inf if self._tracker is None else self._tracker.remaining_m

    def grow(self, leg: FollowLeg, growth: Growth) -> None:
        """Continue along its path, which has grown to that of `leg`."""
        self.request = replace(self.request, legs=(leg,))
        self._growths += 1
        self._planned_index = -1
        self._is_growing = True
        if self._tracker is not None:
            self._tracker.grow(leg, growth)

    @property
    def is_route(self) -> bool:
        """Whether it performs a route to which legs can be appended."""
        return self.state is _EXECUTING and self.request.route is not None

    @property
    def route_progress(self) -> RouteProgress | None:
        """Progress along its route; None if it has none."""
        route = self.request.route
        if route is None:
            return None
        mark = route.marks[self._passed] if self._passed < len(route.marks) else None
        is_driven = mark is not None and mark.leg == self._index and math.isfinite(self.remaining_m)
        left_m = max(0.0, self.remaining_m - mark.rest_m) if mark is not None and is_driven else 0.0
        return RouteProgress(route.former + self._passed, route.count, left_m)

    def extend(self, request: TaskRequest, growth: Growth | None) -> None:
        """Continue with a longer route: more legs follow, and the last leg so far has grown if there is a growth.

        Completed legs are forgotten, so that a route can grow without bounds.
        """
        route, index = request.route, self._index
        if route is None:
            return
        appended = request.legs[len(self.request.legs) :]
        grows = growth is not None and index == len(self.request.legs) - 1
        rebased = route.rebased(index, self._passed)
        self._passed -= rebased.former - route.former
        self._index, self._planned_index = 0, -1
        self.request = replace(request, legs=request.legs[index:], route=rebased)
        self._later_s = _later_s(
            self.request.legs, _leg_durations_s(self.request.legs, self._motion, self._config.settle_s)
        )
        self._spare_s += _spare_s(appended, self._motion, self._config.settle_s)
        self._growths += 1
        self._is_growing = True
        leg = self.request.legs[0]
        if grows and growth is not None and isinstance(leg, FollowLeg) and self._tracker is not None:
            self._tracker.grow(leg, growth)

    def step(self, forecast: MotionForecast, now_ns: int) -> Twist2D:
        """Return the twist to command now; end the task when it is due."""
        if self.state is not _EXECUTING:
            return STILL
        self._pose = forecast.now.pose
        leg = self.request.legs[self._index]
        if isinstance(leg, FollowLeg) and leg.needs_laps(self.remaining_m):
            leg, growth = leg.with_laps(leg.laps_at_once, self.remaining_m)
            self.grow(leg, growth)
        command = self._stand(leg, now_ns) if isinstance(leg, STANDING) else self._drive(leg, forecast, now_ns)
        if self._stepped_ns is not None and self._tracker is not None and self._tracker.is_waiting:
            self.waited_s += (now_ns - self._stepped_ns) * 1e-9
        self._stepped_ns = now_ns
        if self.request.route is not None:
            self._note_passed(self.request.route)
        if not self.is_ended:
            self._note_time(forecast.now.pose, now_ns)
        self._abort_if_late(now_ns)
        return command if self.state is _EXECUTING else STILL

    def hold(self, now_ns: int) -> None:
        """Note that the robot cannot drive now: it stands still and plans again when it can."""
        if self._tracker is not None:
            self._tracker.pause()
        self._stepped_ns = None
        if self.state is TaskState.EXECUTING:
            self._abort_if_late(now_ns)

    def cancel(self) -> None:
        """Start to cancel the task, unless it is ending or has ended."""
        if self.state is TaskState.EXECUTING:
            self.state = TaskState.CANCELING

    def stopped(self) -> None:
        """Note that the wheels have stopped: a task that is canceling is then canceled."""
        if self.state is TaskState.CANCELING:
            self.state = TaskState.CANCELED

    def abort(self, explanation: Explanation) -> None:
        """End the task for a reason, unless it has ended."""
        if not self.is_ended:
            self.state = TaskState.ABORTED
            self.explanation = explanation

    def _drive(self, leg: MovingLeg, forecast: MotionForecast, now_ns: int) -> Twist2D:
        if self._tracker is None:
            self._tracker = Tracker(leg, self._motion, self._tracker_config, self._config, self._planner)
        command = self._tracker.step(forecast, now_ns)
        error = self._tracker.error
        if error is not None:
            self._deviation.add(error.cross_m)
        if self._tracker.is_done(now_ns):
            self._planner.give_up()
            self._tracker = None
            self._next_leg()
        elif self._tracker.stalled_s(now_ns) > self._config.no_progress_s:
            self.abort(explanations.no_progress(self._tracker.stalled_s(now_ns), self._remaining_text(leg)))
        return command

    def _stand(self, leg: DwellLeg | ChargeLeg, now_ns: int) -> Twist2D:
        if self._stood_ns is None:
            self._stood_ns = now_ns
        if self._stepped_ns is not None:
            self._dwelt_s += (now_ns - self._stepped_ns) * 1e-9
        is_over = self._dwelt_s >= leg.duration_s
        if isinstance(leg, ChargeLeg):
            self._await_charge(leg, self._charge_ns > self._stood_ns, is_over=is_over)
        elif is_over:
            self.loaded = self.loaded if leg.loads is None else leg.loads
            self._next_leg()
        return STILL

    def _await_charge(self, leg: ChargeLeg, is_measured: bool, *, is_over: bool) -> None:
        """End a leg when the robot is charged; when its time is over, try again or give up.

        `is_measured` is whether the voltage was measured in the charger.
        """
        if is_measured and self._is_charged:
            self._next_leg()
        elif is_over and is_measured and leg.spare_legs:
            self._begin_leg(self._index + 1)
        elif is_over:
            self.abort(explanations.not_charging(leg.duration_s, leg.tries, is_measured=is_measured))

    def _next_leg(self) -> None:
        self._begin_leg(following_leg(self.request.legs, self._index))
        if self._index == len(self.request.legs):
            self.state = TaskState.SUCCEEDED

    def _begin_leg(self, index: int) -> None:
        self._index = index
        self._dwelt_s, self._stood_ns = 0.0, None

    def _note_passed(self, route: Route) -> None:
        """Count the legs of the route that are over."""
        while self._passed < len(route.marks) and self._has_passed(route.marks[self._passed]):
            self._passed += 1

    def _has_passed(self, mark: LegMark) -> bool:
        if self._index != mark.leg:
            return self._index > mark.leg
        return mark.rest_m > NEAR_M and self.remaining_m <= mark.rest_m + NEAR_M

    def _note_time(self, pose: Pose2D, now_ns: int) -> None:
        """Update the planned time to the end; it is approximate while the first way is being planned."""
        remaining_s, tracker = self._plan_s(pose), self._tracker
        if self._is_growing and remaining_s is not None:
            self._planned_s += max(0.0, remaining_s - self._remaining_s)
            self._is_growing = tracker is None or tracker.has_grown
        if remaining_s is not None:
            self._remaining_s = remaining_s
        elif self._is_rough and tracker is not None:
            self._remaining_s = tracker.rough_s + self._later_s[self._index]
        if self._is_rough:
            self._planned_s = self._remaining_s
            self._is_rough = remaining_s is None
        if self._started_ns is None:
            self._started_ns = now_ns

    def _abort_if_late(self, now_ns: int) -> None:
        planned_s = self._planned_s + self._spare_s
        allowed_s = max(self._config.deadline_min_s, self._config.deadline_factor * planned_s)
        if self._started_ns is None:
            self._started_ns = now_ns
        elif not self.is_ended and (now_ns - self._started_ns) * 1e-9 - self.waited_s > allowed_s:
            leg = self.request.legs[self._index]
            remaining = _STANDING_TEXTS[type(leg)] if isinstance(leg, STANDING) else self._remaining_text(leg)
            duration_s = (now_ns - self._started_ns) * 1e-9
            self.abort(explanations.deadline(duration_s, allowed_s, self._planned_s, remaining))

    def _remaining_text(self, leg: MovingLeg) -> str:
        """Return in words how far the robot is from the end of a leg."""
        if isinstance(leg, FollowLeg) and self._tracker is not None and math.isfinite(self._tracker.remaining_m):
            return f"{self._tracker.remaining_m:.3f} m of its path left"
        return explanations.distance_text(self._pose, leg.goal)

    def _plan_s(self, pose: Pose2D) -> float | None:
        """Return the planned time from `pose` through the remaining legs; None while a way is being planned."""
        leg = self.request.legs[self._index]
        if isinstance(leg, STANDING):
            return leg.duration_s - self._dwelt_s + self._later_s[self._index]
        if self._tracker is not None:
            leg_s = self._tracker.remaining_s(pose)
            return None if leg_s is None else leg_s + self._later_s[self._index]
        return planned_leg_s(pose, leg, self._motion, self._config.settle_s) + self._later_s[self._index]


def _leg_durations_s(legs: Sequence[Leg], motion: MotionConfig, settle_s: float) -> tuple[float, ...]:
    """Return the planned time of every leg; each drive starts where the one before it ended.

    The first leg counts as 0, as its start is not known in advance.
    """
    durations_s = []
    place: Pose2D | None = None
    for index, leg in enumerate(legs):
        if isinstance(leg, STANDING):
            durations_s.append(leg.duration_s if index else 0.0)
        else:
            durations_s.append(planned_leg_s(place or leg.goal, leg, motion, settle_s) if index else 0.0)
            place = leg.goal
    return tuple(durations_s)


def _spare_s(legs: Sequence[Leg], motion: MotionConfig, settle_s: float) -> float:
    """Return the planned time of the legs that are only performed after a failure."""
    durations_s = _leg_durations_s(legs, motion, settle_s)
    return sum(durations_s[1:], 0.0) - _later_s(legs, durations_s)[0] if legs else 0.0


def _later_s(legs: Sequence[Leg], durations_s: Sequence[float]) -> tuple[float, ...]:
    """Return the planned time after each leg, if all goes well."""
    later_s = [0.0] * len(legs)
    for index in reversed(range(len(legs))):
        after = following_leg(legs, index)
        later_s[index] = durations_s[after] + later_s[after] if after < len(legs) else 0.0
    return tuple(later_s)
