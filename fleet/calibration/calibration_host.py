"""Runs a calibration procedure on one robot: passes events to the procedure, and its commands to the robot."""

from collections.abc import Sequence
from typing import Protocol

from aseba_link.host.link_events import LinkEvent, NodeFaulted, NodeLost, NodeReady, UserEvent
from aseba_link.host.node import Node
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.thymio.events import Event
from fleet.calibration.counted_wheels import HALT_RAW, Command
from fleet.calibration.step_log import StepLog
from fleet.errors import CalibrationError
from fleet.settings.config import RobotConfig

_DISCOVERY_S = 15.0


class Procedure(Protocol):
    """A procedure that measures a robot."""

    @property
    def is_done(self) -> bool:
        """Whether the procedure is finished."""

    @property
    def progress(self) -> float:
        """The completed share, 0 to 1."""

    @property
    def log(self) -> StepLog:
        """Lines about its steps and measurements."""

    def on_event(self, event: int, args: Sequence[int], stamp_ns: int) -> None:
        """Process an event of the robot."""

    def step(self, now_ns: int) -> Command:
        """Return the motor targets for now; raises CalibrationError."""


class CalibrationHost:
    """Runs a procedure on one robot, over a link that serves nothing else meanwhile.

    Parameters
    ----------
    link : reaches the robot; only the host polls it
    robot : the robot to measure
    procedure : the procedure to run
    """

    def __init__(self, link: AsebaLink, robot: RobotConfig, procedure: Procedure) -> None:
        self.node: Node | None = None
        self._link = link
        self._robot = robot
        self._procedure = procedure
        self._started_ns: int | None = None
        self._problem = "no answer"

    def tick(self, now_ns: int) -> None:
        """Read the link, and drive the robot; call it at least ten times a second.

        Raises
        ------
        CalibrationError
            The robot is unreachable or lost, or the procedure fails. The robot is commanded to stop.
        """
        self._started_ns = now_ns if self._started_ns is None else self._started_ns
        try:
            for event in self._link.poll(now_ns):
                self._on_event(event)
            if self.node is not None:
                self._emit(self._procedure.step(now_ns))
            elif (now_ns - self._started_ns) * 1e-9 > _DISCOVERY_S:
                raise CalibrationError(f"robot {self._robot.id} cannot be reached: {self._problem}")
        except CalibrationError:
            self.stop()
            raise

    def stop(self) -> None:
        """Command the robot to stop, if it can be reached."""
        self._emit(HALT_RAW)

    def _on_event(self, event: LinkEvent) -> None:
        match event:
            case NodeReady(node) if self._robot.is_node(node):
                self._on_ready(node)
            case UserEvent(address, rank, args, stamp_ns) if self.node is not None and address == self.node.address:
                self._procedure.on_event(rank, args, stamp_ns)
            case NodeLost(address, reason) | NodeFaulted(address, reason) if self._is_ours(event):
                if self.node is not None:
                    raise CalibrationError(f"robot {self._robot.id} was lost: {reason}")
                self._problem = reason

    def _on_ready(self, node: Node) -> None:
        """Accept the robot, whose counters start at 0; a second call means that it was restarted."""
        if self.node is not None:
            raise CalibrationError(f"robot {self._robot.id} was restarted while it was measured")
        self.node = node

    def _is_ours(self, event: NodeLost | NodeFaulted) -> bool:
        if self.node is not None:
            return event.address == self.node.address
        return self._robot.is_at(event.address)

    def _emit(self, command: Command) -> None:
        if self.node is not None:
            address = self.node.address
            self._link.node(address).emit(Event.SET_SPEED, (address.node_id, *command))
