"""The public package's requests to a fleet, as works in parts over the one client; several run at once."""

import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from fleet.client.arrival_heading import bearing_in_parts
from fleet.client.fleet_client import FleetClient
from fleet.client.fleet_stop import stop_in_parts
from fleet.client.graph_client import until
from fleet.client.job_client import JobClient
from fleet.client.local_question import stop_local_drivers
from fleet.client.robot_report import SILENT_S, RobotReport
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import Job, JobState
from fleet.errors import HOW_TO_START, JobRefusedError, NoServerError, PathError
from fleet.geometry import ORIGIN, Pose2D
from fleet.goals.sent_goal import GoalState, SentGoal
from fleet.robots.place_report import PlaceReport
from fleet.tasks.task_kind import TaskKind
from fleet.watch.taken_topic import TakenTopic
from fleet.work.kinds import KIND_NAMES, KINDS, kind_named
from fleet.work.named_path import named_path
from fleet.work.work import PathWish, Place, Work
from thymio_base.logs.audit_log import AuditEvent, Orderer, own_audit_log, user_name
from thymio_base.number_text import count_text, robots_text
from thymio_base.parts import Parts
from thymio_base.ros.stamps import time_from_ros
from thymio_fleet.client_call import CANCEL_S, InterruptedWorkError
from thymio_fleet.task_errors import TaskAbortedError, TaskCanceledError, TaskRejectedError
from thymio_fleet.task_order import UNKNOWN_M, FinishedTask, PathOrder, Spot, pose_of_spot

_FIRST_S: Final = 6.0  # to find the first robot
_SIMULATED_S: Final = 120.0  # until simulated robots are ready, on a very busy machine
_SILENCE_S: Final = 15.0  # after which a clock without a publisher is gone
_FRESH_S: Final = 1.0  # age of a pose; they are published ten times a second
_EARLY_S: Final = 2.0  # to hear from a robot
_LATE_S: Final = 6.0  # to hear from a served robot
_POLL_S: Final = 0.3  # between two questions for the state of a job
_CLOCK_S: Final = 1.0  # to find a simulator
_ERRORS: Final = {GoalState.REJECTED: TaskRejectedError, GoalState.CANCELED: TaskCanceledError}


class FleetWorks:
    """Works of one client, for the thread that does their parts.

    Parameters
    ----------
    expected_ids : robots that must be ready first; () for a running fleet
    """

    def __init__(self, expected_ids: Sequence[int] = ()) -> None:
        self._expected_ids: Final = expected_ids
        self._client: Final = FleetClient()
        self._jobs: Final = JobClient(self._client.graph)
        self._clock: TakenTopic | None = None
        self._is_simulated: bool | None = None  # once it is known
        self._audit: Final = own_audit_log("thymio_fleet", self._client.graph.domain_id)
        self._orderer: Final = Orderer(user_name(), "Python")

    def close(self) -> None:
        """Leave the graph."""
        self._client.close()

    def spin(self, timeout_s: float) -> None:
        """Serve callbacks for a while."""
        self._client.graph.serve(timeout_s)

    def look(self) -> None:
        """Read the robots' messages, so that their age is known."""
        for messages in (self._client.statuses, self._client.poses):
            for robot_id in messages.followed:
                messages.take(robot_id)

    def open(self) -> Parts[None]:
        """Wait until the robots of a simulated fleet are ready, or until a robot is found.

        Raises
        ------
        NoServerError
            There is no robot.
        """
        for robot_id in self._expected_ids:
            self._client.watch(robot_id)
        if not self._expected_ids:
            yield from self.robot_ids()
        elif not (yield from until(lambda: all(map(self._client.is_ready, self._expected_ids)), _SIMULATED_S)):
            late = [robot_id for robot_id in self._expected_ids if not self._client.is_ready(robot_id)]
            raise NoServerError(f"simulated {robots_text(late)} did not get ready within {_SIMULATED_S:g} s")

    def robot_ids(self) -> Parts[list[int]]:
        """Find all robots that are served.

        Raises
        ------
        NoServerError
            There are no robots.
        """
        client = self._client
        if not (yield from client.graph.served_in_parts(client.has_found_all, _FIRST_S)) and not client.robot_ids():
            raise NoServerError(f"no robots on ROS domain {client.graph.domain_id}; {HOW_TO_START}")
        return client.robot_ids()

    def go_to(self, robot_id: int, spot: Spot, heading_rad: float | None) -> Parts[FinishedTask]:
        """Send a robot to a place; without a heading, it arrives heading straight from its start."""
        if isinstance(spot, str):
            place = yield from self._client.places.place_in_parts(spot)
            if heading_rad is not None:
                place = Place(replace(place.pose, heading_rad=heading_rad))
        else:
            x_m, y_m, own_rad = pose_of_spot(spot)
            heading_rad = own_rad if heading_rad is None else heading_rad
            if heading_rad is None:
                heading_rad = yield from bearing_in_parts(self._client, robot_id, x_m, y_m)
            place = Place(Pose2D(x_m, y_m, heading_rad))
        return (yield from self._perform(robot_id, Work(TaskKind.GO_TO, (place,))))

    def perform(self, robot_id: int, kind: TaskKind, *spots: Spot) -> Parts[FinishedTask]:
        """Have a robot do some work at places."""
        return (yield from self._perform(robot_id, (yield from self._work(kind, spots))))

    def follow(self, robot_id: int, order: PathOrder) -> Parts[FinishedTask]:
        """Have a robot follow a path."""
        return self._perform(robot_id, Work(TaskKind.FOLLOW_PATH, path=wish_of_order(order)))

    def cancel(self, robot_id: int) -> Parts[bool]:
        """Cancel a robot's task, whichever client sent it; return whether there was one."""
        self._note(AuditEvent.ORDERED, "cancel", robot=robot_id)
        return (yield from self._client.cancel_in_parts(robot_id)) > 0

    def pose(self, robot_id: int, after_s: float | None = None) -> Parts[tuple[Pose2D, float]]:
        """Find a robot's pose that is recent, or arrived after an instant; also return its arrival.

        Raises
        ------
        NoServerError
            The robot publishes no pose.
        """
        poses = self._client.poses
        least_s = time.monotonic() - _FRESH_S if after_s is None else after_s
        yield from self._await(robot_id, "pose", lambda: poses.read_s(robot_id) > least_s)
        return poses[robot_id], poses.read_s(robot_id)

    def status(self, robot_id: int) -> Parts[RobotReport]:
        """Find a robot's latest status.

        Raises
        ------
        NoServerError
            The robot publishes no status.
        """
        statuses, least_s = self._client.statuses, time.monotonic() - SILENT_S
        yield from self._await(robot_id, "status", lambda: statuses.read_s(robot_id) > least_s)
        return self._client.report(robot_id)

    def stop(self, *, is_stop: bool) -> Parts[None]:
        """Stop every robot of the fleet until it is resumed, or resume it.

        Raises
        ------
        NoServerError
            There is no driver, or one did not confirm; the message names the robots.
        """
        client, what = self._client, "stop the fleet" if is_stop else "resume the fleet"
        self._note(AuditEvent.ORDERED, what)
        if is_stop:
            stop_local_drivers(client.graph.domain_id)  # at once, without ROS
        report = yield from stop_in_parts(client.graph, client.graph.local_fleet(), is_stop=is_stop)
        for robot_id in report.foreign_ids if is_stop else ():
            yield from client.cancel_in_parts(robot_id)
        if report.unconfirmed:
            robots = robots_text([robot_id for one in report.unconfirmed for robot_id in one.serves])
            raise NoServerError(f"{robots} did not confirm to {what}")
        if not (report.confirmed or report.is_answered or report.foreign_ids):
            raise NoServerError(f"no driver answered the request to {what}; {HOW_TO_START}")

    def places(self) -> Parts[list[PlaceReport]]:
        """Find the stations of the fleet."""
        return self._client.places.find_in_parts()

    def sleep(self, duration_s: float) -> Parts[None]:
        """Let time pass: simulated time, if a simulator publishes it.

        Raises
        ------
        NoServerError
            The simulator is gone.
        """
        until_s = time.monotonic() + duration_s
        if not (yield from self._has_clock()):
            yield from until(lambda: False, until_s - time.monotonic())
            return
        start_ns = yield from self._tick()
        while (yield from self._tick()) - start_ns < duration_s * 1e9:
            pass

    def time_s(self) -> Parts[float]:
        """Find the current time [s]: simulated time, if a simulator publishes it.

        Raises
        ------
        NoServerError
            The simulator is gone.
        """
        return 1e-9 * (yield from self._tick()) if (yield from self._has_clock()) else time.time()

    def _has_clock(self) -> Parts[bool]:
        """Find out whether a simulator publishes its time; this is checked once."""
        if self._is_simulated is None:
            node = self._client.node
            self._is_simulated = yield from until(lambda: node.count_publishers("/clock") > 0, _CLOCK_S)
        return self._is_simulated

    def _tick(self) -> Parts[int]:
        """Wait for the next simulated time [ns]; a paused simulation publishes none."""
        if self._clock is None:
            self._clock = self._client.watch_clock()
        clock = self._clock
        silent_until_s = time.monotonic() + _SILENCE_S
        while (message := clock.take_message()) is None:
            if time.monotonic() > silent_until_s and not self._client.node.count_publishers("/clock"):
                raise NoServerError("the simulator, whose time is waited for, is gone")
            yield
        return time_from_ros(message.clock)

    def submit(self, kind: str, spots: Sequence[Spot], path: PathOrder | None, terms: Mapping[str, Any]) -> Parts[str]:
        """Submit a job; return its id.

        Raises
        ------
        TaskRejectedError
            The job is not accepted.
        """
        job_id = terms["job_id"] or f"{kind}-{uuid.uuid4().hex[:8]}"
        job = Job(**{**terms, "job_id": job_id, "work": _work_of_job(kind, spots, path)})
        self._note(AuditEvent.ORDERED, f"submit {job.work}", jobs=[job_id])
        try:
            yield from self._jobs.submit_in_parts([job])
        except JobRefusedError as error:
            raise TaskRejectedError(job_id, str(error).removeprefix(f"{job_id}: ")) from error
        return job_id

    def change_job(self, job_id: str, change: str, **values: Any) -> Parts[None]:
        """Change a job; see ChangeJobs.srv.

        Raises
        ------
        TaskRejectedError
            The job was not changed.
        """
        self._note(AuditEvent.ORDERED, f"{change} job", jobs=[job_id])
        try:
            yield from self._jobs.change_in_parts([job_id], change, **values)
        except JobRefusedError as error:
            raise TaskRejectedError(job_id, str(error).removeprefix(f"{job_id}: ")) from error

    def jobs(self, job_ids: Sequence[str] = ()) -> Parts[list[JobReport]]:
        """Find the jobs with these ids, or all open jobs and the latest ended ones."""
        return self._jobs.list_in_parts(job_ids)

    def job_end(self, job_id: str) -> Parts[JobReport]:
        """Wait until a job has succeeded.

        Raises
        ------
        TaskAbortedError
            It was aborted.
        TaskCanceledError
            It was canceled.
        """
        while True:
            reports = yield from self._jobs.list_in_parts([job_id])
            if not reports:
                raise TaskAbortedError(job_id, "the job is no longer known")
            (report,) = reports
            if report.state is JobState.SUCCEEDED:
                return report
            if report.state.is_final:
                text = ": ".join(filter(None, (report.reason, report.detail))) or report.state.value
                raise (TaskCanceledError if report.state is JobState.CANCELED else TaskAbortedError)(job_id, text)
            yield from until(lambda: False, _POLL_S)

    def _await(self, robot_id: int, what: str, condition: Callable[[], bool]) -> Parts[None]:
        """Wait for a message of a robot."""
        self._client.watch(robot_id)
        if (yield from until(condition, _EARLY_S)):
            return
        yield from self._client.reach_in_parts(robot_id, TaskKind.GO_TO)  # raises if there is no such robot
        if not (yield from until(condition, _LATE_S)):
            raise NoServerError(f"robot {robot_id} publishes no {what}: {self._client.report(robot_id).note}")

    def _work(self, kind: TaskKind, spots: Sequence[Spot]) -> Parts[Work]:
        places = []
        for spot in spots:
            if isinstance(spot, str):
                places.append((yield from self._client.places.place_in_parts(spot)))
            else:
                x_m, y_m, heading_rad = pose_of_spot(spot)
                places.append(Place(Pose2D(x_m, y_m, heading_rad or 0.0)))
        return Work(kind, tuple(places))

    def _perform(self, robot_id: int, work: Work) -> Parts[FinishedTask]:
        """Have a robot perform a task to its end; an interruption cancels it, and waits for the end."""
        client = self._client
        client.watch(robot_id)
        self._note(AuditEvent.ORDERED, str(work), robot=robot_id)
        goal = yield from client.assign_in_parts(robot_id, work)
        try:
            while not goal.state.is_final:
                yield
        except InterruptedWorkError:
            goal.cancel()
            yield from until(lambda: goal.state.is_final, CANCEL_S)
            raise
        finally:
            facts = {"robot": robot_id, "task": goal.task_id, "outcome": goal.state.value}
            self._note(AuditEvent.ENDED, str(work), **facts)
        if goal.state is GoalState.SUCCEEDED and goal.success:
            return _result(goal)
        text = yield from client.reason_in_parts(goal)
        if goal.result is None and goal.state is GoalState.ABORTED:  # silent, or restarted
            raise NoServerError(f"robot {robot_id}: {text}")
        raise _ERRORS.get(goal.state, TaskAbortedError)(f"robot {robot_id}", text or goal.state.value)

    def _note(self, event: AuditEvent, what: str, **facts: object) -> None:
        """Note an order, or its end, in the audit log."""
        self._audit.note(event, self._orderer, what, pid=os.getpid(), **facts)


def _result(goal: SentGoal) -> FinishedTask:
    """Return the result of a goal that succeeded."""
    most_m: float = getattr(goal.result, "max_cross_track_m", UNKNOWN_M)
    rms_m: float = getattr(goal.result, "rms_cross_track_m", UNKNOWN_M)
    return FinishedTask(goal.robot_id, goal.task_id, goal.duration_s, most_m, rms_m)


def _work_of_job(name: str, spots: Sequence[Spot], path: PathOrder | None) -> Work:
    """Return the work of a job; its stations are looked up by the driver.

    Raises
    ------
    ValueError
        There is no such kind, or it needs other places.
    """
    kind = kind_named(name)
    if kind is None:
        raise ValueError(f"there is no kind of job {name!r}; kinds are {', '.join(KIND_NAMES)}")
    names = KINDS[kind].places
    if len(spots) != len(names):
        raise ValueError(f"a job {name!r} has {count_text(len(names), 'place')} ({', '.join(names)}), got {len(spots)}")
    if KINDS[kind].has_path is not (path is not None):
        raise ValueError(f"a job {name!r} has {'a path' if path is None else 'no path'}")
    return Work(kind, tuple(map(_named_place, spots)), None if path is None else wish_of_order(path))


def _named_place(spot: Spot) -> Place:
    if isinstance(spot, str):
        return Place(ORIGIN, spot)
    x_m, y_m, heading_rad = pose_of_spot(spot)
    return Place(Pose2D(x_m, y_m, heading_rad or 0.0))


def wish_of_order(order: PathOrder) -> PathWish:
    """Return a path in the form that servers take.

    Raises
    ------
    PathError
        The path has problems.
    """
    path, speed_mps, laps, placement = order.path, order.speed_mps, order.laps, order.relative_to
    if isinstance(path, str):
        return named_path(path, order.size_m, speed_mps, laps, placement, is_endless=order.endless)
    if order.size_m is not None:
        raise PathError(f"a size is for shapes, and waypoints have their own: leave size_m={order.size_m:g} out")
    waypoints_m = tuple((float(x_m), float(y_m)) for x_m, y_m in path)
    return PathWish("", speed_mps, laps, placement, waypoints_m, order.endless)
