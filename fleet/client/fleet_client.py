"""A client of the customer's interface: sends tasks, cancels them, and reads what robots publish.

It uses only the interface, so it works with any server; this project's server adds progress to the status.
"""

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from geometry_msgs.msg import PoseStamped
from rclpy.qos import qos_profile_sensor_data
from ricaip_interfaces.srv import AssignedTask
from rosgraph_msgs.msg import Clock
from thymio_fleet_interfaces.srv import ConfigureTracker, ExtendPath, ExtendRoute

from fleet.calls.call import ANSWER_S
from fleet.client.cancellation import cancellation
from fleet.client.graph_client import DISCOVERY_S, GraphClient, until
from fleet.client.local_fleet import LocalFleet
from fleet.client.place_client import PlaceClient
from fleet.client.robot_report import RobotReport, level_of
from fleet.client.served_fleet import ServedFleet
from fleet.errors import GoalRejectedError, NoServerError
from fleet.geometry import Pose2D
from fleet.goals.action_client import TaskActionClient
from fleet.goals.end_reason import EndedGoal
from fleet.goals.sent_goal import PATIENCE, GoalState, Patience, SentGoal
from fleet.hosts.claims import DriverId
from fleet.hosts.clock_offset import ClockOffset
from fleet.interface.conversions import measured_pose_from_ros, pose_from_ros
from fleet.interface.names import action_name, extend_path_service, extend_route_service
from fleet.interface.work_messages import ACTION_TYPES, extension_to_ros, goal_from_work, update_to_ros
from fleet.settings.motion_capture import MotionCaptureConfig
from fleet.tasks.task_kind import TaskKind
from fleet.watch.latest_messages import LatestMessages
from fleet.watch.robot_watch import RobotWatch, plane_pose
from fleet.watch.taken_topic import LATEST, TakenTopic
from fleet.work.work import PathWish, Place, RouteExtension, RouteUpdate, Work, objection_to_transport
from thymio_base.parts import Parts
from thymio_base.ros.stamps import time_from_ros

_UNMET_S = 20.0  # further wait for drivers that have not announced themselves: the machine is very busy
_ADAPT_S = 0.5  # between two checks of the publishers and their QoS


class FleetClient:
    """A client of all robots of a fleet, for one thread; nothing happens unless it spins.

    Parameters
    ----------
    frame : the frame of every pose
    patience : how long goals wait for answers of their servers

    Attributes
    ----------
    places : finds stations by their names
    """

    def __init__(self, frame: str = "map", patience: Patience = PATIENCE) -> None:
        self.graph = GraphClient(self._advance)
        self.node = self.graph.node
        self._reader = self.graph.create_node(f"{self.node.get_name()}_reader")
        self._fleet = ServedFleet(self.graph)
        self.places = PlaceClient(self.graph)
        self.frame = frame
        self._patience = patience
        self._robots = RobotWatch(self._reader, on_invalid=self._warn)
        self.statuses, self.tasks, self.poses = self._robots.statuses, self._robots.tasks, self._robots.poses
        self.truths = LatestMessages[Pose2D](self._reader, PoseStamped, plane_pose, self._warn)  # of simulated robots
        self._actions: dict[tuple[int, TaskKind], TaskActionClient] = {}
        self._open: list[SentGoal] = []
        self._unexplained: list[EndedGoal] = []
        self._adapted_s = 0.0

    def close(self) -> None:
        """Leave the graph."""
        self._reader.destroy_node()
        self.graph.close()

    def spin(self, duration_s: float) -> None:
        """Serve callbacks for a given time."""
        self.spin_until(lambda: False, duration_s)

    def spin_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Serve callbacks until a condition holds; return whether it does."""
        return self.graph.spin_until(condition, timeout_s)

    def _advance(self) -> None:
        """Repeat requests that are due, and check the robots' publishers and why goals ended."""
        for action in self._actions.values():
            action.advance()
        ended = [goal for goal in self._open if goal.state.is_final]
        if ended:
            self._open = [goal for goal in self._open if not goal.state.is_final]
            for goal in ended:
                self.statuses.take(goal.robot_id)  # published before the end
            self._unexplained += map(EndedGoal, ended)
        self._unexplained = [one for one in self._unexplained if not self._explain(one)]
        if time.monotonic() - self._adapted_s > _ADAPT_S:
            self._adapted_s = time.monotonic()
            self.statuses.adapt()

    def robot_ids(self) -> list[int]:
        """Return the robots that are served now; a robot with clients alone is not."""
        return self._fleet.robot_ids()

    def has_found_all(self) -> bool:
        """Whether every driver has announced its robots, and there is at least one robot."""
        return self._fleet.is_complete() and bool(self.robot_ids())

    def wait_for_statuses(self, local: LocalFleet | None = None, timeout_s: float = DISCOVERY_S) -> list[int]:
        """Watch every robot, and wait for its status; return the robots that have published none in time.

        Waits for the robots of all drivers, and for those of other servers as soon as they are found. Robots that the
        drivers of this host report in `local` are not watched: `report` returns that. The wait is longer while a driver
        on the graph has not announced itself.
        """
        self._fleet.local = local or LocalFleet()
        if not self.graph.spin_until_found(self._has_all_statuses, timeout_s) and self._fleet.has_unmet_driver():
            self.graph.spin_until_found(self._has_all_statuses, _UNMET_S)
        return sorted(self._unreported_ids() - self.statuses.keys())

    def has_silent_driver(self) -> bool:
        """Whether a running driver of this host has neither answered nor announced itself."""
        return self._fleet.has_silent_driver()

    def has_unmet_driver(self) -> bool:
        """Whether a driver on the graph has not announced itself."""
        return self._fleet.has_unmet_driver()

    def _has_all_statuses(self) -> bool:
        robot_ids = self._unreported_ids()
        for robot_id in sorted(robot_ids):
            self.watch(robot_id)
        return self._fleet.is_complete() and self.statuses.keys() >= robot_ids

    def _unreported_ids(self) -> frozenset[int]:
        """Return the fleet's robots that the drivers of this host do not report."""
        local = self._fleet.local
        return local.missing_ids.union(self._fleet.met_ids()) - local.reports.keys()

    def watch(self, robot_id: int) -> None:
        """Follow a robot's status and pose in `statuses` and `poses` from now on."""
        self._robots.watch_status(robot_id)
        self._robots.watch_pose(robot_id)

    def watch_task(self, robot_id: int) -> None:
        """Follow a robot's task in `tasks` from now on, if its server publishes it."""
        self._robots.watch_task(robot_id)

    def watch_truth(self, node_id: int) -> None:
        """Follow a simulated robot's true pose in `truths` from now on."""
        self.truths.watch(node_id, f"/simulator/thymio_{node_id}/truth", LATEST)

    def watch_clock(self) -> TakenTopic:
        """Subscribe to the topic of simulated time, and return it."""
        return TakenTopic(self._reader, Clock, "/clock", LATEST)

    def driver(self, robot_id: int) -> DriverId | None:
        """Return the driver that serves a robot; None for a server that is not ours, or before any announcement."""
        return self._fleet.driver(robot_id)

    def waiting(self, robot_id: int) -> list[DriverId]:
        """Return the drivers that are configured to serve a robot but do not, because another driver does."""
        return self._fleet.waiting(robot_id)

    def watch_pose(self, topic: str, callback: Callable[[Pose2D], None]) -> None:
        """Call back with every pose in the plane on a PoseStamped topic."""
        self._watch_pose(
            topic, lambda message: pose_from_ros(message, message.header.frame_id), lambda pose, _: callback(pose)
        )

    def watch_measured_pose(
        self, topic: str, marker: Pose2D, capture: MotionCaptureConfig, callback: Callable[[Pose2D, int], None]
    ) -> None:
        """Call back with each pose of a robot's axle, as measured at its marker, and its steady instant [ns].

        Instants are those of the stamps, so delayed messages keep their true times.
        """
        offset = ClockOffset()

        def on_pose(pose: Pose2D, stamp_ns: int) -> None:
            callback(pose, offset.sent_ns(stamp_ns, time.monotonic_ns()))

        self._watch_pose(topic, lambda message: measured_pose_from_ros(message, capture, marker), on_pose)

    def _watch_pose(
        self, topic: str, convert: Callable[[PoseStamped], Pose2D], callback: Callable[[Pose2D, int], None]
    ) -> None:
        def on_message(message: PoseStamped) -> None:
            try:
                pose = convert(message)
            except GoalRejectedError as error:
                self._warn(error)
            else:
                callback(pose, time_from_ros(message.header.stamp))

        self.node.create_subscription(PoseStamped, topic, on_message, qos_profile_sensor_data)

    def _warn(self, error: ValueError) -> None:
        self.node.get_logger().warning(f"invalid message: {error}", throttle_duration_sec=5.0)

    def value(self, robot_id: int, key: str) -> str:
        """Return a value of the robot's latest status, "" if there is none."""
        status = self.statuses.get(robot_id)
        return status.values.get(key, "") if status else ""

    def report(self, robot_id: int) -> RobotReport:
        """Return what is known about a robot that is watched, or reported by a driver of this host."""
        local = self._fleet.local.reports.get(robot_id)
        if local is not None and robot_id not in self.statuses:
            hosts = (*local.waiting_hosts, *(driver.host for driver in self.waiting(robot_id)))
            return replace(local, waiting_hosts=list(dict.fromkeys(hosts)))
        status, driver = self.statuses.get(robot_id), self.driver(robot_id)
        without_status = RobotReport(
            robot_id,
            pose=self.poses.get(robot_id),
            host=driver.host if driver else "",
            driver_node=driver.node if driver else "",
            waiting_hosts=[waiting.host for waiting in self.waiting(robot_id)],
        )
        if status is None:
            return without_status
        level = level_of(status.level)
        return replace(
            without_status,
            level=level,
            message=status.message,
            values=status.values,
            age_s=self.statuses.age_s(robot_id),
            is_stale=status.level != level.value,
        )

    def is_ready(self, robot_id: int) -> bool:
        """Whether a watched robot is connected, tracked and idle; a pose alone does not mean that it accepts tasks."""
        expected = {"state": "idle", "link": "connected", "localization": "tracked"}
        return all(self.value(robot_id, key) == value for key, value in expected.items())

    def go_to(self, robot_id: int, goal: Pose2D) -> SentGoal:
        """Send a robot to a pose."""
        return self.assign(robot_id, Work(TaskKind.GO_TO, (Place(goal),)))

    def go_home(self, robot_id: int) -> SentGoal:
        """Send a robot home."""
        return self.assign(robot_id, Work(TaskKind.GO_HOME))

    def transport(self, robot_id: int, pose_from: Pose2D, pose_to: Pose2D) -> SentGoal:
        """Have a robot carry something from one pose to another."""
        return self.assign(robot_id, Work(TaskKind.TRANSPORT, (Place(pose_from), Place(pose_to))))

    def follow_path(self, robot_id: int, path: PathWish) -> SentGoal:
        """Have a robot follow a path."""
        return self.assign(robot_id, Work(TaskKind.FOLLOW_PATH, path=path))

    def assign(self, robot_id: int, work: Work) -> SentGoal:
        """Assign work to a robot.

        Raises
        ------
        NoServerError
            The action has no server.
        GoalRejectedError
            A transport leads to where it starts.
        """
        return self.graph.finish(self.assign_in_parts(robot_id, work))

    def assign_in_parts(self, robot_id: int, work: Work) -> Parts[SentGoal]:
        """Assign work to a robot, as `assign` does.

        Raises
        ------
        NoServerError
            The action has no server.
        GoalRejectedError
            A transport leads to where it starts.
        """
        if why := objection_to_transport(work):
            raise GoalRejectedError(why.reason, why.detail)
        stamp_ns = self.node.get_clock().now().nanoseconds
        return self._send(robot_id, work.kind, goal_from_work(work, "", self.frame, stamp_ns))

    def send(self, robot_id: int, kind: TaskKind, message: Any) -> SentGoal:
        """Send a goal message, with a new task id."""
        return self.graph.finish(self._send(robot_id, kind, message))

    def _send(self, robot_id: int, kind: TaskKind, message: Any) -> Parts[SentGoal]:
        message.task_id = f"{kind.public_name}-{uuid.uuid4().hex[:8]}"
        action = yield from self._action(robot_id, kind)
        goal = SentGoal(robot_id, kind, message.task_id, action.name, self._patience)
        action.send(goal, message)
        self._open.append(goal)
        return goal

    def extend_path(
        self, robot_id: int, task_id: str, update: RouteUpdate, timeout_s: float = DISCOVERY_S
    ) -> ExtendPath.Response:
        """Extend the path that a robot follows, by waypoints or by laps; see ExtendPath.srv.

        Raises
        ------
        NoServerError
            No server of the robot answers.
        """
        request = update_to_ros(task_id, update)
        return self._call(robot_id, ExtendPath, extend_path_service(robot_id), request, timeout_s)

    def extend_route(
        self, robot_id: int, task_id: str, extension: RouteExtension, timeout_s: float = DISCOVERY_S
    ) -> ExtendRoute.Response:
        """Append legs to the route that a robot performs; see ExtendRoute.srv.

        Raises
        ------
        NoServerError
            No server of the robot answers.
        """
        request = extension_to_ros(task_id, extension)
        return self._call(robot_id, ExtendRoute, extend_route_service(robot_id), request, timeout_s)

    def assigned_task(self, robot_id: int, timeout_s: float = DISCOVERY_S) -> str:
        """Return the id of the task that a robot performs, "" without one.

        Raises
        ------
        NoServerError
            No server of the robot answers.
        """
        name = f"/factory/robot_{robot_id}/assigned_task"
        return str(self._call(robot_id, AssignedTask, name, AssignedTask.Request(), timeout_s).id)

    def reach(self, robot_id: int, kind: TaskKind) -> None:
        """Wait until a robot accepts tasks of a kind.

        Raises
        ------
        NoServerError
            The action has no server.
        """
        self.graph.finish(self.reach_in_parts(robot_id, kind))

    def reach_in_parts(self, robot_id: int, kind: TaskKind) -> Parts[None]:
        """Wait until a robot accepts tasks of a kind, as `reach` does.

        Raises
        ------
        NoServerError
            The action has no server.
        """
        yield from self._action(robot_id, kind)

    def cancel_in_parts(self, robot_id: int) -> Parts[int]:
        """Cancel all goals of a robot, whichever client sent them; return how many are being canceled.

        Raises
        ------
        NoServerError
            The robot is not served, or no server of it answers.
        """
        return cancellation(self.graph, self._fleet, robot_id)

    def configure_tracker(
        self, robot_id: int, law: str = "", gains: Mapping[str, float] | None = None, timeout_s: float = DISCOVERY_S
    ) -> ConfigureTracker.Response:
        """Choose and tune a robot's control law, or only query it; see ConfigureTracker.srv.

        Raises
        ------
        NoServerError
            No server of the robot answers.
        """
        gains = gains or {}
        request = ConfigureTracker.Request(law=law, names=list(gains), values=list(gains.values()))
        name = f"/factory/robot_{robot_id}/x/configure_tracker"
        return self._call(robot_id, ConfigureTracker, name, request, timeout_s)

    def _call(self, robot_id: int, service_type: Any, name: str, request: Any, timeout_s: float) -> Any:
        """Return the answer of a service of a robot; see `GraphClient.call`."""
        self._fleet.reach(robot_id, lambda: self.node.count_services(name) > 0, name, timeout_s)
        return self.graph.call(service_type, name, request, timeout_s)

    def fetch_result(self, goal: SentGoal, timeout_s: float = DISCOVERY_S) -> Any:
        """Request the result of a goal again; return the action server's answer, with `status` and `result`.

        Raises
        ------
        NoServerError
            The server does not answer.
        """
        action = self._actions[goal.robot_id, goal.kind]
        deadline_s = time.monotonic() + timeout_s
        while (remaining_s := deadline_s - time.monotonic()) > 0.0:
            future = action.fetch_result(goal)
            if self.spin_until(future.done, min(ANSWER_S, remaining_s)):
                return future.result()
        raise NoServerError(f"{action.name} does not return the result of {goal.task_id} within {timeout_s:g} s")

    def reason(self, goal: SentGoal) -> str:
        """Return in words why a goal did not succeed, once its robot's status has had time to report it."""
        return self.graph.finish(self.reason_in_parts(goal))

    def reason_in_parts(self, goal: SentGoal) -> Parts[str]:
        """Find out why a goal did not succeed, as `reason` does."""
        if goal.state is not GoalState.SUCCEEDED:
            self.watch(goal.robot_id)
        self._advance()
        yield from until(lambda: all(ended.goal is not goal for ended in self._unexplained), DISCOVERY_S)
        return goal.reason

    def _action(self, robot_id: int, kind: TaskKind, timeout_s: float = DISCOVERY_S) -> Parts[TaskActionClient]:
        """Return a ready client of a robot's action: it is listening, and its server is available."""
        key, name = (robot_id, kind), action_name(robot_id, kind)
        if key not in self._actions:
            self._actions[key] = TaskActionClient(self.node, ACTION_TYPES[kind], name, time.monotonic)
            self.graph.settle()
        yield from self._fleet.reach_in_parts(robot_id, self._actions[key].is_ready, name, timeout_s)
        return self._actions[key]

    def _explain(self, ended: EndedGoal) -> bool:
        """Read the reason for a goal's end from its robot's status; return whether it was found, or came too late."""
        robot_id = ended.goal.robot_id
        status = self.statuses.get(robot_id)
        found = ended.settled_reason({} if status is None else status.values, self.statuses.read_s(robot_id))
        if found is not None and found[0]:
            ended.goal.explain(": ".join(filter(None, found)))
        return found is not None
