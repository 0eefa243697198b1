"""What every part of the driver's ROS edge works with."""

from collections.abc import Callable
from dataclasses import dataclass

from rclpy.impl.rcutils_logger import RcutilsLogger

from fleet.service.fleet_service import FleetService
from fleet.service.request_queue import Requests
from thymio_base.fence import Fence
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers


@dataclass(frozen=True, slots=True)
class Edge:
    """The edge of one driver.

    Parameters
    ----------
    service : knows and drives the robots
    clock : returns the current time
    logger : the driver's
    answers : sends the answers of all services and actions
    requests : gives turns to requests that take long
    """

    service: FleetService
    clock: Callable[[], Instant]
    logger: RcutilsLogger
    answers: Answers
    requests: Requests

    @property
    def fence(self) -> Fence:
        """Notes exceptions that single requests and robots make."""
        return self.answers.fence
