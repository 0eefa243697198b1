"""Which driver serves which robot, where several drivers on several hosts make one fleet.

Every driver tells the others what it serves and what it waits for, and decides for itself by what it heard. Claims on a
robot are ordered in a way that does not depend on who compares them, so that all drivers come to the same end.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from fleet.standstill import Standstill

_LONGEST_STEP_NS = 200_000_000  # twice what is usual between two calls of `advance`


@dataclass(frozen=True, slots=True)
class DriverId:
    """One run of a driver; `host` and `node` are for people, `token` tells it from every other run."""

    host: str
    node: str
    token: str

    def __str__(self) -> str:
        return f"host {self.host} (node {self.node})"


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a driver tells the others.

    Parameters
    ----------
    driver : who it is
    begun_ns : when it began, by the system clock of its host
    serves : since when it serves which robots, by the same clock
    waits_for : robots that it would serve, if nobody else did
    standstill : what it knows of stops
    """

    driver: DriverId
    begun_ns: int
    serves: Mapping[int, int] = field(default_factory=dict)
    waits_for: Sequence[int] = ()
    standstill: Standstill = field(default_factory=Standstill)


class ClaimState(Enum):
    """How a driver stands to a robot of its configuration."""

    LISTENING = auto()  # it has just begun, and others may be there that it has not heard yet
    SERVING = auto()  # the robot is its own
    WAITING = auto()  # another driver serves the robot, or will


@dataclass(frozen=True, slots=True)
class ClaimChange:
    """A robot that a driver begins to serve, or, where another has it, does not serve or stops to serve."""

    robot_id: int
    state: ClaimState
    other: DriverId | None = None


@dataclass(frozen=True, order=True, slots=True)
class _Claim:
    """One driver's claim on a robot; of two the lesser one holds."""

    is_waiting: bool  # who serves a robot goes before who would like to
    since_ns: int  # then the older one
    host: str  # the rest is for claims of the same nanosecond
    node: str
    token: str


@dataclass(slots=True)
class _Other:
    """Another driver, and when it was heard."""

    announcement: Announcement
    heard_ns: int  # in the time that we listened


class Claims:
    """The claims of one driver, and those of the others as far as they were heard.

    Parameters
    ----------
    driver : whose
    robot_ids : of the robots that it is configured to serve
    begun_ns : when it began, by the system clock
    listen_s : how long it listens before it serves anything
    silent_s : after how long without a word another driver counts as gone, also one that was never heard
    """

    def __init__(
        self, driver: DriverId, robot_ids: Sequence[int], begun_ns: int, *, listen_s: float, silent_s: float
    ) -> None:
        self.driver = driver
        self.standstill = Standstill()
        self._begun_ns = begun_ns
        self._listen_ns = round(listen_s * 1e9)
        self._silent_ns = round(silent_s * 1e9)
        self._states = dict.fromkeys(robot_ids, ClaimState.LISTENING)
        self._since_ns: dict[int, int] = {}
        self._others: dict[str, _Other] = {}
        self._advanced_ns: int | None = None
        self._listened_ns = 0

    @property
    def announcement(self) -> Announcement:
        """What to tell the others now."""
        return Announcement(
            self.driver,
            self._begun_ns,
            dict(self._since_ns),
            [robot_id for robot_id, state in self._states.items() if state is not ClaimState.SERVING],
            self.standstill,
        )

    @property
    def farewell(self) -> Announcement:
        """What to tell the others at the end: that there is nothing any more to be claimed."""
        return Announcement(self.driver, self._begun_ns, standstill=self.standstill)

    @property
    def others(self) -> list[Announcement]:
        """What the other drivers said last, in the order of their hosts and nodes."""
        heard = (other.announcement for other in self._others.values())
        return sorted(heard, key=lambda said: (said.driver.host, said.driver.node, said.driver.token))

    @property
    def is_new(self) -> bool:
        """Whether others may be there that it has not heard yet, though it listens."""
        return self._listened_ns < self._silent_ns

    def serves(self, robot_id: int) -> bool:
        """Whether the driver serves a robot now."""
        return self._states[robot_id] is ClaimState.SERVING

    def hear(self, announcement: Announcement) -> None:
        """Take in what a driver says; our own words come back to us as well."""
        token = announcement.driver.token
        if token == self.driver.token:
            return
        self.standstill = self.standstill.joined(announcement.standstill)
        if announcement.serves or announcement.waits_for:
            self._others[token] = _Other(announcement, self._listened_ns)
        else:
            self._others.pop(token, None)

    def stop(self) -> None:
        """Stop the robots of all drivers."""
        self.standstill = self.standstill.stopped_by(self.driver.token)

    def resume(self) -> None:
        """Take back every stop that was heard of."""
        self.standstill = self.standstill.taken_back()

    def advance(self, now_ns: int, system_ns: int, reporting: Collection[int] = ()) -> list[ClaimChange]:
        """Decide anew about every robot; return what changed, in the order of the configuration.

        Robots that are `reporting`, though nothing was heard of who serves them, may have a driver that is found late;
        they are listened for longer.
        """
        if self._advanced_ns is not None:  # a driver that was busy for long did not listen, and blames nobody for it
            self._listened_ns += min(now_ns - self._advanced_ns, _LONGEST_STEP_NS)
        self._advanced_ns = now_ns
        self._forget_silent()
        if self._listened_ns < self._listen_ns:
            return []
        early = reporting if self.is_new else ()
        return [change for robot_id in self._states for change in self._decide(robot_id, system_ns, robot_id in early)]

    def _forget_silent(self) -> None:
        for token, other in list(self._others.items()):
            if self._listened_ns - other.heard_ns > self._silent_ns:
                del self._others[token]

    def _decide(self, robot_id: int, system_ns: int, is_early: bool) -> Iterator[ClaimChange]:
        best = min(self._rivals(robot_id), default=None)
        if best is None and is_early and self._states[robot_id] is ClaimState.LISTENING:
            return
        state = ClaimState.SERVING if best is None or self._own(robot_id) < best else ClaimState.WAITING
        if state is self._states[robot_id]:
            return
        self._states[robot_id] = state
        if state is ClaimState.SERVING:
            self._since_ns[robot_id] = system_ns
        else:
            self._since_ns.pop(robot_id, None)
        other = None if best is None else self._others[best.token].announcement.driver
        yield ClaimChange(robot_id, state, None if state is ClaimState.SERVING else other)

    def _own(self, robot_id: int) -> _Claim:
        return _claim(self._since_ns.get(robot_id), self._begun_ns, self.driver)

    def _rivals(self, robot_id: int) -> Iterator[_Claim]:
        for other in self._others.values():
            said = other.announcement
            if robot_id in said.serves or robot_id in said.waits_for:
                yield _claim(said.serves.get(robot_id), said.begun_ns, said.driver)


def _claim(since_ns: int | None, begun_ns: int, driver: DriverId) -> _Claim:
    stamp_ns = begun_ns if since_ns is None else since_ns
    return _Claim(since_ns is None, stamp_ns, driver.host, driver.node, driver.token)
