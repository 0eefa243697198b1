"""Pure-pursuit tracking: the robot chases a reference that moves along its trajectory.

Errors, in the reference's frame (Park 2024): along-track delta_s and cross-track delta_n are the position of the
reference relative to the robot, along and across the reference's heading; delta_theta is the reference's heading
minus the robot's. The law is feed-forward plus proportional feedback:

    v     = v_ref + ks * delta_s
    omega = omega_ref + kn * delta_n * |v_ref| / v_cruise + ktheta * delta_theta

The published law has kn * delta_n alone. A robot that turns on the spot cannot remove a cross-track error by turning,
and would end its turn with the wrong heading, so here that term fades with the reference's speed. At cruising speed
the two are the same law; linearised, the cross-track error then obeys s^2 + ktheta s + kn v = 0, which is stable for
all positive gains.
"""

import math
from dataclasses import dataclass

from fleet.config import MotionConfig, TasksConfig, TrackerConfig
from fleet.drive import is_still
from fleet.geometry import Pose2D, Twist2D
from fleet.trajectory import Reference, Trajectory, plan_to_pose

_NEARER_M = 0.01  # what counts as progress ...
_NEARER_RAD = 0.035  # ... and what does at the goal
_PATIENCE_S = 1.0  # how long the tracker may work off the rest of an error after the trajectory's end


@dataclass(frozen=True, slots=True)
class TrackingError:
    """Where the reference is as seen from the robot, in metres and radians, in the reference's frame."""

    along_m: float
    cross_m: float
    heading_rad: float


def tracking_error(pose: Pose2D, reference: Pose2D) -> TrackingError:
    """Return the errors between a robot's pose and its reference, both in the same frame."""
    robot = pose.relative_to(reference)
    return TrackingError(-robot.x_m, -robot.y_m, pose.heading_error_to(reference))


def pursue(pose: Pose2D, reference: Reference, gains: TrackerConfig, cruise_mps: float) -> Twist2D:
    """Return the twist of the pure-pursuit law for a robot at `pose`; `cruise_mps` > 0 is the planned speed."""
    error = tracking_error(pose, reference.pose)
    fade = min(1.0, abs(reference.twist.linear_mps) / cruise_mps)
    return Twist2D(
        reference.twist.linear_mps + gains.ks_per_s * error.along_m,
        reference.twist.angular_radps
        + gains.kn_rad_per_m_s * error.cross_m * fade
        + gains.ktheta_per_s * error.heading_rad,
    )


class GoalTracker:
    """Drives one robot to one goal pose; plans when started, and again when the robot is off its reference.

    Parameters
    ----------
    goal : where to go, in the frame of every pose that is passed in
    """

    def __init__(self, goal: Pose2D, motion: MotionConfig, gains: TrackerConfig, tasks: TasksConfig) -> None:
        self.goal = goal
        self._motion = motion
        self._gains = gains
        self._tasks = tasks
        self._trajectory: Trajectory | None = None
        self._started_ns = 0
        self._reached_ns: int | None = None
        self._nearest_m = math.inf
        self._nearest_rad = math.inf
        self._progressed_ns: int | None = None

    def step(self, pose: Pose2D, twist: Twist2D, now_ns: int) -> Twist2D:
        """Return the twist that brings a robot at `pose`, which moves at `twist`, nearer to the goal."""
        self._note_progress(pose, now_ns)
        self._note_arrival(pose, twist, now_ns)
        if self._is_off(pose, now_ns):
            self._trajectory = None
        trajectory = self._trajectory or self._plan(pose, now_ns)
        return pursue(pose, trajectory.sample(self._elapsed_s(now_ns)), self._gains, self._motion.speed_mps)

    def pause(self) -> None:
        """Forget the plan: the robot stands still for now and plans again at the next step."""
        self._trajectory = None
        self._reached_ns = None

    def is_done(self, now_ns: int) -> bool:
        """Whether the robot has stood still at the goal, within the tolerances, for long enough."""
        return self._reached_ns is not None and (now_ns - self._reached_ns) * 1e-9 >= self._tasks.settle_s

    def stalled_s(self, now_ns: int) -> float:
        """Return for how long the robot has come no nearer to the goal."""
        return 0.0 if self._progressed_ns is None else (now_ns - self._progressed_ns) * 1e-9

    def remaining_s(self, pose: Pose2D, now_ns: int) -> float:
        """Return the planned time from `pose` to the end, settling included."""
        if self._trajectory is None:
            return planned_duration_s(pose, self.goal, self._motion) + self._tasks.settle_s
        return max(0.0, self._trajectory.duration_s - self._elapsed_s(now_ns)) + self._tasks.settle_s

    def _plan(self, pose: Pose2D, now_ns: int) -> Trajectory:
        self._trajectory = plan_to_pose(pose, self.goal, self._motion)
        self._started_ns = now_ns
        return self._trajectory

    def _elapsed_s(self, now_ns: int) -> float:
        return (now_ns - self._started_ns) * 1e-9

    def _arrived(self, pose: Pose2D) -> bool:
        near = pose.distance_to(self.goal) <= self._tasks.position_tolerance_m
        return near and abs(pose.heading_error_to(self.goal)) <= self._tasks.heading_tolerance_rad

    def _is_off(self, pose: Pose2D, now_ns: int) -> bool:
        """Whether the plan is of no more use: the robot was pushed away, is blocked, or ended beside the goal."""
        if self._trajectory is None:
            return False
        elapsed_s = self._elapsed_s(now_ns)
        reference = self._trajectory.sample(elapsed_s)
        if pose.distance_to(reference.pose) > self._gains.replan_error_m:
            return True
        return elapsed_s > self._trajectory.duration_s + _PATIENCE_S and not self._arrived(pose)

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
    return plan_to_pose(start, goal, motion).duration_s
