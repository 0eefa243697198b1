"""The record of a run: true poses, estimated poses, contacts, and statuses."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from experiments.lab.lab import Lab
from fleet.robots.robot_status import RobotStatus
from fleet.traffic.traffic_state import TrafficPhase
from simulator.numbers.periodic_event import PeriodicEvent

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

_NOWHERE = (math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class StatusRecord:
    """A robot's status, with the time since the run's start."""

    time_s: float
    status: RobotStatus


@dataclass(slots=True)
class Recording:
    """The recording of a run; robots are in the order of `robot_ids`, poses are x [m], y [m], heading [rad].

    Parameters
    ----------
    times_s : times since the run's start, shape (times,)
    truth, estimates : true and estimated poses, shape (times, robots, 3); NaN without an estimate
    movers : true poses of all robots of the world, in the fleet or not, then of its objects, shape (times, bodies, 3)
    indices : indices of the robots among the movers
    contacts : number of contacts of each robot since the start, shape (times, robots)
    total_contacts : number of contacts of all robots, shape (times,); a contact of two robots counts once
    charges : charges of the batteries, 0 to 1, shape (times, robots)
    """

    robot_ids: list[int]
    node_ids: list[int]
    times_s: Array
    truth: Array
    estimates: Array
    movers: Array
    indices: list[int]
    contacts: Counts
    total_contacts: Counts
    charges: Array
    statuses: list[StatusRecord] = field(default_factory=list)

    def rows(self, from_s: float, until_s: float) -> slice:
        """Return the rows between two times, inclusive."""
        first, last = np.searchsorted(self.times_s, (from_s - 1e-6, until_s + 1e-6)).tolist()
        return slice(first, last)

    def column(self, robot_id: int) -> int:
        """Return a robot's index in the arrays."""
        return self.robot_ids.index(robot_id)


def is_waiting(status: RobotStatus) -> bool:
    """Return whether a robot with a task waits for others, or finds no way at present."""
    return status.is_busy and status.traffic.going in (TrafficPhase.WAITING, TrafficPhase.BLOCKED)


class Recorder:
    """Records poses at a given rate, and every status of the robots.

    Parameters
    ----------
    lab : lab to record
    record_hz : rate of recorded poses
    """

    def __init__(self, lab: Lab, record_hz: float) -> None:
        self._lab = lab
        self._robot_ids = list(lab.robot_ids)
        self._indices = [lab.index(robot_id) for robot_id in self._robot_ids]
        self._pose_times = PeriodicEvent(record_hz)
        self._status_times = PeriodicEvent(lab.config.rates.status_hz)
        self._times_s: list[float] = []
        self._movers: list[list[float]] = []
        self._contacts: list[tuple[Counts, int]] = []
        self._charges: list[list[float]] = []
        self._estimates: list[list[tuple[float, float, float]]] = []
        self._statuses: list[StatusRecord] = []

    def record(self, time_s: float) -> None:
        """Record poses and statuses when due; the first time is 0."""
        if self._pose_times.is_due(time_s) or not self._times_s:
            self._times_s.append(time_s)
            world = self._lab.simulation.world
            self._movers.append(world.poses.places()[: 3 * world.poses.movers])
            self._contacts.append((world.collisions.counts[self._indices], world.collisions.total))
            self._charges.append([world.batteries.charge[index] for index in self._indices])
            self._estimates.append([self._estimate(robot_id) for robot_id in self._robot_ids])
        if self._status_times.is_due(time_s):
            self._statuses += [StatusRecord(time_s, self._lab.status(robot_id)) for robot_id in self._robot_ids]

    def recording(self) -> Recording:
        """Return the record."""
        node_ids = [self._lab.simulation.node_ids[index] for index in self._indices]
        movers = np.array(self._movers).reshape(len(self._times_s), -1, 3)
        contacts = np.array([counts for counts, _ in self._contacts]).reshape(len(self._times_s), -1)
        total_contacts = np.array([total for _, total in self._contacts])
        return Recording(
            robot_ids=self._robot_ids,
            node_ids=node_ids,
            times_s=np.array(self._times_s),
            truth=movers[:, self._indices],
            estimates=np.array(self._estimates),
            movers=movers,
            indices=self._indices,
            contacts=contacts - contacts[0],
            total_contacts=total_contacts - total_contacts[0],
            charges=np.array(self._charges).reshape(len(self._times_s), -1),
            statuses=self._statuses,
        )

    def _estimate(self, robot_id: int) -> tuple[float, float, float]:
        estimate = self._lab.service.robot(robot_id).telemetry.estimate
        return _NOWHERE if estimate is None else (estimate.pose.x_m, estimate.pose.y_m, estimate.pose.heading_rad)
