"""Drives one leg of a task: plans a trajectory, which the robot's control law tracks."""

import math
from typing import Final

from fleet.actuation.wheel_response import MotionForecast
from fleet.control.control_law import ControlInput, TrackingError, Tracks
from fleet.control.law_choice import ChosenLaw, choose_law
from fleet.control.tracker_config import TrackerConfig
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.paths.path import Path
from fleet.paths.remaining_path import pieces_from
from fleet.settings.config import MotionConfig, TasksConfig
from fleet.tasks.leg_planner import LegPlanner
from fleet.tasks.legs import FollowLeg, Growth, MovingLeg
from fleet.trajectories.grown_trajectory import growing
from fleet.trajectories.trajectory import Trajectory
from fleet.wheels.differential_drive import is_still

_NEARER_M: Final = 0.01  # what counts as progress ...
_NEARER_RAD: Final = 0.035  # ... and what counts as progress at the goal
_PATIENCE_S: Final = 1.0  # how long the law may reduce the remaining error after the trajectory's end ...
_GOOD_M: Final = 0.003  # ... until the robot is this close, counting only the error ahead of or behind it, ...
_GOOD_RAD: Final = 0.009  # ... with this heading error, half a degree
_LAG_S: Final = 0.2  # robots rest at their goals this much later than their trajectories end, as measured
_SAME_M: Final = 0.02  # a robot that moves less is where it was, as far as the time of its leg matters
_WAITS_RATE: Final = 0.5  # a robot whose clock runs slower than this waits
_PATH: Final = Tracks.PATH


class Tracker:
    """Drives one robot along one leg; plans when started, and again when the robot is off its reference.

    Parameters
    ----------
    leg : the leg, in the frame of every pose that is passed in
    planner : plans the leg

    Attributes
    ----------
    is_waiting : whether the robot waits for a way, or on it
    plans : number of plans so far
    """

    def __init__(
        self,
        leg: MovingLeg,
        motion: MotionConfig,
        config: TrackerConfig,
        tasks: TasksConfig,
        planner: LegPlanner,
    ) -> None:
        self.is_waiting = False
        self.plans = 0
        self._planner = planner
        self._leg = leg
        self._goal = leg.goal
        self._motion = motion
        self._config = config
        self._tasks = tasks
        self._trajectory: Trajectory | None = None
        self._law: ChosenLaw | None = None
        self._started_ns = 0
        self._remaining_m = math.inf
        self._ended_ns: int | None = None
        self._reached_ns: int | None = None
        self._least_m = math.inf
        self._least_rad = math.inf
        self._progressed_ns: int | None = None
        self._grown_m = 0.0  # growth of the leg since the trajectory was planned
        self._left_at_m = 0.0  # remaining length of the leg where it leaves the trajectory's path
        self._is_growing = False  # whether the planner knows that
        self._estimated_at: Pose2D | None = None  # where the time without a way was computed, ...
        self._estimated_s: float | None = None  # ... and what it is

    @property
    def remaining_m(self) -> float:
        """The remaining length of the way; infinite before the first step."""
        return self._remaining_m

    @property
    def reached_m(self) -> float:
        """The robot's arc length on the planned path."""
        return 0.0 if self._trajectory is None else self._trajectory.path.length_m + self._grown_m - self._remaining_m

    @property
    def error(self) -> TrackingError | None:
        """Deviation of the robot from its reference; None while nothing is planned."""
        return None if self._law is None else self._law.error

    @property
    def reference(self) -> Pose2D | None:
        """Desired pose of the robot according to its plan; None while nothing is planned."""
        if self._law is None or self._trajectory is None:
            return None
        return self._trajectory.sample(self._law.plan_time_s).pose

    @property
    def path(self) -> Path | None:
        """The path that it drives now; None while nothing is planned."""
        return None if self._law is None or self._trajectory is None else self._trajectory.path

    def step(self, forecast: MotionForecast, now_ns: int) -> Twist2D:
        """Return the twist that brings the robot nearer to the goal."""
        pose = forecast.now.pose
        if self._is_off(pose, now_ns):
            self.pause()
        if self.has_grown:
            self._grow(forecast, now_ns)
        law = self._law or self._plan(pose, now_ns)
        if law is None:
            self.is_waiting, self._progressed_ns = True, now_ns
            return STILL
        then, rate = forecast.then, self._planner.rate
        time_s = self._elapsed_s(now_ns) + rate * forecast.ahead_s
        twist = law.step(ControlInput(then.pose, then.twist, time_s, forecast.period_s, forecast.lag_s, rate=rate))
        if law.tracks is _PATH:
            self._planner.note_progress(law.plan_time_s, now_ns)
        self._note_progress(law, pose, now_ns)
        self._note_arrival(pose, forecast.now.twist, now_ns)
        return STILL if self._rests(pose, now_ns) else twist

    def grow(self, leg: FollowLeg, growth: Growth) -> None:
        """Continue along a leg that has grown, by a new plan that replaces the current one while the robot drives.

        If the plan is late, or other robots are in the way, the robot stops at the former end of the leg.
        """
        added_m = growth.added_m
        self._leg, self._goal = leg, leg.goal
        self._remaining_m += added_m
        self._least_m += added_m
        self._reached_ns = None
        if self._law is None:
            self._planner.give_up()
            return
        self._left_at_m = max(self._left_at_m, growth.cut_m) + added_m
        self._grown_m += added_m
        self._is_growing = False

    @property
    def has_grown(self) -> bool:
        """Whether the leg is longer than its plan."""
        return self._law is not None and self._grown_m > 0.0

    def configure(self, config: TrackerConfig, now_ns: int) -> None:
        """Continue with another law, or with other gains, from where the robot is."""
        self._config = config
        if self._law is None or self._trajectory is None:
            return
        if self._law.tracks is Tracks.PATH:
            self._started_ns = now_ns - round((self._law.plan_time_s + self._planner.delay_s) * 1e9)
        self._law = choose_law(self._trajectory, config)

    def pause(self) -> None:
        """Forget the plan: the robot stands still for now and plans again at the next step."""
        self._planner.give_up()
        self._law = None
        self._reached_ns = None

    def is_done(self, now_ns: int) -> bool:
        """Whether the robot has stood still at the goal, within the tolerances, for long enough."""
        return self._reached_ns is not None and (now_ns - self._reached_ns) * 1e-9 >= self._tasks.settle_s

    def stalled_s(self, now_ns: int) -> float:
        """Return for how long the robot has come no nearer to the goal."""
        return 0.0 if self._progressed_ns is None else (now_ns - self._progressed_ns) * 1e-9

    def remaining_s(self, pose: Pose2D) -> float | None:
        """Return the planned time from `pose` to the end of the leg; None while that is not known."""
        if self._law is None or self._trajectory is None:
            return self._unplanned_s(pose)
        left_s = max(0.0, self._trajectory.duration_s - self._law.plan_time_s) + _LAG_S + self._tasks.settle_s
        return left_s if self._grown_m == 0.0 else left_s + self._leg.rough_s(self._grown_m)

    @property
    def rough_s(self) -> float:
        """Approximate duration of the leg."""
        return self._leg.rough_s(self._remaining_m) + _LAG_S + self._tasks.settle_s

    def _unplanned_s(self, pose: Pose2D) -> float | None:
        """Return the time from a pose without a way; it is only recomputed where it may have changed."""
        here = self._estimated_at
        if here is None or here.distance_to(pose) > _SAME_M:
            self._estimated_at = pose
            self._estimated_s = self._leg.quick_s(pose, self._motion)
        alone_s = self._planner.alone_s if self._estimated_s is None else self._estimated_s
        return None if alone_s is None else alone_s + _LAG_S + self._tasks.settle_s

    def _plan(self, pose: Pose2D, now_ns: int) -> ChosenLaw | None:
        """Plan the leg; return None while the robot has to wait for its way."""
        planned = self._planner.plan(self._leg, pose, self._remaining_m, now_ns)
        if planned is None:
            return None
        self.plans += 1
        self._trajectory = planned.trajectory
        self._law = choose_law(self._trajectory, self._config)
        self._started_ns, self._ended_ns = planned.start_ns, None
        self._grown_m = self._left_at_m = 0.0
        return self._law

    def _grow(self, forecast: MotionForecast, now_ns: int) -> None:
        """Have the grown leg planned, and switch to that plan once it is made; stop at the old end until then."""
        law, former, leg = self._law, self._trajectory, self._leg
        if law is None or former is None or not isinstance(leg, FollowLeg):
            return
        if self._ended_ns is not None:
            if is_still(forecast.now.twist):
                self.pause()
            return
        time_s = law.plan_time_s
        if not self._is_growing:
            self._is_growing = True
            rest = pieces_from(leg.path, leg.path.length_m - self._left_at_m)
            left_at_m = former.path.length_m - (self._left_at_m - self._grown_m)
            self._planner.plan_growth(growing(former, time_s, left_at_m, rest, leg.limits))
        grown = self._planner.grow(time_s)
        if grown is None:
            return
        self.plans += 1
        if law.tracks is _PATH:
            self._started_ns = now_ns - round((time_s + self._planner.delay_s) * 1e9)
        self._started_ns += round(grown.shift_s * 1e9)
        self._trajectory = grown.trajectory
        self._law = choose_law(grown.trajectory, self._config)
        self._grown_m = self._left_at_m = 0.0

    def _elapsed_s(self, now_ns: int) -> float:
        return (now_ns - self._started_ns) * 1e-9 - self._planner.delay_s

    def _late_s(self, now_ns: int) -> float:
        """Return how long ago the trajectory ended."""
        return 0.0 if self._ended_ns is None else (now_ns - self._ended_ns) * 1e-9

    def _arrived(self, pose: Pose2D) -> bool:
        """Whether the robot is at the goal, within the tolerances, now that its trajectory has ended."""
        near = (
            self._ended_ns is not None
            and not self.has_grown
            and pose.distance_to(self._goal) <= self._tasks.position_tolerance_m
        )
        return near and abs(pose.heading_error_to(self._goal)) <= self._tasks.heading_tolerance_rad

    def _rests(self, pose: Pose2D, now_ns: int) -> bool:
        """Whether the robot is at the goal, and is close enough or has had its time to come closer."""
        if not self._arrived(pose):
            return False
        ahead_m = abs(self._goal.relative_to(pose).x_m)
        is_good = ahead_m <= _GOOD_M and abs(pose.heading_error_to(self._goal)) <= _GOOD_RAD
        return is_good or self._late_s(now_ns) > _PATIENCE_S

    def _is_off(self, pose: Pose2D, now_ns: int) -> bool:
        """Whether the plan is obsolete: the robot was pushed away, is blocked, or ended beside the goal."""
        if self._law is None:
            return False
        if self._planner.is_obsolete():
            return True
        error = self._law.error
        replan_error_m = self._config.replan_error_m
        if error.along_m * error.along_m + error.cross_m * error.cross_m > replan_error_m * replan_error_m:
            return True
        return self._late_s(now_ns) > _PATIENCE_S and not self._arrived(pose)

    def _note_arrival(self, pose: Pose2D, twist: Twist2D, now_ns: int) -> None:
        if not (is_still(twist) and self._rests(pose, now_ns)):
            self._reached_ns = None
        elif self._reached_ns is None:
            self._reached_ns = now_ns

    def _note_progress(self, law: ChosenLaw, pose: Pose2D, now_ns: int) -> None:
        """Update the remaining way, whether it is shorter than ever, and when the trajectory ended."""
        trajectory, plan_time_s = self._trajectory, law.plan_time_s
        if trajectory is None:
            return
        if plan_time_s >= trajectory.duration_s and self._ended_ns is None:
            self._ended_ns = now_ns
        behind_m = max(-self._config.replan_error_m, min(law.error.along_m, self._config.replan_error_m))
        self._remaining_m = trajectory.path.length_m + self._grown_m - trajectory.point_at(plan_time_s) + behind_m
        turn_rad = abs(pose.heading_error_to(self._goal))
        self.is_waiting = trajectory.is_waiting(plan_time_s) or self._planner.rate < _WAITS_RATE
        if self.is_waiting:
            self._progressed_ns = now_ns
        nearer = self._remaining_m < self._least_m - _NEARER_M
        turned = self._remaining_m <= self._tasks.position_tolerance_m and turn_rad < self._least_rad - _NEARER_RAD
        if nearer or turned or self._progressed_ns is None:
            self._progressed_ns = now_ns
            self._least_m = min(self._least_m, self._remaining_m)
            self._least_rad = turn_rad if nearer else min(self._least_rad, turn_rad)


def planned_leg_s(start: Pose2D, leg: MovingLeg, motion: MotionConfig, settle_s: float) -> float:
    """Return the approximate duration of a leg from `start` for a robot alone: way, coming to rest, settling."""
    quick_s = leg.quick_s(start, motion)
    return (leg.rough_s(math.inf) if quick_s is None else quick_s) + _LAG_S + settle_s
