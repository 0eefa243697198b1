"""A profile: how far and how fast, as a function of time, on a distance that is driven or an angle that is turned."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

_STEPS = 60  # of halving: more than a double has digits


@dataclass(frozen=True, slots=True)
class Phase:
    """A time of constant jerk; it begins with a speed >= 0 and an acceleration. Units are the profile's."""

    duration_s: float
    speed: float
    acceleration: float
    jerk: float = 0.0

    def at(self, time_s: float) -> tuple[float, float, float]:
        """Return (distance, speed, acceleration) so long after its begin."""
        rising = self.acceleration + 0.5 * self.jerk * time_s
        return (
            time_s * (self.speed + time_s * (0.5 * self.acceleration + self.jerk * time_s / 6.0)),
            self.speed + time_s * rising,
            self.acceleration + self.jerk * time_s,
        )


class Profile:
    """Motion from rest to rest, in phases of constant jerk; it never goes back.

    Parameters
    ----------
    phases : one after the other; without any it goes nowhere in no time
    distance : where they lead, >= 0; in metres, radians, or whatever the phases are in
    """

    def __init__(self, phases: Iterable[Phase], distance: float) -> None:
        self._phases = tuple(phase for phase in phases if phase.duration_s > 0.0)
        self._starts_s = [0.0]
        self._starts = [0.0]
        for phase in self._phases:
            self._starts_s.append(self._starts_s[-1] + phase.duration_s)
            self._starts.append(self._starts[-1] + phase.at(phase.duration_s)[0])
        self.distance = distance

    @property
    def phases(self) -> tuple[Phase, ...]:
        """What it is made of."""
        return self._phases

    @property
    def duration_s(self) -> float:
        """Time from rest to rest."""
        return self._starts_s[-1]

    def sample(self, time_s: float) -> tuple[float, float, float]:
        """Return (distance, speed, acceleration) at a time after the start; before and after it stands still."""
        if time_s <= 0.0:
            return 0.0, 0.0, 0.0
        if time_s >= self.duration_s:
            return self.distance, 0.0, 0.0
        index = bisect_right(self._starts_s, time_s) - 1
        gone, speed, acceleration = self._phases[index].at(time_s - self._starts_s[index])
        return min(self._starts[index] + gone, self.distance), max(speed, 0.0), acceleration

    def time_at(self, distance: float) -> float:
        """Return when a distance has been covered; in [0, duration_s]."""
        if distance <= 0.0:
            return 0.0
        if distance >= self._starts[-1]:
            return self.duration_s
        index = bisect_right(self._starts, distance) - 1
        low_s, high_s = 0.0, self._phases[index].duration_s
        for _ in range(_STEPS):
            middle_s = 0.5 * (low_s + high_s)
            if self._starts[index] + self._phases[index].at(middle_s)[0] < distance:
                low_s = middle_s
            else:
                high_s = middle_s
        return self._starts_s[index] + 0.5 * (low_s + high_s)
