"""A profile: distance and speed as functions of time, for a distance driven or an angle turned."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from fleet.paths.sorted_values import SortedValues

_STEPS: Final = 60  # of halving: more than a double has digits


@dataclass(init=False, unsafe_hash=True, slots=True)
class Phase:
    """An interval of constant jerk, with an initial speed >= 0 and acceleration; units are the profile's."""

    duration_s: Final[float]
    speed: Final[float]
    acceleration: Final[float]
    jerk: Final[float]

    def __init__(self, duration_s: float, speed: float, acceleration: float, jerk: float = 0.0) -> None:
        self.duration_s = duration_s
        self.speed = speed
        self.acceleration = acceleration
        self.jerk = jerk

    def at(self, time_s: float) -> tuple[float, float, float]:
        """Return (distance, speed, acceleration) at a time after its start."""
        rising = self.acceleration + 0.5 * self.jerk * time_s
        return (
            time_s * (self.speed + time_s * (0.5 * self.acceleration + self.jerk * time_s / 6.0)),
            self.speed + time_s * rising,
            self.acceleration + self.jerk * time_s,
        )


class TimedPhases:
    """Consecutive phases; phases without a duration are left out.

    Attributes
    ----------
    phases : in order
    starts_s : start times of the phases, followed by the end of the last
    starts : distances covered by these times
    """

    def __init__(self, phases: Iterable[Phase] = ()) -> None:
        self.phases: Final[list[Phase]] = []
        self.starts_s: Final[list[float]] = [0.0]
        self.starts: Final[list[float]] = [0.0]
        self.add(phases)

    def add(self, phases: Iterable[Phase]) -> None:
        """Add phases at the end."""
        end_s, covered = self.starts_s[-1], self.starts[-1]
        for phase in phases:
            if phase.duration_s > 0.0:
                end_s += phase.duration_s
                covered += phase.at(phase.duration_s)[0]
                self.phases.append(phase)
                self.starts_s.append(end_s)
                self.starts.append(covered)


class Profile:
    """Motion from rest to rest, in phases of constant jerk; it never reverses.

    Parameters
    ----------
    phases : in order; without phases, it covers no distance in no time
    distance : distance covered by the phases, >= 0; in metres, radians, or whatever unit they use

    Attributes
    ----------
    duration_s : time from rest to rest
    """

    def __init__(self, phases: Iterable[Phase] | TimedPhases, distance: float) -> None:
        timed = phases if isinstance(phases, TimedPhases) else TimedPhases(phases)
        self._phases = timed.phases
        self._starts_s = SortedValues(timed.starts_s)
        self._starts = SortedValues(timed.starts)
        self.distance = distance
        self.duration_s = timed.starts_s[-1]

    @property
    def wait_s(self) -> float:
        """Initial time at rest."""
        if not self._phases:
            return 0.0
        first = self._phases[0]
        return first.duration_s if first.speed == first.acceleration == first.jerk == 0.0 else 0.0

    @property
    def phases(self) -> Sequence[Phase]:
        """Its phases."""
        return self._phases

    def phase_index(self, time_s: float) -> int:
        """Return the index of the phase at a time after the start; 0 before it."""
        return max(0, self._starts_s.rank(time_s) - 1)

    def phase_start_s(self, index: int) -> float:
        """Return the start time of a phase; the index after the last one yields the end."""
        return self._starts_s.numbers[index]

    def sample(self, time_s: float) -> tuple[float, float, float]:
        """Return (distance, speed, acceleration) at a time after the start; at rest before and after the motion."""
        if time_s <= 0.0:
            return 0.0, 0.0, 0.0
        if time_s >= self.duration_s:
            return self.distance, 0.0, 0.0
        index = self._starts_s.rank(time_s) - 1
        covered, speed, acceleration = self._phases[index].at(time_s - self._starts_s.numbers[index])
        return min(self._starts.numbers[index] + covered, self.distance), max(speed, 0.0), acceleration

    def time_at(self, distance: float) -> float:
        """Return the time at which a distance is covered; in [0, duration_s]."""
        if distance <= 0.0:
            return 0.0
        starts, starts_s = self._starts.numbers, self._starts_s.numbers
        if distance >= starts[-1]:
            return self.duration_s
        index = self._starts.rank(distance) - 1
        phase, missing = self._phases[index], distance - starts[index]
        low_s, high_s = 0.0, phase.duration_s
        for _ in range(_STEPS):
            middle_s = 0.5 * (low_s + high_s)
            if phase.at(middle_s)[0] < missing:
                low_s = middle_s
            else:
                high_s = middle_s
        return starts_s[index] + 0.5 * (low_s + high_s)
