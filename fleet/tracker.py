"""Drives a robot to a pose: plans a trajectory, and lets the robot's control law keep to it."""

import math

from fleet.actuation import Outlook
from fleet.config import MotionConfig, TasksConfig
from fleet.drive import is_still
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.laws.choice import choose_law
from fleet.laws.law import ControlLaw, Situation, TrackingError, Tracks
from fleet.paths.to_pose import plan_to_pose
from fleet.paths.trajectory import Trajectory
from fleet.tracker_config import TrackerConfig

_NEARER_M = 0.01  # what counts as progress ...
_NEARER_RAD = 0.035  # ... and what does at the goal
_PATIENCE_S = 1.0  # how long the law may work off the rest of an error after the trajectory's end


class GoalTracker:
    """Drives one robot to one goal pose; plans when started, and again when the robot is off its reference.

    Parameters
    ----------
    goal : where to go, in the frame of every pose that is passed in
    """

    def __init__(self, goal: Pose2D, motion: MotionConfig, config: TrackerConfig, tasks: TasksConfig) -> None:
        self.goal = goal
        self._motion = motion
        self._config = config
        self._tasks = tasks
        self._trajectory: Trajectory | None = None
        self._law: ControlLaw | None = None
        self._started_ns = 0
        self._ended_ns: int | None = None
        self._reached_ns: int | None = None
        self._nearest_m = math.inf
        self._nearest_rad = math.inf
        self._progressed_ns: int | None = None

    @property
    def error(self) -> TrackingError | None:
        """How far the robot is from where it should be; None while nothing is planned."""
        return None if self._law is None else self._law.error

    def step(self, outlook: Outlook, now_ns: int) -> Twist2D:
        """Return the twist that brings the robot nearer to the goal."""
        pose = outlook.now.pose
        self._note_progress(pose, now_ns)
        self._note_arrival(pose, outlook.now.twist, now_ns)
        if self._is_off(pose, now_ns):
            self._law = None
        law = self._law or self._plan(pose, now_ns)
        if self._ended_ns is not None and self._arrived(pose):
            return STILL
        then, time_s = outlook.then, self._elapsed_s(now_ns) + outlook.ahead_s
        twist = law.step(Situation(then.pose, then.twist, time_s, outlook.period_s, outlook.lag_s))
        self._note_end(law, now_ns)
        return twist

    def configure(self, config: TrackerConfig, now_ns: int) -> None:
        """Go on with another law, or with other gains, from where the robot is."""
        self._config = config
        if self._law is None or self._trajectory is None:
            return
        if self._law.tracks is Tracks.PATH:
            self._started_ns = now_ns - round(self._law.plan_time_s * 1e9)
        self._law = choose_law(self._trajectory, config)

    def pause(self) -> None:
        """Forget the plan: the robot stands still for now and plans again at the next step."""
        self._law = None
        self._reached_ns = None

    def is_done(self, now_ns: int) -> bool:
        """Whether the robot has stood still at the goal, within the tolerances, for long enough."""
        return self._reached_ns is not None and (now_ns - self._reached_ns) * 1e-9 >= self._tasks.settle_s

    def stalled_s(self, now_ns: int) -> float:
        """Return for how long the robot has come no nearer to the goal."""
        return 0.0 if self._progressed_ns is None else (now_ns - self._progressed_ns) * 1e-9

    def remaining_s(self, pose: Pose2D, now_ns: int) -> float:
        """Return the planned time from `pose` to the end, settling included."""
        if self._law is None or self._trajectory is None:
            return planned_duration_s(pose, self.goal, self._motion) + self._tasks.settle_s
        return max(0.0, self._trajectory.duration_s - self._law.plan_time_s) + self._tasks.settle_s

    def _plan(self, pose: Pose2D, now_ns: int) -> ControlLaw:
        self._trajectory = plan_to_pose(pose, self.goal, self._motion.limits, self._motion.backward)
        self._law = choose_law(self._trajectory, self._config)
        self._started_ns, self._ended_ns = now_ns, None
        return self._law

    def _elapsed_s(self, now_ns: int) -> float:
        return (now_ns - self._started_ns) * 1e-9

    def _arrived(self, pose: Pose2D) -> bool:
        near = pose.distance_to(self.goal) <= self._tasks.position_tolerance_m
        return near and abs(pose.heading_error_to(self.goal)) <= self._tasks.heading_tolerance_rad

    def _is_off(self, pose: Pose2D, now_ns: int) -> bool:
        """Whether the plan is of no more use: the robot was pushed away, is blocked, or ended beside the goal."""
        if self._law is None:
            return False
        error = self._law.error
        if math.hypot(error.along_m, error.cross_m) > self._config.replan_error_m:
            return True
        late_s = 0.0 if self._ended_ns is None else (now_ns - self._ended_ns) * 1e-9
        return late_s > _PATIENCE_S and not self._arrived(pose)

    def _note_end(self, law: ControlLaw, now_ns: int) -> None:
        """Remember when the trajectory's end was reached, by time or by place, whichever the law tracks."""
        if self._trajectory is not None and law.plan_time_s >= self._trajectory.duration_s:
            self._ended_ns = self._ended_ns or now_ns

    def _note_arrival(self, pose: Pose2D, twist: Twist2D, now_ns: int) -> None:
        if not (is_still(twist) and self._arrived(pose)):
            self._reached_ns = None
        elif self._reached_ns is None:
            self._reached_ns = now_ns

    def _note_progress(self, pose: Pose2D, now_ns: int) -> None:
        distance_m = pose.distance_to(self.goal)
        turn_rad = abs(pose.heading_error_to(self.goal))
        nearer = distance_m < self._nearest_m - _NEARER_M
        at_goal = distance_m <= self._tasks.position_tolerance_m and turn_rad < self._nearest_rad - _NEARER_RAD
        if nearer or at_goal or self._progressed_ns is None:
            self._progressed_ns = now_ns
            self._nearest_m = min(self._nearest_m, distance_m)
            self._nearest_rad = turn_rad if nearer else min(self._nearest_rad, turn_rad)


def planned_duration_s(start: Pose2D, goal: Pose2D, motion: MotionConfig) -> float:
    """Return how long the trajectory from `start` to `goal` lasts."""
    return plan_to_pose(start, goal, motion.limits, motion.backward).duration_s
