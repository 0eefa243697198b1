"""The state of the whole fleet as pages show it: filled by feeds, advanced by time, read by pages."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from fleet.client.robot_report import number_of
from fleet.dashboard.model.alarms import Alarms, Trouble, troubles_of
from fleet.dashboard.model.driver_counts import CountBook
from fleet.dashboard.model.event_log import EventLog, LogEntry, LogEntryKind, Severity
from fleet.dashboard.model.fleet_entries import SeenDriver, counts, empty_entry, is_stopped
from fleet.dashboard.model.fleet_picture import FleetPicture, PicturedRobot
from fleet.dashboard.model.floor_entries import FloorPicture, floor_entries
from fleet.dashboard.model.history import History, SeriesLog, StateHistory
from fleet.dashboard.model.job_view import JobView
from fleet.dashboard.model.pose_frames import pose_frame
from fleet.dashboard.model.published_state import PublishedState, Section
from fleet.dashboard.model.robot_entries import robot_entry
from fleet.dashboard.model.task_history import TaskHistory
from fleet.geometry import Pose2D
from fleet.interface.seen_floor import SceneFloor
from fleet.tasks.task_report import TaskReport

_REVIEW_NS: Final = 500_000_000  # between two reviews of what time alone changes: silent robots, alarms, counts
_SETTLED_NS: Final = 2_000_000_000  # a starting driver finds its robots one after another
_DRIVER_SILENT_NS: Final = 5_000_000_000  # drivers announce themselves once a second


class Story:
    """The fleet's state and history, and the entries that pages are sent.

    Parameters
    ----------
    domain : the ROS domain, for advice

    Attributes
    ----------
    state : the entries of all sections
    picture : robots, their poses and truths
    tasks, jobs, alarms, log, history, states, series : what happened
    is_stopped : whether the fleet is stopped
    counts : the drivers' counts
    """

    def __init__(self, domain: int) -> None:
        self.state = PublishedState()
        self.picture = FleetPicture()
        self.log = EventLog(self.state)
        self.tasks = TaskHistory(self.state, self.log)
        self.jobs = JobView(self.state, self.log)
        self.alarms = Alarms(self.state, self.log)
        self.history = History()
        self.states = StateHistory(self.state)
        self.series = SeriesLog()
        self.is_stopped = False
        self.counts = CountBook()
        self._domain = domain
        self._floor = FloorPicture()
        self._seen_floor = SceneFloor()
        self._drivers: dict[str, tuple[SeenDriver, int]] = {}  # by token, with the time of the announcement
        self._unsettled_ns: dict[str, int] = {}  # new drivers by token: since when each serves the same robots
        self._counted = 0  # number of robots last published to pages
        self._reviewed_ns = -_REVIEW_NS
        self._simulated_s: float | None = None
        self._simulated_ns = 0
        self._frame = b""
        self._frame_ns = -1
        self._review(0)

    def configure(self, floor: FloorPicture) -> None:
        """Show the floor of a configuration."""
        self._floor = floor
        self._publish_map()

    # What feeds report

    def on_poses(self, poses: Mapping[int, Pose2D], now_ns: int) -> None:
        """Note the poses of robots, by ID."""
        self.picture.on_poses(poses, now_ns)

    def on_truth(self, node_id: int, pose: Pose2D, now_ns: int) -> None:
        """Note the true pose of a simulated robot, by its node id."""
        self.picture.on_truth(node_id, pose, now_ns)

    def on_status(self, robot_id: int, level: int, message: str, values: Mapping[str, str], now_ns: int) -> None:
        """Note a robot's status."""
        if robot_id not in self.picture.robots or self.picture.robots[robot_id].level is None:
            self.log.add(LogEntry(Severity.INFO, LogEntryKind.ROBOT, f"robot {robot_id} appeared", robot_id), now_ns)
        self.picture.on_status(robot_id, level, message, values, now_ns)
        robot = self.picture.robots[robot_id]
        self._publish_robot(robot)
        self.tasks.on_status(robot_id, robot.report, now_ns)
        age_s = number_of(values, "pose_age_s")
        numbers = {
            "cross_track_mm": number_of(values, "cross_track_mm"),
            "battery_pct": number_of(values, "battery_pct"),
            "pose_age_ms": None if age_s is None else 1e3 * age_s,
        }
        self.series.record(robot_id, now_ns * 1e-9, numbers)

    def on_same_status(self, robot_id: int, now_ns: int) -> None:
        """Note that a robot has published the same status again."""
        self.picture.robot(robot_id).status_ns = now_ns

    def on_task(self, robot_id: int, report: TaskReport, now_ns: int) -> None:
        """Note a robot's task."""
        self.tasks.on_task(robot_id, report, now_ns)

    def on_order(self, robot_id: int, order: dict[str, Any] | None) -> None:
        """Note a master control's order for a robot, None if there is none."""
        robot = self.picture.robot(robot_id)
        robot.order = order
        self._publish_robot(robot)

    def on_offer(self, robot_id: int, can: Sequence[str]) -> None:
        """Note what a robot's server offers; this makes the robot known."""
        robot = self.picture.robot(robot_id)
        if robot.can != tuple(can):
            robot.can = tuple(can)
            self._publish_robot(robot)

    def on_driver(self, driver: SeenDriver, now_ns: int) -> None:
        """Note a driver's announcement; a driver without robots has left."""
        known = self._drivers.get(driver.token)
        if known is None:
            self._forget_replaced(driver, now_ns)
        self._drivers[driver.token] = driver, now_ns
        if known is None or known[0].serves != driver.serves:
            self._assign_hosts(driver)
            if known is None or driver.token in self._unsettled_ns:
                self._unsettled_ns[driver.token] = now_ns
        if known is None or known[0].is_stopped != driver.is_stopped:
            self._review_drivers(now_ns)

    def on_driver_left(self, token: str, now_ns: int) -> None:
        """Note that a driver has shut down."""
        if token in self._drivers:
            driver, _ = self._drivers.pop(token)
            self._unsettled_ns.pop(token, None)
            text = f"driver on {driver.host} has shut down"
            self.log.add(LogEntry(Severity.NOTICE, LogEntryKind.FLEET, text), now_ns)

    def on_floor(self, floor: SceneFloor) -> None:
        """Note the simulator's floor."""
        if floor != self._seen_floor:
            self._seen_floor = floor
            self._publish_map()

    def on_simulated_time(self, time_s: float, now_ns: int) -> None:
        """Note the simulator's clock."""
        self._simulated_s, self._simulated_ns = time_s, now_ns

    def drivers(self, now_ns: int) -> list[SeenDriver]:
        """Return all drivers that have announced themselves, including silent drivers."""
        return [_aged(driver, now_ns - seen_ns) for driver, seen_ns in self._drivers.values()]

    def on_diagnostics(self, token: str, name: str, values: Mapping[str, str], now_ns: int) -> None:
        """Note a driver's counts, by its token and the name of the status."""
        if token in self._drivers:
            self.counts.on_diagnostics(token, name, values, now_ns)

    # What users do

    def is_silent(self, robot_id: int, now_ns: int) -> bool:
        """Whether a robot is known and publishes nothing."""
        robot = self.picture.robots.get(robot_id)
        return robot is not None and robot.refresh(now_ns).word in ("silent", "waiting")

    def dismiss(self, robot_id: int, now_ns: int) -> None:
        """Forget a silent robot."""
        self.picture.forget(robot_id)
        self.tasks.forget(robot_id, now_ns)
        self.series.forget(robot_id)
        self.state.remove(Section.ROBOTS, str(robot_id))

    # What pages get

    def frame(self, now_ns: int) -> bytes:
        """Return the present poses as a frame with number 0; pages and history share one frame per instant."""
        if self._frame_ns != now_ns:
            picture = self.picture
            poses, truths = picture.pose_rows(now_ns), picture.truth_rows(now_ns)
            self._frame = pose_frame(0, now_ns * 1e-9, poses, truths, is_stopped=self.is_stopped)
            self._frame_ns = now_ns
        return self._frame

    def advance(self, now_ns: int) -> None:
        """Update what time alone changes: silent robots, alarms, counts, history."""
        time_s = now_ns * 1e-9
        if self.history.is_due(time_s):
            self.history.record(time_s, self.frame(now_ns))
        if now_ns - self._reviewed_ns >= _REVIEW_NS:
            self._review(now_ns)
        elif self._counted != len(self.picture.robots):
            self._publish_count()
        self.states.advance(time_s)

    def _review(self, now_ns: int) -> None:
        self._reviewed_ns = now_ns
        for robot in self.picture:
            was = robot.report.word
            robot.refresh(now_ns)
            if robot.report.word in ("silent", "waiting") or was == "silent":
                self._publish_robot(robot)
        drivers = self._review_drivers(now_ns)
        self._log_settled_drivers(now_ns)
        troubles = {one.alarm_id: one for robot in self.picture for one in troubles_of(robot.report)}
        self.alarms.advance(troubles | _driver_troubles(drivers) | self.jobs.troubles(), now_ns)
        posed = sum(robot.pose is not None for robot in self.picture)
        self._publish_count()
        self._put("empty", empty_entry(drivers, len(self.picture.robots), posed, self._domain))
        self._put("simulation", self._simulation(now_ns))
        self._publish_map()

    def _review_drivers(self, now_ns: int) -> list[SeenDriver]:
        drivers = self.drivers(now_ns)
        self._put("drivers", [driver.entry for driver in drivers])
        was_stopped = self.is_stopped
        self.is_stopped = is_stopped(drivers, [robot.report.word for robot in self.picture])
        self._put("is_stopped", self.is_stopped)
        if was_stopped != self.is_stopped:
            text = "the fleet is stopped" if self.is_stopped else "the fleet is resumed"
            self.log.add(LogEntry(Severity.NOTICE, LogEntryKind.FLEET, text), now_ns)
        return drivers

    def _log_settled_drivers(self, now_ns: int) -> None:
        """Log each new driver once it serves robots and their set has settled."""
        for token, since_ns in list(self._unsettled_ns.items()):
            driver, _ = self._drivers[token]
            if driver.serves and now_ns - since_ns >= _SETTLED_NS:
                del self._unsettled_ns[token]
                count = len(driver.serves)
                text = f"driver on {driver.host} serves {count} robot{'' if count == 1 else 's'}"
                self.log.add(LogEntry(Severity.INFO, LogEntryKind.FLEET, text), now_ns)

    def _forget_replaced(self, newcomer: SeenDriver, now_ns: int) -> None:
        """Forget silent drivers on a new driver's host: it has taken their place."""
        for token, (driver, seen_ns) in list(self._drivers.items()):
            if driver.host == newcomer.host and _aged(driver, now_ns - seen_ns).is_silent:
                del self._drivers[token]
                self._unsettled_ns.pop(token, None)

    def _simulation(self, now_ns: int) -> dict[str, object] | None:
        if self._simulated_s is None:
            return None
        is_running = now_ns - self._simulated_ns < _DRIVER_SILENT_NS
        return {"is_running": is_running, "time_s": round(self._simulated_s)}

    def _assign_hosts(self, driver: SeenDriver) -> None:
        for robot_id in driver.serves:
            robot = self.picture.robot(robot_id)
            robot.host, robot.driver_node = driver.host, driver.node

    def _publish_robot(self, robot: PicturedRobot) -> None:
        self.state.put(Section.ROBOTS, str(robot.robot_id), robot_entry(robot.report, robot.can, robot.order))

    def _publish_count(self) -> None:
        self._counted = len(self.picture.robots)
        self._put("count", counts(robot.report.tone for robot in self.picture))

    def _publish_map(self) -> None:
        places = [(robot.pose.x_m, robot.pose.y_m) for robot in self.picture if robot.pose is not None]
        for key, value in floor_entries(self._floor.with_ground(self._seen_floor), places).items():
            self.state.put(Section.MAP, key, value)

    def _put(self, key: str, value: object) -> None:
        self.state.put(Section.FLEET, key, value)


def _aged(driver: SeenDriver, age_ns: int) -> SeenDriver:
    is_silent = age_ns > _DRIVER_SILENT_NS
    age_s = age_ns * 1e-9
    return SeenDriver(driver.host, driver.node, driver.token, driver.serves, driver.is_stopped, is_silent, age_s)


def _driver_troubles(drivers: Iterable[SeenDriver]) -> dict[str, Trouble]:
    silent = [driver for driver in drivers if driver.is_silent]
    if not silent:
        return {}
    hosts = ", ".join(sorted({driver.host for driver in silent}))
    trouble = Trouble("driver", Severity.ERROR, f"the driver on {hosts} is silent")
    return {trouble.alarm_id: trouble}
