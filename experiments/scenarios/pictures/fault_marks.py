"""Marks of an experiment's faults: their times, their names, and the places of the affected robots."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np

from experiments.scenarios.file.experiment import Fault, FaultKind
from experiments.scenarios.run.recorder import Recording


@dataclass(frozen=True, slots=True)
class FaultMark:
    """A fault of a run.

    Parameters
    ----------
    letter : name of the fault in the picture
    until_s : end of the fault; infinite if it does not end, its start if it is momentary
    words : time, kind, robot and duration in words
    places : positions of the affected robots at its start, x and y [m]
    """

    letter: str
    at_s: float
    until_s: float
    words: str
    places: tuple[tuple[float, float], ...]


def fault_marks(faults: Sequence[Fault], recording: Recording) -> list[FaultMark]:
    """Return the marks of faults that happened during a run, in order of time."""
    happened = [fault for fault in sorted(faults, key=lambda fault: fault.at_s) if fault.at_s <= recording.times_s[-1]]
    return [_mark(_letter(number), fault, recording) for number, fault in enumerate(happened)]


def _letter(number: int) -> str:
    """Return A to Z, then A1 to Z1, and so on."""
    rounds, index = divmod(number, len(ascii_uppercase))
    return f"{ascii_uppercase[index]}{rounds or ''}"


def _mark(letter: str, fault: Fault, recording: Recording) -> FaultMark:
    row = int(np.searchsorted(recording.times_s, fault.at_s + 1e-6)) - 1
    robot_ids = [robot_id for robot_id in recording.robot_ids if fault.robot_id in (None, robot_id)]
    places = recording.truth[max(row, 0), [recording.column(robot_id) for robot_id in robot_ids], :2].tolist()
    shown = () if fault.kind is FaultKind.CANCEL else tuple((x_m, y_m) for x_m, y_m in places)
    return FaultMark(letter, fault.at_s, _until_s(fault), _words(fault), shown)


def _until_s(fault: Fault) -> float:
    if fault.for_s is not None:
        return fault.at_s + fault.for_s
    lasting = (FaultKind.CUT_LINK, FaultKind.HIDE, FaultKind.SLIP, FaultKind.STOP)
    return math.inf if fault.kind in lasting else fault.at_s


def _words(fault: Fault) -> str:
    concerned = f"task {fault.task_id}" if fault.kind is FaultKind.CANCEL else "all robots"
    if fault.robot_id is not None:
        concerned = f"robot {fault.robot_id}"
    lasting = f", for {fault.for_s:g} s" if fault.for_s is not None else ""
    return f"{fault.at_s:g} s: {fault.kind.value} {concerned}{lasting}"
