"""A fleet for programs with asyncio: every call that waits is a coroutine, and its cancellation cancels the task."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

from fleet.client.robot_report import RobotReport
from fleet.dispatch.job_report import JobReport
from fleet.geometry import Pose2D
from fleet.robots.place_report import PlaceReport
from fleet.tasks.task_kind import TaskKind
from thymio_base.parts import Parts
from thymio_fleet.client_call import CANCEL_S
from thymio_fleet.client_thread import ClientThread
from thymio_fleet.simulated_programs import SimulatedPrograms
from thymio_fleet.task_order import FinishedTask, Path, PathOrder, Spot

if TYPE_CHECKING:  # loads ROS, once a fleet is opened
    from thymio_fleet.fleet_works import FleetWorks

Result = TypeVar("Result")
P = ParamSpec("P")


class Fleet:
    """A fleet, within `async with`, or from `await open()` to `await close()`; `fleet[3]` is robot 3.

    Parameters
    ----------
    simulated : number of robots to simulate, on a separate ROS domain; None uses the fleet of this ROS domain
    speed : speed of a simulation, in simulated seconds per second
    """

    def __init__(self, *, simulated: int | None = None, speed: float = 1.0) -> None:
        self._thread: Final = ClientThread(None if simulated is None else SimulatedPrograms(simulated, speed))

    async def __aenter__(self) -> "Fleet":
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> "Fleet":
        """Connect to the fleet, or start a simulated one; return it once its robots are found.

        Raises
        ------
        NoServerError
            There are no robots, or the simulation did not start.
        """
        self._thread.start()
        try:
            await asyncio.shield(asyncio.wrap_future(self._thread.ready))
        except BaseException:
            await self.close()
            raise
        return self

    async def close(self) -> None:
        """Cancel the tasks that are awaited, leave the fleet, and end a simulated one."""
        await asyncio.to_thread(self._thread.close)

    def __getitem__(self, robot_id: int) -> "FleetRobot":
        """Return a robot; whether it exists is only checked when it is called."""
        return FleetRobot(self, robot_id)

    @property
    def all(self) -> "RobotGroup":
        """All robots served at the time of a call."""
        return RobotGroup(self, None)

    def group(self, *robot_ids: int) -> "RobotGroup":
        """Return some robots as a group."""
        return RobotGroup(self, robot_ids)

    async def robot_ids(self) -> list[int]:
        """Return the robots that are served now."""
        return await self._run(lambda works: works.robot_ids())

    async def stop(self) -> None:
        """Stop every robot, until `resume`; returns when all drivers have confirmed it.

        Raises
        ------
        NoServerError
            A driver did not confirm; the message names its robots.
        """
        await self._run(lambda works: works.stop(is_stop=True))

    async def resume(self) -> None:
        """Let the robots accept tasks again."""
        await self._run(lambda works: works.stop(is_stop=False))

    async def places(self) -> list[PlaceReport]:
        """Return the stations, with the robots at them."""
        return await self._run(lambda works: works.places())

    async def time_s(self) -> float:
        """Return the current time [s]: simulated time if a simulator publishes it, otherwise seconds since 1970."""
        return await self._run(lambda works: works.time_s())

    async def sleep(self, duration_s: float) -> None:
        """Let time pass: simulated time, if a simulator publishes it."""
        await self._run(lambda works: works.sleep(duration_s))

    async def submit(
        self,
        kind: str,
        *spots: Spot,
        path: Path | None = None,
        size_m: float | None = None,
        robots: Sequence[int] = (),
        priority: int = 5,
        after: Sequence[str] = (),
        attempts: int = 3,
        job_id: str = "",
    ) -> "SubmittedJob":
        """Submit a job to the fleet; its dispatcher chooses the robot.

        Parameters
        ----------
        kind
            "go_to", "go_home", "transport", "follow_path" or "dock"
        *spots
            the places; two for "transport"
        path, size_m
            for "follow_path"
        robots
            robots that may perform it; () for any robot
        priority
            from 0 to 9, the highest
        after
            ids of jobs that must succeed before it
        attempts
            number of robots that may try
        job_id
            id of the job; "" creates one; a job with the same id is performed only once

        Raises
        ------
        TaskRejectedError
            The job is not accepted.
        """
        order = None if path is None else PathOrder(path, size_m)
        terms = {
            "robots": tuple(robots),
            "priority": priority,
            "after": tuple(after),
            "attempts": attempts,
            "job_id": job_id,
        }
        return SubmittedJob(self, await self._run(lambda works: works.submit(kind, spots, order, terms)))

    async def jobs(self) -> list[JobReport]:
        """Return the open jobs, and the latest ended ones."""
        return await self._run(lambda works: works.jobs())

    def job(self, job_id: str) -> "SubmittedJob":
        """Return a job that was submitted before, by its id."""
        return SubmittedJob(self, job_id)

    async def _run(self, begin: Callable[["FleetWorks"], Parts[Result]]) -> Result:
        """Run a work in the client's thread; a cancellation cancels what it has started, and waits for its end."""
        call = self._thread.call(begin)
        ended = asyncio.wrap_future(call.future)
        try:
            return await asyncio.shield(ended)
        except asyncio.CancelledError:
            call.interrupt()
            await asyncio.wait({ended}, timeout=CANCEL_S)
            raise


class FleetRobot:
    """A robot of a fleet; get it by `fleet[3]`.

    Parameters
    ----------
    fleet : its fleet
    robot_id : its ID in the fleet
    """

    def __init__(self, fleet: Fleet, robot_id: int) -> None:
        self._fleet: Final = fleet
        self.robot_id: Final = robot_id

    async def go_to(
        self, spot: Spot | float, y_m: float | None = None, heading_rad: float | None = None
    ) -> FinishedTask:
        """Drive to a place: `go_to("press")`, `go_to((0.9, 0.8))`, or `go_to(0.9, 0.8)`.

        Parameters
        ----------
        spot
            the place, or x [m]
        y_m
            with x
        heading_rad
            heading at the place; None is that of the spot, or of the straight way there

        Raises
        ------
        TaskRejectedError, TaskAbortedError, TaskCanceledError
            The robot did not arrive; `reason` says why.
        NoServerError
            No driver serves the robot, or its driver is silent.
        """
        if isinstance(spot, int | float):
            if y_m is None:
                raise TypeError(f"go_to({spot}) has no y: write go_to(x_m, y_m), a place or the name of a station")
            spot = (float(spot), y_m)
        elif y_m is not None:
            raise TypeError(f"go_to({spot!r}, {y_m}) has a place and y: leave one of them out")
        target = spot
        return await self._fleet._run(lambda works: works.go_to(self.robot_id, target, heading_rad))

    async def go_home(self) -> FinishedTask:
        """Drive home; raises what `go_to` does."""
        return await self._fleet._run(lambda works: works.perform(self.robot_id, TaskKind.GO_HOME))

    async def transport(self, start: Spot, end: Spot) -> FinishedTask:
        """Drive to a place, load there, drive to another one, and unload; raises what `go_to` does."""
        return await self._fleet._run(lambda works: works.perform(self.robot_id, TaskKind.TRANSPORT, start, end))

    async def dock(self, charger: Spot) -> FinishedTask:
        """Drive onto a charger until it charges the robot; raises what `go_to` does."""
        return await self._fleet._run(lambda works: works.perform(self.robot_id, TaskKind.DOCK, charger))

    async def follow(
        self,
        path: Path,
        *,
        size_m: float | None = None,
        speed_mps: float = 0.0,
        laps: int = 0,
        relative_to: str = "",
        endless: bool = False,
    ) -> FinishedTask:
        """Follow a path; raises what `go_to` does.

        Parameters
        ----------
        path
            name of a shape or of a file, or waypoints [m]
        size_m
            size of a shape
        speed_mps
            mean speed; 0 is the path's own
        laps
            number of laps of a closed path; 0 is the path's own
        relative_to
            "position", "pose" or "map"; "" is the path's own
        endless
            whether the path is repeated until that is canceled

        Raises
        ------
        PathError
            The path has problems.
        """
        order = PathOrder(path, size_m, speed_mps, laps, relative_to, endless)
        return await self._fleet._run(lambda works: works.follow(self.robot_id, order))

    async def cancel(self) -> bool:
        """Cancel the robot's task, whichever client sent it; return whether there was one."""
        return await self._fleet._run(lambda works: works.cancel(self.robot_id))

    async def pose(self) -> Pose2D:
        """Return the robot's pose, at most a second old."""
        pose, _ = await self._fleet._run(lambda works: works.pose(self.robot_id))
        return pose

    async def poses(self) -> AsyncIterator[Pose2D]:
        """Yield the robot's pose ten times a second."""
        read_s: float | None = None
        while True:
            pose, read_s = await self._fleet._run(partial(_pose_after, robot_id=self.robot_id, after_s=read_s))
            yield pose

    async def status(self) -> RobotReport:
        """Return the robot's latest status."""
        return await self._fleet._run(lambda works: works.status(self.robot_id))


def _pose_after(works: "FleetWorks", robot_id: int, after_s: float | None) -> Parts[tuple[Pose2D, float]]:
    return works.pose(robot_id, after_s)


def _of_each(
    call: Callable[Concatenate[FleetRobot, P], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate["RobotGroup", P], Coroutine[Any, Any, dict[int, Result]]]:
    """Return the group version of a robot's call: it calls all robots with the same arguments."""

    @wraps(call)
    async def call_each(group: "RobotGroup", /, *args: P.args, **options: P.kwargs) -> dict[int, Result]:
        return await group.each(lambda robot: call(robot, *args, **options))

    return call_each


class RobotGroup:
    """Several robots that do the same at once; results are by robot ID.

    A call returns when all robots are done. Failures are then raised together, as an ExceptionGroup.

    Parameters
    ----------
    fleet : their fleet
    robot_ids : their IDs; None for all that are served
    """

    def __init__(self, fleet: Fleet, robot_ids: Sequence[int] | None) -> None:
        self._fleet: Final = fleet
        self._robot_ids: Final = robot_ids

    async def each(self, call: Callable[[FleetRobot], Awaitable[Result]]) -> dict[int, Result]:
        """Make a call for each robot, all at once: `each(lambda robot: robot.go_to(0.5 * robot.robot_id, 1.0))`."""
        robot_ids = await self._fleet.robot_ids() if self._robot_ids is None else self._robot_ids
        calls = (call(self._fleet[robot_id]) for robot_id in robot_ids)
        outcomes = dict(zip(robot_ids, await asyncio.gather(*calls, return_exceptions=True), strict=True))
        return _successes(outcomes)

    go_home = _of_each(FleetRobot.go_home)
    follow = _of_each(FleetRobot.follow)
    cancel = _of_each(FleetRobot.cancel)
    pose = _of_each(FleetRobot.pose)
    status = _of_each(FleetRobot.status)


def _successes(outcomes: Mapping[int, Result | BaseException]) -> dict[int, Result]:
    """Return the results if there are no failures; a cancellation takes precedence."""
    failures: list[Exception] = []
    for outcome in outcomes.values():
        if isinstance(outcome, Exception):
            failures.append(outcome)
        elif isinstance(outcome, BaseException):
            raise outcome
    if failures:
        text = "; ".join(map(str, failures))
        raise ExceptionGroup(f"{len(failures)} of {len(outcomes)} robots failed: {text}", failures)
    return {one: outcome for one, outcome in outcomes.items() if not isinstance(outcome, BaseException)}


class SubmittedJob:
    """A job of the fleet; get it by `submit` or `fleet.job(id)`.

    Parameters
    ----------
    fleet : its fleet
    job_id : its id
    """

    def __init__(self, fleet: Fleet, job_id: str) -> None:
        self._fleet: Final = fleet
        self.job_id: Final = job_id

    async def done(self) -> JobReport:
        """Wait until the job has succeeded; to stop waiting does not cancel it.

        Raises
        ------
        TaskAbortedError, TaskCanceledError
            It did not succeed; `reason` says why.
        """
        return await self._fleet._run(lambda works: works.job_end(self.job_id))

    async def report(self) -> JobReport | None:
        """Return its current state; None if the fleet does not know it."""
        found = await self._fleet._run(lambda works: works.jobs((self.job_id,)))
        return found[0] if found else None

    async def cancel(self) -> None:
        """Cancel it, in any state.

        Raises
        ------
        TaskRejectedError
            There is no such job, or it is over.
        """
        await self._fleet._run(lambda works: works.change_job(self.job_id, "cancel"))
