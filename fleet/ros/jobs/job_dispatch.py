"""Gives jobs while this driver has the book of jobs, and stands by while another one has it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.executors import Executor
from rclpy.node import Node

from fleet.dispatch.dispatcher import Dispatcher
from fleet.dispatch.records.book import Book, BookAccess
from fleet.robots.robot_status import TaskOutcome
from fleet.ros.edge.driver_edge import Edge
from fleet.ros.jobs.jobs_interface import JobsHost, JobsInterface
from fleet.ros.jobs.remote_fleet import RemoteFleet
from thymio_base.instant import Instant
from thymio_base.ros.answers import serve_unannounced
from thymio_base.ros.executors import retire
from thymio_base.texts.shortened import shortened

ACTIVE: Final = "active"
STANDBY: Final = "standby"
_LONGEST: Final = 500  # characters of a diagnostic


class JobDispatch:
    """Holds the dispatcher and the interface of jobs; only one driver of a fleet has this interface on the graph.

    Parameters
    ----------
    access : access to the book
    edge : has this driver's robots
    others : robots of other drivers
    host : returns which other drivers can give jobs
    create_node : returns a node for the interface
    """

    def __init__(
        self,
        access: BookAccess,
        edge: Edge,
        others: RemoteFleet,
        host: Callable[[], JobsHost],
        create_node: Callable[[], Node],
    ) -> None:
        self._access: Final = access
        self._edge: Final = edge
        self._others: Final = others
        self._host: Final = host
        self._create_node: Final = create_node
        self._executor: Executor | None = None
        self._book: Book | None = None
        self._dispatcher: Dispatcher | None = None
        self._interface: JobsInterface | None = None
        self._node: Node | None = None
        self._logged = ""

    @property
    def part(self) -> str:
        """The part of this driver: active, or standby."""
        return STANDBY if self._dispatcher is None else ACTIVE

    def join(self, executor: Executor) -> None:
        """Serve the interface by an executor, whenever there is one."""
        self._executor = executor
        if self._node is not None:
            executor.add_node(self._node)

    def advance(self, outcomes: Iterable[TaskOutcome], now: Instant) -> None:
        """Do the dispatcher's share of a tick: gain or lose the book, and give jobs."""
        ended: Sequence[TaskOutcome] = [*outcomes, *self._others.advance(now)]
        book = self._access.poll(now.core_ns)
        if book is not self._book:
            self._change(book, now)
        self._log_state()
        if self._access.is_held_elsewhere:
            self._leave()
            return
        interface = self._interface or self._enter()
        interface.host = self._host()
        interface.host.obstacle = self._access.obstacle
        interface.advance(ended, now)

    def do_housekeeping(self) -> None:
        """Serve requests of which the executor missed the notification; call it once a second."""
        if self._node is not None:
            serve_unannounced(self._node)

    def resume(self, now: Instant) -> None:
        """Release the jobs that a stop of the fleet held."""
        if self._interface is not None:
            self._interface.resume(now)

    def diagnostic(self) -> DiagnosticStatus:
        """Return which driver gives the jobs, and any problem with the book."""
        is_wrong = bool(self._access.obstacle) and not self._access.is_held_elsewhere
        aside = [] if self._book is None else list(self._book.set_aside)
        level = DiagnosticStatus.ERROR if is_wrong else DiagnosticStatus.WARN if aside else DiagnosticStatus.OK
        about = f"; {len(aside)} jobs were set aside, because their records cannot be read: {', '.join(aside)}"
        return DiagnosticStatus(level=level, message=shortened(self._state + (about if aside else ""), _LONGEST))

    def close(self) -> None:
        """Release the book for another driver; leave the graph."""
        self._access.close()
        self._leave()

    @property
    def _state(self) -> str:
        obstacle = self._access.obstacle
        if self._access.is_held_elsewhere:
            return f"standby: {obstacle}; this driver gives jobs once it is free"
        return obstacle or "active: this driver gives jobs"

    def _log_state(self) -> None:
        state = self._state
        if state != self._logged:
            self._logged = state
            is_wrong = bool(self._access.obstacle) and not self._access.is_held_elsewhere
            text = f"jobs: {state}"
            self._edge.logger.error(text) if is_wrong else self._edge.logger.info(text)

    def _change(self, book: Book | None, now: Instant) -> None:
        """Start with a book that has become ours; finish with one that no longer is."""
        if self._dispatcher is not None:
            self._dispatcher.abandon(self._access.obstacle or "another driver had the book of jobs meanwhile")
        self._book, self._dispatcher = book, None
        if book is None:
            return
        service = self._edge.service
        self._dispatcher = Dispatcher(service.config, service, book, now, self._others, fence=self._edge.fence)
        for sentence in book.set_aside.values():
            self._edge.logger.error(sentence)
        interface = self._interface or self._enter()
        interface.use(self._dispatcher)

    def _enter(self) -> JobsInterface:
        """Offer the interface to clients."""
        self._node = self._create_node()
        self._interface = JobsInterface(self._dispatcher, self._node, self._edge)
        if self._executor is not None:
            self._executor.add_node(self._node)
        return self._interface

    def _leave(self) -> None:
        """Withdraw the interface, in favour of the driver that has the book."""
        if self._node is None:
            return
        if self._executor is not None:
            retire(self._executor, self._node)
        else:
            self._node.destroy_node()
        self._node = self._interface = None
