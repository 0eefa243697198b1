"""A fleet for scripts: the same calls as with asyncio, but each returns when it is done."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate, Final, Generic, ParamSpec, Protocol, TypeVar

from fleet.geometry import Pose2D
from thymio_fleet.async_fleet import Fleet, FleetRobot, RobotGroup, SubmittedJob
from thymio_fleet.client_call import CANCEL_S

Result = TypeVar("Result")
Face = TypeVar("Face")
P = ParamSpec("P")


class EventLoopThread:
    """Runs coroutines in a separate thread, so that scripts, and notebooks with their own loop, can wait for them."""

    def __init__(self) -> None:
        self._loop: Final = asyncio.new_event_loop()
        self._thread: Final = threading.Thread(target=self._loop.run_forever, name="thymio_fleet_calls", daemon=True)
        self.deadline_s: float | None = None  # on the monotonic clock, of all calls
        self._thread.start()

    def wait(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Return the result of a coroutine; Ctrl-C and a time-out cancel it.

        Raises
        ------
        TimeoutError
            The time limit of `SyncFleet.timeout` is exceeded.
        """
        left_s = None if self.deadline_s is None else self.deadline_s - time.monotonic()
        future = asyncio.run_coroutine_threadsafe(_within(coroutine, left_s), self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            asyncio.run_coroutine_threadsafe(_others_end(), self._loop).result()
            raise

    def close(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _within(coroutine: Coroutine[Any, Any, Result], left_s: float | None) -> Result:
    async with asyncio.timeout(left_s):
        return await coroutine


async def _others_end() -> None:
    """Wait until tasks that are being canceled have ended."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        await asyncio.wait(others, timeout=CANCEL_S)


class HasAsync(Protocol[Face]):
    """A synchronous object that wraps an asynchronous one."""

    _asynchronous: Face
    _loop: EventLoopThread


def _waited(
    call: Callable[Concatenate[Face, P], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate[HasAsync[Face], P], Result]:
    """Return a synchronous version of an asyncio call, with the same arguments."""

    @wraps(call)
    def wait(face: HasAsync[Face], /, *args: P.args, **options: P.kwargs) -> Result:
        return face._loop.wait(call(face._asynchronous, *args, **options))

    return wait


def _waited_for_job(
    call: Callable[Concatenate[Fleet, P], Coroutine[Any, Any, SubmittedJob]],
) -> Callable[Concatenate["SyncFleet", P], "SyncJob"]:
    """Return a synchronous version of an asyncio call that submits a job; it returns a job for scripts."""

    @wraps(call)
    def wait(fleet: "SyncFleet", /, *args: P.args, **options: P.kwargs) -> SyncJob:
        return SyncJob(fleet._loop.wait(call(fleet._asynchronous, *args, **options)), fleet._loop)

    return wait


async def _next(values: AsyncIterator[Result]) -> Result:
    return await anext(values)


class _Face(Generic[Face]):
    def __init__(self, asynchronous: Face, loop: EventLoopThread) -> None:
        self._asynchronous = asynchronous
        self._loop = loop


class SyncRobot(_Face[FleetRobot]):
    """A robot of a fleet, for scripts; the calls are those of `FleetRobot`."""

    @property
    def robot_id(self) -> int:
        """Its ID in the fleet."""
        return self._asynchronous.robot_id

    go_to = _waited(FleetRobot.go_to)
    go_home = _waited(FleetRobot.go_home)
    transport = _waited(FleetRobot.transport)
    dock = _waited(FleetRobot.dock)
    follow = _waited(FleetRobot.follow)
    cancel = _waited(FleetRobot.cancel)
    pose = _waited(FleetRobot.pose)
    status = _waited(FleetRobot.status)

    def poses(self) -> Iterator[Pose2D]:
        """Yield the robot's pose ten times a second."""
        poses = self._asynchronous.poses()
        while True:
            yield self._loop.wait(_next(poses))


class SyncGroup(_Face[RobotGroup]):
    """Several robots, for scripts; the calls are those of `RobotGroup`."""

    each = _waited(RobotGroup.each)
    go_home = _waited(RobotGroup.go_home)
    follow = _waited(RobotGroup.follow)
    cancel = _waited(RobotGroup.cancel)
    pose = _waited(RobotGroup.pose)
    status = _waited(RobotGroup.status)


class SyncJob(_Face[SubmittedJob]):
    """A job of the fleet, for scripts; the calls are those of `SubmittedJob`."""

    @property
    def job_id(self) -> str:
        """Its id."""
        return self._asynchronous.job_id

    done = _waited(SubmittedJob.done)
    report = _waited(SubmittedJob.report)
    cancel = _waited(SubmittedJob.cancel)


class SyncFleet(_Face[Fleet]):
    """A fleet for scripts, within `with`, or from `open()` to `close()`; the calls are those of `Fleet`.

    Parameters
    ----------
    simulated, speed : see `Fleet`
    """

    def __init__(self, *, simulated: int | None = None, speed: float = 1.0) -> None:
        super().__init__(Fleet(simulated=simulated, speed=speed), EventLoopThread())

    def __enter__(self) -> "SyncFleet":
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> "SyncFleet":
        """Connect to the fleet, or start a simulated one; return it once its robots are found.

        Raises
        ------
        NoServerError
            There are no robots, or the simulation did not start.
        """
        try:
            self._loop.wait(self._asynchronous.open())
        except BaseException:
            self._loop.close()
            raise
        return self

    def close(self) -> None:
        """Cancel awaited calls, leave the fleet, and end a simulated one."""
        self._loop.deadline_s = None
        self._loop.wait(self._asynchronous.close())
        self._loop.close()

    def __getitem__(self, robot_id: int) -> SyncRobot:
        """Return a robot; whether it exists is only checked when it is called."""
        return SyncRobot(self._asynchronous[robot_id], self._loop)

    @property
    def all(self) -> SyncGroup:
        """All robots served at the time of a call."""
        return SyncGroup(self._asynchronous.all, self._loop)

    def group(self, *robot_ids: int) -> SyncGroup:
        """Return some robots as a group."""
        return SyncGroup(self._asynchronous.group(*robot_ids), self._loop)

    def job(self, job_id: str) -> SyncJob:
        """Return a job that was submitted before, by its id."""
        return SyncJob(self._asynchronous.job(job_id), self._loop)

    @contextmanager
    def timeout(self, duration_s: float) -> Iterator[None]:
        """Limit the time of all calls within a block; calls that exceed it are canceled.

        Raises
        ------
        TimeoutError
            The time limit is exceeded.
        """
        before_s = self._loop.deadline_s
        until_s = time.monotonic() + duration_s
        self._loop.deadline_s = until_s if before_s is None else min(until_s, before_s)
        try:
            yield
        finally:
            self._loop.deadline_s = before_s

    robot_ids = _waited(Fleet.robot_ids)
    stop = _waited(Fleet.stop)
    resume = _waited(Fleet.resume)
    places = _waited(Fleet.places)
    time_s = _waited(Fleet.time_s)
    sleep = _waited(Fleet.sleep)
    jobs = _waited(Fleet.jobs)
    submit = _waited_for_job(Fleet.submit)
