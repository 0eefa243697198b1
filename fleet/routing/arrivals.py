"""Propagates arrivals from place to place: the earliest in each free interval of a place."""

from collections.abc import Sequence
from typing import Final

from fleet.timetable.motion import Interval

_ROUNDING_S: Final = 1e-9
WAIT_S: Final = 0.01  # shorter waits are rounding


class PlannedArrival:
    """An arrival at a place.

    Parameters
    ----------
    time_s : its time
    until_s : when another robot next takes the place
    before : the arrival at the previous place, None at the start
    wait_s : how long the robot waits at the previous place
    """

    def __init__(self, time_s: float, until_s: float, before: "PlannedArrival | None", wait_s: float) -> None:
        self.time_s: Final = time_s
        self.until_s: Final = until_s
        self.before: Final = before
        self.wait_s: Final = wait_s

    @property
    def waits_s(self) -> list[float]:
        """The waits at all places before this one."""
        waits_s: list[float] = []
        arrival = self
        while arrival.before is not None:
            waits_s.append(arrival.wait_s)
            arrival = arrival.before
        waits_s.reverse()
        return waits_s


class Drive:
    """How a robot drives from one place to the next.

    Parameters
    ----------
    turn_s : duration of the turn before
    duration_s : duration of the drive
    stop_s : extra time if it stops before
    """

    def __init__(self, turn_s: float, duration_s: float, stop_s: float = 0.0) -> None:
        self.turn_s: Final = turn_s
        self.duration_s: Final = duration_s
        self.stop_s: Final = stop_s


def arrivals_after(
    arrivals: Sequence[PlannedArrival], drive: Drive, gaps: Sequence[Interval], places: Sequence[Interval]
) -> list[PlannedArrival]:
    """Return the earliest arrival in each free interval of a place, given in `places`.

    `arrivals` are at the previous place, `gaps` are the departures from there that meet nobody.
    """
    best: dict[int, PlannedArrival] = {}
    for before in arrivals:
        ready_s = before.time_s + drive.turn_s
        for gap in gaps:
            departed_s = max(gap.start_s, ready_s)
            wait_s = departed_s - ready_s
            if wait_s > WAIT_S:
                departed_s += drive.stop_s
            if departed_s >= before.until_s:
                break
            if departed_s < gap.end_s:
                _keep(best, places, before, departed_s + drive.duration_s, wait_s)
    return [best[index] for index in sorted(best)]


def _keep(
    best: dict[int, PlannedArrival], places: Sequence[Interval], before: PlannedArrival, arrived_s: float, wait_s: float
) -> None:
    """Keep an arrival if it is the earliest in its interval."""
    for index, place in enumerate(places):
        if place.start_s - _ROUNDING_S <= arrived_s < place.end_s:
            known = best.get(index)
            if known is None or arrived_s < known.time_s:
                best[index] = PlannedArrival(arrived_s, place.end_s, before, wait_s)


def turned(arrivals: Sequence[PlannedArrival], turn_s: float) -> list[PlannedArrival]:
    """Return the arrivals after a turn on the spot, where the free interval leaves time for it."""
    return [
        PlannedArrival(before.time_s + turn_s, before.until_s, before, 0.0)
        for before in arrivals
        if before.time_s + turn_s < before.until_s
    ]
