"""The dashboard without HTTP and ROS: what is known, what users command, and the outcomes."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, TypeAlias

from fleet.dashboard.model.event_log import LogEntry, LogEntryKind, Severity
from fleet.dashboard.model.fleet_entries import SeenDriver
from fleet.dashboard.model.published_state import Section
from fleet.dashboard.model.story import Story
from fleet.dashboard.orders.added_stations import AddedStations
from fleet.dashboard.orders.command_log import CommandLog, CommandProgress, CommandState, Person
from fleet.dashboard.orders.drive_claims import DriveClaims
from fleet.dashboard.orders.fleet_orders import (
    BatteryOrder,
    ChangeJobsOrder,
    FleetOrder,
    LawOrder,
    LinkOrder,
    PushOrder,
    RobotOrder,
    SubmitOrder,
    TaskOrder,
    TeleportOrder,
    Verb,
)
from fleet.dashboard.orders.order_reader import Fields, OrderReader, robots_of
from fleet.dashboard.orders.request_check import checked_request
from fleet.dashboard.orders.request_errors import BadRequestError, ConflictError, NotFoundError, RequestProblem
from fleet.dashboard.orders.stop_follower import StopFollower
from fleet.dispatch.job_report import JobReport
from fleet.geometry import Pose2D, Twist2D
from fleet.settings.station_config import StationConfig, StationRole
from fleet.work.work import Place
from thymio_base.fence import Fence
from thymio_base.logs.audit_log import AuditEvent, AuditLog
from thymio_base.names.ros_names import label_problem

Finder: TypeAlias = Callable[[JobReport | None], None]  # called with a job's report, None if it is unknown
_STATIONS: Final = 500
_OF_JOBS: Final = (Verb.SUBMIT, Verb.CHANGE_JOBS)


class FleetFeed(Protocol):
    """Reads what the fleet publishes."""

    @property
    def waited_s(self) -> float | None:
        """How long the latest poses had waited when they were taken; None without new poses."""

    def take(self, story: Story, now_ns: int) -> None:
        """Pass everything new on, without waiting."""

    def rays(self, robot_id: int) -> dict[str, Any] | None:
        """Return what a robot's proximity sensors see, as pages show it; None if unknown."""


class OrderExecution(Protocol):
    """Carries out orders, without ever waiting."""

    def start(self, command_id: str, order: FleetOrder) -> None:
        """Carry out an order; `advance` reports its progress."""

    def call_stop(self, *, is_stop: bool) -> None:
        """Ask every server to stop or resume all robots, repeatedly until the drivers announce the effect."""

    def find_job(self, job_id: str, tell: Finder) -> None:
        """Ask a driver for a job that it does not publish at present; `tell` is called at once or by `advance`."""

    def stop_local(self) -> list[SeenDriver]:
        """Stop the drivers of this host at once; wait, and return those that confirmed. Callable from any thread."""

    def drive(self, robot_id: int, twist: Twist2D) -> None:
        """Drive a robot by hand for a moment."""

    def advance(self, story: Story, now_ns: int) -> Sequence[CommandProgress]:
        """Continue all orders; return their progress."""


class CommandDesk:
    """Everything behind the page.

    Parameters
    ----------
    story : the fleet's state
    feed : fills the story
    execution : carries out orders
    keep_stations : called with all added stations whenever they change
    fence : notes the exceptions of all parts of the dashboard
    audit : records everything that users and programs order

    Attributes
    ----------
    feed, execution : the same; replaceable
    """

    def __init__(
        self,
        story: Story,
        feed: FleetFeed,
        execution: OrderExecution,
        keep_stations: Callable[[Sequence[StationConfig]], None] = lambda _: None,
        *,
        fence: Fence | None = None,
        audit: AuditLog | None = None,
    ) -> None:
        self._audit = audit or AuditLog("")
        self.fence = fence or Fence()
        self.story = story
        self.feed = feed
        self.execution = execution
        self.commands = CommandLog(story.state, story.log, story.tasks, self._audit)
        self.stations = AddedStations(story.state)
        self._keep_stations = keep_stations
        self._claims = DriveClaims()
        self._reader = OrderReader(lambda: set(story.picture.robots), self.stations.find, self._nearest_idle)
        self._stops = 0
        self._stop_watch: StopFollower | None = None  # follows the latest STOP or resume, which may be over
        self._stop_people: set[str] = set()  # the people who asked for it
        self._stop_command = ""
        self._own: Mapping[Verb, Callable[[Fields, Person, int], None]] = {
            Verb.STATION: self._add_station,
            Verb.REMOVE_STATION: self._remove_station,
            Verb.ACKNOWLEDGE: self._acknowledge,
            Verb.DISMISS: self._dismiss,
        }
        story.state.put(Section.FLEET, "stop", None)

    def advance(self, now_ns: int) -> None:
        """Take news, continue all orders, and update the story."""
        call = self.fence.call
        call("the feed", self.feed.take, self.story, now_ns)
        for progress in call("the execution of orders", self.execution.advance, self.story, now_ns) or ():
            call("progress of orders", self.commands.progress, progress, now_ns)
        if self._stop_watch is not None and not self._stop_watch.is_over:
            call("progress of a stop", self._follow_stop, self._stop_watch, now_ns)
        self.story.state.put(Section.FLEET, "driving", self._claims.holders(now_ns))
        call("the story", self.story.advance, now_ns)

    def perform(self, verb: Verb, body: object, person: Person, now_ns: int) -> list[dict[str, Any]]:
        """Perform a request; return the commands that it started.

        Raises
        ------
        BadRequestError
            A field is missing, unknown or wrong.
        NotFoundError
            A robot, an alarm or a station does not exist, a robot is not silent, or no driver accepts jobs.
        ConflictError
            A station cannot be added or kept, no robot is idle, or a robot without a pose needs a heading.
        """
        if verb is Verb.STOP or verb is Verb.RESUME:
            if body != {}:
                checked_request(verb, body)
            return [self.stop(person, now_ns, is_stop=verb is Verb.STOP)]
        if verb in self._own:
            self._own[verb](self._reader.fields(verb, body), person, now_ns)
            return []
        orders = [self._aimed(order) for order in self._reader.read(verb, body)]
        if verb in _OF_JOBS and self.story.state.get(Section.FLEET, "jobs") is None:
            raise NotFoundError("no driver accepts jobs: run one with `dispatch: {enabled: true}` in its fleet.yaml")
        return [self._start(verb, order, person, now_ns) for order in orders]

    def stop(self, person: Person, now_ns: int, *, is_stop: bool) -> dict[str, Any]:
        """Stop all robots, or let them accept tasks again; return the command.

        A repeat of the latest STOP is carried out as well, but is neither logged nor timed again.
        """
        self._stops += 1
        self.execution.call_stop(is_stop=is_stop)
        watch = self._stop_watch
        if is_stop and watch is not None and watch.is_repeated_by(now_ns):
            self._repeat_stop(watch, person, now_ns)
        else:
            self._open_stop(person, now_ns, is_stop=is_stop)
        return self.commands.entry(self._stop_command) or {}

    def note_confirmed(self, drivers: Sequence[SeenDriver], now_ns: int) -> None:
        """Note which drivers have confirmed the latest STOP directly."""
        watch = self._stop_watch
        if watch is None or watch.is_over or not watch.is_stop:
            return
        for driver in drivers:
            watch.confirm(driver, now_ns)
        self._follow_stop(watch, now_ns)

    def drive(self, robot_id: int, twist: Twist2D, person: Person, now_ns: int) -> None:
        """Drive a robot by hand for a moment.

        Raises
        ------
        NotFoundError
            There is no such robot, or its server does not accept twists.
        ConflictError
            Another session drives it.
        """
        robot = self.story.picture.robots.get(robot_id)
        if robot is None:
            raise NotFoundError(f"there is no robot {robot_id}")
        if Verb.DRIVE.value not in robot.can:
            raise NotFoundError(f"robot {robot_id} cannot be driven by hand: driver.accept.cmd_vel is off")
        is_begun = str(robot_id) not in self._claims.holders(now_ns)
        holder = self._claims.claim(robot_id, person.name, now_ns)
        if holder is not None:
            raise ConflictError(f"{holder} drives robot {robot_id}")
        if is_begun:
            self._audit.note(AuditEvent.ORDERED, person.orderer, "drive by hand", robot=robot_id)
        self.execution.drive(robot_id, twist)

    def _aimed(self, order: FleetOrder) -> FleetOrder:
        """Return an unaimed order with a heading: the bearing of its place from the robot."""
        if not isinstance(order, TaskOrder) or not order.is_unaimed:
            return order
        pose = self.story.picture.robots[order.robot_id].report.pose
        if pose is None:
            raise ConflictError(f"robot {order.robot_id} publishes no pose: heading_rad is needed")
        goal = order.work.places[0].pose
        aimed = Place(replace(goal, heading_rad=pose.bearing_to(goal)))
        return TaskOrder(order.robot_id, replace(order.work, places=(aimed,)))

    def _start(self, verb: Verb, order: FleetOrder, person: Person, now_ns: int) -> dict[str, Any]:
        robot_id, what = _subject(verb, order)
        job_id = order.job.job_id if isinstance(order, SubmitOrder) else ""
        command_id = self.commands.open(verb, robot_id, person, what, now_ns, job_id=job_id)
        try:
            self.execution.start(command_id, order)
        except Exception as error:  # this command alone has failed
            text = self.fence.note(f"order {verb.value}", error, order)
            self.commands.progress(CommandProgress(command_id, CommandState.FAILED, text=text), now_ns)
        return self.commands.entry(command_id) or {}

    def _open_stop(self, person: Person, now_ns: int, *, is_stop: bool) -> None:
        if self._stop_watch is not None and not self._stop_watch.is_over:  # the earlier one is superseded
            progress = CommandProgress(self._stop_command, CommandState.DONE, text="another one followed at once")
            self.commands.progress(progress, now_ns)
        before = {one.token for one in self.story.drivers(now_ns) if one.is_stopped is is_stop}
        watch = self._stop_watch = StopFollower(self._stops, is_stop, str(person), now_ns, before)
        self._stop_people = {str(person)}
        verb, text = (Verb.STOP, "STOP ALL") if is_stop else (Verb.RESUME, "resume all")
        self._stop_command = self.commands.open(verb, None, person, text, now_ns)
        self._follow_stop(watch, now_ns)

    def _repeat_stop(self, watch: StopFollower, person: Person, now_ns: int) -> None:
        """Continue the latest STOP; a new number marks the newest answer for the page."""
        watch.number = self._stops
        entry = self.story.state.get(Section.FLEET, "stop") | {"number": watch.number}
        self.story.state.put(Section.FLEET, "stop", entry)
        if str(person) not in self._stop_people:
            self._stop_people.add(str(person))
            self._tell("STOP ALL", person, now_ns)

    def _follow_stop(self, watch: StopFollower, now_ns: int) -> None:
        entry = watch.advance(self.story.drivers(now_ns), self.story.picture, now_ns)
        self.story.state.put(Section.FLEET, "stop", entry)
        if not watch.is_over:
            return
        missing = [driver["host"] for driver in entry["unconfirmed"]]
        is_heard = bool(entry["confirmed"] or entry["before"])
        is_done = not missing and (is_heard or entry["stand_ms"] is not None)
        text = f"not confirmed by {', '.join(missing)}" if missing else "" if is_done else "no driver confirmed"
        state = CommandState.DONE if is_done else CommandState.FAILED
        self.commands.progress(CommandProgress(self._stop_command, state, text=text), now_ns)

    def _nearest_idle(self, pose: Pose2D) -> int | None:
        """Return the idle robot nearest to a pose that can carry loads."""
        idle = [
            (robot.report.pose.distance_to(pose), robot.robot_id)
            for robot in self.story.picture
            if robot.report.pose is not None and robot.report.is_free and Verb.TRANSPORT.value in robot.can
        ]
        return min(idle)[1] if idle else None

    def _add_station(self, fields: Fields, person: Person, now_ns: int) -> None:
        name = fields["name"]
        if problem := label_problem(name):
            raise BadRequestError([RequestProblem("name", f"{name!r}: {problem}")])
        pose = Pose2D(fields["x_m"], fields["y_m"], fields["heading_rad"])
        station = StationConfig(name, pose, StationRole(fields["role"]))
        if station in self.stations.added:
            return  # a repeat of the same request
        if len(self.stations.added) >= _STATIONS:
            raise ConflictError(f"operators have added {_STATIONS} stations already")
        if not self.stations.add(station):
            raise ConflictError(f"there is a station {name!r} already")
        self._keep_or(lambda: self.stations.remove(name))
        self._tell(f"station {name} added", person, now_ns)

    def _remove_station(self, fields: Fields, person: Person, now_ns: int) -> None:
        name = fields["name"]
        station = next((one for one in self.stations.added if one.name == name), None)
        if station is None or not self.stations.remove(name):
            raise NotFoundError(f"there is no station {name!r} that an operator has added")
        self._keep_or(lambda: self.stations.add(station))
        self._tell(f"station {name} removed", person, now_ns)

    def _keep_or(self, undo: Callable[[], object]) -> None:
        """Keep the stations for the next start; if that fails, undo the change and refuse it with the reason."""
        try:
            self._keep_stations(self.stations.added)
        except OSError as error:
            undo()
            raise ConflictError(f"stations cannot be kept: {error.strerror or error}") from error

    def _acknowledge(self, fields: Fields, person: Person, now_ns: int) -> None:
        alarms = list(dict.fromkeys(fields["alarms"]))
        missing = [alarm for alarm in alarms if not self.story.alarms.has(alarm)]
        if missing:
            raise NotFoundError(f"there is no alarm {', '.join(missing)[:80]}")
        for alarm in alarms:
            self.story.alarms.acknowledge(alarm, str(person))
        self._tell(f"alarms {', '.join(alarms)} acknowledged", person, now_ns)

    def _dismiss(self, fields: Fields, person: Person, now_ns: int) -> None:
        robot_ids = robots_of(fields)
        kept = [robot_id for robot_id in robot_ids if not self.story.is_silent(robot_id, now_ns)]
        if kept:
            raise NotFoundError(f"robots that publish cannot be dismissed: {', '.join(map(str, kept))}")
        for robot_id in robot_ids:
            self.story.dismiss(robot_id, now_ns)
        self._tell(f"robots {', '.join(map(str, robot_ids))} dismissed", person, now_ns)

    def _tell(self, text: str, person: Person, now_ns: int) -> None:
        self._audit.note(AuditEvent.ENDED, person.orderer, text, outcome=CommandState.DONE.value)
        self.story.log.add(LogEntry(Severity.NOTICE, LogEntryKind.COMMAND, text, by=str(person)), now_ns)


def _subject(verb: Verb, order: FleetOrder) -> tuple[int | None, str]:
    """Return the robot that an order concerns, if any, and its text for the log of events."""
    match order:
        case SubmitOrder(job):
            return None, f"submit a job: {job.work}"
        case ChangeJobsOrder(job_ids, change):
            return None, f"{change.value} jobs {', '.join(job_ids)}"
        case _:
            return order.robot_id, _robot_words(verb, order)


def _robot_words(verb: Verb, order: RobotOrder) -> str:
    """Return the text of an order for a robot, with its values."""
    match order:
        case TaskOrder(_, work):
            return str(work)
        case LawOrder(_, law, gains):
            chosen = [law, *(f"{name} {value:g}" for name, value in gains.items())]
            return f"law {', '.join(filter(None, chosen))}"
        case _:
            return _simulation_words(order) or verb.words


def _simulation_words(order: RobotOrder) -> str:
    """Return the text of an order for the simulator; "" for other orders."""
    match order:
        case LinkOrder(_, link):
            return f"link {link.value}"
        case BatteryOrder(_, charge):
            return f"battery {charge:.0%}"
        case PushOrder(_, distance_m, heading_rad):
            return f"push by {100.0 * distance_m:.0f} cm, {math.degrees(heading_rad):.0f}°"
        case TeleportOrder(_, pose):
            return f"teleport to {Place(pose)}"
        case _:
            return ""


def read_drive(message: Mapping[str, Any]) -> tuple[int, Twist2D]:
    """Return the robot and the twist of a teleoperation message.

    Raises
    ------
    BadRequestError
        A field is missing or wrong.
    """
    fields = checked_request(Verb.DRIVE, message)
    return fields["robot"], Twist2D(fields["speed_mps"], fields["turn_radps"])
