"""Controls the floor in each tick: updates the traffic, and grants motion by right of way."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from aseba_link.thymio.events import COMMAND_TIMEOUT_S
from fleet.actuation.wheel_response import MotionForecast
from fleet.floor.obstacles import Obstacles
from fleet.floor.room import first_obstructed, room_m
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.hosts.claims import DriverId
from fleet.localization.pose_quality import Localization
from fleet.robots.floor_planner import FloorPlanner
from fleet.robots.robot import Robot
from fleet.robots.robot_status import LinkState
from fleet.robots.telemetry import Telemetry
from fleet.routing.fleet_roadmap import roadmap_of
from fleet.service.giving_way import GivingWay
from fleet.service.robot_fence import RobotFence
from fleet.settings.config import FleetConfig
from fleet.settings.traffic_config import IdleRobots
from fleet.tasks import explanations
from fleet.tasks.legs import DriveLeg, FollowLeg
from fleet.tasks.task import TaskRequest
from fleet.timetable.motion import UniformMotion
from fleet.traffic.echo import echoes_at
from fleet.traffic.neighbourhood import Neighbourhood, OwnLimits
from fleet.traffic.obstacle_detection import ObstacleDetection
from fleet.traffic.own_ways import OwnRobot
from fleet.traffic.right_of_way import RightOfWay
from fleet.traffic.sweep import OBSTACLE, Stopping, Sweep
from fleet.traffic.traffic import Traffic
from fleet.traffic.traffic_state import TrafficPhase, TrafficState

_CONNECTED: Final = LinkState.CONNECTED
_ROUNDING_M: Final = 0.001  # ways may come this much nearer to walls
_STILL_MPS: Final = 0.005  # a robot that rolls more slowly counts as stationary
_OVERSHOT_M: Final = 0.005  # robots may pass the places of their ways that are nearest to an edge by this much


class FloorControl:
    """The traffic and the right of way of one fleet.

    Parameters
    ----------
    config : the fleet's configuration
    robot_fence : catches exceptions

    Attributes
    ----------
    wall_m : the distance that ways keep between an axle and walls
    roadmap : the floor's roadmap
    held_count : how often a robot was granted less than it wanted
    neighbourhood : the robots of other drivers; None until our driver has joined them
    """

    def __init__(self, config: FleetConfig, robot_fence: RobotFence) -> None:
        self._config: Final = config
        self._robot_fence: Final = robot_fence
        self._motion: Final = config.motion
        self._blocked_s: Final = config.traffic.blocked_s
        self._period_s: Final = 1.0 / config.rates.control_hz
        self._obstacles: Final = config.floor.obstacles
        self.wall_m: Final = config.traffic.wall_m
        self.roadmap: Final = roadmap_of(config)
        self._traffic: Final = Traffic(self.roadmap, config.apart_m, config.traffic.budget_steps)
        homes = {robot.id: robot.home for robot in config.robots}
        gives_way = config.traffic.idle is IdleRobots.GIVE_WAY
        self._giving_way: Final = GivingWay(self._traffic, homes) if gives_way else None
        self._rights: Final = RightOfWay(
            self._obstacles, config.traffic.right_of_way_m, config.traffic.wall_m - _ROUNDING_M, config.arena
        )
        self.held_count = 0
        self.neighbourhood: Neighbourhood | None = None
        self._detection: Final = _detection(config, self._traffic) if config.traffic.detects_obstacles else None
        self._edges: dict[int, tuple[UniformMotion, int, float]] = {}  # by robot: its way, and how near that leads
        self._seen: dict[int, Stopping] = {}  # of each robot that was ever seen, how it stopped then
        self._held: dict[int, int] = {}  # by robot, the robot or obstacle that held it up in the latest tick
        self._unconfirmed: set[int] = set()  # who wanted to drive where other drivers do not know it, in that tick

    def planner(self, robot_id: int) -> FloorPlanner:
        """Return the planner of a robot's legs."""
        return FloorPlanner(self._traffic, robot_id, self._motion)

    def join(self, driver: DriverId) -> Neighbourhood:
        """Share the floor with other drivers from now on, under an identity."""
        config, actuation = self._config, self._config.actuation
        stop_s = actuation.latency_s + actuation.lag_s + self._period_s
        limits = OwnLimits(config.traffic.radius_m, _fastest_mps(config), stop_s)
        hosts = config.hosts
        self.neighbourhood = Neighbourhood(self._traffic, driver, limits, hosts.silent_s, hosts.forget_s)
        return self.neighbourhood

    def start_tick(
        self, robots: Mapping[int, Robot], forecasts: Mapping[int, MotionForecast | None], now_ns: int
    ) -> None:
        """Note the positions of all robots, plan requested ways, and abort tasks that are blocked."""
        self._traffic.start_tick(now_ns * 1e-9)
        stoppings, own = self._note_all(robots, forecasts, now_ns)
        if self._detection is not None:
            self._detect(self._detection, robots, stoppings, now_ns)
        sweeps: dict[int, Sweep] = {}
        if self.neighbourhood is not None:
            self.neighbourhood.advance(own, now_ns)
            sweeps = self.neighbourhood.sweeps(now_ns * 1e-9)
        self._rights.start(stoppings, sweeps)
        self._traffic.advance(self._period_s)
        if self._giving_way is not None:
            self._giving_way.advance(robots, now_ns)
        self._abort_blocked(robots, now_ns)

    def _abort_blocked(self, robots: Mapping[int, Robot], now_ns: int) -> None:
        """Abort the tasks of robots that have been blocked for too long."""
        for robot_id in self._traffic.blocked_for(self._blocked_s):
            try:
                if not self._awaits_turn(robots, robot_id, frozenset()):
                    words = self.blocked_by(robots, robot_id, now_ns)
                    robots[robot_id].abort(explanations.blocked(words, self._blocked_s))
            except Exception as error:
                self._robot_fence.catch(robots[robot_id], error, now_ns)

    def _note_all(
        self, robots: Mapping[int, Robot], forecasts: Mapping[int, MotionForecast | None], now_ns: int
    ) -> tuple[dict[int, Stopping], dict[int, OwnRobot]]:
        """Update all robots in the traffic; return how each of them stops, and what other drivers must know of it."""
        stoppings: dict[int, Stopping] = {}
        own: dict[int, OwnRobot] = {}
        for robot_id, robot in robots.items():
            try:
                self._note(robot, forecasts[robot_id], stoppings, own, now_ns)
            except Exception as error:
                self._robot_fence.catch(robot, error, now_ns)
            if robot_id not in own and robot_id in self._seen:
                stoppings[robot_id] = self._seen[robot_id]
                own[robot_id] = self._stand_in(robot_id, self._seen[robot_id])
        self._seen.update(stoppings)
        return stoppings, own

    def _note(
        self,
        robot: Robot,
        forecast: MotionForecast | None,
        stoppings: dict[int, Stopping],
        own: dict[int, OwnRobot],
        now_ns: int,
    ) -> None:
        """Update one robot in the traffic and note how it stops, if its pose is known."""
        robot_id = robot.config.id
        if forecast is None:
            return
        is_connected = robot.telemetry.link_state(now_ns) is _CONNECTED
        stopping = _braking(forecast) if is_connected else _coasting(robot.telemetry, forecast, now_ns)
        slipping = robot.telemetry.slipping_pose
        stopping = stopping.with_slip(slipping, robot.telemetry.least_turned_rad)
        if is_connected and (slipping is None or not robot.telemetry.has_no_pose(now_ns)):
            self._traffic.note_pose(robot_id, forecast.now.pose, robot.teleoperation(now_ns))
        else:
            self._traffic.note_lost(robot_id, stopping.least, stopping.then)
        stoppings[robot_id] = stopping
        own[robot_id] = self._own_robot(robot, stopping, now_ns)

    def _stand_in(self, robot_id: int, stopping: Stopping) -> OwnRobot:
        """Mark a robot whose state cannot be read as lost at its last known position."""
        self._traffic.note_lost(robot_id, stopping.least, stopping.then)
        return OwnRobot(stopping.least, stopping.then, None, is_roaming=False, is_asking=False)

    def grant(self, robots: Mapping[int, Robot], wanted: Mapping[int, Twist2D], now_ns: int) -> dict[int, Twist2D]:
        """Return the granted twists, by robot; robots that got their ways first have priority."""
        granted: dict[int, Twist2D] = {}
        self._held = {}
        self._unconfirmed.clear()
        for robot_id in self._traffic.by_priority(wanted):
            twist = wanted[robot_id]
            if twist.linear_mps != 0.0 and not self._traffic.may_drive(robot_id):
                twist = Twist2D(0.0, twist.angular_radps)
                self._unconfirmed.add(robot_id)
            try:
                granted[robot_id], in_the_way = self._granted(robot_id, twist)
            except Exception as error:
                self._robot_fence.catch(robots[robot_id], error, now_ns)
                granted[robot_id], in_the_way = STILL, None
            if in_the_way is not None:
                self._held[robot_id] = in_the_way
                self.held_count += 1
        return granted

    def _granted(self, robot_id: int, twist: Twist2D) -> tuple[Twist2D, int | None]:
        """Return the granted twist of one robot, and the robot or obstacle that holds it up."""
        has_way = self._traffic.clock(robot_id) is not None
        return self._rights.grant(robot_id, twist, self._edge_m(robot_id), has_way=has_way)

    def _edge_m(self, robot_id: int) -> float:
        """Return the distance that an axle keeps from the arena's edges: less if its own way leads nearer."""
        clock, arena = self._traffic.clock(robot_id), self._config.arena
        if clock is None or arena is None:
            return self.wall_m
        motions = clock.way.motions
        known = self._edges.get(robot_id)
        if known is None or known[0] is not motions[0] or known[1] != len(motions):
            nearest_m = min([arena.margin_m(motion.x_m, motion.y_m) for motion in motions])
            edge_m = min(self.wall_m - _ROUNDING_M, nearest_m - _OVERSHOT_M)
            known = self._edges[robot_id] = (motions[0], len(motions), edge_m)
        return known[2]

    def first_unreachable(self, start: Pose2D | None, request: TaskRequest) -> Pose2D | None:
        """Return the first place of a task at which, or on all ways to which, walls leave no room for a body."""
        here = start
        for leg in request.legs:
            if isinstance(leg, FollowLeg):
                place = first_obstructed(self._obstacles, here, leg.places(partial(room_m, self._obstacles)))
                if place is not None:
                    return place
                here = leg.goal
            elif isinstance(leg, DriveLeg):
                if not self._has_way(here, leg.goal):
                    return leg.goal
                here = leg.goal
        return None

    @property
    def unused_share(self) -> float:
        """Share of this tick's planning budget that is unused."""
        return self._traffic.budget.unused_share

    def set_priority(self, robot_id: int, priority: int) -> None:
        """Set the priority of a robot's next ways."""
        self._traffic.set_priority(robot_id, priority)

    def whereabouts(self, robot_id: int) -> list[Pose2D]:
        """Return where other robots expect a robot now, without its heading; several places if that is uncertain."""
        return self._traffic.whereabouts(robot_id)

    def remove(self, robot_id: int, pose: Pose2D | None) -> None:
        """Hand a robot over to another driver; it is assumed to stay at `pose` until that driver reports it."""
        self._traffic.remove(robot_id)
        self._seen.pop(robot_id, None)
        if self.neighbourhood is not None and pose is not None:
            self.neighbourhood.adopt(robot_id, pose)

    def state(self, robots: Mapping[int, Robot], robot_id: int, now_ns: int) -> TrafficState:
        """Return the state of a robot."""
        let_pass = () if self._giving_way is None else self._giving_way.lets_pass(robot_id)
        if let_pass and robots[robot_id].aside is not None:
            return TrafficState(TrafficPhase.GIVING_WAY, let_pass)
        if robots[robot_id].is_planning:
            return TrafficState(TrafficPhase.PLANNING)
        state = self._traffic.state(robot_id)
        if state.going is TrafficPhase.BLOCKED:
            left_s = self._blocked_s - state.blocked_s
            blocked_by = self.blocked_by(robots, robot_id, now_ns)
            return replace(state, blocked_by=blocked_by, gives_up_s=left_s if left_s > 0.0 else None)
        if robot_id in self._unconfirmed:
            return TrafficState(TrafficPhase.BLOCKED, blocked_by=self._unheard(now_ns))
        held_by = self._held.get(robot_id, OBSTACLE)
        if state.going is TrafficPhase.FREE and held_by != OBSTACLE:
            state = TrafficState(TrafficPhase.WAITING, (held_by,))
        if self.neighbourhood is not None and state.waiting_for:
            state = replace(state, hosts=self.neighbourhood.hosts(state.waiting_for))
        return state

    def blocked_by(self, robots: Mapping[int, Robot], robot_id: int, now_ns: int) -> str:
        """Return what blocks a robot, human-readable."""
        if self._traffic.is_held(robot_id):
            return self._unheard(now_ns)
        in_the_way = self._traffic.in_the_way(robot_id)
        if in_the_way is None:
            return "no way around the walls"
        return ", ".join(self._words(robots, other_id, now_ns) for other_id in in_the_way) or "the ways of others"

    def _awaits_turn(self, robots: Mapping[int, Robot], robot_id: int, behind: frozenset[int]) -> bool:
        """Whether all robots that block a robot are at work, and none of them waits for a robot in `behind`."""
        if self._traffic.is_held(robot_id):
            return False
        in_the_way = self._traffic.in_the_way(robot_id)
        if in_the_way is None or not (in_the_way or self._traffic.are_others_moving(robot_id)):
            return False
        behind |= {robot_id}
        return all(other_id not in behind and self._will_move(robots, other_id, behind) for other_id in in_the_way)

    def _will_move(self, robots: Mapping[int, Robot], robot_id: int, behind: frozenset[int]) -> bool:
        """Whether a robot performs a task, and drives, handles a load, or awaits its turn."""
        if robot_id not in robots or not robots[robot_id].task_id:
            return False
        return not self._traffic.is_blocked(robot_id) or self._awaits_turn(robots, robot_id, behind)

    def _words(self, robots: Mapping[int, Robot], other_id: int, now_ns: int) -> str:
        """Return which robot or obstacle is in the way, human-readable."""
        neighbourhood = self.neighbourhood
        if neighbourhood is not None and other_id in neighbourhood.robot_ids:
            return neighbourhood.words(other_id, now_ns * 1e-9)
        obstacle = None if self._detection is None else self._detection.words(other_id)
        return _activity(robots[other_id], now_ns) if obstacle is None else obstacle

    def _detect(
        self,
        detection: ObstacleDetection,
        robots: Mapping[int, Robot],
        stoppings: Mapping[int, Stopping],
        now_ns: int,
    ) -> None:
        """Look for unknown obstacles in the robots' reports since the last tick."""
        for robot_id, robot in robots.items():
            ranges_m, stopping = robot.telemetry.take_ranges(), stoppings.get(robot_id)
            is_seen = robot.telemetry.slipping_pose is None and not robot.telemetry.has_no_pose(now_ns)
            if ranges_m is not None and stopping is not None and is_seen:
                detection.note(robot_id, echoes_at(stopping.now, ranges_m), now_ns * 1e-9)
        detection.forget_old(now_ns * 1e-9)

    def _unheard(self, now_ns: int) -> str:
        """Return which hosts do not answer."""
        words = "" if self.neighbourhood is None else self.neighbourhood.unheard(now_ns * 1e-9)
        return words or "other hosts, which answer late"

    def _own_robot(self, robot: Robot, stopping: Stopping, now_ns: int) -> OwnRobot:
        """Return what other drivers must know of one of our robots."""
        robot_id = robot.config.id
        clock = self._traffic.clock(robot_id)
        is_lost = robot.telemetry.link_state(now_ns) is not _CONNECTED
        is_moving = robot.teleoperation(now_ns) is not None or abs(stopping.twist.linear_mps) > _STILL_MPS
        return OwnRobot(
            stopping.least,
            stopping.then if is_lost else None,
            None if clock is None else clock.way,
            is_roaming=clock is None and is_moving and not is_lost,
            is_asking=self._traffic.is_planning(robot_id),
        )

    def _has_way(self, start: Pose2D | None, goal: Pose2D) -> bool:
        if not self._obstacles:
            return True
        has_room = self._obstacles.clearance_m(goal.x_m, goal.y_m) >= self.wall_m
        return has_room and (start is None or self.roadmap.joins(start, goal))


def _fastest_mps(config: FleetConfig) -> float:
    """Return the highest speed of any robot, including teleoperation."""
    return max([config.motion.limits.speed_mps, *(robot.wheels.max_wheel_mps for robot in config.robots)])


def _detection(config: FleetConfig, traffic: Traffic) -> ObstacleDetection:
    edges = [] if config.arena is None else config.arena.edges
    walls = Obstacles([*config.floor.obstacles.segments, *edges])
    return ObstacleDetection(traffic, walls, config.traffic.radius_m)


def _activity(robot: Robot, now_ns: int) -> str:
    """Return which robot is in the way, and its activity."""
    status = robot.status(now_ns)
    return f"robot {robot.config.id}, {status.activity.value}"


def _braking(forecast: MotionForecast) -> Stopping:
    """Return the stopping motion of a robot that can be reached."""
    now, then = forecast.now, forecast.then
    return Stopping(now.pose, then.pose, then.twist, forecast.lag_s, forecast.period_s)


def _coasting(telemetry: Telemetry, forecast: MotionForecast, now_ns: int) -> Stopping:
    """Return how far a silent robot may drive on until its script's time-out stops it.

    If a pose source sees it, that is known once the time is over.
    """
    pose = forecast.now.pose
    coasts_s = COMMAND_TIMEOUT_S + forecast.lag_s
    if telemetry.reported_ns is not None and telemetry.localization(now_ns) is Localization.TRACKED:
        coasts_s = max(0.0, coasts_s - (now_ns - telemetry.reported_ns) * 1e-9)
    ahead_m = telemetry.twist.linear_mps * coasts_s
    return Stopping(pose, pose.along_arc(ahead_m, 0.0), STILL, forecast.lag_s, forecast.period_s)
