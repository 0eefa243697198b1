"""Controls the floor in each tick: traffic learns where robots are, and right of way grants what they may drive."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from aseba_link.thymio.events import COMMAND_TIMEOUT_S
from fleet.actuation.wheel_response import MotionForecast
from fleet.floor.room import first_obstructed
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.localization.pose_quality import Localization
from fleet.robots.floor_planner import FloorPlanner
from fleet.robots.robot import Robot
from fleet.robots.robot_status import LinkState
from fleet.robots.telemetry import Telemetry
from fleet.routing.fleet_roadmap import roadmap_of
from fleet.settings.config import FleetConfig
from fleet.tasks import explanations
from fleet.tasks.legs import DriveLeg, FollowLeg
from fleet.tasks.task import TaskRequest
from fleet.traffic.right_of_way import OBSTACLE, RightOfWay, Stopping
from fleet.traffic.traffic import Traffic
from fleet.traffic.traffic_state import Going, TrafficState

_CONNECTED: Final = LinkState.CONNECTED
_ROUNDING_M: Final = 0.001  # ways may come so much nearer to walls


class FloorControl:
    """The traffic and the right of way of one fleet.

    Parameters
    ----------
    config : the fleet's configuration

    Attributes
    ----------
    wall_m : the distance that ways keep between an axle and walls
    held_count : how often a robot was granted less than it wanted
    """

    def __init__(self, config: FleetConfig) -> None:
        self._motion: Final = config.motion
        self._blocked_s: Final = config.traffic.blocked_s
        self._period_s: Final = 1.0 / config.rates.control_hz
        self._obstacles: Final = config.floor.obstacles
        self.wall_m: Final = config.traffic.wall_m
        self._roadmap: Final = roadmap_of(config)
        self._traffic: Final = Traffic(self._roadmap, config.apart_m, config.traffic.budget_steps)
        self._rights: Final = RightOfWay(
            self._obstacles, config.traffic.right_of_way_m, config.traffic.wall_m - _ROUNDING_M
        )
        self.held_count = 0
        self._held: dict[int, int] = {}  # who or what held up whom in the latest tick

    def planner(self, robot_id: int) -> FloorPlanner:
        """Return the planner of a robot's legs."""
        return FloorPlanner(self._traffic, robot_id, self._motion)

    def start_tick(
        self, robots: Mapping[int, Robot], forecasts: Mapping[int, MotionForecast | None], now_ns: int
    ) -> None:
        """Take note of where all robots are, plan ways for those that asked, and abort tasks that are blocked."""
        self._traffic.start_tick(now_ns * 1e-9)
        stoppings: dict[int, Stopping] = {}
        for robot_id, robot in robots.items():
            forecast = forecasts[robot_id]
            if forecast is None:
                continue
            if robot.telemetry.link_state(now_ns) is _CONNECTED:
                stopping = _braking(forecast)
                self._traffic.note_pose(robot_id, stopping.now, robot.teleoperation(now_ns))
            else:
                stopping = _coasting(robot.telemetry, forecast, now_ns)
                self._traffic.note_lost(robot_id, stopping.now, stopping.then)
            stoppings[robot_id] = stopping
        self._rights.start(stoppings)
        self._traffic.advance(self._period_s)
        for robot_id in self._traffic.blocked_for(self._blocked_s):
            words = self.blocked_by(robots, robot_id, now_ns)
            robots[robot_id].abort(explanations.blocked(words, self._blocked_s))

    def grant(self, wanted: Mapping[int, Twist2D]) -> dict[int, Twist2D]:
        """Return what robots may drive, by robot; those that got their ways first have priority."""
        granted: dict[int, Twist2D] = {}
        self._held = {}
        for robot_id in self._traffic.by_priority(wanted):
            granted[robot_id], in_the_way = self._rights.grant(robot_id, wanted[robot_id])
            if in_the_way is not None:
                self._held[robot_id] = in_the_way
                self.held_count += 1
        return granted

    def first_unreachable(self, start: Pose2D | None, request: TaskRequest) -> Pose2D | None:
        """Return the first place of a task at which, or on all ways to which, walls leave no room for a body."""
        here = start
        for leg in request.legs:
            if isinstance(leg, FollowLeg):
                return first_obstructed(self._obstacles, here, leg.places())
            if isinstance(leg, DriveLeg):
                if not self._has_way(here, leg.goal):
                    return leg.goal
                here = leg.goal
        return None

    def remove(self, robot_id: int) -> None:
        """Forget a robot that another driver serves."""
        self._traffic.remove(robot_id)

    def state(self, robots: Mapping[int, Robot], robot_id: int, now_ns: int) -> TrafficState:
        """Return how a robot gets on."""
        state = self._traffic.state(robot_id)
        if state.going is Going.BLOCKED:
            return replace(state, blocked_by=self.blocked_by(robots, robot_id, now_ns))
        held_by = self._held.get(robot_id, OBSTACLE)
        if state.going is Going.FREE and held_by != OBSTACLE:
            return TrafficState(Going.WAITING, (held_by,))
        return state

    def blocked_by(self, robots: Mapping[int, Robot], robot_id: int, now_ns: int) -> str:
        """Return what is in the way of a robot, human-readable."""
        in_the_way = self._traffic.in_the_way(robot_id)
        if in_the_way is None:
            return "no way around the walls"
        return ", ".join(_activity(robots[other_id], now_ns) for other_id in in_the_way) or "the ways of others"

    def _has_way(self, start: Pose2D | None, goal: Pose2D) -> bool:
        if not self._obstacles:
            return True
        has_room = self._obstacles.clearance_m(goal.x_m, goal.y_m) >= self.wall_m
        return has_room and (start is None or self._roadmap.joins(start, goal))


def _activity(robot: Robot, now_ns: int) -> str:
    """Return which robot stands in the way, and why it does."""
    status = robot.status(now_ns)
    return f"robot {robot.config.id}, {status.state}"


def _braking(forecast: MotionForecast) -> Stopping:
    """Return how a robot that can be reached stops."""
    now, then = forecast.now, forecast.then
    return Stopping(now.pose, then.pose, then.twist, forecast.lag_s, forecast.period_s)


def _coasting(telemetry: Telemetry, forecast: MotionForecast, now_ns: int) -> Stopping:
    """Return how far a robot that does not report may drive on, until its script's time-out stops it.

    If a pose source sees it, that is known once the time is over.
    """
    pose = forecast.now.pose
    coasts_s = COMMAND_TIMEOUT_S + forecast.lag_s
    if telemetry.reported_ns is not None and telemetry.localization(now_ns) is Localization.TRACKED:
        coasts_s = max(0.0, coasts_s - (now_ns - telemetry.reported_ns) * 1e-9)
    ahead_m = telemetry.twist.linear_mps * coasts_s
    return Stopping(pose, pose.along_arc(ahead_m, 0.0), STILL, forecast.lag_s, forecast.period_s)
