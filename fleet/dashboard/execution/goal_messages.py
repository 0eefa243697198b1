"""Converts orders to the requests that carry them out."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from simulation_interfaces.srv import SetEntityState
from thymio_fleet_interfaces.srv import ChangeJobs, ConfigureTracker, SubmitJobs
from thymio_simulator_interfaces.srv import SetBattery, SetLink

from fleet.calls.placing import PLACING_SERVICE, placing_request, simulator_refusal
from fleet.dashboard.model.fleet_picture import PicturedRobot
from fleet.dashboard.orders.fleet_orders import (
    BatteryOrder,
    ChangeJobsOrder,
    JobOrder,
    LawOrder,
    LinkOrder,
    PushOrder,
    SimulatedLink,
    SimulationOrder,
    SubmitOrder,
    TeleportOrder,
)
from fleet.geometry import Pose2D
from fleet.interface.job_messages import job_to_ros
from fleet.interface.names import CHANGE_JOBS_SERVICE, SUBMIT_JOBS_SERVICE

_LINKS: Final = {
    SimulatedLink.CONNECTED: SetLink.Request.LINK_CONNECTED,
    SimulatedLink.SILENT: SetLink.Request.LINK_SILENT,
    SimulatedLink.DISCONNECTED: SetLink.Request.LINK_DISCONNECTED,
}


@dataclass(frozen=True, slots=True)
class ServiceCall:
    """One request to a service, and how to read its answer.

    Parameters
    ----------
    refusal : returns from the answer why the request was refused, "" if it was not
    """

    service_type: Any
    name: str
    request: Any
    refusal: Callable[[Any], str]


def law_call(order: LawOrder) -> ServiceCall:
    """Return the call that chooses a control law."""
    request = ConfigureTracker.Request(law=order.law, names=list(order.gains), values=list(order.gains.values()))
    name = f"/factory/robot_{order.robot_id}/x/configure_tracker"
    return ServiceCall(ConfigureTracker, name, request, lambda answer: "" if answer.success else str(answer.message))


def job_call(order: JobOrder) -> ServiceCall:
    """Return the call that submits a job, or that changes jobs."""
    match order:
        case SubmitOrder(job):
            request = SubmitJobs.Request(jobs=[job_to_ros(job)])
            return ServiceCall(SubmitJobs, SUBMIT_JOBS_SERVICE, request, _submission_refusal)
        case ChangeJobsOrder(job_ids, change):
            request = ChangeJobs.Request(job_ids=list(job_ids), change=change.value)
            return ServiceCall(ChangeJobs, CHANGE_JOBS_SERVICE, request, _change_refusal)


def simulation_call(order: SimulationOrder, robot: PicturedRobot) -> ServiceCall | None:
    """Return the call that carries out a fault; None if the robot's place in the simulator is not known."""
    node_id = robot.report.node_id
    if node_id is None:
        return None
    entity = f"thymio_{node_id}"
    match order:
        case LinkOrder(_, link):
            return _simulator_call(SetLink, "set_link", entity=entity, link=_LINKS[link])
        case BatteryOrder(_, charge):
            return _simulator_call(SetBattery, "set_battery", entity=entity, charge=charge)
        case TeleportOrder(_, pose):
            return _placing_call(entity, pose)
        case PushOrder(_, distance_m, heading_rad):
            if robot.truth is None:
                return None
            way = Pose2D(distance_m * math.cos(heading_rad), distance_m * math.sin(heading_rad), 0.0)
            return _placing_call(entity, robot.truth.compose(way))


def _submission_refusal(answer: Any) -> str:
    if answer.accepted:
        return ""
    answers = zip(answer.reasons, answer.details, strict=True)
    return "; ".join(f"{reason}: {detail}" for reason, detail in answers if reason) or "the driver did not accept it"


def _change_refusal(answer: Any) -> str:
    return "" if answer.success else "; ".join(detail for detail in answer.details if detail)


def _placing_call(entity: str, pose: Pose2D) -> ServiceCall:
    return ServiceCall(SetEntityState, PLACING_SERVICE, placing_request(entity, pose), simulator_refusal)


def _simulator_call(service_type: Any, name: str, **fields: Any) -> ServiceCall:
    request = service_type.Request(**fields)
    return ServiceCall(service_type, f"/simulator/{name}", request, simulator_refusal)
