"""The thread in which a fleet's client spins; it takes works in parts, and several run at once."""

import atexit
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeVar

from fleet.errors import NoServerError
from thymio_base.parts import Parts
from thymio_base.ros.private_domain import private_domain
from thymio_fleet.client_call import CANCEL_S, ClientCall
from thymio_fleet.simulated_programs import SimulatedPrograms

if TYPE_CHECKING:  # loads ROS, once a fleet is opened
    from thymio_fleet.fleet_works import FleetWorks

Result = TypeVar("Result")

_SLICE_S: Final = 0.01  # longest wait for an event between two looks at the works
_LOOK_S: Final = 0.1  # between two looks at the programs of a simulated fleet, and at what robots publish
_ENVIRONMENT: Final = threading.Lock()  # of this process, which ROS reads when a client is created


class ClientThread:
    """A client of a fleet that spins in a separate thread, from `start` to `close`.

    Parameters
    ----------
    programs : programs of a simulated fleet, started and ended with the thread; None for a running fleet
    """

    def __init__(self, programs: SimulatedPrograms | None = None) -> None:
        self._programs: Final = programs
        self._new: Final[SimpleQueue[ClientCall[FleetWorks, Any]]] = SimpleQueue()
        self._open: list[ClientCall[FleetWorks, Any]] = []
        self._is_closing = threading.Event()
        self._is_over = threading.Event()
        self._looked_s = 0.0
        self.ready: Final[Future[None]] = Future()
        self._thread: Final = threading.Thread(target=self._run, name="thymio_fleet", daemon=True)

    def start(self) -> None:
        """Start the thread; `ready` is done once robots were found."""
        self.ready.set_running_or_notify_cancel()
        atexit.register(self.close)
        self._thread.start()

    def close(self) -> None:
        """Cancel open works, leave the graph, and end a simulated fleet; a second call does nothing."""
        self._is_closing.set()
        if self._thread.ident is not None:
            self._thread.join()
        atexit.unregister(self.close)

    def call(self, begin: Callable[["FleetWorks"], Parts[Result]]) -> "ClientCall[FleetWorks, Result]":
        """Pass a work to the thread.

        Raises
        ------
        NoServerError
            The fleet is not open.
        """
        call = ClientCall(begin)
        if self._is_closing.is_set() or self._thread.ident is None:
            raise NoServerError("the fleet is not open: use it within `with`, or between open() and close()")
        self._new.put(call)
        if self._is_over.is_set():
            self._fail_all(NoServerError("the fleet was closed"))
        return call

    def _run(self) -> None:
        error: Exception = NoServerError("the fleet was closed")
        try:
            with ExitStack() as stack:
                works = self._connect(stack)
                opening: ClientCall[FleetWorks, None] = ClientCall(lambda found: found.open())
                self._open.append(opening)
                opening.future.add_done_callback(self._on_open)
                self._serve(works)
        except Exception as broken:
            error = broken
        self._is_over.set()
        self._fail_all(error)
        if not self.ready.done():
            self.ready.set_exception(error)

    def _connect(self, stack: ExitStack) -> "FleetWorks":
        """Start the programs of a simulated fleet, and join the graph."""
        domain = None if self._programs is None else stack.enter_context(private_domain())
        with _environment(domain):
            if self._programs is not None:
                stack.enter_context(self._programs.running())
            from thymio_fleet.fleet_works import FleetWorks  # noqa: PLC0415  loads ROS, in 0.4 s

            works = FleetWorks(() if self._programs is None else self._programs.robot_ids)
        stack.callback(works.close)
        return works

    def _on_open(self, opened: Future[None]) -> None:
        error = opened.exception()
        if error is None:
            self.ready.set_result(None)
        else:
            self.ready.set_exception(error)
            self._is_closing.set()

    def _serve(self, works: "FleetWorks") -> None:
        while not self._is_closing.is_set():
            self._advance(works)
            self._look(works)
        for call in self._open:
            call.interrupt()
        until_s = time.monotonic() + CANCEL_S
        while self._open and time.monotonic() < until_s:
            self._advance(works)

    def _advance(self, works: "FleetWorks") -> None:
        self._take_new()
        self._open = [call for call in self._open if call.advance(works)]
        works.spin(_SLICE_S)

    def _look(self, works: "FleetWorks") -> None:
        if time.monotonic() - self._looked_s < _LOOK_S:
            return
        self._looked_s = time.monotonic()
        works.look()
        if self._programs is not None:
            self._programs.check()

    def _take_new(self) -> None:
        try:
            while True:
                self._open.append(self._new.get_nowait())
        except Empty:
            return

    def _fail_all(self, error: Exception) -> None:
        self._take_new()
        calls, self._open = self._open, []
        for call in calls:
            call.fail(error)


@contextmanager
def _environment(domain: int | None) -> Iterator[None]:
    """Let ROS start as in our commands, in a local domain if one is given; then restore the environment."""
    from thymio_base.fast_dds import use_shipped_profile  # noqa: PLC0415  reads XML

    with _ENVIRONMENT:
        before = dict(os.environ)
        if domain is not None:
            os.environ |= {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
        use_shipped_profile()
        try:
            yield
        finally:
            os.environ.clear()
            os.environ |= before
