"""The context shared by every part of the driver's ROS edge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rclpy.impl.rcutils_logger import RcutilsLogger

from fleet.service.fleet_service import FleetService
from fleet.service.request_queue import Requests
from thymio_base.fence import Fence
from thymio_base.instant import Instant
from thymio_base.logs.audit_log import AuditEvent, AuditLog, Orderer
from thymio_base.ros.answers import Answers


@dataclass(frozen=True, slots=True)
class Edge:
    """The edge of one driver.

    Parameters
    ----------
    service : knows and drives the robots
    clock : returns the current time
    logger : the driver's logger
    answers : sends the answers of all services and actions
    requests : gives turns to long requests
    audit : log of everything that clients order
    clients : returns the nodes seen so far that have a client of an action
    """

    service: FleetService
    clock: Callable[[], Instant]
    logger: RcutilsLogger
    answers: Answers
    requests: Requests
    audit: AuditLog = field(default_factory=lambda: AuditLog(""))
    clients: Callable[[str], Sequence[str]] = lambda _: ()

    def note(self, event: AuditEvent, what: str, action: str, **facts: object) -> None:
        """Note an order in the audit log.

        ROS does not reveal the sender, so all clients of the action are named; `action` is "" for a service.
        """
        who = ", ".join(self.clients(action)) if action else ""
        self.audit.note(event, Orderer(who, "ROS"), what, **facts)

    @property
    def fence(self) -> Fence:
        """Records exceptions caused by single requests and robots."""
        return self.answers.fence
