"""Causes faults in a lab, and ends them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from experiments.lab.lab import Lab
from experiments.scenarios.experiment import Fault, FaultKind
from fleet.geometry import Pose2D


@dataclass(frozen=True, slots=True)
class _Deed:
    """An action at a given time."""

    at_s: float
    do: Callable[[], object]


class Faults:
    """The faults of one run; each starts when it is due, and ends.

    Parameters
    ----------
    lab : where they happen
    faults : the faults
    """

    def __init__(self, lab: Lab, faults: Sequence[Fault]) -> None:
        self._lab = lab
        deeds = [deed for fault in faults for deed in self._deeds(fault)]
        self._to_come = sorted(deeds, key=lambda deed: deed.at_s)

    @property
    def are_over(self) -> bool:
        """Whether no fault is left."""
        return not self._to_come

    def advance(self, time_s: float) -> None:
        """Do the actions that are due."""
        while self._to_come and self._to_come[0].at_s <= time_s:
            self._to_come.pop(0).do()

    def _deeds(self, fault: Fault) -> list[_Deed]:
        begin, end = self._begin_and_end(fault)
        deeds = [_Deed(fault.at_s, begin)]
        if fault.for_s is not None:
            deeds.append(_Deed(fault.at_s + fault.for_s, end))
        return deeds

    def _begin_and_end(self, fault: Fault) -> tuple[Callable[[], object], Callable[[], object]]:
        lab, robot_id = self._lab, fault.robot_id
        match fault.kind:
            case FaultKind.CUT_LINK:
                if robot_id is None:
                    return lab.switch_off, lab.switch_on
                return partial(lab.cut_off, robot_id), partial(lab.join, robot_id)
            case FaultKind.HIDE:
                hidden = lab.robot_ids if robot_id is None else [robot_id]
                return partial(lab.unseen.update, hidden), partial(lab.unseen.difference_update, hidden)
            case FaultKind.SLIP:
                begin = partial(self._scale_gains, robot_id, fault.left, fault.right)
                return begin, partial(self._scale_gains, robot_id, 1.0 / fault.left, 1.0 / fault.right)
            case FaultKind.STOP:
                return lab.service.stop, lab.service.resume
        return partial(self._strike, fault), _do_nothing

    def _strike(self, fault: Fault) -> None:
        """Cause a fault without duration."""
        robot_id = fault.robot_id
        if robot_id is None:
            self._cancel(fault.task_id)
        elif fault.kind is FaultKind.PUSH:
            self._put(robot_id, self._lab.truth(robot_id).compose(fault.pose))
        elif fault.kind is FaultKind.TELEPORT:
            self._put(robot_id, fault.pose)
        elif fault.kind is FaultKind.BATTERY:
            self._lab.simulation.world.batteries.charge[self._lab.index(robot_id)] = fault.charge

    def _cancel(self, task_id: str) -> None:
        """Cancel a task, if a robot performs it."""
        for robot_id in self._lab.robot_ids:
            self._lab.service.robot(robot_id).cancel(task_id, self._lab.now_ns)

    def _put(self, robot_id: int, pose: Pose2D) -> None:
        poses, index = self._lab.simulation.world.poses, self._lab.index(robot_id)
        poses.array[index] = pose.x_m, pose.y_m, pose.heading_rad

    def _scale_gains(self, robot_id: int | None, left: float, right: float) -> None:
        if robot_id is not None:
            self._lab.simulation.world.wheels.gains[self._lab.index(robot_id)] *= (left, right)


def _do_nothing() -> None:
    """Do nothing."""
