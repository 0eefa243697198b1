"""The fleet service: one link, many robots, one tick; the interface of the fleet for ROS and tests."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from aseba_link.host.link_events import LinkEvent
from aseba_link.host.node import Node, NodeAddress
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.thymio.events import Event
from fleet.actuation.wheel_response import MotionForecast
from fleet.errors import GoalRejectedError, UnknownRobotError
from fleet.floor.obstacles import BODY_RADIUS_M
from fleet.floor.room import first_obstructed, room_m
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.hosts.claims import DriverId
from fleet.paths.path import Path
from fleet.reason import Explanation, Reason
from fleet.robots.readiness import Readiness
from fleet.robots.robot import Robot
from fleet.robots.robot_status import RobotStatus, TaskOutcome
from fleet.routing.fleet_roadmap import roadmap_of
from fleet.routing.travel_times import TravelTimes
from fleet.service.command_sender import CommandSender
from fleet.service.floor_control import FloorControl
from fleet.service.robot_fence import RobotFence
from fleet.service.robot_nodes import RobotNodes
from fleet.settings.config import FOOTPRINT_M, ArenaConfig, FleetConfig
from fleet.tasks import explanations
from fleet.tasks.leg_planner import LegPlanner, LonePlanner
from fleet.tasks.legs import FollowLeg
from fleet.tasks.task import TaskRequest
from fleet.tasks.task_kind import TaskKind
from fleet.timetable.step_budget import StepBudget
from fleet.traffic.neighbourhood import Neighbourhood
from fleet.work.objections import WIDEST_ARENA, objection_to_id
from fleet.work.route_extension import extended, further_legs
from fleet.work.route_update import check_update, further_waypoints, growth_of, with_laps
from fleet.work.task_of_work import task_of_work
from fleet.work.work import RouteExtension, RouteUpdate, Work
from thymio_base.fence import Fence
from thymio_base.parts import Parts

MAX_TASK_ID_LENGTH: Final = 128
_OUTSIDE: Final = 0.01


@dataclass(init=False, unsafe_hash=True, slots=True)
class TickReport:
    """The events of the link in one tick, and the tasks that ended."""

    link_events: Final[tuple[LinkEvent, ...]]
    outcomes: Final[tuple[TaskOutcome, ...]]

    def __init__(self, link_events: tuple[LinkEvent, ...], outcomes: tuple[TaskOutcome, ...]) -> None:
        self.link_events = link_events
        self.outcomes = outcomes


@dataclass(slots=True)
class _TaskIds:
    """Used task ids with their robots: ids of running tasks, and of the latest that ended."""

    limit: int
    ended: OrderedDict[str, int] = field(default_factory=OrderedDict)
    running: dict[str, int] = field(default_factory=dict)

    def __contains__(self, task_id: str) -> bool:
        return task_id in self.running or task_id in self.ended

    def robot_id(self, task_id: str) -> int:
        """Return the robot of a used id."""
        return self.running[task_id] if task_id in self.running else self.ended[task_id]

    def end(self, task_id: str, robot_id: int) -> None:
        """Move an id from the running ids to the ended ones."""
        self.running.pop(task_id, None)
        self.ended[task_id] = robot_id
        while len(self.ended) > self.limit:
            self.ended.popitem(last=False)


class FleetService:
    """Runs the robots of a configuration over one link.

    Parameters
    ----------
    config : the fleet's configuration
    link : reaches the robots; only the service polls it
    fence : catches exceptions; the robot that causes one is stopped, and the others drive on
    performer_elsewhere : returns the other driver whose robot performs the task with an id; None if there is none
    """

    def __init__(
        self,
        config: FleetConfig,
        link: AsebaLink,
        fence: Fence | None = None,
        performer_elsewhere: Callable[[str], object | None] = lambda _: None,
    ) -> None:
        self.config = config
        self._link = link
        self._fence = fence if fence is not None else Fence()
        self._robot_fence = RobotFence(self._fence)
        self._floor = FloorControl(config, self._robot_fence) if config.traffic.enabled else None
        self._budget = StepBudget(config.traffic.budget_steps)  # of planning, without traffic
        self._robots = {robot.id: Robot(robot, config, self._planner(robot.id)) for robot in config.robots}
        self._nodes = RobotNodes(self._robots.values(), link, config.link.keep_alive_s)
        self._sender = CommandSender(link, config.link.keep_alive_s, self._robot_fence)
        self._yielded: dict[int, str] = {}  # robots that another host's driver serves, and which; "" if not known yet
        self._ids = _TaskIds(config.tasks.id_history)
        self._performer_elsewhere = performer_elsewhere
        self._is_shut_down = False
        self._now_ns = 0  # of the latest tick
        self.is_at_rest = True  # no robot of ours was commanded to move in the latest tick
        self._travel_times = self._new_travel_times() if config.dispatch.enabled else None

    def robot(self, robot_id: int) -> Robot:
        """Return a robot.

        Raises
        ------
        UnknownRobotError
            The configuration has no such robot.
        """
        try:
            return self._robots[robot_id]
        except KeyError:
            raise UnknownRobotError(robot_id, self.config.path, list(self._robots)) from None

    @property
    def unconfigured_nodes(self) -> tuple[Node, ...]:
        """Nodes that run our script but belong to no configured robot."""
        return tuple(self._nodes.unconfigured_nodes.values())

    @property
    def held_count(self) -> int:
        """How often the right of way granted a robot less than it wanted."""
        return 0 if self._floor is None else self._floor.held_count

    def tick(self, now_ns: int) -> TickReport:
        """Read the link, and command every robot."""
        return TickReport(self.read_link(now_ns), self.command(now_ns))

    def read_link(self, now_ns: int) -> tuple[LinkEvent, ...]:
        """Read the link: all robots' estimates are then those of this tick."""
        self._now_ns = now_ns
        events = tuple(self._link.poll(now_ns))
        for event in events:
            self._take(event, now_ns)
        return events

    def command(self, now_ns: int) -> tuple[TaskOutcome, ...]:
        """Step every robot in the order of the configuration, and send wheel speeds; return the tasks that ended."""
        outcomes = self._drive(now_ns)
        self._link.hold()
        try:
            self._sender.send(self._nodes, now_ns)
            self._abandon_yielded()
        finally:
            self._link.release()
        return tuple(outcomes)

    @property
    def _served(self) -> dict[int, Robot]:
        """The robots that are not left to another host's driver."""
        if not self._yielded:
            return self._robots
        return {robot_id: robot for robot_id, robot in self._robots.items() if robot_id not in self._yielded}

    def _drive(self, now_ns: int) -> list[TaskOutcome]:
        """Step every robot: what it wants to drive, what it may drive, and how its task ended."""
        floor = self._floor
        forecasts = {robot_id: self._forecast(robot, now_ns) for robot_id, robot in self._robots.items()}
        if floor is None:
            self._budget.refill()
        else:
            floor.start_tick(self._served, forecasts, now_ns)
        twists = {robot_id: self._want(robot, forecasts[robot_id], now_ns) for robot_id, robot in self._robots.items()}
        if floor is not None:
            twists = floor.grant(self._robots, twists, now_ns)
        self.is_at_rest = all(twist == STILL for twist in twists.values())
        outcomes: list[TaskOutcome] = []
        for robot_id, robot in self._robots.items():
            outcome = self._obey(robot, twists[robot_id], now_ns)
            if outcome is not None:
                outcomes.append(outcome)
        outcomes += self._robot_fence.take_outcomes()
        for outcome in outcomes:
            self._ids.end(outcome.task_id, outcome.robot_id)
        return outcomes

    # The fence around each robot

    def _take(self, event: LinkEvent, now_ns: int) -> None:
        try:
            self._nodes.on_event(event, now_ns)
        except Exception as error:
            robot = self._nodes.robot_of(event)
            if robot is None:
                self._fence.note("link event", error, event)
            else:
                self._robot_fence.catch(robot, error, now_ns)

    def _forecast(self, robot: Robot, now_ns: int) -> MotionForecast | None:
        try:
            return robot.telemetry.forecast(now_ns)
        except Exception as error:
            self._robot_fence.catch(robot, error, now_ns)
            return None

    def _want(self, robot: Robot, forecast: MotionForecast | None, now_ns: int) -> Twist2D:
        try:
            return robot.want(forecast, now_ns)
        except Exception as error:
            self._robot_fence.catch(robot, error, now_ns)
            return STILL

    def _readiness(self, robot: Robot, now_ns: int) -> Readiness:
        is_served = robot.config.id not in self._yielded and not self._is_shut_down
        try:
            return robot.readiness(now_ns, is_served=is_served)
        except Exception as error:
            self._fence.note(f"readiness of robot {robot.config.id}", error)
            return Readiness(robot.config.id, robot.config.home, None, is_able=False, is_served=is_served)

    def _obey(self, robot: Robot, granted: Twist2D, now_ns: int) -> TaskOutcome | None:
        try:
            return robot.obey(granted)
        except Exception as error:
            self._robot_fence.catch(robot, error, now_ns)
            return None

    def fail(self, robot_id: int, error: Exception, now_ns: int) -> None:
        """Note an exception caused by one robot: it stops, and the next tick reports the end of its task."""
        self._robot_fence.catch(self.robot(robot_id), error, now_ns)

    def halt(self, explanation: Explanation) -> tuple[TaskOutcome, ...]:
        """Stop every wheel and end every task without a tick, for when ticks fail; return the outcomes."""
        self._sender.halt(self._nodes)
        outcomes: list[TaskOutcome] = []
        for robot in self._robots.values():
            try:
                outcome = robot.break_off(explanation)
            except Exception as error:  # the others must stop as well
                self._fence.note(f"halt of robot {robot.config.id}", error)
                continue
            if outcome is not None:
                outcomes.append(outcome)
        return tuple(outcomes)

    @property
    def running_ids(self) -> tuple[str, ...]:
        """The ids of the tasks that our robots perform."""
        return tuple(self._ids.running)

    def assign(self, robot_id: int, request: TaskRequest, now_ns: int) -> Reason | None:
        """Assign a task to a robot; return None, or why it is rejected; `Robot.explanation` and status then show it.

        Raises
        ------
        UnknownRobotError
            The configuration has no such robot.
        """
        robot = self.robot(robot_id)
        objection = self._objection(robot, request, now_ns)
        if objection is not None:
            robot.note_rejection(objection)
            return objection.reason
        if self._floor is not None:
            self._floor.set_priority(robot_id, robot.config.priority if request.priority is None else request.priority)
        robot.assign(request)
        self._ids.running[request.task_id] = robot_id
        return None

    def extending(self, robot_id: int, task_id: str, update: RouteUpdate) -> Parts[None]:
        """Extend the path that a robot follows, in parts; if that is refused, the task continues unchanged.

        Raises
        ------
        GoalRejectedError
            The task does not run, or follows no path, or the update does not continue its path.
        UnknownRobotError
            The configuration has no such robot.
        """
        check_update(update)
        robot = self.robot(robot_id)
        leg = robot.followed(task_id)
        if update.laps:
            robot.grow(*with_laps(leg, update.laps, robot.remaining_m))
            return
        added_m = further_waypoints(leg, update)
        if not added_m:
            return
        growth = yield from growth_of(leg, added_m, robot.remaining_m, self.config.corner_m)
        yield
        addition = FollowLeg(Path(growth.pieces, joined_from=0), leg.limits)
        objection = self._objection_to_places(None, TaskRequest(task_id, TaskKind.FOLLOW_PATH, (addition,)))
        if objection is not None:
            raise GoalRejectedError(objection.reason, objection.detail)
        yield
        if robot.followed(task_id) is not leg:
            why = explanations.outdated_update(robot.followed(task_id).waypoint_count, leg.waypoint_count)
            raise GoalRejectedError(why.reason, why.detail)
        robot.grow(leg.with_waypoints(growth, added_m, robot.remaining_m), growth)

    def extending_route(self, robot_id: int, task_id: str, extension: RouteExtension) -> Parts[int]:
        """Append legs to the route that a robot performs, in parts; return the new number of legs.

        If that is refused, the task continues unchanged.

        Raises
        ------
        GoalRejectedError
            The task does not run, or has no route, or the legs do not follow its last one, or cannot be performed.
        UnknownRobotError
            The configuration has no such robot.
        """
        robot = self.robot(robot_id)
        request, progress, pose = robot.routed(task_id), robot.route_progress, _pose_of(robot)
        if request.route is None or progress is None or pose is None:
            raise GoalRejectedError(Reason.POSE_LOST, "the robot's pose is not known; wait for it")
        added = further_legs(request.route, progress.legs_completed, extension)
        if not added:
            return request.route.count
        found = yield from extended(request, added, robot.last_leg_remaining_m, pose, self.config)
        yield
        addition = replace(request, legs=found.added)
        objection = self._objection_to_places(None, addition) or self._objection_to_charger(robot, addition)
        if objection is not None:
            raise GoalRejectedError(objection.reason, objection.detail)
        yield
        if robot.routed(task_id) is not request:
            raise GoalRejectedError(Reason.OUTDATED_UPDATE, "the route was extended at the same time; send it again")
        robot.extend(found.request, found.growth)
        return request.route.count + len(added)

    def readiness(self, now_ns: int) -> list[Readiness]:
        """Return the readiness of all robots, in the order of the configuration."""
        return [self._readiness(robot, now_ns) for robot in self._robots.values()]

    def travel_s(self, start: Pose2D, goal: Pose2D) -> float:
        """Return how long a robot drives from one pose to another if no robot is in its way."""
        return self._travel.seconds(start, goal)

    @property
    def travel_steps(self) -> int:
        """Steps of search that `travel_s` and `search_travel` have done so far; one takes some 10 microseconds."""
        return self._travel.steps

    @property
    def unused_share(self) -> float:
        """Share of this tick's planning budget that is unused."""
        return self._budget.unused_share if self._floor is None else self._floor.unused_share

    def search_travel(self, goal: Pose2D, count: int) -> bool:
        """Prepare `travel_s` for a goal, in at most `count` steps; return whether that is complete."""
        return self._travel.search(goal, count)

    def has_way(self, start: Pose2D, goal: Pose2D) -> bool:
        """Return whether walls leave a way from one pose to another."""
        return self._travel.has_way(start, goal)

    def give(self, robot_id: int, request: TaskRequest, now_ns: int) -> Explanation | None:
        """Assign a task to a robot; return None, or why it is rejected."""
        reason = self.assign(robot_id, request, now_ns)
        if reason is None:
            return None
        return self.robot(robot_id).explanation or Explanation(reason, "")

    def take(self, robot_id: int, task_id: str, now_ns: int) -> None:
        """Cancel a task, if the robot performs it."""
        self.robot(robot_id).cancel(task_id, now_ns)

    def send_aside(self, robot_id: int, work: Work, now_ns: int) -> None:
        """Send a robot without a task aside, to wait there until it gets a task; it may refuse."""
        robot = self.robot(robot_id)
        if robot.may_step_aside(now_ns):
            estimate = robot.telemetry.estimate
            pose = None if estimate is None else estimate.pose
            try:
                robot.step_aside(task_of_work(work, "", self.config, home=robot.config.home, pose=pose))
            except GoalRejectedError as error:
                robot.note_rejection(error.explanation)

    def drive(self, robot_id: int, twist: Twist2D, now_ns: int) -> Reason | None:
        """Teleoperate a robot without a task until a time-out; return None, or why it refuses."""
        return Reason.SHUTDOWN if self._is_shut_down else self.robot(robot_id).drive(twist, now_ns)

    def emit(self, robot_id: int, event: Event, args: Sequence[int]) -> bool:
        """Send a command event with `args` after the node's id; False while the robot cannot be reached."""
        binding = self._nodes.binding(robot_id)
        return binding is not None and binding.handle.emit(event, (binding.node.address.node_id, *args))

    def whereabouts(self, robot_id: int) -> list[Pose2D]:
        """Return where other robots expect a robot now, without its heading; several places if that is uncertain."""
        return [] if self._floor is None else self._floor.whereabouts(robot_id)

    def join(self, driver: DriverId) -> Neighbourhood | None:
        """Share the floor with other drivers, under an identity; return what is known of them; None without traffic."""
        return None if self._floor is None else self._floor.join(driver)

    def robot_id_at(self, address: NodeAddress) -> int | None:
        """Return the robot that a node currently is, or None."""
        return self._nodes.robot_id_at(address)

    def yield_robot(self, robot_id: int, driver: str = "") -> None:
        """Leave a robot to another host's `driver`: its task is aborted, and its node is released."""
        self.robot(robot_id).abort(explanations.served_elsewhere(driver))
        self._yielded[robot_id] = driver
        if self._floor is not None:
            estimate = self.robot(robot_id).telemetry.estimate
            self._floor.remove(robot_id, None if estimate is None else estimate.pose)

    def serve_robot(self, robot_id: int) -> None:
        """Serve a robot that was left to another host."""
        self._yielded.pop(robot_id, None)
        config = self.robot(robot_id).config
        for address, node in self._nodes.all_nodes.items():
            if config.is_node(node):
                self._link.node(address).restore()

    def reporting_elsewhere(self) -> set[int]:
        """Return the robots that report odometry with a script that this driver did not load."""
        return self._nodes.reporting_elsewhere()

    def stop(self) -> None:
        """Stop every robot at the next tick, and keep them stopped until they are resumed.

        Robots that run a user's script obey no commands: they are reset, and get the fleet's script again.
        """
        for robot in self._robots.values():
            try:
                robot.stop()
            except Exception as error:  # it must stop all the same, and so must the others
                self._robot_fence.catch(robot, error, self._now_ns)
        for address in sorted(self._nodes.user_scripts, key=str):
            if self._is_served(address):
                node = self._link.node(address)
                node.reset()
                node.restore()

    def resume(self) -> None:
        """Allow every robot to accept tasks again."""
        for robot in self._robots.values():
            robot.resume()

    def shut_down(self, now_ns: int) -> TickReport:
        """Abort every task and stop every wheel in one last tick; later goals are rejected, and all robots are lost."""
        self._is_shut_down = True
        try:
            for robot in self._robots.values():
                robot.abort(explanations.shut_down())
            report = self.tick(now_ns)
        except Exception as error:
            self._fence.note("the last tick", error)
            report = TickReport((), self.halt(explanations.shut_down()))
        for robot in self._robots.values():
            robot.telemetry.on_lost("its driver has ended")
        return report

    def status(self, robot_id: int, now_ns: int) -> RobotStatus:
        """Return a snapshot of a robot, and of its share of the link."""
        robot = self.robot(robot_id)
        try:
            return self._status(robot, now_ns)
        except Exception as error:
            return robot.unreadable_status(self._fence.note(f"status of robot {robot_id}", error))

    def _status(self, robot: Robot, now_ns: int) -> RobotStatus:
        robot_id, status = robot.config.id, robot.status(now_ns)
        if status.node_id is None:  # the robot is configured by its uuid
            binding = self._nodes.binding(robot_id)
            status = status if binding is None else replace(status, node_id=binding.node.address.node_id)
        if self._floor is not None:
            status = replace(status, traffic=self._floor.state(self._robots, robot_id, now_ns))
        over_budget = self._over_budget(robot_id) if self._link.budgets else ""
        return replace(status, over_budget=over_budget) if over_budget else status

    def _is_served(self, address: NodeAddress) -> bool:
        """Whether a node belongs to a robot that this driver serves."""
        node = self._nodes.all_nodes.get(address)
        served = (robot.config for robot in self._robots.values() if robot.config.id not in self._yielded)
        return node is not None and any(robot.is_node(node) for robot in served)

    def _over_budget(self, robot_id: int) -> str:
        """Return by how much a robot's target exceeds its budget; "" if it does not."""
        binding = self._nodes.binding(robot_id)
        budget = None if binding is None else self._link.budgets.get(binding.node.address.target)
        return budget.text if budget is not None and budget.is_over else ""

    def _objection(self, robot: Robot, request: TaskRequest, now_ns: int) -> Explanation | None:
        if self._is_shut_down:
            return explanations.shut_down()
        if robot.config.id in self._yielded:
            return explanations.served_elsewhere(self._yielded[robot.config.id])
        return (
            self._objection_to_id(request.task_id)
            or self._objection_to_places(_pose_of(robot), request)
            or self._objection_to_charger(robot, request)
            or robot.objection(request, now_ns)
        )

    def _objection_to_id(self, task_id: str) -> Explanation | None:
        objection = objection_to_id(task_id, MAX_TASK_ID_LENGTH)
        if objection is not None:
            return objection
        if task_id in self._ids:
            performer = f"robot {self._ids.robot_id(task_id)}"
            return explanations.duplicate_id(task_id, performer, is_running=task_id in self._ids.running)
        elsewhere = self._performer_elsewhere(task_id)
        if elsewhere is None:
            return None
        return explanations.duplicate_id(task_id, f"a robot of {elsewhere}", is_running=True)

    def _objection_to_places(self, start: Pose2D | None, request: TaskRequest) -> Explanation | None:
        """Return why a robot cannot drive to a task's places, from a pose or, without one, from the first place."""
        arena = self.config.arena or WIDEST_ARENA
        places = list(request.places(partial(_on_the_same_side_m, arena.shrunk(BODY_RADIUS_M))))
        outside = explanations.out_of_arena(places, arena, request.shape_size_m) if places else None
        if outside is not None:
            return outside
        place = self._first_unreachable(start, request)
        if place is None:
            return None
        needed_m = BODY_RADIUS_M if self._floor is None else self._floor.wall_m
        return explanations.unreachable(place, self.config.floor.obstacles, needed_m)

    def _objection_to_charger(self, robot: Robot, request: TaskRequest) -> Explanation | None:
        """Return which other robot docks at the task's charger: each would keep the other from trying again."""
        charger = request.docks_at
        if charger is None:
            return None
        for other in self._robots.values():
            taken = None if other is robot else other.docks_at
            if taken is not None and taken.distance_to(charger) < FOOTPRINT_M:
                return explanations.charger_taken(other.config.id)
        return None

    def _first_unreachable(self, start: Pose2D | None, request: TaskRequest) -> Pose2D | None:
        """Return the first place of a task that walls make unreachable."""
        if self._floor is None:
            obstacles = self.config.floor.obstacles
            return first_obstructed(obstacles, start, request.places(partial(room_m, obstacles)))
        return self._floor.first_unreachable(start, request)

    @property
    def _travel(self) -> TravelTimes:
        if self._travel_times is None:
            self._travel_times = self._new_travel_times()
        return self._travel_times

    def _new_travel_times(self) -> TravelTimes:
        roadmap = roadmap_of(self.config) if self._floor is None else self._floor.roadmap
        return TravelTimes(roadmap, self.config.motion, self.config.tasks.settle_s)

    def _planner(self, robot_id: int) -> LegPlanner:
        return LonePlanner(self.config.motion, self._budget) if self._floor is None else self._floor.planner(robot_id)

    def _abandon_yielded(self) -> None:
        """Release the nodes of robots that are left to another host, after sending them zero speeds."""
        if not self._yielded:
            return
        for address, binding in list(self._nodes.bindings.items()):
            if binding.robot.config.id in self._yielded:
                binding.handle.abandon()
                self._nodes.unbind(address, "another host serves it")


def _pose_of(robot: Robot) -> Pose2D | None:
    estimate = robot.telemetry.estimate
    return None if estimate is None else estimate.pose


def _on_the_same_side_m(arena: ArenaConfig, place: Pose2D) -> float:
    """Return the distance to the nearest edge from inside the arena, or a hundredth of it from outside."""
    margin_m = arena.margin_m(place.x_m, place.y_m)
    return margin_m if margin_m >= 0.0 else -_OUTSIDE * margin_m
