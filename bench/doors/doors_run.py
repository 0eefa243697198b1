"""Tries doors in turn, in slices of time, and reports what went wrong at which door."""

import sys
import time
import traceback
from collections.abc import Sequence
from typing import Final

from bench.doors.door import ANSWER_S, Door
from bench.doors.restoring import restore, silent_programs
from bench.doors.ros_access import RosAccess
from bench.doors.tried_programs import TriedPrograms

_READY_S: Final = 60.0
_REPORTED_S: Final = 0.3
_SHOWN: Final = 3  # fenced exceptions of a slice to print
_BEFORE: Final = 200  # requests before a fault, from which a replay begins
_SKIPPED: Final = 1000  # requests skipped after one that the benchmark cannot send
_LOG: Final = 3000  # characters of a program's log to print
_FAULT: Final = "internal error at "  # starts each entry of a fence's record


class DoorsRun:
    """Tries doors in turn.

    Parameters
    ----------
    programs : runs the programs
    ros : reaches them
    doors : the doors to try
    """

    def __init__(self, programs: TriedPrograms, ros: RosAccess, doors: Sequence[Door]) -> None:
        self._programs = programs
        self._ros = ros
        self._doors = doors
        self._next = dict.fromkeys((door.name for door in doors), 0)
        self._fenced = dict.fromkeys(programs.names, 0)

    def run(self, seconds: float, slice_s: float, first: int = 0) -> None:
        """Try all doors repeatedly, each from a request number on."""
        self._next = dict.fromkeys(self._next, first)
        end_s = time.monotonic() + seconds
        self._wait_until_ready()
        while True:
            for door in self._doors:
                self._try(door, slice_s)
                if time.monotonic() >= end_s:
                    return

    def _try(self, door: Door, slice_s: float) -> None:
        """Try a door for a while; a fault of this program ends the slice, and is reported and counted."""
        try:
            self._slice(door, slice_s)
        except Exception:
            door.row.bench_faults += 1
            self._next[door.name] += _SKIPPED
            _say(f"FAULT OF THE BENCH at {door.name}:\n{traceback.format_exc()}")
            self._say_last(door)

    def _slice(self, door: Door, slice_s: float) -> None:
        for name in restore(self._ros, door.programs, ANSWER_S):
            door.row.unanswered += 1
            door.trace.faults.append(f"no answer of {name} before this slice")
        self._ros.late_ms.clear()
        started_s = time.monotonic()
        self._next[door.name] = door.run(self._next[door.name], slice_s)
        door.row.add_time(time.monotonic() - started_s)
        self._ros.spin_until(lambda: False, _REPORTED_S)  # receive what drivers have reported meanwhile
        self._report_faults(door)
        has_ended = self._report_deaths(door)
        self._report_fenced(door)
        if has_ended:
            self._wait_until_ready()
        elif self._ros.late_ms:
            door.row.tick_late_ms_max = max([door.row.tick_late_ms_max or 0.0, *self._ros.late_ms])

    def _report_faults(self, door: Door) -> None:
        for fault in door.trace.faults:
            _say(f"{door.name}: {fault}")
        if door.trace.faults:
            self._say_last(door)
            for program in door.programs:
                _say(f"log of {program}: {self._programs.log(program)[-_LOG:]}")
        door.trace.faults.clear()

    def _report_deaths(self, door: Door) -> bool:
        has_ended = False
        for name, text in self._programs.deaths():
            has_ended = True
            door.row.deaths += 1
            _say(f"DEATH of {name} at {door.name}: {text}")
            self._say_last(door)
        return has_ended

    def _report_fenced(self, door: Door) -> None:
        """Count what the programs' fences have caught since the last slice."""
        for name in self._programs.names:
            faults = self._programs.fence_record(name).split(_FAULT)[1:]
            fresh = faults[self._fenced[name] :]
            self._fenced[name] = len(faults)
            door.row.fenced += len(fresh)
            for fault in fresh[:_SHOWN]:
                _say(f"FENCED in {name} at {door.name}: {fault}")

    def _say_last(self, door: Door) -> None:
        number = max(0, self._next[door.name] - _BEFORE)
        _say(f"--door '{door.name}' --from {number}; the last requests were:")
        for request in door.trace.last:
            _say(f"  {request}")

    def _wait_until_ready(self) -> None:
        for program in silent_programs(self._ros, _READY_S):
            _say(f"{program} does not answer after {_READY_S:g} s\n{self._programs.log(program)}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
