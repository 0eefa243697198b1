"""Causes faults in a lab, and ends them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, assert_never

from experiments.lab.lab import Lab
from experiments.scenarios.file.experiment import Fault, FaultKind
from fleet.geometry import Pose2D

_Momentary: TypeAlias = Literal[FaultKind.CANCEL, FaultKind.PUSH, FaultKind.TELEPORT, FaultKind.BATTERY]


@dataclass(frozen=True, slots=True)
class _TimedAction:
    at_s: float
    do: Callable[[], object]


class Faults:
    """The faults of one run; each starts when it is due, and ends after its duration.

    Parameters
    ----------
    lab : the lab that they affect
    faults : the faults
    """

    def __init__(self, lab: Lab, faults: Sequence[Fault]) -> None:
        self._lab = lab
        actions = [action for fault in faults for action in self._actions(fault)]
        self._pending = sorted(actions, key=lambda action: action.at_s)

    @property
    def are_over(self) -> bool:
        """Whether all faults have started and ended."""
        return not self._pending

    def advance(self, time_s: float) -> None:
        """Start and end the faults that are due."""
        while self._pending and self._pending[0].at_s <= time_s:
            self._pending.pop(0).do()

    def _actions(self, fault: Fault) -> list[_TimedAction]:
        start, end = self._start_and_end(fault)
        actions = [_TimedAction(fault.at_s, start)]
        if fault.for_s is not None:
            actions.append(_TimedAction(fault.at_s + fault.for_s, end))
        return actions

    def _start_and_end(self, fault: Fault) -> tuple[Callable[[], object], Callable[[], object]]:
        lab, robot_id = self._lab, fault.robot_id
        match fault.kind:
            case FaultKind.CUT_LINK:
                if robot_id is None:
                    return lab.switch_off, lab.switch_on
                return partial(lab.cut_off, robot_id), partial(lab.join, robot_id)
            case FaultKind.HIDE:
                hidden = lab.robot_ids if robot_id is None else [robot_id]
                return partial(lab.hidden.update, hidden), partial(lab.hidden.difference_update, hidden)
            case FaultKind.SLIP:
                start = partial(self._scale_gains, robot_id, fault.left, fault.right)
                return start, partial(self._scale_gains, robot_id, 1.0 / fault.left, 1.0 / fault.right)
            case FaultKind.STOP:
                return lab.service.stop, self._resume
            case FaultKind.CANCEL | FaultKind.PUSH | FaultKind.TELEPORT | FaultKind.BATTERY as kind:
                return partial(self._apply, kind, fault), _do_nothing
            case _:
                assert_never(fault.kind)

    def _apply(self, kind: _Momentary, fault: Fault) -> None:
        robot_id = fault.robot_id or 0
        match kind:
            case FaultKind.CANCEL:
                self._cancel(fault.task_id)
            case FaultKind.PUSH:
                self._move(robot_id, self._lab.truth(robot_id).compose(fault.pose))
            case FaultKind.TELEPORT:
                self._move(robot_id, fault.pose)
            case FaultKind.BATTERY:
                self._lab.simulation.world.batteries.charge[self._lab.index(robot_id)] = fault.charge
            case _:
                assert_never(kind)

    def _cancel(self, task_id: str) -> None:
        """Cancel a job, and a task that a robot performs."""
        if self._lab.dispatcher is not None:
            self._lab.dispatcher.cancel(task_id, self._lab.now)
        for robot_id in self._lab.robot_ids:
            self._lab.service.robot(robot_id).cancel(task_id, self._lab.now_ns)

    def _resume(self) -> None:
        self._lab.service.resume()
        if self._lab.dispatcher is not None:
            self._lab.dispatcher.resume(self._lab.now)

    def _move(self, robot_id: int, pose: Pose2D) -> None:
        poses, index = self._lab.simulation.world.poses, self._lab.index(robot_id)
        poses.array[index] = pose.x_m, pose.y_m, pose.heading_rad

    def _scale_gains(self, robot_id: int | None, left: float, right: float) -> None:
        if robot_id is not None:
            self._lab.simulation.world.wheels.gains[self._lab.index(robot_id)] *= (left, right)


def _do_nothing() -> None:
    """Do nothing."""
